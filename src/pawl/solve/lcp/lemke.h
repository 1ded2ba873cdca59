#pragma once
// Lemke's complementary pivoting for dense linear complementarity problems.

#include <span>
#include <string_view>
#include <vector>

#include <pawl/lcp.h>

namespace pawl::internal {

enum class LemkeOutcome {
  solved,
  ray,  // no pivot left: no proof that there is no solution
  iteration_limit,
  numerical_failure,  // the final basis is singular or misses the problem: z() is the tableau's, worn by its
                      // pivots
};
std::string_view to_string(LemkeOutcome outcome);

struct LemkeResult {
  LemkeOutcome outcome = LemkeOutcome::solved;
  int pivots = 0;
};

/// The method with its memory: nothing is allocated once it has seen a problem as large.
class Lemke {
 public:
  /// On `solved`, z() holds the answer and basic() which entries of it are in the final basis. `cover` is the
  /// column of z0, all > 0; ones where it is empty. Where one ends on a ray another may not.
  LemkeResult solve(const Lcp& lcp, const LemkeOptions& options = {}, std::span<const double> cover = {});

  /// Solves M_αα z_α = -q_α for the given α, with one step of refinement. The answer in z() has its negative
  /// entries set to 0. Returns how far z and w fell below 0, relative to the largest z and the terms it could
  /// add to w; +∞ where M_αα is singular.
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
  double scale_ = 1;                  // of q; the tableau holds q / scale
  std::vector<double> tableau_;       // [n × stride]: basic = rhs + tableau · nonbasic
  std::vector<double> rhs_;           // [n]
  std::vector<int> row_variable_;     // [n]
  std::vector<int> column_variable_;  // [n + 1]
  std::vector<int> position_;         // [2n + 1] of variable: row, or -1 - column
  std::vector<double> cover_;         // [n]
  std::vector<double> z_, tableau_z_;
  std::vector<char> basic_;
  std::vector<int> alpha_, pivot_, tight_;
  std::vector<double> factor_, right_, correction_;
};

}  // namespace pawl::internal
