#include <pawl/study/performance_profile.h>

#include <algorithm>
#include <cmath>

namespace pawl::internal {

PerformanceProfile performance_profile(std::span<const std::vector<double>> seconds) {
  PerformanceProfile profile;
  if (seconds.empty()) return profile;
  const std::size_t methods = seconds.front().size();
  std::vector<std::vector<double>> ratios(methods);  // time ratios of the problems that each method solves
  profile.tau.push_back(1);
  for (const std::vector<double>& row : seconds) {
    const double best = std::ranges::min(row);
    for (std::size_t m = 0; m < methods; ++m) {
      if (!std::isfinite(row[m])) continue;
      ratios[m].push_back(row[m] / best);
      profile.tau.push_back(row[m] / best);
    }
  }
  std::ranges::sort(profile.tau);
  profile.tau.erase(std::unique(profile.tau.begin(), profile.tau.end()), profile.tau.end());
  for (std::vector<double>& ratio : ratios) {
    std::ranges::sort(ratio);
    std::vector<double>& fraction = profile.fraction.emplace_back();
    for (const double tau : profile.tau) {
      const auto within = std::ranges::upper_bound(ratio, tau) - ratio.begin();
      fraction.push_back(static_cast<double>(within) / static_cast<double>(seconds.size()));
    }
  }
  return profile;
}

}  // namespace pawl::internal
