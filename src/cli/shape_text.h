#pragma once
// Names of shapes for output.

#include <string>

#include <pawl/model.h>

namespace pawl::internal::cli {

/// The name of a shape's body, with the index of the shape if the body has several.
std::string shape_text(const Model& model, int shape);

}  // namespace pawl::internal::cli
