// Rows with a compliance: u = J v + shift + C p.

#include <gmock/gmock.h>

#include "unit/solve/contact/all_sets.h"

#include <pawl/linalg/block_matrix.h>
#include <pawl/problem/delassus.h>
#include <pawl/problem_file.h>
#include <pawl/solver.h>

namespace pawl::internal {
namespace compliance_test {

/// Contacts of bodies in primal form, each row with a compliance of up to a tenth of W_rr.
ContactProblem compliant_problem(int seed) {
  Random random(seed);
  ContactProblem problem = random_contacts(random, 3, all_sets(0.4), {3, 1, 5});
  const BlockMatrix W = delassus(problem);
  problem.motion.compliance.resize(problem.rows());
  for (int i = 0; i < problem.blocks(); ++i) {
    const double* D = W.values.data() + W.find(i, i)->offset;
    for (int r = 0; r < problem.size_of(i); ++r)
      problem.motion.compliance[problem.begin[i] + r] =
          random.uniform(0.01, 0.1) * D[r * (problem.size_of(i) + 1)];
  }
  return problem;
}

/// The same problem by its W.
ContactProblem in_delassus_form(const ContactProblem& problem) {
  ContactProblem by_W = problem;
  by_W.W = delassus(problem);
  by_W.motion = {};
  return by_W;
}

TEST(Compliance, IsOnTheDiagonalOfW) {
  ContactProblem problem = compliant_problem(1);
  const std::vector<double> compliance = problem.motion.compliance;
  const BlockMatrix soft = delassus(problem);
  problem.motion.compliance.clear();
  const BlockMatrix rigid = delassus(problem);
  for (int i = 0; i < problem.blocks(); ++i) {
    const int n = problem.size_of(i);
    for (const auto& block : soft.row_entries(i)) {
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < problem.size_of(block.column); ++c) {
          const std::size_t at = block.offset + r * problem.size_of(block.column) + c;
          const double added = block.column == i && r == c ? compliance[problem.begin[i] + r] : 0;
          EXPECT_EQ(soft.values[at], rigid.values[at] + added);
        }
      }
    }
  }
}

TEST(Compliance, GivesTheSameAnswerInBothForms) {
  for (const SolveMethod method : {SolveMethod::cascade, SolveMethod::newton, SolveMethod::gauss_seidel}) {
    for (int seed = 0; seed < 20; ++seed) {
      const ContactProblem problem = compliant_problem(seed), by_W = in_delassus_form(problem);
      SolveOptions options;
      options.method = method;
      options.tolerance = 1e-10;
      const Solution a = solve(problem, options), b = solve(by_W, options);
      ASSERT_EQ(a.status, Status::certified) << to_string(method) << " seed " << seed << ": " << a.reason;
      ASSERT_EQ(b.status, Status::certified) << to_string(method) << " seed " << seed << ": " << b.reason;
      // Rows with compliance determine their impulses.
      double largest = 0;
      for (const double p : b.p) largest = std::max(largest, std::abs(p));
      for (std::size_t r = 0; r < a.p.size(); ++r)
        EXPECT_NEAR(a.p[r], b.p[r], 1e-6 * largest) << to_string(method) << " seed " << seed;
      EXPECT_LT(judge(by_W, a.p).natural_map, 1e-8);
      EXPECT_LT(judge(problem, b.p).natural_map, 1e-8);
    }
  }
}

TEST(Compliance, CountsForTheJudge) {
  ContactProblem problem = compliant_problem(3);
  const Solution solution = solve(problem);
  ASSERT_EQ(solution.status, Status::certified);
  problem.motion.compliance.clear();
  EXPECT_GT(judge(problem, solution.p).worst(), 1e-4);
}

/// p = −b / (W + C).
TEST(Compliance, YieldsUnderABallAsItsRowSays) {
  ContactProblem problem;
  problem.contacts = 1;
  problem.begin = {0, 1};
  problem.zeta = {0};
  problem.friction = {{}};
  problem.motion.mass_blocks = {{0, 1, 0}};
  problem.motion.mass = {2};
  problem.motion.factor = {std::sqrt(2.0)};
  problem.motion.jacobian_blocks = {{0, 0, 0}};
  problem.motion.jacobian = {1};
  problem.motion.v_free = {-3};
  problem.motion.compliance = {0.25};
  problem.b = {-3};
  const Solution solution = solve(problem);
  ASSERT_EQ(solution.status, Status::certified);
  EXPECT_NEAR(solution.p[0], 3 / (0.5 + 0.25), 1e-12);
  EXPECT_NEAR(solution.v_next[0], -3 + 0.5 * solution.p[0], 1e-12);
}

TEST(Compliance, IsKeptInFiles) {
  ContactProblem problem = compliant_problem(5);
  problem.speed_scale = 12.5;
  const std::string path = testing::TempDir() + "compliant.json";
  write_problem(path, problem, 1e-8);
  const auto read = std::get<StoredContactProblem>(read_problem(path));
  EXPECT_EQ(read.problem.motion.compliance, problem.motion.compliance);
  EXPECT_EQ(read.problem.speed_scale, 12.5);
}

/// A violation of 1e-6 of the velocities is within a tolerance of 1e-8 of a hundred times those velocities.
TEST(Compliance, SpeedScaleIsTheLeastThatVelocitiesAreComparedWith) {
  ContactProblem problem = compliant_problem(7);
  Solution solution = solve(problem);
  ASSERT_EQ(solution.status, Status::certified);
  for (double& p : solution.p) p *= 1 + 1e-6;
  const double before = judge(problem, solution.p).natural_map;
  ASSERT_GT(before, 1e-8);
  double fastest = 0;
  for (const double b : problem.b) fastest = std::max(fastest, std::abs(b));
  problem.speed_scale = 1e4 * fastest;
  EXPECT_LT(judge(problem, solution.p).natural_map, 1e-2 * before);
}

}  // namespace compliance_test
}  // namespace pawl::internal
