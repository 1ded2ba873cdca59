#pragma once
// The page with its data embedded: one file that needs no server.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/view/run_view.h>

namespace pawl::internal {

/// Inserts `boot` (JSON), which tells the page where its data is. Throws Error if the page has no slot for
/// it.
std::string insert_boot_json(std::string_view page, std::string_view boot);

struct Report {
  std::string html;
  std::string notes;  // what was left out; empty if nothing
};

/// Embeds all runs in a page of at most `budget` bytes; of long runs only every n-th state is kept. Throws
/// Error if the first and the last state of each run do not fit.
Report make_report(std::string_view page, std::span<const RunView* const> runs, std::uint64_t budget);

/// A page for images, with only these states (ascending); it shows only the scene, without panels.
std::string make_film_page(std::string_view page, const RunView& run, std::span<const std::uint64_t> states);

}  // namespace pawl::internal
