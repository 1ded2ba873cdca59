#pragma once
// Quantities of a run that can be plotted over time, by name.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/view/run_view.h>

namespace pawl::internal {

struct QuantityCurve {
  std::string name;
  std::vector<double> time, value;  // time in s: of states, or of the ends of steps
};

struct Quantity {
  std::string title, unit;
  std::vector<QuantityCurve> curves;
  bool logarithmic = false;
  std::optional<double> level{};  // reference value for the curves: the tolerance
  bool steps = false;             // a quantity of steps, not of states
};

/// Looks up a name of quantity_names(), with BODY replaced. Long runs are downsampled to `points` intervals.
/// Throws Error that lists the valid names.
Quantity quantity_of(const RunView& run, std::string_view name, std::uint64_t points = 4000);

/// All names valid for this run: "energy", "velocity:BODY", …, and the columns of q and v.
std::vector<std::string> quantity_names(const RunView& run);

}  // namespace pawl::internal
