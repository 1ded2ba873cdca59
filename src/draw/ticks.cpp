#include <draw/ticks.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace pawl::internal {
namespace {

std::string superscript(int exponent) {
  constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) text += kDigits[digit - '0'];
  return text;
}

std::string with_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

/// As many decimals as the tick step has; in scientific notation for very large or small values.
std::string tick_text(double value, double step, double largest) {
  const int exponent = largest > 0 ? static_cast<int>(std::floor(std::log10(largest))) : 0;
  if (exponent >= 5 || exponent <= -4) {
    if (value == 0) return "0";
    const double unit = std::pow(10, exponent);
    const int places = std::clamp(exponent - static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 15);
    return with_minus(fmt::format("{:.{}f}·10{}", value / unit, places, superscript(exponent)));
  }
  const int places = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 15);
  return with_minus(fmt::format("{:.{}f}", value, places));
}

std::vector<Tick> decades(const AxisRange& range, int wanted) {
  const int first = static_cast<int>(std::ceil(std::log10(range.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(range.high) + 1e-9));
  const int stride = std::max(1, (last - first + wanted) / wanted);
  std::vector<Tick> ticks;
  for (int e = first; e <= last; ++e) {
    if (e % stride == 0) ticks.push_back({std::pow(10, e), e == 0 ? "1" : "10" + superscript(e)});
  }
  return ticks;
}

/// Ticks at 1, 2, 5 in each decade, for an axis of fewer than two decades.
std::vector<Tick> within_decades(const AxisRange& range) {
  std::vector<Tick> ticks;
  for (double decade = std::pow(10, std::floor(std::log10(range.low))); decade <= range.high; decade *= 10) {
    for (const double factor : {1, 2, 5}) {
      const double value = factor * decade;
      if (value >= range.low * (1 - 1e-9) && value <= range.high * (1 + 1e-9)) {
        ticks.push_back({value, fmt::format("{:g}", value)});
      }
    }
  }
  return ticks;
}

}  // namespace

double AxisRange::to_fraction(double value) const {
  if (logarithmic) return std::log(value / low) / std::log(high / low);
  // Halved, because the difference of two huge numbers may overflow.
  return (0.5 * value - 0.5 * low) / (0.5 * high - 0.5 * low);
}

AxisRange range_of(const std::vector<const std::vector<double>*>& values, bool logarithmic) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kTiny = std::numeric_limits<double>::min(), kHuge = std::numeric_limits<double>::max();
  double low = kInfinity, high = -kInfinity;
  for (const std::vector<double>* list : values) {
    for (const double value : *list) {
      if (!std::isfinite(value) || (logarithmic && !(value >= kTiny))) continue;
      low = std::min(low, value), high = std::max(high, value);
    }
  }
  if (low > high) return logarithmic ? AxisRange{1, 10, true} : AxisRange{0, 1, false};
  if (logarithmic) {
    // Pad by a tenth of a decade, to at least a factor of four in total; stay within the range of a double.
    const double padding = std::max(1.26, low * 4 > high ? 2.0 : 0.0);
    return {std::max(low / padding, kTiny), std::min(high * padding, kHuge), true};
  }
  double padding = 0.04 * (0.5 * high - 0.5 * low) * 2;
  // Values that differ by rounding only count as one value.
  const double size = std::max(std::abs(low), std::abs(high));
  if (padding <= 1e-13 * size) padding = size > kTiny ? 0.1 * size : 0.5;
  return {std::max(low - padding, -kHuge), std::min(high + padding, kHuge), false};
}

std::vector<Tick> ticks_of(const AxisRange& range, int wanted) {
  if (range.logarithmic) {
    std::vector<Tick> ticks = decades(range, wanted);
    return ticks.size() >= 2 ? ticks : within_decades(range);
  }
  const double rough = 2 * (0.5 * range.high - 0.5 * range.low) / wanted;
  if (!std::isfinite(rough) || !(rough > 0)) return {};
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double factor : {5, 2, 1}) {
    if (factor * decade >= rough) step = factor * decade;
  }
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  const double first = std::ceil(range.low / step - 1e-9) + 0.0;  // -0 becomes 0
  const double last = std::floor(range.high / step + 1e-9);
  std::vector<Tick> ticks;
  for (double k = first; k <= last && ticks.size() < 100; ++k) {
    ticks.push_back({k * step, tick_text(k * step, step, largest)});
  }
  return ticks;
}

}  // namespace pawl::internal
