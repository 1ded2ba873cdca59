#pragma once
// What a run's plots show, as JSON for the page (docs/viewer.md).

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include <pawl/view/run_view.h>

namespace pawl::internal {

struct SeriesRange {
  std::uint64_t points = 2000;  // intervals of the thinning
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();  // s
};

/// Energies of states and figures of steps, thinned. Where `kept` is not empty, only these states are there
/// to be referred to, by their place in it.
std::string series_json(const RunView& run, const SeriesRange& range,
                        std::span<const std::uint64_t> kept = {});

/// Which contact: that of two shapes and a feature.
struct ContactKey {
  std::int32_t shape_a = 0, shape_b = 0;
  std::uint64_t feature = 0;
};

/// All states in which the contact is, thinned to `points` intervals.
std::string contact_json(const RunView& run, const ContactKey& key, std::uint64_t points);

/// Of states that are kept the first at or after `state`, else the last; `state` itself where all are.
std::uint64_t kept_index(std::span<const std::uint64_t> kept, std::uint64_t state);

}  // namespace pawl::internal
