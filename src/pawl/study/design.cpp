#include <pawl/study/design.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/study/distribution.h>
#include <pawl/study/philox.h>
#include <pawl/study/sobol.h>

namespace pawl::internal {
namespace {

constexpr std::uint64_t kMaxLatinHypercube = 100'000'000;  // numbers kept in memory
constexpr std::uint64_t kMaxSamples = 1'000'000'000;
// Streams apart from those of the samples: the order of a Latin hypercube, the shifts of Sobol' points.
constexpr std::uint64_t kOrderStream = 0x6f72646572, kShiftStream = 0x7368696674;

/// A name has the same random numbers whatever other parameters there are.
std::uint64_t stream_of(const std::string& name, int dimension) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash ^ static_cast<std::uint64_t>(dimension + 1)) * 0x100000001b3;
}

double grid_number(std::string_view text, std::string_view whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::abs(value) <= 1e12) return value;
  throw Error(
      fmt::format("--grid {}: '{}' is not a number: write mu=0.1:0.5:5 (five values from 0.1 to 0.5) or "
                  "mu=0.1,0.2,0.5",
                  whole, text));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// A random order of 0 … n - 1 [Fisher, Yates].
std::vector<std::uint32_t> permutation(std::uint64_t seed, std::uint64_t stream, std::uint64_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint64_t i = n; i-- > 1;) {
    const auto j = static_cast<std::uint64_t>(to_unit_interval(random_bits(seed, stream, i)) *
                                              static_cast<double>(i + 1));
    std::swap(order[i], order[std::min(j, i)]);
  }
  return order;
}

}  // namespace

std::string_view to_string(Sampling sampling) {
  switch (sampling) {
    case Sampling::monte_carlo:
      return "monte-carlo";
    case Sampling::latin_hypercube:
      return "latin-hypercube";
    case Sampling::sobol:
      return "sobol";
  }
  return "?";
}

GridAxis parse_grid_axis(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw Error(fmt::format("--grid {}: it must be as in mu=0.1:0.5:5 or mu=0.1,0.2,0.5", text));
  GridAxis axis{std::string(text.substr(0, equals)), {}};
  const std::string_view values = text.substr(equals + 1);
  const std::vector<std::string_view> ends = split(values, ':');
  if (ends.size() == 1) {
    for (std::string_view value : split(values, ',')) axis.values.push_back(grid_number(value, text));
    return axis;
  }
  const double count = ends.size() == 3 ? grid_number(ends[2], text) : 0;
  if (!(count >= 2 && count <= 1e6) || count != std::floor(count))
    throw Error(fmt::format("--grid {}: it must be low:high:count with a whole count of 2 or more", text));
  const double low = grid_number(ends[0], text), high = grid_number(ends[1], text);
  if (!(low < high)) throw Error(fmt::format("--grid {}: {:g} is not less than {:g}", text, low, high));
  for (int i = 0; i < static_cast<int>(count); ++i)
    axis.values.push_back(i + 1 == static_cast<int>(count) ? high : low + (high - low) * i / (count - 1));
  return axis;
}

Design::Design(std::vector<SceneParameter> parameters, DesignOptions options) : options_(std::move(options)) {
  for (std::size_t g = 0; g < options_.grid.size(); ++g) {
    const GridAxis& axis = options_.grid[g];
    const auto found = std::ranges::find(parameters, axis.parameter, &SceneParameter::name);
    if (found == parameters.end()) {
      std::string names;
      for (const SceneParameter& p : parameters) names += (names.empty() ? "" : ", ") + p.name;
      throw Error(fmt::format("--grid {}: the scene has no such parameter{}", axis.parameter,
                              names.empty() ? "" : "; there are " + names));
    }
    if (found->nominal.size() != 1 || !found->expression.empty())
      throw Error(fmt::format("--grid {}: only a parameter of one number, not computed, can be on a grid",
                              axis.parameter));
    for (std::size_t other = 0; other < g; ++other) {
      if (options_.grid[other].parameter == axis.parameter)
        throw Error(fmt::format("--grid {}: given twice", axis.parameter));
    }
    points_ *= axis.values.size();
    if (points_ > kMaxSamples) throw Error(fmt::format("a grid has at most {} points", kMaxSamples));
  }
  if (options_.samples > kMaxSamples / points_)
    throw Error(fmt::format("a study has at most {} samples", kMaxSamples));
  for (const SceneParameter& p : parameters) {
    const auto axis = std::ranges::find(options_.grid, p.name, &GridAxis::parameter);
    const bool on_grid = axis != options_.grid.end();
    if (!on_grid && !(p.varies() && options_.draw)) continue;
    varied_.push_back(p);
    axis_.push_back(on_grid ? static_cast<int>(axis - options_.grid.begin()) : -1);
    if (on_grid) continue;
    for (int d = 0; d < random_dimensions(p); ++d) streams_.push_back(stream_of(p.name, d));
  }
  if (options_.sampling == Sampling::sobol && streams_.size() > kMaxSobolDimensions)
    throw Error(fmt::format("{} random numbers a sample: Sobol' points have at most {}", streams_.size(),
                            kMaxSobolDimensions));
  if (options_.sampling != Sampling::latin_hypercube) return;
  if (options_.samples * streams_.size() > kMaxLatinHypercube)
    throw Error(fmt::format("a Latin hypercube has at most {} random numbers: use --sampling sobol",
                            kMaxLatinHypercube));
  for (const std::uint64_t stream : streams_)
    permutations_.push_back(permutation(options_.seed, stream ^ kOrderStream, options_.samples));
}

std::vector<double> Design::unit_point(std::uint64_t index) const {
  std::vector<double> u(streams_.size());
  if (options_.sampling == Sampling::sobol) {
    const std::vector<std::uint64_t> bits = sobol_point(index, static_cast<int>(streams_.size()));
    for (std::size_t d = 0; d < u.size(); ++d)  // a random digital shift
      u[d] = to_unit_interval(bits[d] ^ random_bits(options_.seed, streams_[d] ^ kShiftStream, 0));
    return u;
  }
  for (std::size_t d = 0; d < u.size(); ++d)
    u[d] = to_unit_interval(random_bits(options_.seed, streams_[d], index));
  if (options_.sampling == Sampling::latin_hypercube) {
    // With a grid, every point of it has the same hypercube.
    const std::uint64_t row = index % options_.samples;
    for (std::size_t d = 0; d < u.size(); ++d)
      u[d] = (permutations_[d][row] + u[d]) / static_cast<double>(options_.samples);
  }
  return u;
}

std::vector<std::vector<double>> Design::sample(std::uint64_t index) const {
  std::uint64_t point = index / options_.samples;
  std::vector<double> grid(options_.grid.size());
  for (std::size_t g = grid.size(); g-- > 0;) {
    const std::vector<double>& values = options_.grid[g].values;
    grid[g] = values[point % values.size()];
    point /= values.size();
  }
  const std::vector<double> u = unit_point(index);
  std::size_t used = 0;
  std::vector<std::vector<double>> sample;
  for (std::size_t i = 0; i < varied_.size(); ++i) {
    if (axis_[i] >= 0) {
      sample.push_back({grid[axis_[i]]});
      continue;
    }
    const auto n = static_cast<std::size_t>(random_dimensions(varied_[i]));
    sample.push_back(draw(varied_[i], std::span(u).subspan(used, n)));
    used += n;
  }
  return sample;
}

}  // namespace pawl::internal
