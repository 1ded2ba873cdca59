#include "profile_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace pawl::cli {
namespace {

constexpr const char* kInk = "#222222";
constexpr const char* kSoft = "#6b6b6b";
constexpr const char* kGrid = "#e4e4e4";
constexpr const char* kFrame = "#9a9a9a";
// Told apart by the colour-blind; dashes tell methods beyond the last colour.
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#8b5fbf", "#e69f00", "#1a1a1a", "#d1007a"};

// The sheet and the axes on it, in pixels.
constexpr double kWidth = 760, kHeight = 420;
constexpr double kLeft = 70, kTop = 56, kRight = 560, kBottom = 350;

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}/>\n", x1, y1, x2, y2,
                     style);
}

std::string text(double x, double y, const std::string& words, const char* anchor, int size = 12,
                 const char* colour = kInk) {
  return fmt::format(
      "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y,
      size, colour, anchor, words);
}

std::string stroke(const char* colour, double width = 1) {
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"", colour, width);
}

std::string method_stroke(std::size_t method) {
  std::string style = stroke(kColours[method % kColours.size()], 2);
  if (method >= kColours.size()) style += " stroke-dasharray=\"6 4\"";
  return style;
}

/// 1, 2, 5, 10, … up to the first that is not below `last`.
std::vector<double> ticks_to(double last) {
  std::vector<double> ticks{1};
  for (double decade = 1; ticks.back() < last; decade *= 10) {
    for (const double factor : {2, 5, 10}) {
      if (ticks.back() < last) ticks.push_back(factor * decade);
    }
  }
  return ticks;
}

bool is_decade(double tick) {
  return std::abs(std::log10(tick) - std::round(std::log10(tick))) < 1e-9;
}

}  // namespace

std::string profile_svg(const PerformanceProfile& profile, std::span<const std::string> methods,
                        std::size_t problems) {
  const std::vector<double> ticks = ticks_to(std::max(2.0, profile.tau.empty() ? 1.0 : profile.tau.back()));
  const auto x = [&](double tau) {
    return kLeft + std::log(tau) / std::log(ticks.back()) * (kRight - kLeft);
  };
  const auto y = [&](double share) { return kBottom - share * (kBottom - kTop); };

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" role=\"img\">\n"
      "<title>Performance profile</title>\n"
      "<rect x=\"0.5\" y=\"0.5\" width=\"{2}\" height=\"{3}\" fill=\"#ffffff\" stroke=\"#d8d8d8\" "
      "rx=\"10\"/>\n",
      kWidth, kHeight, kWidth - 1, kHeight - 1);
  svg += text(kLeft, 34, fmt::format("Problems solved within τ times the best time, of {}", problems),
              "start", 15);

  constexpr std::size_t kMostTicks = 10;  // beyond that only powers of ten are labelled
  for (const double tick : ticks) {
    svg += line(x(tick), kTop, x(tick), kBottom, stroke(kGrid));
    if (ticks.size() > kMostTicks && !is_decade(tick)) continue;
    svg += line(x(tick), kBottom, x(tick), kBottom + 4, stroke(kFrame));
    svg += text(x(tick), kBottom + 18, fmt::format("{:g}", tick), "middle");
  }
  for (int percent = 0; percent <= 100; percent += 20) {
    svg += line(kLeft, y(0.01 * percent), kRight, y(0.01 * percent), stroke(kGrid));
    svg += line(kLeft - 4, y(0.01 * percent), kLeft, y(0.01 * percent), stroke(kFrame));
    svg += text(kLeft - 8, y(0.01 * percent) + 4, fmt::format("{} %", percent), "end");
  }
  svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" {}/>\n", kLeft, kTop,
                     kRight - kLeft, kBottom - kTop, stroke(kFrame));
  svg += text(0.5 * (kLeft + kRight), kBottom + 42, "τ, time over that of the fastest method", "middle", 13);

  constexpr double kRow = 40, kLegend = kRight + 24;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    std::string points;
    double share = 0;
    for (std::size_t k = 0; k < profile.tau.size(); ++k) {  // up at τ, then on to the next
      const double at = x(profile.tau[k]);
      if (k > 0) points += fmt::format("{:.2f},{:.2f} ", at, y(share));
      share = profile.share[m][k];
      points += fmt::format("{:.2f},{:.2f} ", at, y(share));
    }
    points += fmt::format("{:.2f},{:.2f}", kRight, y(share));
    svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke-linejoin=\"round\" {}/>\n", points,
                       method_stroke(m));
    const double row = kTop + 14 + kRow * static_cast<double>(m);
    svg += line(kLegend, row, kLegend + 28, row, method_stroke(m));
    svg += text(kLegend + 38, row + 4, methods[m], "start", 13);
    svg += text(kLegend + 38, row + 19, fmt::format("solves {:.0f} %", 100 * share), "start", 11, kSoft);
  }
  return svg + "</svg>\n";
}

}  // namespace pawl::cli
