#include <pawl/scene_file/nearest.h>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace pawl::internal {
namespace {

// No word of the format is longer, and the table below is quadratic in the length.
constexpr std::size_t kMaxLength = 64;
// A longer list of names would hide the message.
constexpr std::size_t kMaxListed = 24;

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// Edit distance; a swap of neighbouring letters costs 1, and letter case is ignored.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (x == y ? 0 : 1)});
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2])) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > kMaxLength) return {};
  std::string_view best;
  // Max number of typing errors; beyond it the word is another word.
  std::size_t best_distance = word.size() / 3 + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > kMaxLength) continue;
    const std::size_t d = distance(word, candidate);
    if (d < candidate.size() && (d < best_distance || (best.empty() && d == best_distance))) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string hint(std::string_view word, const std::vector<std::string_view>& candidates,
                 std::string_view listing) {
  if (const std::string_view near = nearest(word, candidates); !near.empty()) {
    return fmt::format(": did you mean '{}'?", near);
  }
  if (candidates.empty()) return {};
  const std::size_t listed = std::min(candidates.size(), kMaxListed);
  return fmt::format(
      ": {} {}{}", listing,
      fmt::join(candidates.begin(), candidates.begin() + static_cast<long>(listed), ", "),
      listed < candidates.size() ? fmt::format(" and {} more", candidates.size() - listed) : "");
}

}  // namespace pawl::internal
