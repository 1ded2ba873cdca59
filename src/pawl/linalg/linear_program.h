#pragma once
// The simplex method for small dense linear programs.

#include <span>
#include <string_view>
#include <vector>

namespace pawl::internal {

/// Maximise c · x over A x = b, x_j ≥ 0 where x_j is not free. The thresholds below expect entries near 1.
struct LinearProgram {
  int rows = 0, columns = 0;
  std::vector<double> A;   // [rows × columns], row by row
  std::vector<double> b;   // [rows]
  std::vector<double> c;   // [columns]
  std::vector<char> free;  // [columns] 1 where x_j may have any sign
};

struct LinearProgramOptions {
  double zero_pivot = 1e-11;             // entries below this share of their column's largest, or of 1, are 0
  double zero = 1e-13;                   // sums within this share of their terms are 0: rounding
  double clear = 1e-7;                   // yᵀ b of a certificate is below 0 by this share of its terms
  double feasibility_tolerance = 1e-11;  // the most that A x misses b by, against the terms of both
  int pivots_per_column = 50;            // the limit is this times rows + columns
};

enum class LinearProgramOutcome {
  optimal,
  unbounded,   // x() is feasible
  infeasible,  // y() proves it
  undecided,   // neither a point nor a proof that stands its check, or the limit of pivots
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
  const std::vector<char>& basic() const { return is_basic_; }  // [columns] the others are 0
  /// On `infeasible`: yᵀ A ≥ 0, = 0 for free columns, and yᵀ b < 0.
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
  std::vector<double> tableau_;  // [rows × stride]: T (A, 1, b), where T is what the pivots did to the rows
  std::vector<int> basic_;       // [rows] column, or kUnassigned, kRedundant
  std::vector<char> is_basic_;
  std::vector<double> x_, y_;
};

}  // namespace pawl::internal
