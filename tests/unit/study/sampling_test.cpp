// Random numbers, distributions and designs of studies.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pawl/error.h>
#include <pawl/study/design.h>
#include <pawl/study/distribution.h>
#include <pawl/study/philox.h>
#include <pawl/study/statistics.h>

namespace pawl::internal {
namespace sampling_test {

using Words = std::array<std::uint32_t, 4>;

SceneParameter parameter(const std::string& name, DistributionKind kind, std::vector<double> arguments) {
  SceneParameter p;
  p.name = name;
  p.kind = kind;
  p.arguments = std::move(arguments);
  p.nominal = {1};
  return p;
}

double draw_one(DistributionKind kind, std::vector<double> arguments, double u) {
  return draw(parameter("x", kind, std::move(arguments)), std::array{u}).at(0);
}

// The known answers of Random123, the reference implementation by the authors of Philox.
TEST(Philox, GivesThePublishedNumbers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, NumbersLieStrictlyBetweenZeroAndOne) {
  EXPECT_GT(to_unit_interval(0), 0);
  EXPECT_LT(to_unit_interval(~std::uint64_t{0}), 1);
}

// Φ is by erfc, the quantile by Wichura's rational functions: two independent ways.
TEST(Distributions, NormalQuantilesInvertTheDistributionFunction) {
  for (const double p : {1e-300, 1e-20, 1e-5, 0.02, 0.07, 0.3, 0.5, 0.7, 0.93, 0.999}) {
    const double x = normal_quantile(p);
    EXPECT_NEAR(0.5 * std::erfc(-x / std::numbers::sqrt2) / p, 1, 2e-13) << p;
  }
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
}

TEST(Distributions, TakeTheirQuantiles) {
  using enum DistributionKind;
  EXPECT_EQ(draw_one(uniform, {2, 6}, 0.25), 3);
  EXPECT_EQ(draw_one(range, {2, 6}, 0.25), 3);
  EXPECT_EQ(draw_one(tolerance, {20, 0.02}, 0.25), 20 - 0.01);
  EXPECT_EQ(draw_one(normal, {5, 2}, 0.5), 5);
  EXPECT_NEAR(draw_one(normal, {5, 2}, 0.975), 5 + 2 * 1.959963984540054, 1e-14);
  EXPECT_NEAR(draw_one(lognormal, {3, 0.5}, 0.975), 3 * std::exp(0.5 * 1.959963984540054), 1e-13);
  EXPECT_EQ(draw_one(choice, {7, 8, 9}, 0.999), 9);
  SceneParameter weighted = parameter("x", choice, {7, 8, 9});
  weighted.weights = {1, 0, 3};
  EXPECT_EQ(draw(weighted, std::array{0.24})[0], 7);
  EXPECT_EQ(draw(weighted, std::array{0.26})[0], 9);
  EXPECT_EQ(draw(parameter("x", box, {0, 1, 2, 4}), std::array{0.5, 0.5}), (std::vector<double>{1, 2.5}));
}

TEST(Distributions, TruncatedNormalStaysInsideAndKeepsItsDigitsInBothTails) {
  using enum DistributionKind;
  // P(X < x | 6 < X < 7) = ½, by bisection of erfc.
  const auto above = [](double x) { return std::erfc(x / std::numbers::sqrt2); };
  double low = 6, high = 7;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (above(6) - above(middle) < above(middle) - above(7) ? low : high) = middle;
  }
  EXPECT_NEAR(draw_one(truncated_normal, {0, 1, 6, 7}, 0.5), low, 1e-10);
  EXPECT_NEAR(draw_one(truncated_normal, {0, 1, -7, -6}, 0.5), -low, 1e-10);
  EXPECT_EQ(draw_one(truncated_normal, {0, 1, -1, 1}, 0.5), 0);
  EXPECT_GE(draw_one(truncated_normal, {0, 1, 6, 7}, 1e-16), 6);
  EXPECT_LE(draw_one(truncated_normal, {0, 1, 6, 7}, 1 - 1e-16), 7);
}

// A rotation that is uniform over SO(3) turns any direction uniformly over the sphere: the mean of each of
// its coordinates is 0, of its squares 1/3, and the mean trace of R is 0.
TEST(Distributions, RotationsAreUniform) {
  DesignOptions options;
  options.samples = 20000;
  SceneParameter p = parameter("turn", DistributionKind::rotation, {});
  p.nominal = {1, 0, 0, 0};
  const Design design({p}, options);
  double z = 0, zz = 0, trace = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const std::vector<double> q = design.sample(i).at(0);
    EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
    const double zi = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
    z += zi;
    zz += zi * zi;
    trace += 4 * q[0] * q[0] - 1;
  }
  const auto n = static_cast<double>(options.samples);
  EXPECT_NEAR(z / n, 0, 4 * std::sqrt(1.0 / 3 / n));
  EXPECT_NEAR(zz / n, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / n));
  EXPECT_NEAR(trace / n, 0, 4 * std::sqrt(1 / n));
}

const std::vector<SceneParameter>& two() {
  static const std::vector<SceneParameter> parameters{parameter("a", DistributionKind::uniform, {0, 1}),
                                                      parameter("b", DistributionKind::uniform, {0, 1})};
  return parameters;
}

TEST(Designs, SamplesDependOnNothingElse) {
  for (const Sampling sampling : {Sampling::monte_carlo, Sampling::sobol}) {
    DesignOptions few, many;
    few.sampling = many.sampling = sampling;
    few.samples = 10;
    many.samples = 1000;
    const Design a(two(), few), b(two(), many);
    EXPECT_EQ(a.sample(7), b.sample(7));
    // Nor on other parameters, by Monte Carlo.
    if (sampling == Sampling::monte_carlo) {
      EXPECT_EQ(Design({two()[1]}, few).sample(7)[0], a.sample(7)[1]);
    }
    few.seed = 2;
    EXPECT_NE(Design(two(), few).sample(7), a.sample(7));
  }
}

TEST(Designs, LatinHypercubeHasOneSampleInEachRow) {
  DesignOptions options{.sampling = Sampling::latin_hypercube, .seed = 3, .samples = 97};
  const Design design(two(), options);
  std::set<int> a, b;
  for (int i = 0; i < 97; ++i) {
    const auto values = design.sample(i);
    a.insert(static_cast<int>(values[0][0] * 97));
    b.insert(static_cast<int>(values[1][0] * 97));
  }
  EXPECT_EQ(a.size(), 97u);
  EXPECT_EQ(b.size(), 97u);
}

// The first 2^m points of the first two dimensions are a (0, m, 2)-net: one point in every elementary
// interval. The digital shift keeps that.
TEST(Designs, SobolPointsFormANet) {
  DesignOptions options{.sampling = Sampling::sobol, .seed = 5, .samples = 64};
  const Design design(two(), options);
  for (int i = 0; i <= 6; ++i) {
    std::set<std::pair<int, int>> cells;
    for (int k = 0; k < 64; ++k) {
      const auto values = design.sample(k);
      cells.emplace(static_cast<int>(values[0][0] * (1 << i)), static_cast<int>(values[1][0] * (64 >> i)));
    }
    EXPECT_EQ(cells.size(), 64u) << i;
  }
}

TEST(Designs, GridsVaryTheLastAxisFastest) {
  DesignOptions options{.samples = 2, .grid = {parse_grid_axis("b=1:2:3"), parse_grid_axis("a=5,7")}};
  const Design design(two(), options);
  ASSERT_EQ(design.size(), 12u);
  EXPECT_EQ(design.sample(0), (std::vector<std::vector<double>>{{5}, {1}}));
  EXPECT_EQ(design.sample(1), (std::vector<std::vector<double>>{{5}, {1}}));
  EXPECT_EQ(design.sample(2), (std::vector<std::vector<double>>{{7}, {1}}));
  EXPECT_EQ(design.sample(4), (std::vector<std::vector<double>>{{5}, {1.5}}));
  EXPECT_EQ(design.sample(11), (std::vector<std::vector<double>>{{7}, {2}}));
}

TEST(Designs, RefuseWrongGrids) {
  for (const char* text : {"", "mu", "mu=", "=1", "mu=1:2", "mu=1:2:1", "mu=2:1:3", "mu=1:2:2.5", "mu=a",
                           "mu=1,,2", "mu=nan", "mu=1:2:1e9"})
    EXPECT_THROW(parse_grid_axis(text), Error) << text;
  EXPECT_THROW(Design(two(), {.grid = {{"c", {1}}}}), Error);
  EXPECT_THROW(Design(two(), {.grid = {{"a", {1}}, {"a", {1}}}}), Error);
}

TEST(Statistics, WilsonIntervalsAreThoseOfTheFormula) {
  // [Newcombe1998, table I]: 81/263, 15/148, 0/20, 1/29.
  const auto near = [](const Interval& i, double low, double high) {
    EXPECT_NEAR(i.low, low, 5e-5);
    EXPECT_NEAR(i.high, high, 5e-5);
  };
  near(wilson_interval(81, 263), 0.2553, 0.3662);
  near(wilson_interval(15, 148), 0.0624, 0.1605);
  near(wilson_interval(0, 20), 0.0000, 0.1611);
  near(wilson_interval(1, 29), 0.0061, 0.1718);
  EXPECT_EQ(wilson_interval(5, 5).high, 1);
  EXPECT_EQ(wilson_interval(0, 0).high, 1);
}

TEST(Statistics, QuantilesInterpolate) {
  const std::vector<double> sorted{1, 2, 4, 8};
  EXPECT_EQ(quantile(sorted, 0), 1);
  EXPECT_EQ(quantile(sorted, 0.5), 3);
  EXPECT_EQ(quantile(sorted, 1), 8);
}

TEST(Statistics, MainEffectIsTheShareOfTheVariance) {
  // y = x + noise with variances 1/12 and 3/12: x explains a quarter. z explains nothing.
  std::vector<double> x, y, z;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto u = [&](std::uint64_t stream) { return to_unit_interval(random_bits(1, stream, i)); };
    x.push_back(u(1));
    y.push_back(u(1) + std::sqrt(3.0) * u(2));
    z.push_back(u(3));
  }
  EXPECT_NEAR(main_effect(x, y), 0.25, 0.01);
  EXPECT_NEAR(main_effect(z, y), 0, 0.002);
  EXPECT_EQ(main_effect(x, std::vector<double>(x.size(), 1.0)), 0);
  EXPECT_EQ(main_effect(std::vector<double>(x.size(), 1.0), y), 0);
}

}  // namespace sampling_test
}  // namespace pawl::internal
