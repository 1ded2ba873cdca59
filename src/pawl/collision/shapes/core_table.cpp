// The table of all kinds of cores.

#include <iterator>

#include <pawl/collision/shapes/core_ops.h>

namespace pawl::internal {

// Defined in the source file of each shape.
extern const CoreOps kSphereOps, kCapsuleOps, kBoxOps, kHullOps, kEllipsoidOps, kCylinderOps, kConeOps,
    kFrustumOps;

// In the order of CoreKind.
const CoreOps* const kCoreTable[] = {
    &kSphereOps,     // point
    &kCapsuleOps,    // segment
    &kBoxOps,        // box
    &kHullOps,       // polytope
    &kEllipsoidOps,  // ellipsoid
    &kCylinderOps,   // cylinder
    &kConeOps,       // cone
    &kFrustumOps,    // frustum
};
static_assert(std::size(kCoreTable) == kCoreKinds);

}  // namespace pawl::internal
