#pragma once
// A shape as JSON for the page.

#include <nlohmann/json.hpp>

#include <pawl/model.h>

namespace pawl::internal {

/// The scene's parameters of a shape, with vertices and triangles if it has any. `compiled` is the same shape
/// in the model.
nlohmann::ordered_json shape_json(const SceneShape& shape, const Shape& compiled, const Model& model);

}  // namespace pawl::internal
