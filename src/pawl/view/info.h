#pragma once
// What a page has to know of a run before it shows it, as JSON (docs/viewer.md).

#include <span>
#include <string>
#include <vector>

#include <pawl/view/run_view.h>

namespace pawl::internal {

/// A field of the scene that may be changed before a run is started anew.
struct Parameter {
  std::string key;                   // as in --set: "run.step", "materials.rubber.friction"
  std::string label;                 // for people: "friction of rubber"
  std::string unit;                  // empty: none
  double number = 0;                 // its value, where it has no choices
  std::string choice;                // its value, where it has
  std::vector<std::string> choices;  // empty: a number
};
std::vector<Parameter> parameters_of(const Scene& scene);

/// Where `kept` is not empty, the run is told as if it had these states only.
std::string info_json(const RunView& run, std::span<const std::uint64_t> kept = {});

}  // namespace pawl::internal
