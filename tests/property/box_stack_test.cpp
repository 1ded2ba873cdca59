// Stacks of boxes with mass ratios up to 100 between levels: no wrong solution is certified.

#include "unit/solve/contact/box_stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include <pawl/solver.h>

namespace pawl::internal {
namespace box_stack_test {

constexpr int kStacksPerHeight = 33;  // 363 stacks of 2 to 12 levels

/// Max relative error of the forces: each level carries the weight above it.
double force_error(const std::vector<double>& masses, const std::vector<double>& p) {
  double worst = 0;
  for (std::size_t level = 0; level < masses.size(); ++level) {
    const double weight = kGravityImpulse * std::accumulate(masses.begin() + level, masses.end(), 0.0);
    double carried = 0;
    for (int corner = 0; corner < 4; ++corner) carried += p[(level * 4 + corner) * 3];
    worst = std::max(worst, std::abs(carried / weight - 1));
  }
  return worst;
}

class BoxStack : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(BoxStack, IsCertifiedOnlyWithTheRightForces) {
  const auto [directions, levels] = GetParam();
  ContactSolver solver;
  Solution solution;
  int counts[3] = {};
  for (int variant = 0; variant < kStacksPerHeight; ++variant) {
    const std::vector<double> masses = stack_masses(levels, variant);
    const ContactProblem problem = box_stack(masses, directions);
    solver.solve(problem, {}, {}, solution);
    ++counts[static_cast<int>(solution.status)];
    if (solution.status == Status::certified) {
      EXPECT_LE(force_error(masses, solution.p), 1e-8)
          << "variant " << variant << "; " << save_failed_problem(problem);
    } else {
      EXPECT_NE(solution.reason, "");
    }
  }
  RecordProperty("certified", counts[0]);
  RecordProperty("approximate", counts[1]);
  RecordProperty("refused", counts[2]);
  EXPECT_GE(counts[0], kStacksPerHeight - 1);  // 97 %
}

INSTANTIATE_TEST_SUITE_P(Solve, BoxStack, testing::Combine(testing::Values(4, 8), testing::Range(2, 13)),
                         [](const auto& test) {
                           return std::to_string(std::get<1>(test.param)) + "LevelsWith" +
                                  std::to_string(std::get<0>(test.param)) + "Directions";
                         });

TEST(BoxStack, OfEqualMassesIsCertifiedAtAnyHeight) {
  ContactSolver solver;
  Solution solution;
  for (int levels = 1; levels <= 12; ++levels) {
    const std::vector<double> masses(levels, 3.0);
    solver.solve(box_stack(masses, 8), {}, {}, solution);
    EXPECT_EQ(solution.status, Status::certified) << levels << " levels: " << solution.reason;
    EXPECT_LE(force_error(masses, solution.p), 1e-12);
  }
}

}  // namespace box_stack_test
}  // namespace pawl::internal
