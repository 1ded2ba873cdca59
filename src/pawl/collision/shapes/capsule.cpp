// Capsules: the core is a segment along z, in planar worlds along x.

#include <cmath>
#include <numbers>

#include <pawl/collision/shapes/aabb.h>
#include <pawl/collision/shapes/box_support.h>
#include <pawl/collision/shapes/contact_feature.h>
#include <pawl/collision/shapes/core_ops.h>
#include <pawl/collision/shapes/mass_properties.h>
#include <pawl/collision/shapes/polytope_patch.h>

namespace pawl {

using namespace internal;

Convex Convex::capsule(double radius, double half_length, bool planar) {
  if (half_length == 0) return sphere(radius, planar);
  const Vec3 half = planar ? Vec3{half_length, 0, 0} : Vec3{0, 0, half_length};
  return {CoreKind::segment, planar, radius, half,
          std::make_shared<const Polytope>(make_segment(half_length, planar))};
}

}  // namespace pawl

namespace pawl::internal {

namespace {

Vec3 axis_of(const Convex& shape) {
  return shape.planar ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
}

double half_length(const Convex& shape) {
  return shape.planar ? shape.half.x : shape.half.z;
}

Vec3 end_point(const Convex& shape, int end) {
  const double h = end == 1 ? 1 : -1;
  return shape.planar ? Vec3{h * shape.half.x, 0, 0} : Vec3{0, 0, h * shape.half.z};
}

Support farthest(const Convex& shape, const Vec3& d, int) {
  const int end = (shape.planar ? d.x : d.z) > 0 ? 1 : 0;
  return {end_point(shape, end), end};
}

Aabb aabb(const Convex& shape, const Mat3& R) {
  return aabb_about({}, absolute(R * shape.half));
}

MassProperties mass_properties_of(const Convex& shape) {
  constexpr double kPi = std::numbers::pi;
  const double r = shape.rounding_radius, half = half_length(shape), length = 2 * half;
  if (shape.planar) {  // a rectangle and two half discs; centroid of a half disc: 4r/3π
    const double m_box = length * 2 * r;
    const double m_disc = kPi * r * r;
    const double c = 4 * r / (3 * kPi);
    const double J_disc = m_disc * (0.5 * r * r - c * c + (half + c) * (half + c));
    return {m_box + m_disc, {}, planar_inertia(m_box * (length * length + 4 * r * r) / 12 + J_disc)};
  }
  // A cylinder along z and two half balls; the centroid of a half ball is at 3r/8.
  const double m_cyl = kPi * r * r * length;
  const double m_ball = 4.0 / 3.0 * kPi * r * r * r;
  const double c = 0.375 * r;
  const double along = m_cyl * 0.5 * r * r + m_ball * 0.4 * r * r;
  const double across = m_cyl * (0.25 * r * r + length * length / 12) +
                        m_ball * (0.4 * r * r - c * c + (half + c) * (half + c));
  return {m_cyl + m_ball, {}, Mat3::diagonal({across, across, along})};
}

CoreFeature exposed(const Convex& shape, const Vec3& outward, const Vec3&) {
  const Vec3 axis = axis_of(shape);
  return std::abs(dot(axis, outward)) <= kTilt ? CoreFeature::line(axis) : CoreFeature::vertex();
}

}  // namespace

extern const CoreOps kCapsuleOps{
    .kind = CoreKind::segment,
    .name = "segment",
    .support = farthest,
    .support_of_piece = [](const Convex& shape, int piece, const Vec3&) { return end_point(shape, piece); },
    .support_near = box_support_near,
    .core_radius = half_length,
    .inner_radius = [](const Convex&) { return 0.0; },
    .core_aabb = aabb,
    .mass_properties = mass_properties_of,
    .exposed_feature = exposed,
    .side_feature = [](const Convex& shape, const Vec3&,
                       const Vec3&) { return CoreFeature::line(axis_of(shape)); },
    .edge_direction = [](const Convex& shape, int, int) { return axis_of(shape); },
    .facing_face = polytope_facing_face,
    .facing_patch = polytope_facing_patch,
    .line_axes_begin = 2,
    .line_axes_end = 3,
};

}  // namespace pawl::internal
