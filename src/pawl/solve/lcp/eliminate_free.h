#pragma once
// From a mixed complementarity problem to a plain one, by pivots that take the free rows out.

#include <span>
#include <string_view>
#include <vector>

#include <pawl/lcp.h>

namespace pawl::internal {

struct EliminationOptions {
  double zero =
      1e-11;  // entries below this share of the problem's largest, and of what pivots have made of it, are 0
};

enum class EliminationOutcome {
  eliminated,    // every free row with a free variable, or with a complementary pair
  split,         // as far as pivots go; what was left became pairs of complementary rows
  inconsistent,  // an equation was left that no variable enters and that does not hold
};
std::string_view to_string(EliminationOutcome outcome);

/// The plain problem that is left, and the way back, with their memory. The method expects entries near 1
/// (Equilibrated).
///
/// Pivots exchange a variable with a row of w = M z + q:
///   1. a free variable against a free row, largest entry first, as long as there is one;
///   2. else a free variable y against a complementary row i, and the other variable of that pair against a
///   free row l.
///      Together this is a principal pivot on [0 E; F B], E = ∂w_l/∂z_i ≠ 0, F = ∂w_i/∂y ≠ 0: the pair i has
///      changed sides, y follows from w_i and z_i from the others. It takes circuits with ideal diodes and
///      other saddle problems, whose free block is singular.
///   3. A free row that no variable enters any more holds or does not; a free variable that enters no row is
///   set to 0.
///   4. Rarely rows and variables are left that no complementary pair links. An equation w = 0 with any y is
///   the same as
///      0 ≤ y⁺ ⊥ w ≥ 0, 0 ≤ y⁻ ⊥ -w ≥ 0, y = y⁺ - y⁻: exact, though hard on Lemke's method.
class FreeElimination {
 public:
  EliminationOutcome eliminate(const MixedLcp& mixed, const EliminationOptions& options = {});

  const Lcp& lcp() const { return lcp_; }
  /// The mixed problem's z from that of the plain one, and its α, which also has a way there.
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
  std::vector<int> free_rows_, free_columns_;  // rows of w = 0 and columns of free variables not yet pivoted
  std::vector<int> pairs_;                     // complementary rows of the mixed problem
  std::vector<int> position_;                  // [2n] of variable: row, or -1 - column
  Lcp lcp_;
};

}  // namespace pawl::internal
