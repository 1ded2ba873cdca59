// The friction bound of docs/existence-and-uniqueness.md against all contact states of random problems.

#include <map>

#include <gtest/gtest.h>

#include <pawl/analysis.h>

#include "unit/analysis/random_problems.h"

namespace pawl::internal {
namespace friction_bound_test {

/// Number of problems, out of 1,000 with all friction at `fraction` of the bound, with none, one or several
/// solutions.
std::map<SolutionCount, int> count_at(double fraction) {
  test::RandomProblems make(2001);
  const FrictionPolyhedron pentagon = FrictionPolyhedron::regular(5);
  std::map<SolutionCount, int> counts;
  for (int trial = 0; trial < 1000; ++trial) {
    AccelerationProblem problem = trial % 4 == 3 ? make.polygonal(pentagon, 3 + trial % 2)
                                                 : make.planar(1 + trial % 4, 2 * (1 + trial % 4));
    const double mu = fraction * apply_theorem_1(problem).uniqueness_bound;
    for (FrictionSet& set : problem.friction) set.mu = mu;
    ++counts[count_solutions(problem).count];
  }
  std::printf("mu = %g of the bound: one %d, none %d, several %d, too near to call %d\n", fraction,
              counts[SolutionCount::one], counts[SolutionCount::none], counts[SolutionCount::several],
              counts[SolutionCount::unknown]);
  return counts;
}

TEST(FrictionBound, BelowItThereIsOneSolution) {
  EXPECT_EQ(count_at(0.999)[SolutionCount::one], 1000);
}

TEST(FrictionBound, AboveItThereMayBeNoneOrSeveral) {
  for (const double fraction : {1.2, 1.5, 3.0}) {
    std::map<SolutionCount, int> counts = count_at(fraction);
    EXPECT_GT(counts[SolutionCount::none], 0) << fraction;
    EXPECT_GT(counts[SolutionCount::several], 0) << fraction;
  }
}

}  // namespace friction_bound_test
}  // namespace pawl::internal
