#include <pawl/view/report.h>

#include <algorithm>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/json/json.h>
#include <pawl/view/frames.h>
#include <pawl/view/info.h>
#include <pawl/view/series.h>

namespace pawl::internal {
namespace {

constexpr std::uint64_t kMaxPoints = 2000, kMinPoints = 50;  // intervals of downsampled plots

std::string base64(std::string_view bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) -> std::uint32_t {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0;
    };
    const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (int k = 0; k < 4; ++k) text += kLetters[three >> (18 - 6 * k) & 63];
  }
  const std::size_t padding = (3 - bytes.size() % 3) % 3;
  text.replace(text.size() - padding, padding, padding, '=');
  return text;
}

/// Every `stride`th state, and the last.
std::vector<std::uint64_t> strided_states(std::uint64_t stride, std::uint64_t states) {
  std::vector<std::uint64_t> kept;
  for (std::uint64_t i = 0; i + 1 < states; i += stride) kept.push_back(i);
  kept.push_back(states - 1);
  return kept;
}

/// Bytes of a chunk in base64, as embedded in the page.
std::uint64_t base64_bytes(const RunView& run, std::span<const std::uint64_t> kept) {
  const auto& offset = run.reader().contact_offset();
  std::uint64_t contacts = 0;
  for (const std::uint64_t state : kept) contacts += offset[state + 1] - offset[state];
  return (chunk_bytes(run, kept.size(), contacts) + 2) / 3 * 4;
}

/// As many evenly spaced states as fit into `room` bytes; empty if not even two fit.
std::vector<std::uint64_t> states_within(const RunView& run, std::uint64_t room) {
  for (std::uint64_t stride = 1;; stride += std::max<std::uint64_t>(1, stride / 16)) {
    std::vector<std::uint64_t> kept = strided_states(stride, run.states());
    if (base64_bytes(run, kept) <= room) return kept;
    if (stride >= run.states()) return {};
  }
}

/// The plots in about `room` bytes; the number of intervals is halved until they fit.
std::string series_within(const RunView& run, std::uint64_t room, std::uint64_t& points) {
  for (points = kMaxPoints;; points /= 2) {
    std::string series = series_json(run, {.points = points});
    if (series.size() <= room || points / 2 < kMinPoints) return series;
  }
}

std::string run_json(const RunView& run, std::span<const std::uint64_t> kept, std::uint64_t points) {
  return fmt::format("{{\"info\":{},\"frames\":\"{}\",\"series\":{}}}", info_json(run, kept),
                     base64(frames_chunk(run, kept)), series_json(run, {.points = points}, kept));
}

}  // namespace

std::string insert_boot_json(std::string_view page, std::string_view boot) {
  constexpr std::string_view kMark = "id=\"pawl-boot\">", kEnd = "</script>";
  const std::size_t mark = page.find(kMark);
  const std::size_t end = mark == std::string_view::npos ? mark : page.find(kEnd, mark);
  if (end == std::string_view::npos) throw Error("the page has no place for its data (pawl-boot)");
  std::string text;
  text.reserve(page.size() + boot.size());
  text += page.substr(0, mark + kMark.size());
  // A name that contains </script> must not end the script. In JSON, '<' occurs only in strings.
  for (const char c : boot) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  text += page.substr(end);
  return text;
}

Report make_report(std::string_view page, std::span<const RunView* const> runs, std::uint64_t budget) {
  // Plots get a third of the bytes that page and descriptions leave free; motions get the rest.
  std::uint64_t fixed = page.size() + 1000;
  for (const RunView* run : runs) fixed += info_json(*run).size();
  const std::uint64_t bytes_per_run = budget > fixed ? (budget - fixed) / runs.size() : 0;
  Report report;
  std::string list;
  for (const RunView* run : runs) {
    std::uint64_t points = 0;
    const std::uint64_t plots = series_within(*run, bytes_per_run / 3, points).size();
    const std::vector<std::uint64_t> kept =
        bytes_per_run > plots ? states_within(*run, bytes_per_run - plots) : std::vector<std::uint64_t>{};
    if (kept.empty()) {
      throw Error(fmt::format(
          "{}: does not fit into {:.3g} MB, even with its first and last state alone; the page "
          "itself takes {:.3g} MB",
          run->path(), 1e-6 * static_cast<double>(budget), 1e-6 * static_cast<double>(page.size())));
    }
    if (kept.size() < run->states()) {
      report.notes +=
          fmt::format("{}{}: {} of {} states kept, plots thinned to {} intervals",
                      report.notes.empty() ? "" : "; ", run->path(), kept.size(), run->states(), points);
    }
    list += (list.empty() ? "" : ",") + run_json(*run, kept, points);
  }
  report.html = insert_boot_json(page, fmt::format("{{\"mode\":\"report\",\"runs\":[{}],\"notes\":{}}}", list,
                                                   Json(report.notes).dump()));
  return report;
}

std::string make_film_page(std::string_view page, const RunView& run, std::span<const std::uint64_t> states) {
  return insert_boot_json(page,
                          fmt::format("{{\"mode\":\"report\",\"film\":true,\"runs\":[{}],\"notes\":\"\"}}",
                                      run_json(run, states, kMinPoints)));
}

}  // namespace pawl::internal
