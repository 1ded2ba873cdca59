#pragma once
// A shape as the page draws it.

#include <nlohmann/json.hpp>

#include <pawl/model.h>

namespace pawl::internal {

/// What the scene says of a shape, with the vertices and triangles of those that have any. `compiled` is what
/// the model made of it.
nlohmann::ordered_json shape_json(const SceneShape& shape, const Shape& compiled, const Model& model);

}  // namespace pawl::internal
