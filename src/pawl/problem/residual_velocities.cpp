#include <pawl/problem/residual_velocities.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/base/disjoint_sets.h>
#include <pawl/base/numeric_util.h>
#include <pawl/linalg/dense.h>

namespace pawl::internal {
namespace {

constexpr double kVelocityRounding = 4 * std::numeric_limits<double>::epsilon();
/// Rounding error of a row's velocity relative to its terms.
constexpr double kRowRounding = 8 * std::numeric_limits<double>::epsilon();
/// Below this, numbers lose their digits.
constexpr double kUnderflow = 1e-290;
/// Smallest scale of a row, relative to the largest term of its mass block.
constexpr double kRoundingFraction = 0.01;

bool all_blocks_have(const ContactProblem& problem, int rows) {
  if (problem.rows() != rows * problem.blocks()) return false;
  bool all = true;
  for (int i = 0; i < problem.blocks(); ++i) all &= problem.begin[i] == rows * i;
  return all;
}

/// contact_velocities_from_impulses() for blocks of equal size. The sums stay in registers.
template <int rows>
void contact_velocities_of_equal_blocks(const ContactProblem& problem, const double* p, double* u,
                                        double* abs_velocity_change) {
  const double *values = problem.W.values.data(), *b = problem.b.data();
  const BlockMatrix::Block* entry = problem.W.entries.data();
  for (int i = 0; i < problem.blocks(); ++i, b += rows, u += rows, abs_velocity_change += rows) {
    double sum[rows], size[rows] = {};
    for (int r = 0; r < rows; ++r) sum[r] = b[r];
    const BlockMatrix::Block* end = problem.W.entries.data() + problem.W.row[i + 1];
    for (; entry != end; ++entry) {
      const double *a = values + entry->offset, *x = p + rows * entry->column;
      for (int r = 0; r < rows; ++r, a += rows) {
        for (int c = 0; c < rows; ++c) {
          sum[r] += a[c] * x[c];
          size[r] += std::abs(a[c] * x[c]);
        }
      }
    }
    for (int r = 0; r < rows; ++r) {
      u[r] = sum[r];
      abs_velocity_change[r] = size[r];
    }
  }
}

}  // namespace

double momentum_error(const ContactProblem& problem, std::span<const double> p,
                      std::span<const double> v_next, JudgeScratch& scratch) {
  const PrimalData& motion = problem.motion;
  auto &impulse = scratch.impulse, &terms = scratch.terms;
  impulse.assign(v_next.size(), 0.0);
  terms.assign(v_next.size(), 0.0);
  for (const auto& block : motion.jacobian_blocks) {
    const auto& mass = motion.mass_blocks[block.mass_block];
    const double* J = motion.jacobian.data() + block.offset;
    for (int r = problem.begin[block.block]; r < problem.begin[block.block + 1]; ++r) {
      for (int k = mass.begin; k < mass.begin + mass.size; ++k) {
        const double term = *J++ * p[r];
        impulse[k] += term;
        terms[k] += std::abs(term);
      }
    }
  }
  double worst_error = 0;
  scratch.energy.assign(motion.mass_blocks.size(), 0.0);
  double* energy = scratch.energy.data();
  for (const auto& mass : motion.mass_blocks) {
    double largest = 0;
    for (int i = 0; i < mass.size; ++i) {
      const double* M = motion.mass.data() + mass.offset + i * mass.size;
      double change = 0, rounding = 0;
      double& size = terms[mass.begin + i];
      for (int k = 0; k < mass.size; ++k) {
        const double v = v_next[mass.begin + k], v_free = motion.v_free[mass.begin + k];
        change += M[k] * (v - v_free);
        size += std::abs(M[k] * (v - v_free));
        rounding += std::abs(M[k]) * (std::abs(v) + std::abs(v_free));
      }
      *energy += (v_next[mass.begin + i] - motion.v_free[mass.begin + i]) * change;
      const double balance = change - impulse[mass.begin + i];
      const double root = std::sqrt(M[i]);
      if (!std::isfinite((size + rounding) / root)) return kInfinity;
      size /= root;
      largest = std::max(largest, size);
      impulse[mass.begin + i] =
          std::max(std::abs(balance) - kVelocityRounding * rounding - kUnderflow, 0.0) / root;
    }
    *energy = std::max(*energy, 0.0);
    ++energy;
    for (int i = mass.begin; i < mass.begin + mass.size && largest > 0; ++i) {
      worst_error = std::max(worst_error, impulse[i] / std::max(terms[i], kRoundingFraction * largest));
    }
  }
  return worst_error;
}

void contact_velocities_from_impulses(const ContactProblem& problem, std::span<const double> p,
                                      std::span<double> u, JudgeScratch& scratch) {
  const BlockMatrix& W = problem.W;
  for (int i = 0; i < W.blocks(); ++i) {
    if (W.row[i + 1] - W.row[i] < 2) continue;  // coupled to no other block
    for (const BlockMatrix::Block& entry : W.row_entries(i)) {
      if (entry.column != i) unite(scratch.component, i, entry.column);
    }
  }
  scratch.abs_velocity_change.resize(problem.rows());
  double* abs_velocity_change = scratch.abs_velocity_change.data();
  if (all_blocks_have(problem, 3))
    return contact_velocities_of_equal_blocks<3>(problem, p.data(), u.data(), abs_velocity_change);
  if (all_blocks_have(problem, 2))
    return contact_velocities_of_equal_blocks<2>(problem, p.data(), u.data(), abs_velocity_change);
  std::ranges::copy(problem.b, u.begin());
  std::ranges::fill(scratch.abs_velocity_change, 0.0);
  for (int i = 0; i < W.blocks(); ++i) {
    for (const BlockMatrix::Block& entry : W.row_entries(i)) {
      const double* a = W.values.data() + entry.offset;
      for (int r = W.begin[i]; r < W.begin[i + 1]; ++r) {
        for (int c = W.begin[entry.column]; c < W.begin[entry.column + 1]; ++c, ++a) {
          u[r] += *a * p[c];
          abs_velocity_change[r] += std::abs(*a * p[c]);
        }
      }
    }
  }
}

void contact_velocities_from_bodies(const ContactProblem& problem, std::span<const double> p,
                                    std::span<const double> v_next, std::span<double> u,
                                    JudgeScratch& scratch) {
  const PrimalData& motion = problem.motion;
  if (motion.shift.empty()) {
    scratch.free.assign(problem.rows(), 0.0);
  } else {
    scratch.free.assign(motion.shift.begin(), motion.shift.end());
  }
  std::ranges::copy(scratch.free, u.begin());
  scratch.abs_velocity_change.assign(problem.rows(), 0.0);
  scratch.rounding.resize(problem.rows());
  for (int r = 0; r < problem.rows(); ++r)
    scratch.rounding[r] = kRowRounding * std::abs(scratch.free[r]) + kUnderflow;
  for (const auto& block : motion.jacobian_blocks) {
    const auto& mass = motion.mass_blocks[block.mass_block];
    const double* J = motion.jacobian.data() + block.offset;
    const double *before = motion.v_free.data() + mass.begin, *after = v_next.data() + mass.begin;
    // In `component`, bodies follow the blocks.
    unite(scratch.component, block.block, problem.blocks() + block.mass_block);
    for (int r = problem.begin[block.block]; r < problem.begin[block.block + 1]; ++r, J += mass.size) {
      double free = scratch.free[r], next = u[r], abs_velocity_change = scratch.abs_velocity_change[r];
      double terms = 0;
      for (int k = 0; k < mass.size; ++k) {
        free += J[k] * before[k];
        next += J[k] * after[k];
        terms += std::abs(J[k] * after[k]);
        abs_velocity_change += std::abs(J[k] * (after[k] - before[k]));
      }
      scratch.free[r] = free;
      u[r] = next;
      scratch.abs_velocity_change[r] = abs_velocity_change;
      scratch.rounding[r] += kRowRounding * terms;
    }
  }
  for (std::size_t r = 0; r < motion.compliance.size(); ++r) {
    const double given = motion.compliance[r] * p[r];
    u[r] += given;
    scratch.abs_velocity_change[r] += std::abs(given);
    scratch.rounding[r] += kRowRounding * std::abs(given);
  }
}

void find_mobility(const ContactProblem& problem, int block, std::size_t in, JudgeScratch& scratch) {
  const PrimalData& motion = problem.motion;
  const int rows = problem.size_of(block);
  scratch.mobility.resize(rows);
  scratch.velocity_bound.resize(rows);
  for (int r = 0; r < rows; ++r) scratch.mobility[r] = scratch.velocity_bound[r] = 0;
  if (!problem.primal()) {
    const BlockMatrix::Block* own = problem.W.find(block, block);
    for (int r = 0; own != nullptr && r < rows; ++r)
      scratch.mobility[r] = problem.W.values[own->offset + r * (rows + 1)];
    return;
  }
  for (; in < motion.jacobian_blocks.size() && motion.jacobian_blocks[in].block == block; ++in) {
    const int body = motion.jacobian_blocks[in].mass_block;
    const auto& mass = motion.mass_blocks[body];
    const auto J = std::span(motion.jacobian).subspan(motion.jacobian_blocks[in].offset, rows * mass.size);
    scratch.mass_weighted.assign(J.begin(), J.end());  // W = (J L⁻ᵀ) (J L⁻ᵀ)ᵀ
    solve_lower_rows(std::span(motion.factor).subspan(mass.offset, mass.size * mass.size), mass.size,
                     scratch.mass_weighted);
    for (int r = 0; r < rows; ++r) {
      double of_body = 0;
      for (int k = 0; k < mass.size; ++k) {
        const double y = scratch.mass_weighted[r * mass.size + k];
        of_body += y * y;
      }
      scratch.mobility[r] += of_body;
      scratch.velocity_bound[r] += std::sqrt(of_body * scratch.energy[body]);
    }
  }
  if (motion.compliance.empty()) return;
  for (int r = 0; r < rows; ++r) scratch.mobility[r] += motion.compliance[problem.begin[block] + r];
}

}  // namespace pawl::internal
