// Spheres, and discs of planar worlds: the core is a point.

#include <numbers>

#include <pawl/collision/shapes/aabb.h>
#include <pawl/collision/shapes/box_support.h>
#include <pawl/collision/shapes/contact_feature.h>
#include <pawl/collision/shapes/core_ops.h>
#include <pawl/collision/shapes/mass_properties.h>

namespace pawl {

using namespace internal;

Convex Convex::sphere(double radius, bool planar) {
  return {CoreKind::point, planar, radius, {}, nullptr};
}

}  // namespace pawl

namespace pawl::internal {

namespace {

constexpr double kPi = std::numbers::pi;

MassProperties mass_properties_of(const Convex& shape) {
  const double r = shape.rounding_radius;
  const Vec3 r2{r * r, r * r, r * r};
  if (shape.planar) return symmetric_mass_properties(kPi * r * r, r2 / 4, true);
  return symmetric_mass_properties(4.0 / 3.0 * kPi * r * r * r, r2 / 5, false);
}

}  // namespace

extern const CoreOps kSphereOps{
    .kind = CoreKind::point,
    .name = "point",
    .support = [](const Convex&, const Vec3&, int) { return Support{}; },
    .support_of_piece = [](const Convex&, int, const Vec3&) { return Vec3{}; },
    .support_near = box_support_near,
    .core_radius = [](const Convex&) { return 0.0; },
    .inner_radius = [](const Convex&) { return 0.0; },
    .core_aabb = [](const Convex&, const Mat3&) { return Aabb{}; },
    .mass_properties = mass_properties_of,
    .exposed_feature = [](const Convex&, const Vec3&, const Vec3&) { return CoreFeature::vertex(); },
};

}  // namespace pawl::internal
