#include <pawl/problem/contact_problem.h>

#include <algorithm>

#include <pawl/base/dense.h>

namespace pawl {

void condense(ContactProblem& problem, std::vector<double>& scratch) {
  const MotionRows& motion = problem.motion;
  const int dim = problem.dim, n = problem.rows();

  // Y = L⁻¹ Jᵀ block by block, so that W = Yᵀ Y.
  scratch.assign(motion.jacobian.begin(), motion.jacobian.end());
  for (const auto& block : motion.jacobian_blocks) {
    const auto& mass = motion.mass_blocks[block.mass_block];
    const std::span<const double> L(motion.factor.data() + mass.offset, mass.size * mass.size);
    for (int r = 0; r < dim; ++r) {
      solve_lower(L, mass.size, std::span(scratch).subspan(block.offset + r * mass.size, mass.size));
    }
  }
  problem.W.assign(n * n, 0.0);
  for (const auto& a : motion.jacobian_blocks) {
    for (const auto& c : motion.jacobian_blocks) {
      if (a.mass_block != c.mass_block || a.contact < c.contact) continue;
      const int size = motion.mass_blocks[a.mass_block].size;
      for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) {
          const double* y_a = scratch.data() + a.offset + i * size;
          const double* y_c = scratch.data() + c.offset + j * size;
          double s = 0;
          for (int k = 0; k < size; ++k) s += y_a[k] * y_c[k];
          problem.W[(a.contact * dim + i) * n + c.contact * dim + j] += s;
        }
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) problem.W[i * n + j] = problem.W[j * n + i];
  }
  problem.b.resize(n);
  contact_velocity(motion, dim, motion.v_free, problem.b);
}

void velocity_after(const MotionRows& motion, int dim, std::span<const double> p, std::span<double> v_next) {
  std::fill(v_next.begin(), v_next.end(), 0.0);
  for (const auto& block : motion.jacobian_blocks) {
    const auto& mass = motion.mass_blocks[block.mass_block];
    for (int r = 0; r < dim; ++r) {
      const double* row = motion.jacobian.data() + block.offset + r * mass.size;
      const double p_r = p[block.contact * dim + r];
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

void contact_velocity(const MotionRows& motion, int dim, std::span<const double> v, std::span<double> u) {
  std::fill(u.begin(), u.end(), 0.0);
  for (const auto& block : motion.jacobian_blocks) {
    const auto& mass = motion.mass_blocks[block.mass_block];
    for (int r = 0; r < dim; ++r) {
      const double* row = motion.jacobian.data() + block.offset + r * mass.size;
      for (int k = 0; k < mass.size; ++k) u[block.contact * dim + r] += row[k] * v[mass.begin + k];
    }
  }
}

}  // namespace pawl
