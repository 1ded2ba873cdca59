#pragma once
// Simplex method for small dense linear programs.

#include <span>
#include <string_view>
#include <vector>

#include <pawl/base/tolerances.h>

namespace pawl::internal {

/// Maximise c · x subject to A x = b and x_j ≥ 0 for j not free. The default tolerances assume entries near
/// 1.
struct LinearProgram {
  int rows = 0, columns = 0;
  std::vector<double> A;   // [rows × columns], row by row
  std::vector<double> b;   // [rows]
  std::vector<double> c;   // [columns]
  std::vector<char> free;  // [columns] 1 where x_j may have any sign
};

struct LinearProgramOptions {
  double zero_pivot =
      tolerances::kPivoted;        // relative to max(1, largest entry of the column); smaller entries are 0
  double zero = tolerances::kSum;  // relative to the sum's terms; smaller sums are rounding
  double clear = 10 * tolerances::kSame;  // relative: a certificate needs yᵀ b < -clear · (its terms)
  double feasibility_tolerance = tolerances::kPivoted;  // of |A x - b|, relative to the terms of both
  int pivots_per_column = 50;                           // limit on pivots, divided by rows + columns
};

enum class LinearProgramOutcome {
  optimal,
  unbounded,   // x() is feasible
  infeasible,  // y() is a Farkas certificate
  undecided,   // pivot limit, or neither the point nor the certificate passed its check
};
std::string_view to_string(LinearProgramOutcome outcome);

/// The method with its memory: nothing is allocated once it has seen a program as large. Entering and leaving
/// by the least index [Bland 1977], so that it does not cycle. Its word is checked: a point against the
/// constraints, infeasibility against Farkas' lemma. With the thresholds above, a proof rules out every x up
/// to `clear / zero` = 10⁶ times the size of b; beyond that, data in double precision say nothing.
class SimplexMethod {
 public:
  LinearProgramOutcome solve(const LinearProgram& program, const LinearProgramOptions& options = {});

  const std::vector<double>& x() const { return x_; }           // [columns]
  const std::vector<char>& basic() const { return is_basic_; }  // [columns] nonbasic x_j are 0
  /// For `infeasible`: yᵀ A ≥ 0, = 0 for free columns, and yᵀ b < 0.
  const std::vector<double>& y() const { return y_; }  // [rows]

 private:
  static constexpr int kUnassigned = -1, kRedundant = -2;

  void start();
  void enter_free_columns();
  bool run_phase_one(int& pivots_left);
  void drive_out_unassigned();
  LinearProgramOutcome maximise(int& pivots_left);
  int leaving_row(int column) const;
  void pivot(int row, int column);
  void read_point();
  bool point_is_feasible() const;
  bool certificate_holds();

  bool usable(int row) const {
    return basic_[row] == kUnassigned || (basic_[row] >= 0 && !lp_->free[basic_[row]]);
  }
  double& entry(int row, int column) { return tableau_[row * stride_ + column]; }
  double entry(int row, int column) const { return tableau_[row * stride_ + column]; }
  double& rhs(int row) { return tableau_[row * stride_ + stride_ - 1]; }
  double rhs(int row) const { return tableau_[row * stride_ + stride_ - 1]; }

  const LinearProgram* lp_ = nullptr;
  LinearProgramOptions options_;
  int stride_ = 0;
  std::vector<double> tableau_;  // [rows × stride]: T (A, 1, b), T being the product of the pivots
  std::vector<int> basic_;       // [rows] column, or kUnassigned, kRedundant
  std::vector<char> is_basic_;
  std::vector<double> x_, y_;
};

}  // namespace pawl::internal
