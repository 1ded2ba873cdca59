#pragma once
// Description of a run that the page needs before it can show it, as JSON (docs/viewer.md).

#include <span>
#include <string>
#include <vector>

#include <pawl/view/run_view.h>

namespace pawl::internal {

/// A field of the scene that can be changed when a live run is restarted.
struct Parameter {
  std::string key;                   // as in --set: "run.step", "materials.rubber.friction"
  std::string label;                 // for display: "friction of rubber"
  std::string unit;                  // empty: dimensionless
  double number = 0;                 // value of a numeric field
  std::string choice;                // value of a field with choices
  std::vector<std::string> choices;  // empty: the field is numeric
};
std::vector<Parameter> parameters_of(const Scene& scene);

/// If `kept` is not empty, describes the run as if it had only these states.
std::string info_json(const RunView& run, std::span<const std::uint64_t> kept = {});

}  // namespace pawl::internal
