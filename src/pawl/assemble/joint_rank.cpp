#include <pawl/assemble/joint_rank.h>

#include <cmath>

#include <pawl/assemble/assemble.h>
#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>
#include <pawl/problem/delassus.h>

namespace pawl::internal {
namespace {

constexpr double kRounding =
    tolerances::kRank;  // for W with unit diagonal: a smaller pivot means a dependent row

int rank_of(const ContactProblem& problem) {
  BlockMatrix W;
  DelassusScratch scratch;
  compute_delassus(problem, W, scratch);
  const int n = problem.rows();
  std::vector<double> A(n * n, 0.0);
  for (int i = 0; i < problem.blocks(); ++i) {
    for (const BlockMatrix::Block& entry : W.row_entries(i)) {
      const double* value = W.values.data() + entry.offset;
      for (int r = 0; r < problem.size_of(i); ++r) {
        for (int c = 0; c < problem.size_of(entry.column); ++c) {
          A[(problem.begin[i] + r) * n + problem.begin[entry.column] + c] = *value++;
        }
      }
    }
  }
  std::vector<double> scale(n, 0.0);
  for (int i = 0; i < n; ++i) scale[i] = A[i * n + i] > 0 ? 1 / std::sqrt(A[i * n + i]) : 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) A[i * n + j] *= scale[i] * scale[j];
  }
  std::vector<int> row_pivot(n), column_pivot(n);
  return lu_complete(A, n, n, row_pivot, column_pivot, kRounding);
}

}  // namespace

JointRank joint_rank(const Model& model, const State& state) {
  Kinematics kinematics;
  position_kinematics(model, state.q, kinematics);
  std::vector<ConstraintBlock> blocks;
  constraint_blocks(model, kinematics, state.q, state.time, blocks);
  std::vector<char> active;
  for (const ConstraintBlock& block : blocks) active.push_back(block.law == RowLaw::equality);
  DynamicsScratch scratch;
  FreeMotion motion;
  const std::vector<double> at_rest(model.nv, 0.0);
  velocity_kinematics(model, at_rest, kinematics);
  free_motion(model, kinematics, state.q, at_rest, {state.time, 1}, scratch, motion);
  const FrictionTable unused(model, FrictionForm::exact, kMinFrictionDirections);
  Assembly assembly;
  assemble({.model = model,
            .method = methods().front(),
            .kinematics = kinematics,
            .contacts = {},
            .blocks = blocks,
            .active = active,
            .dynamics_kinematics = kinematics,
            .motion = motion,
            .v_hat = at_rest,
            .blocks_v_hat = at_rest,
            .h = 1,
            .friction = unused},
           assembly);
  JointRank rank;
  for (int i = 0; i < assembly.count; ++i) {
    const ContactProblem& problem = assembly.islands[i].problem;
    rank.rows += problem.rows();
    rank.redundant += problem.rows() - rank_of(problem);
  }
  return rank;
}

}  // namespace pawl::internal
