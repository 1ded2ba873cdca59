#pragma once
// The convex solid that a scene's shape is.

#include <memory>

#include <pawl/geometry.h>
#include <pawl/scene.h>

namespace pawl::internal {

/// `convex` points to `polytope`, where it has one.
struct CollisionShape {
  Convex convex;
  std::shared_ptr<const Polytope> polytope;
};

/// Of a shape that is no fixed surface.
CollisionShape make_collision_shape(const SceneShape& shape, Dimension dimension);

}  // namespace pawl::internal
