#pragma once
// Finds all solutions of a small LCP by enumerating the complementary bases.

#include <limits>
#include <vector>

#include <pawl/base/tolerances.h>
#include <pawl/lcp.h>
#include <pawl/linalg/linear_program.h>
#include <pawl/solve/lcp/basis_system.h>
#include <pawl/solve/lcp/equilibrate.h>

namespace pawl::internal {

struct EnumerationOptions {
  double tolerance = tolerances::kToRounding;  // of the judged residual, equilibrated problem
  double singular = tolerances::kSum;          // a basis is singular if min/max pivot is below this …
  double regular = tolerances::kRank;          // … regular if above this, and undecided in between
  double sign_tolerance = tolerances::kSign;   // signs are clear above this, relative to the terms
  double zero =
      tolerances::kRank;  // smaller values, relative to the largest, count as 0 when solutions are compared
  int max_solutions = std::numeric_limits<int>::max();  // the search stops at this many
};

struct ComplementarySolution {
  std::vector<char> alpha;  // [n] 1 where z_i may be nonzero and w_i is 0
  std::vector<double> z;    // [n] the solution, or one of this alpha's solutions
  bool isolated = true;     // false: a point of a polyhedron of solutions
};

struct Enumeration {
  std::vector<ComplementarySolution> solutions;  // by alpha; a degenerate solution has several alphas
  bool complete = true;  // every unlisted alpha has no solution; false if some basis was undecided
};

/// Tries all 2ᵐ bases of a problem with m complementary rows. A regular basis has one solution, whose signs
/// decide. For a singular basis a linear program decides whether a solution with these signs exists.
/// The problem is equilibrated first, so that the tolerances do not depend on units. A sign that is wrong,
/// but not clearly, is set to 0. The point counts as a solution if judge() accepts it, and as undecided
/// otherwise.
class Enumerator {
 public:
  static constexpr int kMaxComplementary = 30;

  Enumeration enumerate(const Lcp& lcp, const EnumerationOptions& options = {});
  Enumeration enumerate(const MixedLcp& lcp, const EnumerationOptions& options = {});

 private:
  enum class Verdict { none, point, polyhedron, undecided };

  Verdict try_basis(const EnumerationOptions& options);
  Verdict try_regular_basis(const EnumerationOptions& options);
  Verdict try_singular_basis(const EnumerationOptions& options);
  void clamp_negative();
  void mark_points_of_polyhedra(const EnumerationOptions& options, Enumeration& result);

  Equilibrated scaled_;
  MixedLcp mixed_;
  std::vector<int> complementary_;  // indices of the complementary rows
  std::vector<char> alpha_;         // [n] current basis; also 1 on free rows
  std::vector<int> rows_, columns_;
  std::vector<double> z_, w_;  // [n] in units of the equilibrated problem
  BasisSystem system_;
  LinearProgram program_;
  SimplexMethod simplex_;
};

}  // namespace pawl::internal
