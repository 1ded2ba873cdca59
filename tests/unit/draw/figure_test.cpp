#include <draw/figure.h>
#include <draw/ticks.h>

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include <pawl/error.h>

#include "folder.h"

namespace pawl::internal {
namespace {

using test::Folder;

std::vector<std::string> texts(const AxisRange& range, int wanted) {
  std::vector<std::string> all;
  for (const Tick& tick : ticks_of(range, wanted)) all.push_back(tick.text);
  return all;
}

TEST(Ticks, AreRoundNumbers) {
  EXPECT_THAT(texts({0, 1}, 5), testing::ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(texts({-3, 3}, 4), testing::ElementsAre("−2", "0", "2"));
  EXPECT_THAT(texts({0, 1200}, 4), testing::ElementsAre("0", "500", "1000"));
  EXPECT_THAT(texts({0, 3e-7}, 4), testing::ElementsAre("0", "1·10⁻⁷", "2·10⁻⁷", "3·10⁻⁷"));
  EXPECT_THAT(texts({0, 2.5e6}, 3), testing::ElementsAre("0", "1·10⁶", "2·10⁶"));
}

TEST(Ticks, HaveNoNegativeZero) {
  for (const double low : {0.0, -0.0, -1.0}) {
    for (const Tick& tick : ticks_of({low, 1}, 5))
      EXPECT_FALSE(tick.value == 0 && std::signbit(tick.value)) << low;
  }
}

TEST(Ticks, OfALogAxisArePowersOfTen) {
  EXPECT_THAT(texts({1e-3, 1e3, true}, 8),
              testing::ElementsAre("10⁻³", "10⁻²", "10⁻¹", "1", "10¹", "10²", "10³"));
  EXPECT_THAT(texts({1e-16, 1e-8, true}, 5),
              testing::ElementsAre("10⁻¹⁶", "10⁻¹⁴", "10⁻¹²", "10⁻¹⁰", "10⁻⁸"));
  EXPECT_THAT(texts({1, 6, true}, 8), testing::ElementsAre("1", "2", "5"));
}

TEST(Ticks, AreFewAndWithinTheAxisAtAnyScale) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> exponent(-290, 290), fraction(-1, 1);
  for (int trial = 0; trial < 2000; ++trial) {
    const double size = std::pow(10, exponent(random));
    const double a = size * fraction(random), b = size * fraction(random);
    const AxisRange range{std::min(a, b), std::max(a, b)};
    const std::vector<Tick> ticks = ticks_of(range, 6);
    EXPECT_LE(ticks.size(), 8u);
    EXPECT_GE(ticks.size(), 2u) << range.low << " " << range.high;
    for (const Tick& tick : ticks) {
      EXPECT_GE(range.to_fraction(tick.value), -1e-6);
      EXPECT_LE(range.to_fraction(tick.value), 1 + 1e-6);
    }
  }
}

TEST(Range, HoldsAllThatCanBeDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{3, nan, -infinity, 7, infinity};
  const AxisRange range = range_of({&values}, false);
  EXPECT_LT(range.low, 3);
  EXPECT_GT(range.low, 2);
  EXPECT_GT(range.high, 7);
  EXPECT_LT(range.high, 8);
  const std::vector<double> residuals{0, 1e-12, 1e-9};
  EXPECT_GT(range_of({&residuals}, true).low, 1e-13);
}

TEST(Range, IsNeverEmpty) {
  const double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<std::vector<double>> lists{
      {}, {0}, {5, 5}, {-2}, {1e300, 1e300}, {huge, -huge}, {tiny}, {huge}, {1, 1 + 1e-16}};
  for (const std::vector<double>& list : lists) {
    for (const bool logarithmic : {false, true}) {
      const AxisRange range = range_of({&list}, logarithmic);
      EXPECT_TRUE(std::isfinite(range.low) && std::isfinite(range.high));
      EXPECT_LT(range.low, range.high);
      for (const double value : list) {
        if (logarithmic && value < std::numeric_limits<double>::min()) continue;
        EXPECT_GE(range.to_fraction(value), -1e-9) << value;
        EXPECT_LE(range.to_fraction(value), 1 + 1e-9) << value;
      }
      EXPECT_LE(ticks_of(range, 5).size(), 100u);
    }
  }
}

Figure sample() {
  Panel panel;
  panel.title = "Energy of <a> & b";
  panel.x.label = "t (s)";
  panel.y.label = "J";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  panel.curves = {{"total", {0, 1, 2}, {1, 4, 2}}, {"broken", {0, 1, 2, 3}, {1, nan, 2, 3}, 1, 1}};
  Panel empty;
  empty.x.label = "t (s)";
  Panel residual = panel;
  residual.y.logarithmic = true;
  residual.reference_line = ReferenceLine{1e-8, "certified below"};
  for (int i = 0; i < 40; ++i)
    residual.curves.push_back(
        {"one of many with a very long name " + std::to_string(i), {0, 1}, {1e-9, 0}, i, i, true});
  return {.panels = {panel, empty, residual}};
}

TEST(Figure, IsDrawnAsSvgAndPng) {
  const Folder folder;
  draw_figure(sample(), folder / "figure.svg");
  EXPECT_THAT(folder.read("figure.svg"),
              testing::AllOf(testing::HasSubstr("<svg"), testing::EndsWith("</svg>\n")));
  draw_figure(sample(), folder / "figure.png");
  EXPECT_THAT(folder.read("figure.png"), testing::StartsWith("\x89PNG"));
  EXPECT_FALSE(folder.has("figure.svg.part"));
}

TEST(Figure, IsDrawnAsPdfOf160Millimetres) {
  const Folder folder;
  draw_figure(sample(), folder / "figure.pdf");
  const std::string pdf = folder.read("figure.pdf");
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_THAT(pdf, testing::HasSubstr("/MediaBox [ 0 0 455 "));
  EXPECT_FALSE(folder.has("figure.pdf.part"));
}

TEST(Figure, SaysWhatItCantWrite) {
  const Folder folder;
  EXPECT_THROW(draw_figure(sample(), folder / "figure.gif"), Error);
  EXPECT_THROW(draw_figure(sample(), folder / "figure"), Error);
  EXPECT_THROW(draw_figure(sample(), folder / "nowhere/figure.svg"), Error);
  EXPECT_THROW(draw_figure(sample(), folder / "nowhere/figure.png"), Error);
}

}  // namespace
}  // namespace pawl::internal
