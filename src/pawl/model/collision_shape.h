#pragma once
// Builds the convex collision shape of a scene's shape.

#include <pawl/geometry.h>
#include <pawl/scene.h>

namespace pawl::internal {

/// Of a shape that is no fixed surface.
Convex make_collision_shape(const SceneShape& shape, Dimension dimension);

}  // namespace pawl::internal
