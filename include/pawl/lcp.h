#pragma once
// Linear complementarity problems (LCPs), plain and mixed: data, residual and solver.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <pawl/status.h>

namespace pawl {

/// Linear complementarity problem: find z ≥ 0 with w = M z + q ≥ 0 and zᵀ w = 0.
struct Lcp {
  int n = 0;
  std::vector<double> M;  // [n × n], row-major
  std::vector<double> q;  // [n]
};

/// Mixed LCP, w = M z + q: w_i = 0 with z_i of any sign on free rows, 0 ≤ z_i ⊥ w_i ≥ 0 on the others. Rows
/// of both kinds come in any order.
struct MixedLcp {
  int n = 0;               // rows of both kinds
  std::vector<double> M;   // [n × n], row-major
  std::vector<double> q;   // [n]
  std::vector<char> free;  // [n] 1 for a free row
};

/// True if the arrays have the sizes that n says, and every entry is finite.
bool well_formed(const Lcp& lcp);
bool well_formed(const MixedLcp& lcp);

/// Worst violations over the rows of one problem: dimensionless, ≥ 0, and 0 where the law holds exactly.
struct LcpResidual {
  double natural_map = 0;  // complementary rows: |min(z_i, w_i)|, each relative to its scale
  double equation = 0;     // free rows: |w_i| relative to its scale

  double worst() const { return natural_map > equation ? natural_map : equation; }
  bool within(double tolerance) const { return natural_map <= tolerance && equation <= tolerance; }
};

/// Judges z by the laws of the problem and returns w = M z + q. Scales:
///   z_i: max |z|
///   w_i: |q_i| + Σ_j |M_ij| max |z|, the second term at most 10⁶ max |q|
/// Without that bound a point far out on a ray of M, M z ≈ 0, would pass for any q. A z of the wrong size or
/// with a NaN has an infinite residual.
LcpResidual judge(const Lcp& lcp, std::span<const double> z, std::span<double> w);
LcpResidual judge(const MixedLcp& lcp, std::span<const double> z, std::span<double> w);

struct LemkeOptions {
  int pivots_per_row = 20;           // limit: this times n, at least 100
  int refreshed_pivots_per_row = 3;  // the same for the second run, in which every pivot is a factorisation
  double zero_pivot = 1e-11;         // smaller entries, relative to their column's largest, are not pivots
  double tie = 1e-12;  // rows this close to 0, relative to their change, leave lexicographically
  double feasibility_tolerance = 1e-8;  // relative infeasibility up to which the final basis counts as solved
};

struct LcpOptions {
  double tolerance = 1e-12;  // of the judged residual
  int covers = 8;            // covering vectors that Lemke's method tries
  int restarts = 8;          // restarts of Lemke's method from exchanged pairs of rows
  int max_enumerated_rows =
      16;  // all bases are tried, as a last resort, up to so many complementary rows; 0: never
  int max_proved_rows = 400;  // a linear program looks for a proof of infeasibility up to so many rows
  LemkeOptions lemke = {};
};

struct LcpSolution {
  Status status = Status::refused;
  std::string_view solver = "none";  // the method that found it, or proved that there is none
  std::string_view reason;           // why the status is not better; empty if certified
  std::vector<double> z, w;          // [n]
  std::vector<char> alpha;           // [n] 1 where z_i is in the basis: the next warm start
  /// Proof for `no_solution` by "infeasible": y with yᵀ M ≤ 0 (= 0 in free columns), y ≥ 0 on complementary
  /// rows and yᵀ q < 0, so that no z satisfies w = M z + q ≥ 0. Otherwise empty.
  std::vector<double> certificate;
  LcpResidual residual;  // of the equilibrated problem
  int pivots = 0;
};

/// The methods in order, with their scratch memory: the basis of an earlier solution, Lemke's method, Lemke's
/// method with other covering vectors and from other bases, a proof of infeasibility, all bases. The problem
/// is first equilibrated and its free rows are eliminated. The first answer that the judge certifies is
/// returned, else the one with the smallest residual.
class LcpSolver {
 public:
  LcpSolver();
  LcpSolver(LcpSolver&&) noexcept;
  LcpSolver& operator=(LcpSolver&&) noexcept;
  ~LcpSolver();

  /// `warm` is the alpha of an earlier solution, or empty.
  void solve(const Lcp& lcp, const LcpOptions& options, std::span<const char> warm, LcpSolution& solution);
  void solve(const MixedLcp& lcp, const LcpOptions& options, std::span<const char> warm,
             LcpSolution& solution);

 private:
  class Methods;
  std::unique_ptr<Methods> methods_;
};

}  // namespace pawl
