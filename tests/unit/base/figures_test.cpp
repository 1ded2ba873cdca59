#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <pawl/base/figures.h>

namespace pawl {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double worsened(double figure, double value) {
  worsen(figure, value);
  return figure;
}

TEST(Figures, WorsenKeepsTheLargerOfTwoNumbers) {
  EXPECT_EQ(worsened(1, 2), 2);
  EXPECT_EQ(worsened(2, 1), 2);
  EXPECT_EQ(worsened(0, -1), 0);
  EXPECT_EQ(worsened(0, kInfinity), kInfinity);
}

TEST(Figures, WorsenTakesNoNumberForTheWorst) {
  EXPECT_EQ(worsened(1, kNan), kInfinity);
  EXPECT_EQ(worsened(kInfinity, kNan), kInfinity);
  EXPECT_EQ(worsened(worsened(0, kNan), 1), kInfinity) << "and keeps it";
}

TEST(Figures, LargestIsThatOfMagnitudes) {
  EXPECT_EQ(largest(std::vector<double>{}), 0);
  EXPECT_EQ(largest(std::vector<double>{1, -3, 2}), 3);
  EXPECT_EQ(largest(std::vector<double>{1, -kInfinity, 2}), kInfinity);
}

TEST(Figures, LargestIsInfiniteWhereverNoNumberStands) {
  for (std::size_t at = 0; at < 3; ++at) {
    std::vector<double> x{1, -3, 2};
    x[at] = kNan;
    EXPECT_EQ(largest(x), kInfinity) << "at " << at;
  }
}

TEST(Figures, AllFiniteSeesEveryEntry) {
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
}  // namespace pawl
