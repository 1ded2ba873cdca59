#include "profile_plot.h"

#include <algorithm>

#include <fmt/format.h>

namespace pawl::internal::cli {

Figure profile_figure(const PerformanceProfile& profile, std::span<const std::string> methods,
                      std::size_t problems) {
  constexpr double kMinTau = 2;  // the axis extends at least to this τ
  Panel panel;
  panel.title = fmt::format("Problems solved within τ times the best time, of {}", problems);
  panel.x = {.label = "τ, time over that of the fastest method", .logarithmic = true, .low = 1};
  panel.x.high = 1.1 * std::max(profile.tau.empty() ? 1 : profile.tau.back(), kMinTau);
  panel.y = {.label = "", .percent = true, .low = 0, .high = 1};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    PlotCurve curve;
    curve.label = methods[m];
    curve.note = fmt::format("solves {:.0f} %", profile.tau.empty() ? 0 : 100 * profile.fraction[m].back());
    curve.x = profile.tau;
    curve.y = profile.fraction[m];
    curve.colour = static_cast<int>(m);
    curve.dash = static_cast<int>(m) / 7;  // new dash pattern when the colours repeat
    curve.steps = true;
    panel.curves.push_back(std::move(curve));
  }
  return {.panels = {panel}, .panel_height = 300};
}

}  // namespace pawl::internal::cli
