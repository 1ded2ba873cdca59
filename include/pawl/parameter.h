#pragma once
// Parameters of a scene: named numbers that its fields refer to, and how they vary in a study
// (docs/studies.md).

#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// How a parameter varies from run to run. The arguments are in the parameter's unit.
enum class DistributionKind {
  fixed,             // does not vary
  range,             // arguments: low, high; a design variable, sampled like `uniform`
  uniform,           // low, high
  normal,            // mean, standard deviation
  truncated_normal,  // mean, standard deviation, low, high
  lognormal,         // median, standard deviation of the logarithm
  choice,            // the values; `weights` are their probabilities, in any scale
  tolerance,         // nominal, deviation: uniform in nominal ± deviation
  rotation,          // none: uniform over all rotations; four components, the quaternion w, x, y, z
  box,               // the lower corner, then the upper one: uniform in the box; two or three components
};
std::string_view to_string(DistributionKind kind);

struct SceneParameter {
  std::string name;
  std::string unit;             // as written, such as mm; "" if none is
  std::string expression;       // if it is computed from other parameters
  std::vector<double> nominal;  // its components in `unit`: the value unless a study varies it
  std::vector<double> value;    // the same in SI units
  DistributionKind kind = DistributionKind::fixed;
  std::vector<double> arguments;
  std::vector<double> weights;  // choice; empty: all the same

  bool varies() const { return kind != DistributionKind::fixed; }
};

}  // namespace pawl
