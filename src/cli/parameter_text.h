#pragma once
// Parameters of a scene, as text and JSON.

#include <string>

#include <pawl/json/json.h>
#include <pawl/scene.h>

namespace pawl::internal::cli {

/// "uniform [0.1, 0.5]", "± 0.02", "= 2 * mu"; "" for a fixed number.
std::string variation_text(const SceneParameter& parameter);
/// A table; "" without parameters.
std::string parameters_text(const Scene& scene);
Json parameters_json(const Scene& scene);

}  // namespace pawl::internal::cli
