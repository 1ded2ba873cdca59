#include <pawl/study/performance_profile.h>

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::internal {
namespace {

using testing::ElementsAre;

constexpr double kUnsolved = std::numeric_limits<double>::infinity();

TEST(PerformanceProfile, CountsProblemsWithinEachMultipleOfTheBestTime) {
  const std::vector<std::vector<double>> seconds{{1, 4}, {6, 3}, {2, 2}, {8, 1}};
  const PerformanceProfile profile = performance_profile(seconds);
  EXPECT_THAT(profile.tau, ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(profile.fraction[0], ElementsAre(0.5, 0.75, 0.75, 1));
  EXPECT_THAT(profile.fraction[1], ElementsAre(0.75, 0.75, 1, 1));
}

TEST(PerformanceProfile, UnsolvedProblemsCountInTheWhole) {
  const std::vector<std::vector<double>> seconds{{kUnsolved, 1}, {kUnsolved, kUnsolved}};
  const PerformanceProfile profile = performance_profile(seconds);
  EXPECT_THAT(profile.tau, ElementsAre(1));
  EXPECT_THAT(profile.fraction[0], ElementsAre(0));
  EXPECT_THAT(profile.fraction[1], ElementsAre(0.5));
}

TEST(PerformanceProfile, OfNoProblemIsEmpty) {
  EXPECT_TRUE(performance_profile({}).tau.empty());
}

}  // namespace
}  // namespace pawl::internal
