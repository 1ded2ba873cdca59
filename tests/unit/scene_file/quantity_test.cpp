// Every number of a scene has a range.

#include <pawl/scene_file/quantity.h>

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <pawl/model.h>

#include "scene_text.h"

namespace pawl::internal {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::message_of;
using ::testing::StartsWith;

/// Scenes that together use every field that takes a number.
const char* const kSpatial = R"({
  "pawl": 1,
  "world": {"gravity": [0.5, 0.5, -9.81]},
  "materials": {"a": {"friction": 0.5, "restitution": 0.1}, "b": {"friction": 0.2}, "c": {"friction": 0.2}},
  "pairs": [
    {"between": ["a", "b"], "friction": 0.3, "restitution": 0.2,
     "friction_set": {"type": "ellipsoid", "e_t": 1, "e_o": 0.5, "e_r": 0.01, "along": [1, 0.5, 0.5], "of": "a"}},
    {"between": ["a", "c"], "friction_set": {"type": "polyhedron", "directions": [[1, 0.1], [0.1, 1], [-1, 0.1], [0.1, -1]]}},
    {"between": ["b", "c"], "friction_set": {"type": "polyhedron", "e_r": 0.1, "directions": {"rings": [{"latitude": 0.1, "count": 8}, {"latitude_deg": -40, "count": 6}]}}}],
  "bodies": {
    "ground": {"joint": {"type": "weld"}, "shapes": [
      {"type": "half-space", "normal": [0.5, 0.5, 1], "offset": 0.5, "material": "a"},
      {"type": "height-field", "heights": [[0.5, 0.5], [0.5, 0.6]], "spacing": [1, 1], "position": [1, 1, 1], "material": "a"}]},
    "ball": {"mass": 1, "inertia": [1, 1, 1], "center_of_mass": [0.1, 0.1, 0.1], "position": [1, 2, 30],
      "orientation": {"axis": [1, 0.5, 0.5], "angle": 0.5}, "velocity": [1, 1, 1], "angular_velocity": [1, 1, 1],
      "shapes": [{"type": "sphere", "radius": 1, "position": [0.1, 0.1, 0.1], "material": "a"},
        {"type": "capsule", "radius": 1, "length": 1, "orientation": {"rpy": [0.5, 0.5, 0.5]}, "material": "a"},
        {"type": "box", "size": [1, 1, 1], "margin": 0.1, "orientation": {"rpy_deg": [10, 10, 10]}, "material": "b"},
        {"type": "cylinder", "radius": 1, "height": 1, "orientation": {"quaternion": [1, 0.5, 0.5, 0.5]}, "material": "b"},
        {"type": "cone", "radius": 1, "height": 1, "orientation": {"axis": [1, 0.5, 0.5], "angle_deg": 10}, "material": "c"},
        {"type": "frustum", "radius": 1, "top_radius": 0.5, "height": 1, "material": "c"},
        {"type": "ellipsoid", "semi_axes": [1, 1, 1], "material": "c"},
        {"type": "hull", "points": [[0.1, 0.1, 0.1], [1, 0.1, 0.1], [0.1, 1, 0.1], [0.1, 0.1, 1]], "scale": 2, "material": "c"}]},
    "dense": {"position": [50, 50, 50], "inertia": [[1, 0.01, 0.01], [0.01, 1, 0.01], [0.01, 0.01, 1]], "mass": 1},
    "light": {"position": [60, 50, 50], "shapes": [{"type": "sphere", "radius": 1, "density": 1, "material": "a"}]},
    "arm": {"mass": 1, "inertia": 1, "position": [70, 50, 50], "joint": {"type": "revolute", "anchor": [1, 1, 1], "axis": [1, 1, 1],
      "position": 0.1, "velocity": 0.1, "lower": -1, "upper": 1, "restitution": 0.1, "friction": 0.1,
      "motor": {"velocity": {"sine": {"amplitude": 1, "frequency": 1, "phase": 1, "offset": 1}}, "max_force": 1}}},
    "arm_in_degrees": {"mass": 1, "inertia": 1, "joint": {"type": "revolute", "anchor": [1, 1, 1], "axis": [1, 1, 1],
      "position_deg": 1, "velocity_deg": 1, "lower_deg": -10, "upper_deg": 10, "motor": {"position_deg": 1}}},
    "slide": {"mass": 1, "inertia": 1, "joint": {"type": "prismatic", "axis": [1, 1, 1], "position": 0.1, "velocity": 0.1,
      "lower": -1, "upper": 1, "motor": {"position": {"table": [[0.1, 0.1], [1, 0.2]]}}}},
    "cross": {"mass": 1, "inertia": 1, "joint": {"type": "universal", "anchor": [1, 1, 1], "axis": [1, 0.1, 0.1], "second_axis": [0.1, 1, 0.1], "position": [0.1, 0.1], "velocity": [0.1, 0.1]}},
    "screw": {"mass": 1, "inertia": 1, "joint": {"type": "cylindrical", "anchor": [1, 1, 1], "axis": [1, 0.1, 0.1], "position": 0.1, "velocity": 0.1, "angle": 0.1, "angular_velocity": 0.1}},
    "knob": {"mass": 1, "inertia": 1, "joint": {"type": "ball", "anchor": [1, 1, 1], "angular_velocity": [1, 1, 1]}}
  },
  "joints": [
    {"type": "distance", "between": ["dense", "light"], "anchor": [50, 50, 50], "second_anchor": [60, 50, 50], "length": 10},
    {"type": "revolute", "between": ["dense", "world"], "anchor": [50, 50, 50], "axis": [1, 1, 1], "lower": -1, "upper": 1, "restitution": 0.1, "friction": 0.1, "motor": {"velocity": 1, "max_force": 1}},
    {"type": "coupling", "between": ["arm", "arm_in_degrees"], "ratio": 2, "offset": 0.1}],
  "forces": {
    "push": {"type": "wrench", "body": "ball", "at": [1, 1, 1], "force": [1, 1, 1], "torque": [1, 1, 1], "over_time": 1},
    "spring": {"type": "spring", "from": {"body": "ball", "point": [1, 1, 1]}, "to": {"body": "world", "point": [9, 9, 9]}, "stiffness": 1, "rest_length": 1},
    "damper": {"type": "damper", "from": {"body": "ball", "point": [1, 1, 1]}, "to": {"body": "world", "point": [9, 9, 9]}, "damping": 1}},
  "run": {"step": 0.01, "until": 0.03, "tolerance": 1e-8, "gamma": 0.5, "active_gap": 0.01, "friction_directions": 8,
    "contact_points": 4, "impacts": {"most": 20, "touch": 1e-4}, "record": {"every": 1}}
})";

const char* const kPlanar = R"({
  "pawl": 1,
  "world": {"dimension": "planar", "gravity": [0.5, -9.81]},
  "materials": {"a": {"friction": 0.5}},
  "bodies": {
    "ground": {"joint": {"type": "weld"}, "shapes": [
      {"type": "half-plane", "normal": [0.5, 1], "offset": 0.5},
      {"type": "polyline", "points": [[1, 1], [2, 1], [3, 2]]}]},
    "rod": {"mass": 1, "inertia": 1, "position": [1, 20], "angle": 0.5, "velocity": [1, 1], "angular_velocity": 1,
      "shapes": [{"type": "disc", "radius": 1, "position": [0.1, 0.1]}, {"type": "box", "size": [1, 1], "angle": 0.5},
        {"type": "polygon", "points": [[0.1, 0.1], [1, 0.1], [0.1, 1]], "angle_deg": 10}, {"type": "ellipse", "semi_axes": [1, 1]}]},
    "disc": {"angle_deg": 10, "position": [1, 40], "shapes": [{"type": "disc", "radius": 1, "density": 1}]}
  },
  "forces": {"push": {"type": "wrench", "body": "rod", "force": [1, 1], "torque": 1}}
})";

/// The paths of all numbers, as --set writes them.
void list_numbers(const json& value, const std::string& path, std::vector<std::string>& found) {
  if (value.is_number()) found.push_back(path);
  if (!value.is_structured()) return;
  for (const auto& [key, item] : value.items())
    list_numbers(item, path.empty() ? key : path + "." + key, found);
}

std::vector<std::string> numbers_of(const char* scene) {
  std::vector<std::string> found;
  list_numbers(json::parse(scene), "", found);
  return found;
}

TEST(Magnitudes, TheScenesOfTheseTestsAreValid) {
  EXPECT_EQ(message_of(kSpatial), "no error");
  EXPECT_EQ(message_of(kPlanar), "no error");
  EXPECT_GT(numbers_of(kSpatial).size(), 200u);
}

TEST(Magnitudes, HugeNumbersAreRefusedInEveryField) {
  for (const char* scene : {kSpatial, kPlanar}) {
    for (const std::string& path : numbers_of(scene)) {
      for (const std::string value : {"1e308", "-1e308", "1e40", "-1e41"}) {
        const std::string message = message_of(scene, {path + "=" + value});
        EXPECT_THAT(message,
                    AllOf(HasSubstr(path + ": "), HasSubstr(value + " is not"), HasSubstr("must be")));
      }
    }
  }
}

// A position, a speed or a coefficient may be that small, a size, a mass or a step may not.
TEST(Magnitudes, TinyNumbersAreRefusedOrMakeAModel) {
  std::size_t refused = 0;
  for (const char* scene : {kSpatial, kPlanar}) {
    for (const std::string& path : numbers_of(scene)) {
      const std::string message = message_of(scene, {path + "=1e-308"});
      if (message != "no error") {
        ++refused;
        EXPECT_THAT(message, HasSubstr(path.substr(0, path.find('.', path.find('.') + 1))));
      } else {
        EXPECT_NO_THROW(compile(parse_scene(scene, "s.yaml", {path + "=1e-308"}))) << path;
      }
    }
  }
  EXPECT_GT(refused, 40u);
}

TEST(Magnitudes, NameFileLineFieldValueAndRange) {
  EXPECT_EQ(message_of("pawl: 1\nbodies:\n  a: {mass: 1e13, inertia: 1}"),
            "s.yaml:3:13: bodies.a.mass: 1e13 is not a mass: it must be a number from 1e-12 to 1e+12 (kg)");
  EXPECT_EQ(message_of("pawl: 1\nrun: {step: 1e-300}"),
            "s.yaml:2:13: run.step: 1e-300 is not a time step: it must be a number from 1e-09 to 1000 (s)");
  EXPECT_EQ(
      message_of("pawl: 1\nrun: {step: 1e-10ms}"),
      "s.yaml:2:13: run.step: '1e-10ms' is not a time step: it must be a number from 1e-09 to 1000 (s)");
  EXPECT_EQ(message_of("pawl: 1\nbodies:\n  a: {mass: 1, inertia: 1, position: [0, -2e9, 0]}"),
            "s.yaml:3:42: bodies.a.position.1: -2e9 is not an element of a position: it must be a number "
            "from -1e+09 "
            "to 1e+09 (m)");
}

TEST(Magnitudes, OfARunBoundItsSteps) {
  EXPECT_EQ(message_of("pawl: 1\nrun: {step: 1e-9, until: 2}"),
            "s.yaml:2:19: run.until: 2 s in steps of 1e-09 s are 2e+09 steps: a run has at most 1e+09");
  EXPECT_EQ(message_of("pawl: 1\nrun: {step: 1e-3, until: 1e6}"), "no error");
}

TEST(Magnitudes, BoundPointsTimesTheirScale) {
  EXPECT_THAT(message_of(kSpatial, {"bodies.ball.shapes.7.scale=1e11"}),
              HasSubstr("coordinates must be from -1e+09 to 1e+09 (m)"));
}

TEST(Magnitudes, StandInTheDocumentation) {
  std::ostringstream text;
  text << std::ifstream(PAWL_SOURCE_DIR "/docs/scene-format.md").rdbuf();
  for (const Magnitude& row : magnitudes()) {
    if (row.unit == "N m or N") continue;
    const std::string range = fmt::format("| {:g} | {:g} |\n", row.min, row.max);
    const std::string start = row.what == "a time step"   ? "| s, of a step "
                              : row.what == "a gap"       ? "| m, of a gap (`touch`, `active_gap`) "
                              : row.what == "a tolerance" ? "| none: the tolerance of a run "
                              : row.unit.empty() ? "| none: coefficients, ratios, components of directions "
                                                 : fmt::format("| {} ", row.unit);
    EXPECT_THAT(text.str(), HasSubstr(start + range));
  }
}

}  // namespace
}  // namespace pawl::internal
