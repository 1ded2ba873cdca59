#pragma once
// A contact problem scaled for the iterative methods: unit contacts, |q| ≤ 1, round friction sets.

#include <span>
#include <vector>

#include <pawl/contact_problem.h>
#include <pawl/linalg/block_matrix.h>
#include <pawl/problem/delassus.h>

namespace pawl::internal {

/// With p = S x and w = S (u + ζ n) / β, S diagonal:  w = W x + q and
///   0 ≤ w_n ⊥ x_n ≥ 0,   x_f ∈ argmax { -w_f · x' : x' ∈ F(μ x_n) },   w = 0 on bilateral rows.
/// S scales the largest diagonal entry of each contact's Delassus block to 1, and friction rows by the radii
/// of the set. β = max |S (b + ζ n)|, so that |q| ≤ 1.
/// A problem in primal form is stored as Y = S J L⁻ᵀ, W = Y Yᵀ + C. Its W is computed on first use.
class ScaledProblem {
 public:
  struct BodyRows {
    int body = 0;
    int offset = 0;  // of its rows × size entries in Y
  };

  void set(const ContactProblem& problem);

  int contacts() const { return contacts_; }
  int blocks() const { return static_cast<int>(begin_.size()) - 1; }
  int rows() const { return begin_.back(); }
  int begin(int block) const { return begin_[block]; }
  int size_of(int block) const { return begin_[block + 1] - begin_[block]; }
  const FrictionSet& friction(int contact) const { return (*friction_)[contact]; }
  std::span<const double> q() const { return q_; }
  /// Diagonal block of W, row-major.
  const double* diagonal(int block) const { return diagonal_.data() + diagonal_offset_[block]; }

  bool primal() const { return primal_; }
  // Primal form. Bodies are the mass blocks that appear in any row. y = Yᵀ x is their velocity change, in
  // √energy.
  int bodies() const { return static_cast<int>(body_begin_.size()) - 1; }
  int body_begin(int body) const { return body_begin_[body]; }
  int body_size(int body) const { return body_begin_[body + 1] - body_begin_[body]; }
  std::span<const BodyRows> bodies_of(int block) const {
    return {body_rows_.data() + first_[block], body_rows_.data() + first_[block + 1]};
  }
  const double* Y(const BodyRows& rows) const { return Y_.data() + rows.offset; }
  /// C of a row: its compliance.
  double compliance(int row) const { return compliance_.empty() ? 0.0 : compliance_[row]; }

  const BlockMatrix& W();
  /// Upper bound on the number of entries of W, before it is computed. A body that touches everything makes W
  /// dense.
  double entries_of_W();

  /// y = Yᵀ x, primal form.
  void Yt_times(std::span<const double> x, std::vector<double>& y) const;
  /// y += Yᵀ x.
  void add_Yt_times(std::span<const double> x, std::span<double> y) const;
  /// out = Y y for one block.
  void Y_times(int block, std::span<const double> y, std::span<double> out) const;
  /// w = Y y + C x + q.
  void velocities_from(std::span<const double> y, std::span<const double> x, std::span<double> w) const;
  /// v = v_free + L⁻ᵀ y: body velocities, unscaled.
  void body_velocities(std::span<const double> y, std::span<double> v) const;
  /// w = W x + q.
  void velocities(std::span<const double> x, std::span<double> w);
  /// Converts between x and p.
  void impulses(std::span<const double> x, std::span<double> p) const;
  void to_scaled(std::span<const double> p, std::span<double> x) const;

 private:
  void set_scale(const ContactProblem& problem);

  const ContactProblem* problem_ = nullptr;
  const std::vector<FrictionSet>* friction_ = nullptr;
  bool primal_ = false, W_is_current_ = false;
  int contacts_ = 0;
  double beta_ = 1;
  std::vector<int> begin_{0};
  std::vector<double> scale_;  // [rows] S
  std::vector<double> q_;
  std::vector<double> compliance_;  // [rows] scaled; empty if all are 0
  std::vector<double> diagonal_;
  std::vector<int> diagonal_offset_;
  std::vector<int> body_of_;  // [mass blocks] -1 if it appears in no row
  std::vector<int> body_begin_{0}, first_;
  std::vector<BodyRows> body_rows_;
  std::vector<int> rows_on_body_;
  std::vector<double> Y_, y_;
  BlockMatrix W_;
  DelassusScratch delassus_scratch_;
};

}  // namespace pawl::internal
