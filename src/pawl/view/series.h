#pragma once
// Plot data of a run as JSON for the page (docs/viewer.md).

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include <pawl/view/run_view.h>

namespace pawl::internal {

struct SeriesRange {
  std::uint64_t points = 2000;  // intervals of the downsampling
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();  // s
};

/// Energies of states and figures of steps, downsampled. If `kept` is not empty, rows refer to states by
/// their index in `kept`.
std::string series_json(const RunView& run, const SeriesRange& range,
                        std::span<const std::uint64_t> kept = {});

/// Identifies a contact by its two shapes and the feature.
struct ContactKey {
  std::int32_t shape_a = 0, shape_b = 0;
  std::uint64_t feature = 0;
};

/// History of the contact over all states that contain it, downsampled to `points` intervals.
std::string contact_json(const RunView& run, const ContactKey& key, std::uint64_t points);

/// Index in `kept` of the first state at or after `state`, else of the last; `state` itself if `kept` is
/// empty.
std::uint64_t kept_index(std::span<const std::uint64_t> kept, std::uint64_t state);

}  // namespace pawl::internal
