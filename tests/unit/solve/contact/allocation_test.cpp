// After solving a problem, the solver does not allocate for the next one of the same shape.

#include <gtest/gtest.h>

#include <pawl/problem/delassus.h>
#include <pawl/solver.h>

#include "unit/record/allocation_count.h"
#include "unit/solve/contact/box_stack.h"

namespace pawl::internal {
namespace allocation_test {

template <class Work>
long allocations_of(Work&& work) {
  const long before = allocation_count();
  work();
  return allocation_count() - before;
}

TEST(Allocation, IsCounted) {
  std::vector<double> numbers;
  EXPECT_EQ(allocations_of([&] { numbers.resize(100); }), 1);
  EXPECT_EQ(allocations_of([&] { numbers.resize(50); }), 0);
}

TEST(Allocation, HappensInTheFirstSolveOfAShapeOnly) {
  const ContactProblem problem = box_stack({1, 2, 3}, 8);
  ContactSolver solver;
  Solution solution;
  EXPECT_GT(allocations_of([&] { solver.solve(problem, {}, {}, solution); }), 0);
  const std::vector<ContactBasis> basis = solution.basis;
  EXPECT_EQ(allocations_of([&] { solver.solve(problem, {}, {}, solution); }), 0);
  solver.solve(problem, {}, {.p = {}, .basis = basis}, solution);
  EXPECT_EQ(allocations_of([&] { solver.solve(problem, {}, {.p = {}, .basis = basis}, solution); }), 0);
  EXPECT_EQ(solution.method, SolveMethod::warm);
  EXPECT_EQ(solution.status, Status::certified);
}

TEST(Allocation, DoesNotFollowTheSizeOfTheFinalBasis) {
  ContactProblem resting = box_stack({1, 2, 3}, 8), one_falls = resting;
  for (int level = 1; level < 3; ++level) one_falls.motion.v_free[6 * level + 2] = 1;
  set_free_velocities(one_falls);
  ContactSolver solver;
  Solution solution;
  solver.solve(one_falls, {}, {}, solution);  // leaves most contacts out of the basis
  ASSERT_EQ(solution.method, SolveMethod::lemke);
  EXPECT_EQ(allocations_of([&] { solver.solve(resting, {}, {}, solution); }), 0);
}

TEST(Allocation, DoesNotHappenWhereThereIsNoSolution) {
  // A ball between two walls that both push it away.
  TouchingBodies made(2);
  made.add_body(1, 1, Eigen::Vector3d::Zero());
  for (const double side : {-1.0, 1.0}) {
    made.add_contact(0, Eigen::Vector3d::Zero(), TouchingBodies::kWorld, Eigen::Vector3d::Zero(),
                     side * Eigen::Vector3d::UnitY(), polyhedral(0.5, regular_polygon(2)), -1);
  }
  const ContactProblem problem = made.problem();
  ContactSolver solver;
  Solution solution;
  solver.solve(problem, {}, {}, solution);
  EXPECT_EQ(allocations_of([&] { solver.solve(problem, {}, {}, solution); }), 0);
  EXPECT_EQ(solution.status, Status::refused);
}

}  // namespace allocation_test
}  // namespace pawl::internal
