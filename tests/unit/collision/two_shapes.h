#pragma once
// Two posed shapes and their contacts, and the distance of their cores by independent formulas.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <pawl/collision/narrow_phase.h>
#include <pawl/model/collision_shape.h>
#include <unit/base/random.h>

namespace pawl::internal::testing {

struct PlacedShape {
  Shape shape;
  Pose X_WB;
};

/// A frame with its z axis along d; in the plane its x axis.
inline Mat3 frame_along(const Vec3& d, Dimension dimension) {
  if (dimension == Dimension::planar) return {{{{d.x, -d.y, 0}, {d.y, d.x, 0}, {0, 0, 1}}}};
  const Vec3 x = normalized(cross(d, std::abs(d.x) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
  return transpose(Mat3{{{x, cross(d, x), d}}});
}

/// A capsule, or a sphere if half is zero, with a pose in the world.
inline PlacedShape swept_ball(const Vec3& center, const Vec3& half, double radius, Dimension dimension) {
  PlacedShape result;
  SceneShape scene_shape;
  scene_shape.kind = norm(half) > 0 ? ShapeKind::capsule : ShapeKind::sphere;
  scene_shape.radius = radius;
  scene_shape.length = 2 * norm(half);
  result.shape.kind = scene_shape.kind;
  result.shape.solid = make_collision_shape(scene_shape, dimension);
  if (norm(half) > 0) result.shape.X_BS.R = frame_along(normalized(half), dimension);
  result.X_WB.p = center;
  return result;
}

inline PlacedShape half_space(const Vec3& point, const Vec3& normal) {
  PlacedShape result;
  result.shape.kind = ShapeKind::half_space;
  result.shape.normal_B = normal;
  result.X_WB.p = point;
  return result;
}

inline double radius_of(const PlacedShape& a) {
  return a.shape.solid.rounding_radius;
}

inline std::vector<Contact> contacts_of(const PlacedShape& a, const PlacedShape& b) {
  Model model;
  model.shapes = {a.shape, b.shape};
  model.shapes[0].body = 1;
  model.shapes[1].body = 2;
  std::vector<Contact> contacts;
  pair_contacts(model, {0, 1}, a.X_WB, b.X_WB, std::numeric_limits<double>::infinity(), kDefaultContactPoints,
                contacts);
  return contacts;
}

inline double min_gap(const std::vector<Contact>& contacts) {
  return std::ranges::min_element(contacts, {}, &Contact::gap)->gap;
}

struct Segment {
  Vec3 center, half;
};
inline Segment core_of(const PlacedShape& a) {
  const Pose X_WS = a.X_WB * a.shape.X_BS;
  return {X_WS.p, X_WS.R * a.shape.solid.half};
}

inline double distance_to(const Vec3& point, const Segment& s) {
  const double length = dot(s.half, s.half);
  const double t = length > 0 ? std::clamp(dot(point - s.center, s.half) / length, -1.0, 1.0) : 0.0;
  return norm(point - s.center - t * s.half);
}

/// The min over the parameter square. Inside it, the common normal of the lines meets both segments; on its
/// edges an end of one segment is closest.
inline double spatial_distance(const Segment& a, const Segment& b) {
  double least = std::numeric_limits<double>::infinity();
  for (const double end : {-1.0, 1.0}) {
    least =
        std::min({least, distance_to(a.center + end * a.half, b), distance_to(b.center + end * b.half, a)});
  }
  const Vec3 n = cross(a.half, b.half), r = b.center - a.center;
  const double nn = dot(n, n);
  if (nn > 0) {
    const double s = dot(cross(r, b.half), n) / nn, t = dot(cross(r, a.half), n) / nn;
    if (std::abs(s) <= 1 && std::abs(t) <= 1) least = std::min(least, norm(r + t * b.half - s * a.half));
  }
  return least;
}

/// Negative where the segments cross, by the distance that one must move to be clear. The differences of
/// their points fill a parallelogram, whose boundary is at that distance from the origin.
inline double planar_distance(const Segment& a, const Segment& b) {
  const Vec3 r = a.center - b.center;
  const std::array<Vec3, 4> corners{r + a.half + b.half, r - a.half + b.half, r - a.half - b.half,
                                    r + a.half - b.half};
  double least = std::numeric_limits<double>::infinity();
  int left = 0, right = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 p = corners[i], q = corners[(i + 1) % 4];
    least = std::min(least, distance_to({}, {0.5 * (p + q), 0.5 * (q - p)}));
    const double side = cross(p, q).z;
    left += side > 0;
    right += side < 0;
  }
  return left == 4 || right == 4 ? -least : least;
}

inline double core_distance(const PlacedShape& a, const PlacedShape& b, Dimension dimension) {
  Segment core_a = core_of(a), core_b = core_of(b);
  core_a.center -= core_b.center;  // relative to b, so that no digits are lost far from the origin
  core_b.center = {};
  return dimension == Dimension::planar ? planar_distance(core_a, core_b) : spatial_distance(core_a, core_b);
}

/// Two capsules or spheres of about `size`, close enough that their cores sometimes cross; `offset`
/// translates both.
struct TwoShapes {
  PlacedShape a, b;
};
inline TwoShapes random_pair(Random& random, Dimension dimension, double size, const Vec3& offset = {}) {
  const auto flat = [&](const Vec3& v) { return dimension == Dimension::planar ? Vec3{v.x, v.y, 0} : v; };
  const auto swept = [&] {
    const double length = random.below(5) == 0 ? 0 : random.scale(1e-2, 1) * size;
    return swept_ball(offset + flat(random.vec(0.7 * size)), length * normalized(flat(random.unit())),
                      random.scale(1e-3, 0.5) * size, dimension);
  };
  const PlacedShape a = swept(), b = swept();
  return {a, b};
}

}  // namespace pawl::internal::testing
