#pragma once
// The convex solid that a scene's shape is.

#include <pawl/collision/shapes/convex.h>
#include <pawl/scene/scene.h>

namespace pawl {

/// Of a shape that is no fixed surface.
Convex make_collision_shape(const SceneShape& shape, Dimension dimension);

}  // namespace pawl
