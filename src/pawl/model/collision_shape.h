#pragma once
// Builds the convex collision shape of a scene's shape.

#include <memory>

#include <pawl/collision/shapes/convex.h>
#include <pawl/scene/scene.h>

namespace pawl {

/// `convex` points to `polytope` if it has one.
struct CollisionShape {
  Convex convex;
  std::shared_ptr<const Polytope> polytope;
};

/// `shape` must not be a static-only surface (half-space, mesh, height field).
CollisionShape make_collision_shape(const SceneShape& shape, Dimension dimension);

}  // namespace pawl
