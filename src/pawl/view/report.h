#pragma once
// The page with its data inside: one file that needs no server.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/view/run_view.h>

namespace pawl::internal {

/// The page, told by `boot` (JSON) where its data is. Throws Error where it has no place for that.
std::string insert_boot_json(std::string_view page, std::string_view boot);

struct Report {
  std::string html;
  std::string notes;  // what was left out; empty where nothing was
};

/// All runs in a page of at most `budget` bytes: of long runs only every so manieth state is kept. Throws
/// Error where even the first and last state of each are too much.
Report make_report(std::string_view page, std::span<const RunView* const> runs, std::uint64_t budget);

/// A run with these states alone, in ascending order, for pictures: the page shows nothing but the scene.
std::string make_film_page(std::string_view page, const RunView& run, std::span<const std::uint64_t> states);

}  // namespace pawl::internal
