#include "shape_text.h"

#include <fmt/format.h>

namespace pawl::internal::cli {

std::string shape_text(const Model& model, int index) {
  const Shape& shape = model.shapes[index];
  int first_of_body = index;
  while (first_of_body > 0 && model.shapes[first_of_body - 1].body == shape.body) --first_of_body;
  const bool is_only_shape = first_of_body == index && (index + 1 == static_cast<int>(model.shapes.size()) ||
                                                        model.shapes[index + 1].body != shape.body);
  const std::string& body = model.body_names[shape.body];
  return is_only_shape ? body : fmt::format("{}.{}", body, index - first_of_body);
}

}  // namespace pawl::internal::cli
