#include <pawl/geometry.h>

#include <algorithm>

#include <pawl/base/tolerances.h>
#include <pawl/collision/manifold/manifold_builder.h>
#include <pawl/collision/shapes/contact_feature.h>
#include <pawl/collision/shapes/support.h>

// Consider one surface in the frame of its body. The contact point moves by τ and the outward normal by ν,
// both in the tangent plane. A smooth surface has τ = S ν, where S is the matrix of its radii of curvature. A
// vertex has S = 0, a face S = ∞, and an edge ∞ along itself and 0 across. A common form, finite for all of
// them, is
//     ν = A y,  τ = B y,  A = (1 + S)⁻¹,  B = 1 - A,
// with an auxiliary vector y and lengths in units of the shapes' size. A rounding radius r replaces B by B +
// r A (the parallel surface).
//
// Two surfaces in contact have a common normal n, out of b, and witness points x_a - x_b = gap n:
//     ν_b = ṅ - ω_b × n,  ν_a = -ṅ + ω_a × n.
// The derivatives of these conditions are
//     ν_a + ν_b = w,              w = (ω_a - ω_b) × n,
//     τ_a - τ_b = gap ν_b - c,    c = tangential velocity of a's point relative to b,
// four equations for y_a and y_b (for gap = 0: D. J. Montana, The kinematics of contact and grasp, 1988).

namespace pawl {

using namespace internal;

namespace {

constexpr double kMinPivot = tolerances::kIterated;  // with all lengths in units of the shapes' size

/// Symmetric 2×2 matrix.
struct Sym2 {
  double tt = 0, tu = 0, uu = 0;
};

struct Tangents {
  Vec3 t, u;
};

Tangents tangents_of(const Vec3& n, bool planar) {
  if (planar) return {{-n.y, n.x, 0}, {0, 0, 1}};
  const Vec3 across = std::abs(n.z) < 0.9 ? Vec3{-n.y, n.x, 0} : Vec3{0, -n.z, n.y};
  const Vec3 t = normalized(across);
  return {t, cross(n, t)};
}

/// (1 + S)⁻¹ for a symmetric S ≥ 0.
Sym2 bounded_curvature(const Sym2& S) {
  const double tt = 1 + S.tt, uu = 1 + S.uu, det = tt * uu - S.tu * S.tu;
  return {uu / det, -S.tu / det, tt / det};
}

/// The matrix A of a feature; `size` is the unit of length.
Sym2 bounded_curvature(const PosedConvex& posed, const CoreFeature& feature, const Vec3& outward_S,
                       const Tangents& basis, double size) {
  const Mat3& R = posed.X_WS.R;
  switch (feature.kind) {
    case CoreFeature::Kind::vertex:
      return {1, 0, 1};
    case CoreFeature::Kind::face:
      return {};
    case CoreFeature::Kind::line: {
      const Vec3 along = R * feature.along;  // perpendicular to the normal within rounding
      const double t = dot(along, basis.t), u = dot(along, basis.u), length2 = t * t + u * u;
      const double a = 1 / ((1 + feature.radius / size) * length2);
      return {a * u * u, -a * t * u, a * t * t};
    }
    case CoreFeature::Kind::curve: {
      const Mat3 S = support_derivative(posed.shape, feature.piece, outward_S);
      const Mat3 Rt = transpose(R);
      const Vec3 t = Rt * basis.t, u = Rt * basis.u, St = S * t, Su = S * u;
      return bounded_curvature(Sym2{dot(t, St) / size, dot(t, Su) / size, dot(u, Su) / size});
    }
  }
  return {};
}

using Matrix4 = std::array<std::array<double, 4>, 4>;

/// Gauss-Jordan elimination; false if the matrix is singular.
bool invert(Matrix4& M) {
  Matrix4 X{};
  for (int i = 0; i < 4; ++i) X[i][i] = 1;
  for (int k = 0; k < 4; ++k) {
    int best = k;
    for (int i = k + 1; i < 4; ++i) {
      if (std::abs(M[i][k]) > std::abs(M[best][k])) best = i;
    }
    if (!(std::abs(M[best][k]) > kMinPivot)) return false;
    std::swap(M[k], M[best]);
    std::swap(X[k], X[best]);
    const double scale = 1 / M[k][k];
    for (int j = 0; j < 4; ++j) {
      M[k][j] *= scale;
      X[k][j] *= scale;
    }
    for (int i = 0; i < 4; ++i) {
      const double factor = M[i][k];
      if (i == k || factor == 0) continue;
      for (int j = 0; j < 4; ++j) {
        M[i][j] -= factor * M[k][j];
        X[i][j] -= factor * X[k][j];
      }
    }
  }
  M = X;
  return true;
}

/// One side of a contact: A, and the rounding radius in B, both in units of the size.
struct Side {
  Sym2 A;
  double rounding_radius = 0;

  Sym2 B() const {
    const double less = rounding_radius - 1;  // B = 1 - A + r A
    return {1 + less * A.tt, less * A.tu, 1 + less * A.uu};
  }
};

/// The 3×3 world matrix of a 2×2 map between tangent vectors.
Mat3 in_world(const Tangents& basis, double scale, double tt, double tu, double ut, double uu) {
  return scale * (outer(basis.t, tt * basis.t + tu * basis.u) + outer(basis.u, ut * basis.t + uu * basis.u));
}

std::optional<ContactKinematics> solve_kinematics(const Side& a, const Side& b, double gap,
                                                  const Vec3& normal, const Tangents& basis, double size) {
  const Sym2 B_a = a.B(), B_b = b.B();
  const double g = gap / size;
  // Rows: ν_a + ν_b = w; τ_b + gap ν_b - τ_a = c. Columns: y_a, y_b.
  Matrix4 M{{{a.A.tt, a.A.tu, b.A.tt, b.A.tu},
             {a.A.tu, a.A.uu, b.A.tu, b.A.uu},
             {-B_a.tt, -B_a.tu, B_b.tt + g * b.A.tt, B_b.tu + g * b.A.tu},
             {-B_a.tu, -B_a.uu, B_b.tu + g * b.A.tu, B_b.uu + g * b.A.uu}}};
  if (!invert(M)) return {};
  // Rows 2 and 3 of the inverse give y_b from w (columns 0, 1) and c (columns 2, 3).
  const auto map = [&](const Sym2& F, int column, double scale) {
    const auto entry = [&](double x, double y, int k) { return x * M[2][k] + y * M[3][k]; };
    return in_world(basis, scale, entry(F.tt, F.tu, column), entry(F.tt, F.tu, column + 1),
                    entry(F.tu, F.uu, column), entry(F.tu, F.uu, column + 1));
  };
  return ContactKinematics{gap,           normal, map(b.A, 0, 1), map(b.A, 2, 1 / size), map(B_b, 0, size),
                           map(B_b, 2, 1)};
}

double radius_of(const Convex& shape) {
  return core_radius(shape) + shape.rounding_radius;
}

struct FeatureIds {
  std::uint32_t own, other;
};

std::optional<Side> side_of(const PosedConvex& posed, FeatureIds ids, const Vec3& outward, const Vec3& point,
                            const Tangents& basis, double size) {
  const Mat3 R_SW = transpose(posed.X_WS.R);
  const Vec3 outward_S = R_SW * outward;
  const Vec3 witness_S = R_SW * (point - posed.X_WS.p) - posed.shape.rounding_radius * outward_S;
  const auto feature = feature_from_id(posed.shape, ids.own, ids.other, outward_S, witness_S);
  if (!feature) return {};
  return Side{bounded_curvature(posed, *feature, outward_S, basis, size), posed.shape.rounding_radius / size};
}

ManifoldPoint point_of(const Separation& nearest) {
  return {nearest.gap, nearest.normal, nearest.point_a, nearest.point_b,
          feature_pair_id(kNearestId, kNearestId)};
}

}  // namespace

ContactTimeDerivative ContactKinematics::time_derivative(const ShapeMotion& a, const ShapeMotion& b) const {
  const Vec3 against_b = a.velocity - b.velocity - gap * cross(b.spin, normal);
  const Vec3 w = cross(a.spin - b.spin, normal), c = against_b - dot(normal, against_b) * normal;
  ContactTimeDerivative time_derivative;
  time_derivative.gap = dot(normal, a.velocity - b.velocity);
  time_derivative.normal = cross(b.spin, normal) + dn_dw * w + dn_dc * c;
  time_derivative.point_b = b.velocity + dx_dw * w + dx_dc * c;
  time_derivative.point_a =
      time_derivative.point_b + time_derivative.gap * normal + gap * time_derivative.normal;
  return time_derivative;
}

std::array<double, 2> ContactKinematics::principal_curvatures() const {
  // The Hessian minus its mean has the eigenvalues ±difference/2, so its squared entries sum to
  // difference²/2.
  const double sum = trace(dn_dc);
  const Mat3 rest = dn_dc - (0.5 * sum) * (Mat3::identity() - outer(normal, normal));
  double squares = 0;
  for (const Vec3& row : rest.row) squares += dot(row, row);
  const double difference = std::sqrt(2 * squares);
  return {0.5 * (sum + difference), 0.5 * (sum - difference)};
}

std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const PosedConvex& b,
                                                    const ManifoldPoint& point) {
  const bool planar = a.shape.planar;
  const Tangents basis = tangents_of(point.normal, planar);
  const double size = radius_of(a.shape) + radius_of(b.shape);
  const auto id_a = static_cast<std::uint32_t>(point.feature >> 32);
  const auto id_b = static_cast<std::uint32_t>(point.feature);
  auto side_a = side_of(a, {id_a, id_b}, -point.normal, point.point_a, basis, size);
  auto side_b = side_of(b, {id_b, id_a}, point.normal, point.point_b, basis, size);
  if (!side_a || !side_b) return {};
  if (planar) {  // no motion along z: any values that keep the system regular
    side_a->A.uu = 1;
    side_b->A.uu = 0;
  }
  return solve_kinematics(*side_a, *side_b, point.gap, point.normal, basis, size);
}

std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const HalfSpace& b,
                                                    const ManifoldPoint& point) {
  const Tangents basis = tangents_of(point.normal, a.shape.planar);
  const double size = radius_of(a.shape);
  const auto id = static_cast<std::uint32_t>(point.feature >> 32);
  auto side = side_of(a, {id, face_id(0)}, -b.normal, point.point_a, basis, size);
  if (!side) return {};
  if (a.shape.planar) side->A.uu = 1;
  return solve_kinematics(*side, {}, point.gap, point.normal, basis, size);
}

std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const PosedConvex& b,
                                                    const Separation& nearest) {
  return contact_kinematics(a, b, point_of(nearest));
}

std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const HalfSpace& b,
                                                    const Separation& nearest) {
  return contact_kinematics(a, b, point_of(nearest));
}

}  // namespace pawl
