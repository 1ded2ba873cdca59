#include <pawl/collision/shapes/support.h>

#include <algorithm>

namespace pawl::internal {
namespace {

Vec3 ellipsoid_point(const Vec3& half, const Vec3& d) {
  const Vec3 scaled{half.x * d.x, half.y * d.y, half.z * d.z};
  const double length = norm(scaled);
  if (length == 0) return {};  // across an ellipse, all of which is as far
  return Vec3{half.x * scaled.x, half.y * scaled.y, half.z * scaled.z} / length;
}

/// Of a circle about z at a height. Along its axis all points are as far.
Vec3 circle_point(double radius, double height, const Vec3& d) {
  const double across = std::sqrt(d.x * d.x + d.y * d.y);
  if (across == 0) return {radius, 0, height};
  return {radius * (d.x / across), radius * (d.y / across), height};
}

Vec3 box_corner(const Vec3& half, int bits) {
  return {bits & 1 ? half.x : -half.x, bits & 2 ? half.y : -half.y, bits & 4 ? half.z : -half.z};
}

Vec3 segment_end(const Convex& shape, int end) {
  const double h = end == 1 ? 1 : -1;
  return shape.planar ? Vec3{h * shape.half.x, 0, 0} : Vec3{0, 0, h * shape.half.z};
}

/// Past this many vertices climbing from neighbour to neighbour beats a look at all of them.
constexpr int kMaxVerticesToScan = 48;

int farthest_piece(const Convex& shape, const Vec3& d, int start) {
  switch (shape.core) {
    case CoreKind::point:
    case CoreKind::ellipsoid:
      return 0;
    case CoreKind::segment:
      return (shape.planar ? d.x : d.z) > 0 ? 1 : 0;
    case CoreKind::box:
      return (d.x > 0 ? 1 : 0) | (d.y > 0 ? 2 : 0) | (d.z > 0 ? 4 : 0);
    case CoreKind::polytope:
      return farthest_vertex(*shape.polytope, d, start);
    case CoreKind::cylinder:
      return d.z > 0 ? 1 : 0;
    case CoreKind::cone:
      return 2 * shape.half.z * d.z > shape.half.x * std::sqrt(d.x * d.x + d.y * d.y) ? 1 : 0;
  }
  return 0;
}

}  // namespace

int farthest_vertex(const Polytope& polytope, const Vec3& d, int start) {
  const int count = static_cast<int>(polytope.vertices.size());
  if (count <= kMaxVerticesToScan && !polytope.vertex_blocks.empty())
    return argmax_dot(polytope.vertex_blocks, d);
  int best = count > kMaxVerticesToScan ? std::clamp(start, 0, count - 1) : 0;
  double max_dot = dot(polytope.vertices[best], d);
  if (count <= kMaxVerticesToScan) {
    for (int v = 1; v < count; ++v) {
      const double along = dot(polytope.vertices[v], d);
      if (along > max_dot) max_dot = along, best = v;
    }
    return best;
  }
  for (int last = -1; last != best;) {
    last = best;
    for (int i = polytope.neighbour_begin[last]; i < polytope.neighbour_begin[last + 1]; ++i) {
      const double along = dot(polytope.vertices[polytope.neighbours[i]], d);
      if (along > max_dot) max_dot = along, best = polytope.neighbours[i];
    }
  }
  return best;
}

Vec3 support_of_piece(const Convex& shape, int piece, const Vec3& d) {
  switch (shape.core) {
    case CoreKind::point:
      return {};
    case CoreKind::segment:
      return segment_end(shape, piece);
    case CoreKind::box:
      return box_corner(shape.half, piece);
    case CoreKind::polytope:
      return shape.polytope->vertices[piece];
    case CoreKind::ellipsoid:
      return ellipsoid_point(shape.half, d);
    case CoreKind::cylinder:
      return circle_point(shape.half.x, piece == 1 ? shape.half.z : -shape.half.z, d);
    case CoreKind::cone:
      return piece == 1 ? Vec3{0, 0, shape.half.z} : circle_point(shape.half.x, -shape.half.z, d);
  }
  return {};
}

Support support(const Convex& shape, const Vec3& d, int start) {
  const int piece = farthest_piece(shape, d, start);
  return {support_of_piece(shape, piece, d), piece};
}

Mat3 support_derivative(const Convex& shape, int piece, const Vec3& n) {
  if (shape.core == CoreKind::ellipsoid) {  // h = sqrt(nᵀEn), ∇h = En/h = p, ∇²h = (E - p pᵀ)/h
    const Vec3& half = shape.half;
    const Vec3 p = ellipsoid_point(half, n);
    const double h = dot(p, n);
    if (h <= 0) return {};
    return (1 / h) * (Mat3::diagonal({half.x * half.x, half.y * half.y, half.z * half.z}) - outer(p, p));
  }
  const bool round = shape.core == CoreKind::cylinder || (shape.core == CoreKind::cone && piece == 0);
  const double across = std::sqrt(n.x * n.x + n.y * n.y);
  if (!round || across == 0) return {};
  const Vec3 tangent{-n.y / across, n.x / across, 0};
  return (shape.half.x / across) * outer(tangent, tangent);
}

double rolling_radius(const Convex& shape) {
  if (shape.core != CoreKind::ellipsoid) return 0;
  const Vec3& half = shape.half;
  const double min_half = shape.planar ? std::min(half.x, half.y) : std::min({half.x, half.y, half.z});
  return min_half * min_half / std::max({half.x, half.y, half.z});
}

bool has_rim(const Convex& shape) {
  return shape.core == CoreKind::cylinder || shape.core == CoreKind::cone;
}

CorePair core_pair(const PosedConvex& a, const PosedConvex& b) {
  const Mat3 R_AW = transpose(a.X_WS.R);
  // The difference of the two places comes first, so that a place far out costs no digits.
  CorePair pair{a.shape, b.shape, R_AW * b.X_WS.R, R_AW * (b.X_WS.p - a.X_WS.p)};
  pair.size = core_radius(a.shape) + core_radius(b.shape);
  const auto off_origin = [](const Convex& shape) {
    return shape.core == CoreKind::polytope ? norm(shape.polytope->center) : 0;
  };
  const double origin_distance = off_origin(a.shape) + off_origin(b.shape) + norm(pair.p_AB);
  pair.rounding = 1e-15 * (pair.size + origin_distance);
  return pair;
}

namespace {

PairSupport between(const CorePair& pair, const Support& a, const Support& b) {
  const Vec3 b_A = pair.R_AB * b.point + pair.p_AB;
  return {a.point, b_A, a.point - b_A, a.piece, b.piece};
}

}  // namespace

PairSupport support(const CorePair& pair, const Vec3& n, int start_a, int start_b) {
  return between(pair, support(pair.a, -n, start_a), support(pair.b, transpose(pair.R_AB) * n, start_b));
}

PairSupport support_of_pieces(const CorePair& pair, int piece_a, int piece_b, const Vec3& n) {
  return between(pair, {support_of_piece(pair.a, piece_a, -n), piece_a},
                 {support_of_piece(pair.b, piece_b, transpose(pair.R_AB) * n), piece_b});
}

Mat3 support_derivative(const CorePair& pair, int piece_a, int piece_b, const Vec3& n) {
  const Mat3 R_BA = transpose(pair.R_AB);
  return support_derivative(pair.a, piece_a, -n) +
         pair.R_AB * support_derivative(pair.b, piece_b, R_BA * n) * R_BA;
}

}  // namespace pawl::internal
