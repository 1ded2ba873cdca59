#pragma once
// Reduces a mixed LCP to a plain one by pivots that eliminate the free rows.

#include <span>
#include <string_view>
#include <vector>

#include <pawl/base/tolerances.h>
#include <pawl/lcp.h>

namespace pawl::internal {

struct EliminationOptions {
  /// Smaller entries count as 0, relative to the largest entry of the problem and of all later tableaus.
  double zero = tolerances::kPivoted;
};

enum class EliminationOutcome {
  eliminated,    // every free row was paired with a free variable or a complementary pair
  split,         // the remaining free rows became pairs of complementary rows
  inconsistent,  // an equation without variables remained, and it does not hold
};
std::string_view to_string(EliminationOutcome outcome);

/// The reduced LCP and the map back, with their memory. Entries should be near 1 (see Equilibrated).
///
/// Pivots exchange a variable with a row of w = M z + q:
///   1. A free variable with a free row, largest entry first, as long as there is one.
///   2. Otherwise a free variable y with a complementary row i, and the other variable of that pair with a
///      free row l. Together this is a principal pivot on [0 E; F B], E = ∂w_l/∂z_i ≠ 0, F = ∂w_i/∂y ≠ 0.
///      It exchanges w_i and z_i, and determines y from w_i and z_i from the others. It handles saddle-point
///      problems with a singular free block, such as circuits with ideal diodes.
///   3. A free row without variables left holds or does not. A free variable in no row is set to 0.
///   4. Rarely, rows and variables remain that no complementary pair links. An equation w = 0 with free y
///      equals 0 ≤ y⁺ ⊥ w ≥ 0, 0 ≤ y⁻ ⊥ -w ≥ 0, y = y⁺ - y⁻: exact, but hard for Lemke's method.
class FreeElimination {
 public:
  EliminationOutcome eliminate(const MixedLcp& mixed, const EliminationOptions& options = {});

  const Lcp& lcp() const { return lcp_; }
  /// Maps z and α of the plain problem to the mixed one; reduce_basis() maps α the other way.
  void expand(std::span<const double> z_plain, std::span<double> z) const;
  void expand_basis(std::span<const char> alpha_plain, std::span<char> alpha) const;
  void reduce_basis(std::span<const char> alpha, std::vector<char>& alpha_plain) const;

 private:
  bool pivot_free_on_free(double zero);
  bool pivot_free_through_pair(double zero);
  void pivot(int row, int column);
  bool drop_empty(double zero);
  void write_lcp();
  double& entry(int row, int column) { return tableau_[row * n_ + column]; }
  double entry(int row, int column) const { return tableau_[row * n_ + column]; }

  int n_ = 0;
  std::vector<double> tableau_, rhs_;  // [n × n], [n]: row variable = rhs + tableau · column variables
  std::vector<int> row_variable_, column_variable_;  // [n] w_0 … w_{n-1}, z_0 … z_{n-1}
  std::vector<char> free_;                           // [n] of the mixed problem
  std::vector<int> free_rows_, free_columns_;  // rows w = 0 and columns of free variables not yet pivoted
  std::vector<int> pairs_;                     // complementary rows of the mixed problem
  std::vector<int> position_;                  // [2n] of a variable: row, or -1 - column
  Lcp lcp_;
};

}  // namespace pawl::internal
