#pragma once
// Lemke's complementary pivoting for dense linear complementarity problems.

#include <span>
#include <string_view>
#include <vector>

#include <pawl/lcp.h>

namespace pawl::internal {

enum class LemkeOutcome {
  solved,
  ray,  // no pivot left; does not prove that there is no solution
  iteration_limit,
  numerical_failure,  // final basis singular or infeasible; z() is from the tableau, with its rounding
};
std::string_view to_string(LemkeOutcome outcome);

struct LemkeResult {
  LemkeOutcome outcome = LemkeOutcome::solved;
  int pivots = 0;
};

/// The solver and its memory: it does not allocate once it has solved a problem as large.
class Lemke {
 public:
  /// On `solved`, z() holds the solution and basic() the entries in the final basis. `cover` is the column of
  /// z0, all > 0; ones if empty. If one covering vector ends on a ray, another may succeed.
  LemkeResult solve(const Lcp& lcp, const LemkeOptions& options = {}, std::span<const double> cover = {});

  /// Solves M_αα z_α = -q_α for the given α, with one refinement step. Negative entries are set to 0 in z().
  /// Returns the infeasibility of z and w, relative to the largest z and the terms it could add to w; +∞ if
  /// M_αα is singular.
  double solve_basis(const Lcp& lcp, std::span<const char> alpha);

  const std::vector<double>& z() const { return z_; }
  const std::vector<char>& basic() const { return basic_; }

 private:
  LemkeResult solve_once(const Lcp& lcp, const LemkeOptions& options, bool refreshing);
  LemkeResult pivot_to_solution(const Lcp& lcp, const LemkeOptions& options, bool refreshing);
  int leaving_row(int column, const LemkeOptions& options);
  bool lexicographically_less(int row, int than, int column) const;
  void pivot(int row, int column);
  void refresh(const Lcp& lcp);
  void reserve(int n);

  int n_ = 0, stride_ = 0;
  double scale_ = 1;                  // of q; the tableau contains q / scale
  std::vector<double> tableau_;       // [n × stride]: basic = rhs + tableau · nonbasic
  std::vector<double> rhs_;           // [n]
  std::vector<int> row_variable_;     // [n]
  std::vector<int> column_variable_;  // [n + 1]
  std::vector<int> position_;         // [2n + 1] of a variable: row, or -1 - column
  std::vector<double> cover_;         // [n]
  std::vector<double> z_, tableau_z_;
  std::vector<char> basic_;
  std::vector<int> alpha_, pivot_, tight_;
  std::vector<double> factor_, right_, correction_;
};

}  // namespace pawl::internal
