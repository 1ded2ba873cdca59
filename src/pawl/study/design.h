#pragma once
// The design of a study: which values the parameters of a scene take in each of its samples.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/parameter.h>

namespace pawl::internal {

enum class Sampling { monte_carlo, latin_hypercube, sobol };
std::string_view to_string(Sampling sampling);

/// The values of one parameter on a grid, in its unit.
struct GridAxis {
  std::string parameter;
  std::vector<double> values;
};

/// "mu=0.1:0.5:5" (five values from 0.1 to 0.5) or "mu=0.1,0.2,0.5". Throws Error.
GridAxis parse_grid_axis(std::string_view text);

struct DesignOptions {
  Sampling sampling = Sampling::monte_carlo;
  std::uint64_t seed = 1;
  std::uint64_t samples = 1;        // with a grid: of each of its points
  std::vector<GridAxis> grid = {};  // the first axis varies slowest
  bool draw = true;                 // false: parameters beside the grid keep their values
};

/// Sample k is a function of the options and k alone: neither of other samples nor of the order of
/// evaluation. By Monte Carlo and Sobol' it does not depend on the number of samples either.
class Design {
 public:
  /// Throws Error if an axis of the grid names no parameter, or a Latin hypercube is too large.
  Design(std::vector<SceneParameter> parameters, DesignOptions options);

  std::uint64_t size() const { return points_ * options_.samples; }
  /// The parameters whose values differ between samples, in the scene's order.
  const std::vector<SceneParameter>& varied() const { return varied_; }
  /// The components of each varied parameter in its unit.
  std::vector<std::vector<double>> sample(std::uint64_t index) const;

 private:
  std::vector<double> unit_point(std::uint64_t index) const;

  DesignOptions options_;
  std::vector<SceneParameter> varied_;
  std::vector<int> axis_;                                 // of each varied parameter: in the grid, or -1
  std::vector<std::uint64_t> streams_;                    // of each random dimension
  std::uint64_t points_ = 1;                              // of the grid
  std::vector<std::vector<std::uint32_t>> permutations_;  // Latin hypercube: of each dimension
};

}  // namespace pawl::internal
