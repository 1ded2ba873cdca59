#include "shape_text.h"

#include <fmt/format.h>

namespace pawl::cli {

std::string shape_text(const Model& model, int number) {
  const Shape& shape = model.shapes[number];
  int place = number;
  while (place > 0 && model.shapes[place - 1].body == shape.body) --place;
  const bool alone = place == number && (number + 1 == static_cast<int>(model.shapes.size()) ||
                                         model.shapes[number + 1].body != shape.body);
  const std::string& body = model.body_names[shape.body];
  return alone ? body : fmt::format("{}.{}", body, number - place);
}

}  // namespace pawl::cli
