#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <pawl/base/numeric_util.h>

namespace pawl::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double nan_max_of(double maximum, double value) {
  nan_max(maximum, value);
  return maximum;
}

TEST(NumericUtil, NanMaxKeepsTheLarger) {
  EXPECT_EQ(nan_max_of(1, 2), 2);
  EXPECT_EQ(nan_max_of(2, 1), 2);
  EXPECT_EQ(nan_max_of(0, -1), 0);
  EXPECT_EQ(nan_max_of(0, kInfinity), kInfinity);
}

TEST(NumericUtil, NanMaxMapsNanToInfinity) {
  EXPECT_EQ(nan_max_of(1, kNan), kInfinity);
  EXPECT_EQ(nan_max_of(kInfinity, kNan), kInfinity);
  EXPECT_EQ(nan_max_of(nan_max_of(0, kNan), 1), kInfinity) << "and keeps it";
}

TEST(NumericUtil, LargestIsOfMagnitudes) {
  EXPECT_EQ(largest(std::vector<double>{}), 0);
  EXPECT_EQ(largest(std::vector<double>{1, -3, 2}), 3);
  EXPECT_EQ(largest(std::vector<double>{1, -kInfinity, 2}), kInfinity);
}

TEST(NumericUtil, LargestIsInfiniteIfAnyEntryIsNan) {
  for (std::size_t at = 0; at < 3; ++at) {
    std::vector<double> x{1, -3, 2};
    x[at] = kNan;
    EXPECT_EQ(largest(x), kInfinity) << "at " << at;
  }
}

TEST(NumericUtil, AllFiniteChecksEveryEntry) {
  EXPECT_TRUE(all_finite(std::vector<double>{}));
  EXPECT_TRUE(all_finite(std::vector<double>{0, -1e308, 5e-324}));
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    for (std::size_t at = 0; at < 3; ++at) {
      std::vector<double> x{1, 2, 3};
      x[at] = bad;
      EXPECT_FALSE(all_finite(x)) << bad << " at " << at;
    }
  }
}

}  // namespace
}  // namespace pawl::internal
