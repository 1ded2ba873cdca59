#include <pawl/solve/contact/scaled_problem.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include <pawl/linalg/dense.h>

namespace pawl::internal {

void ScaledProblem::set(const ContactProblem& problem) {
  problem_ = &problem;
  friction_ = &problem.friction;
  primal_ = problem.primal();
  W_is_current_ = false;
  contacts_ = problem.contacts;
  begin_.assign(problem.begin.begin(), problem.begin.end());
  diagonal_offset_.resize(blocks());
  int entries = 0;
  for (int i = 0; i < blocks(); ++i) {
    diagonal_offset_[i] = entries;
    entries += size_of(i) * size_of(i);
  }
  diagonal_.assign(entries, 0.0);
  body_begin_.assign(1, 0);
  body_rows_.clear();
  first_.assign(blocks() + 1, 0);
  if (primal_) {
    const PrimalData& motion = problem.motion;
    compute_mass_weighted_jacobian(problem, Y_);
    body_of_.assign(motion.mass_blocks.size(), -1);
    for (const auto& rows : motion.jacobian_blocks) body_of_[rows.mass_block] = 0;
    for (std::size_t m = 0; m < body_of_.size(); ++m) {
      if (body_of_[m] < 0) continue;
      body_of_[m] = bodies();
      body_begin_.push_back(body_begin_.back() + motion.mass_blocks[m].size);
    }
    for (const auto& rows : motion.jacobian_blocks) {
      body_rows_.push_back({body_of_[rows.mass_block], rows.offset});
      ++first_[rows.block + 1];
      const int size = motion.mass_blocks[rows.mass_block].size, n = size_of(rows.block);
      double* D = diagonal_.data() + diagonal_offset_[rows.block];
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          for (int k = 0; k < size; ++k) {
            D[r * n + c] += Y_[rows.offset + r * size + k] * Y_[rows.offset + c * size + k];
          }
        }
      }
    }
    for (int i = 0; i < blocks(); ++i) first_[i + 1] += first_[i];
    compliance_.assign(motion.compliance.begin(), motion.compliance.end());
    for (int i = 0; i < blocks() && !compliance_.empty(); ++i) {
      for (int r = 0; r < size_of(i); ++r)
        diagonal_[diagonal_offset_[i] + r * (size_of(i) + 1)] += compliance_[begin_[i] + r];
    }
  } else {
    compliance_.clear();
    for (int i = 0; i < blocks(); ++i) {
      const BlockMatrix::Block* block = problem.W.find(i, i);
      if (block != nullptr) {
        std::copy_n(problem.W.values.data() + block->offset, size_of(i) * size_of(i),
                    diagonal_.data() + diagonal_offset_[i]);
      }
    }
  }
  set_scale(problem);
}

void ScaledProblem::set_scale(const ContactProblem& problem) {
  scale_.assign(rows(), 1.0);
  q_.assign(problem.b.begin(), problem.b.end());
  for (int i = 0; i < blocks(); ++i) {
    const int n = size_of(i);
    double* D = diagonal_.data() + diagonal_offset_[i];
    double* S = scale_.data() + begin_[i];
    if (i < contacts_) {
      q_[begin_[i]] += problem.zeta[i];
      for (int r = 1; r < n; ++r) S[r] = problem.friction[i].radii[r - 1];
    }
    double largest = 0;
    for (int r = 0; r < n; ++r) largest = std::max(largest, S[r] * D[r * (n + 1)] * S[r]);
    const double s = largest > 0 ? 1 / std::sqrt(largest) : 1;
    for (int r = 0; r < n; ++r) S[r] *= s;
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) D[r * n + c] *= S[r] * S[c];
    }
  }
  for (std::size_t r = 0; r < compliance_.size(); ++r) compliance_[r] *= scale_[r] * scale_[r];
  beta_ = 0;
  for (int r = 0; r < rows(); ++r) beta_ = std::max(beta_, std::abs(q_[r] *= scale_[r]));
  if (!(beta_ > 0)) beta_ = 1;
  for (double& q : q_) q /= beta_;
  if (primal_) {
    for (int i = 0; i < blocks(); ++i) {
      for (const BodyRows& rows : bodies_of(i)) {
        const int size = body_size(rows.body);
        for (int r = 0; r < size_of(i); ++r) {
          for (int k = 0; k < size; ++k) Y_[rows.offset + r * size + k] *= scale_[begin_[i] + r];
        }
      }
    }
  }
}

double ScaledProblem::entries_of_W() {
  if (!primal_) return static_cast<double>(problem_->W.values.size());
  // Rows on the same body are coupled in W.
  rows_on_body_.assign(bodies(), 0);
  for (int i = 0; i < blocks(); ++i) {
    for (const BodyRows& rows : bodies_of(i)) rows_on_body_[rows.body] += size_of(i);
  }
  double entries = 0;
  for (const int rows : rows_on_body_) entries += static_cast<double>(rows) * rows;
  return entries;
}

const BlockMatrix& ScaledProblem::W() {
  assert(problem_ != nullptr);
  if (W_is_current_) return W_;
  W_is_current_ = true;
  if (primal_) {
    compute_delassus(*problem_, W_, delassus_scratch_);
  } else {
    W_.begin.assign(problem_->W.begin.begin(), problem_->W.begin.end());
    W_.row.assign(problem_->W.row.begin(), problem_->W.row.end());
    W_.entries.assign(problem_->W.entries.begin(), problem_->W.entries.end());
    W_.values.assign(problem_->W.values.begin(), problem_->W.values.end());
  }
  for (int i = 0; i < blocks(); ++i) {
    for (const BlockMatrix::Block& block : W_.row_entries(i)) {
      double* a = W_.values.data() + block.offset;
      for (int r = begin_[i]; r < begin_[i + 1]; ++r) {
        for (int c = begin_[block.column]; c < begin_[block.column + 1]; ++c) *a++ *= scale_[r] * scale_[c];
      }
    }
  }
  return W_;
}

void ScaledProblem::Yt_times(std::span<const double> x, std::vector<double>& y) const {
  y.assign(body_begin_.back(), 0.0);
  add_Yt_times(x, y);
}

void ScaledProblem::add_Yt_times(std::span<const double> x, std::span<double> y) const {
  assert(std::ssize(x) >= rows() && std::ssize(y) >= body_begin_.back());
  for (int i = 0; i < blocks(); ++i) {
    for (const BodyRows& rows : bodies_of(i)) {
      const int size = body_size(rows.body);
      const double* Y = Y_.data() + rows.offset;
      for (int r = 0; r < size_of(i); ++r) {
        for (int k = 0; k < size; ++k) y[body_begin_[rows.body] + k] += *Y++ * x[begin_[i] + r];
      }
    }
  }
}

void ScaledProblem::Y_times(int block, std::span<const double> y, std::span<double> out) const {
  assert(block >= 0 && block < blocks() && std::ssize(out) >= size_of(block));
  std::ranges::fill(out, 0.0);
  for (const BodyRows& rows : bodies_of(block)) {
    const int size = body_size(rows.body);
    const double* Y = Y_.data() + rows.offset;
    for (int r = 0; r < size_of(block); ++r) {
      for (int k = 0; k < size; ++k) out[r] += *Y++ * y[body_begin_[rows.body] + k];
    }
  }
}

void ScaledProblem::velocities(std::span<const double> x, std::span<double> w) {
  assert(std::ssize(x) == rows() && std::ssize(w) == rows());
  if (!primal_) {
    std::ranges::copy(q_, w.begin());
    return multiply_add(W(), x, w);
  }
  Yt_times(x, y_);
  velocities_from(y_, x, w);
}

void ScaledProblem::velocities_from(std::span<const double> y, std::span<const double> x,
                                    std::span<double> w) const {
  assert(std::ssize(y) >= body_begin_.back() && std::ssize(x) == rows() && std::ssize(w) == rows());
  for (int i = 0; i < blocks(); ++i) Y_times(i, y, w.subspan(begin_[i], size_of(i)));
  for (int r = 0; r < rows(); ++r) w[r] += q_[r];
  for (std::size_t r = 0; r < compliance_.size(); ++r) w[r] += compliance_[r] * x[r];
}

void ScaledProblem::body_velocities(std::span<const double> y, std::span<double> v) const {
  assert(primal_ && v.size() == problem_->motion.v_free.size());
  const PrimalData& motion = problem_->motion;
  std::ranges::copy(motion.v_free, v.begin());
  for (std::size_t m = 0; m < body_of_.size(); ++m) {
    if (body_of_[m] < 0) continue;
    const PrimalData::MassBlock& mass = motion.mass_blocks[m];
    const auto part = v.subspan(mass.begin, mass.size);
    for (int k = 0; k < mass.size; ++k) part[k] = beta_ * y[body_begin_[body_of_[m]] + k];
    solve_lower_transposed(
        {motion.factor.data() + mass.offset, static_cast<std::size_t>(mass.size) * mass.size}, mass.size,
        part);
    for (int k = 0; k < mass.size; ++k) part[k] += motion.v_free[mass.begin + k];
  }
}

void ScaledProblem::impulses(std::span<const double> x, std::span<double> p) const {
  assert(std::ssize(x) == rows() && std::ssize(p) == rows());
  for (int r = 0; r < rows(); ++r) p[r] = beta_ * scale_[r] * x[r];
}

void ScaledProblem::to_scaled(std::span<const double> p, std::span<double> x) const {
  assert(std::ssize(x) == rows() && std::ssize(p) == rows());
  for (int r = 0; r < rows(); ++r) x[r] = p[r] / (beta_ * scale_[r]);
}

}  // namespace pawl::internal
