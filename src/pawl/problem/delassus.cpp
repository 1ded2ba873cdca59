#include <pawl/problem/delassus.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include <pawl/linalg/dense.h>

namespace pawl::internal {
namespace {

using JacobianBlock = PrimalData::JacobianBlock;

/// Indexes the Jacobian blocks by contact block and by mass block.
void index(const ContactProblem& problem, DelassusScratch& scratch) {
  const PrimalData& motion = problem.motion;
  scratch.first.assign(problem.blocks() + 1, 0);
  scratch.mass_first.assign(motion.mass_blocks.size() + 1, 0);
  for (const JacobianBlock& block : motion.jacobian_blocks) {
    ++scratch.first[block.block + 1];
    ++scratch.mass_first[block.mass_block + 1];
  }
  for (std::size_t i = 1; i < scratch.first.size(); ++i) scratch.first[i] += scratch.first[i - 1];
  for (std::size_t i = 1; i < scratch.mass_first.size(); ++i)
    scratch.mass_first[i] += scratch.mass_first[i - 1];
  scratch.mass_rows.resize(motion.jacobian_blocks.size());
  for (std::size_t i = motion.jacobian_blocks.size(); i-- > 0;) {
    // Filled from the back: mass_first[m + 1] becomes the first entry of mass block m.
    scratch.mass_rows[--scratch.mass_first[motion.jacobian_blocks[i].mass_block + 1]] = static_cast<int>(i);
  }
  std::shift_left(scratch.mass_first.begin(), scratch.mass_first.end(), 1);
  scratch.mass_first.back() = static_cast<int>(motion.jacobian_blocks.size());
}

}  // namespace

void set_free_velocities(ContactProblem& problem) {
  problem.b.resize(problem.rows());
  contact_velocity(problem, problem.motion.v_free, problem.b);
}

void compute_mass_weighted_jacobian(const ContactProblem& problem, std::vector<double>& Y) {
  const PrimalData& motion = problem.motion;
  Y.assign(motion.jacobian.begin(), motion.jacobian.end());
  for (const JacobianBlock& block : motion.jacobian_blocks) {
    const auto& mass = motion.mass_blocks[block.mass_block];
    const std::span<const double> L(motion.factor.data() + mass.offset, mass.size * mass.size);
    const int rows = problem.size_of(block.block);
    solve_lower_rows(L, mass.size, std::span(Y).subspan(block.offset, rows * mass.size));
  }
}

void compute_delassus(const ContactProblem& problem, BlockMatrix& W, DelassusScratch& scratch) {
  const PrimalData& motion = problem.motion;
  const int blocks = problem.blocks();
  compute_mass_weighted_jacobian(problem, scratch.Y);
  index(problem, scratch);
  W.begin.assign(problem.begin.begin(), problem.begin.end());
  W.row.assign(1, 0);
  W.entries.clear();
  scratch.entry_of.assign(blocks, -1);
  std::size_t offset = 0;
  for (int i = 0; i < blocks; ++i) {
    scratch.columns.assign(1, i);  // the diagonal block is always stored
    for (int a = scratch.first[i]; a < scratch.first[i + 1]; ++a) {
      const int m = motion.jacobian_blocks[a].mass_block;
      for (int k = scratch.mass_first[m]; k < scratch.mass_first[m + 1]; ++k) {
        scratch.columns.push_back(motion.jacobian_blocks[scratch.mass_rows[k]].block);
      }
    }
    std::ranges::sort(scratch.columns);
    const auto end = std::unique(scratch.columns.begin(), scratch.columns.end());
    for (auto column = scratch.columns.begin(); column != end; ++column) {
      W.entries.push_back({*column, offset});
      offset += static_cast<std::size_t>(problem.size_of(i)) * problem.size_of(*column);
    }
    W.row.push_back(static_cast<int>(W.entries.size()));
  }
  W.values.assign(offset, 0.0);

  for (int i = 0; i < blocks; ++i) {
    for (int e = W.row[i]; e < W.row[i + 1]; ++e) scratch.entry_of[W.entries[e].column] = e;
    for (int a = scratch.first[i]; a < scratch.first[i + 1]; ++a) {
      const JacobianBlock& block = motion.jacobian_blocks[a];
      const int m = block.mass_block, size = motion.mass_blocks[m].size;
      for (int k = scratch.mass_first[m]; k < scratch.mass_first[m + 1]; ++k) {
        const JacobianBlock& other = motion.jacobian_blocks[scratch.mass_rows[k]];
        double* w = W.values.data() + W.entries[scratch.entry_of[other.block]].offset;
        for (int r = 0; r < problem.size_of(i); ++r) {
          const double* y_r = scratch.Y.data() + block.offset + r * size;
          for (int c = 0; c < problem.size_of(other.block); ++c) {
            const double* y_c = scratch.Y.data() + other.offset + c * size;
            double s = 0;
            for (int n = 0; n < size; ++n) s += y_r[n] * y_c[n];
            *w++ += s;
          }
        }
      }
    }
    if (motion.compliance.empty()) continue;
    double* w = W.values.data() + W.entries[scratch.entry_of[i]].offset;
    for (int r = 0; r < problem.size_of(i); ++r)
      w[r * (problem.size_of(i) + 1)] += motion.compliance[problem.begin[i] + r];
  }
}

void velocity_after(const ContactProblem& problem, std::span<const double> p, std::span<double> v_next) {
  assert(std::ssize(p) == problem.rows() && v_next.size() == problem.motion.v_free.size());
  const PrimalData& motion = problem.motion;
  std::fill(v_next.begin(), v_next.end(), 0.0);
  for (const JacobianBlock& block : motion.jacobian_blocks) {
    const auto& mass = motion.mass_blocks[block.mass_block];
    for (int r = 0; r < problem.size_of(block.block); ++r) {
      const double* row = motion.jacobian.data() + block.offset + r * mass.size;
      const double p_r = p[problem.begin[block.block] + r];
      for (int k = 0; k < mass.size; ++k) v_next[mass.begin + k] += row[k] * p_r;
    }
  }
  for (const auto& mass : motion.mass_blocks) {
    const std::span<const double> L(motion.factor.data() + mass.offset, mass.size * mass.size);
    const auto part = v_next.subspan(mass.begin, mass.size);
    solve_lower(L, mass.size, part);
    solve_lower_transposed(L, mass.size, part);
    for (int k = 0; k < mass.size; ++k) part[k] += motion.v_free[mass.begin + k];
  }
}

void contact_velocity(const ContactProblem& problem, std::span<const double> v, std::span<double> u) {
  assert(v.size() == problem.motion.v_free.size() && std::ssize(u) == problem.rows());
  const PrimalData& motion = problem.motion;
  if (motion.shift.empty()) {
    std::fill(u.begin(), u.end(), 0.0);
  } else {
    std::ranges::copy(motion.shift, u.begin());
  }
  for (const JacobianBlock& block : motion.jacobian_blocks) {
    const auto& mass = motion.mass_blocks[block.mass_block];
    for (int r = 0; r < problem.size_of(block.block); ++r) {
      const double* row = motion.jacobian.data() + block.offset + r * mass.size;
      for (int k = 0; k < mass.size; ++k) u[problem.begin[block.block] + r] += row[k] * v[mass.begin + k];
    }
  }
}

}  // namespace pawl::internal
