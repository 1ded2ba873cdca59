#include <pawl/collision/shapes/polytope_mass_properties.h>

// The moments of a polytope grown by r, in closed form. The added volume splits into prisms on the faces,
// cylinder wedges on the edges and ball sectors at the vertices (Steiner's decomposition). In each part
// x = y + ρ u, with y in the feature and u in its normal cone.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <pawl/collision/shapes/moments.h>

namespace pawl::internal {
namespace {

/// Area and moments of a triangle.
Moments triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double area = 0.5 * norm(cross(b - a, c - a));
  const Vec3 sum = a + b + c;
  return {area, area / 3 * sum, area / 12 * (outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c))};
}

Moments line(const Vec3& from, const Vec3& to) {
  const double length = norm(to - from);
  const Vec3 mid = 0.5 * (from + to), half = 0.5 * (to - from);
  return {length, length * mid, length * (outer(mid, mid) + (1.0 / 3) * outer(half, half))};
}

Moments point(const Vec3& p) {
  return {1, p, outer(p, p)};
}

/// Moments of the arc of unit vectors u from one normal to the next, at the angle β about `axis`:
/// u = cos φ m + sin φ q with the bisector m, |φ| ≤ β/2.
Moments arc(const Vec3& from, const Vec3& to, const Vec3& axis) {
  const Vec3 ahead = cross(axis, from);
  double beta = std::atan2(dot(ahead, to), dot(from, to));
  if (beta < 0) beta = beta < -1 ? beta + 2 * std::numbers::pi : 0;  // rounding of β = π or β = 0
  const Vec3 m = std::cos(beta / 2) * from + std::sin(beta / 2) * ahead, q = cross(axis, m);
  return {beta, 2 * std::sin(beta / 2) * m,
          0.5 * (beta + std::sin(beta)) * outer(m, m) + 0.5 * (beta - std::sin(beta)) * outer(q, q)};
}

/// Moments of ρ u for 0 ≤ ρ ≤ r, where the directions u form a set of dimension `dimension` - 1. The k-th
/// moment has the factor ∫ ρ^(dimension - 1 + k) dρ.
Moments grown(const Moments& u, double r, int dimension) {
  const double power = std::pow(r, dimension);
  return {power / dimension * u.zeroth, power * r / (dimension + 1) * u.first,
          power * r * r / (dimension + 2) * u.second};
}

/// Moments of the normal cones at the vertices. A normal cone is a region of the unit sphere bounded by arcs
/// of great circles. Let a be the unit normal of an arc's plane, pointing into the region.
/// - Area: 2π minus the face angles at the vertex (Gauss-Bonnet).
/// - First moment: ∫ u = ½ Σ β a.
/// - Second moment: ∫ u uᵀ = area/3 · 1 + 1/6 Σ ∫ (a uᵀ + u aᵀ) over the arcs (divergence theorem), since
///   u uᵀ - 1/3 is an eigenfunction of the sphere's Laplacian with eigenvalue -6.
/// The arc of an edge lies in the plane perpendicular to the edge.
std::vector<Moments> normal_cones(const Polytope& polytope, const std::vector<Vec3>& x) {
  std::vector<Moments> cones(x.size(), {2 * std::numbers::pi, {}, {}});
  for (const Polytope::Face& face : polytope.faces) {
    const int n = face.end - face.begin;
    for (int i = 0; i < n; ++i) {
      const auto at = [&](int k) { return polytope.loops[face.begin + (i + k) % n]; };
      const Vec3 back = x[at(0)] - x[at(1)], on = x[at(2)] - x[at(1)];
      cones[at(1)].zeroth -= std::atan2(norm(cross(back, on)), dot(back, on));
    }
  }
  for (Moments& cone : cones) {
    cone.zeroth = std::max(cone.zeroth, 0.0);
    cone.second = cone.zeroth / 3 * Mat3::identity();
  }
  for (const Polytope::Edge& edge : polytope.edges) {
    const Vec3 along = normalized(x[edge.to] - x[edge.from]);
    const Moments u = arc(polytope.faces[edge.left].normal, polytope.faces[edge.right].normal, along);
    cones[edge.to] += {0, 0.5 * u.zeroth * along, (1.0 / 6) * symmetric(along, u.first)};
    cones[edge.from] += {0, -0.5 * u.zeroth * along, (-1.0 / 6) * symmetric(along, u.first)};
  }
  return cones;
}

/// `x`: the vertices relative to the polytope's centre.
Moments spatial(const Polytope& polytope, const std::vector<Vec3>& x, double r) {
  Moments sum;
  for (const Polytope::Face& face : polytope.faces) {
    const Vec3& first = x[polytope.loops[face.begin]];
    Moments area;
    for (int i = face.begin + 1; i + 1 < face.end; ++i) {
      area += triangle(first, x[polytope.loops[i]], x[polytope.loops[i + 1]]);
    }
    // The pyramid over the face with its apex in the centre and height h: ∫ t^(2 + k) h dt for moment k.
    const double height = dot(face.normal, first);
    sum += {height / 3 * area.zeroth, height / 4 * area.first, height / 5 * area.second};
    sum += sum_of_points(area, grown(point(face.normal), r, 1));
  }
  if (r == 0) return sum;
  for (const Polytope::Edge& edge : polytope.edges) {
    const Vec3 along = normalized(x[edge.to] - x[edge.from]);
    const Moments u = arc(polytope.faces[edge.left].normal, polytope.faces[edge.right].normal, along);
    sum += sum_of_points(line(x[edge.from], x[edge.to]), grown(u, r, 2));
  }
  const std::vector<Moments> cones = normal_cones(polytope, x);
  for (std::size_t v = 0; v < x.size(); ++v) sum += sum_of_points(point(x[v]), grown(cones[v], r, 3));
  return sum;
}

/// In the plane, sides grow to rectangles and corners to disc sectors.
Moments planar_moments(const Polytope& polytope, const std::vector<Vec3>& x, double r) {
  Moments sum;
  const std::size_t n = polytope.faces.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Polytope::Face &side = polytope.faces[i], &next = polytope.faces[(i + 1) % n];
    const Vec3 &from = x[polytope.loops[side.begin]], &to = x[polytope.loops[side.begin + 1]];
    const Moments length = line(from, to);
    const double height = dot(side.normal, from);
    sum += {height / 2 * length.zeroth, height / 3 * length.first, height / 4 * length.second};
    sum += sum_of_points(length, grown(point(side.normal), r, 1));
    sum += sum_of_points(point(to), grown(arc(side.normal, next.normal, {0, 0, 1}), r, 2));
  }
  return sum;
}

}  // namespace

MassProperties polytope_mass_properties(const Polytope& polytope, double rounding_radius, bool planar) {
  std::vector<Vec3> x;
  for (const Vec3& v : polytope.vertices) x.push_back(v - polytope.center);
  const Moments moments =
      planar ? planar_moments(polytope, x, rounding_radius) : spatial(polytope, x, rounding_radius);
  return to_mass_properties(moments, polytope.center, planar);
}

}  // namespace pawl::internal
