#pragma once
// A shape as JSON for the page.

#include <pawl/json/json.h>
#include <pawl/model.h>

namespace pawl::internal {

/// The scene's parameters of a shape, with vertices and triangles if it has any. `compiled` is the same shape
/// in the model.
Json shape_json(const SceneShape& shape, const Shape& compiled, const Model& model);

}  // namespace pawl::internal
