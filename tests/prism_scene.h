#pragma once
// A regular prism standing on a flat surface, with one contact per side.

#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

namespace pawl::internal::test {

inline const std::string kFlatBox = "{type: box, size: [1, 1, 0.2], position: [0, 0, -0.1]}";
inline const std::string kFlatHalfSpace = "{type: half-space, normal: [0, 0, 1]}";
inline const std::string kFlatSurface =
    "{type: height-field, heights: [[0, 0, 0], [0, 0, 0], [0, 0, 0]], spacing: [0.5, 0.5], "
    "position: [-0.5, -0.5, 0]}";

/// 0.2 m across its corners and 0.1 m high, 1000 kg/m³, on a table of one shape; `run` holds the fields of
/// the run section.
inline std::string prism_scene(int sides, const std::string& table, const std::string& run = "",
                               const std::string& material = "friction: 0.5") {
  std::string points;
  for (const double z : {-0.05, 0.05}) {
    for (int k = 0; k < sides; ++k) {
      const double angle = 2 * std::numbers::pi * k / sides;
      char point[96];
      std::snprintf(point, sizeof point, "%s[%.17g, %.17g, %g]", points.empty() ? "" : ", ",
                    0.1 * std::cos(angle), 0.1 * std::sin(angle), z);
      points += point;
    }
  }
  return "pawl: 1\nmaterials: {plain: {" + material +
         "}}\nbodies:\n"
         "  table: {joint: {type: weld}, shapes: [" +
         table + "]}\n  prism: {position: [0, 0, 0.05], shapes: [{type: hull, points: [" + points +
         "], density: 1000}]}\nrun: {" + run + "}\n";
}

}  // namespace pawl::internal::test
