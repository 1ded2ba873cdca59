#pragma once
// What of a run can be plotted over time, by name.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/view/run_view.h>

namespace pawl::internal {

struct QuantityCurve {
  std::string name;
  std::vector<double> time, value;  // s; of states, or of the ends of steps
};

struct Quantity {
  std::string title, unit;
  std::vector<QuantityCurve> curves;
  bool logarithmic = false;
  std::optional<double> level{};  // that the values are held against: the tolerance
  bool steps = false;             // a figure of steps, not of states
};

/// By a word of quantity_names, ":BODY" filled in. Long runs are thinned to `points` intervals. Throws Error
/// that lists what there is.
Quantity quantity_of(const RunView& run, std::string_view name, std::uint64_t points = 4000);

/// All that can be asked of a run: "energy", "velocity:BODY", …, and its own columns of q and v.
std::vector<std::string> quantity_names(const RunView& run);

}  // namespace pawl::internal
