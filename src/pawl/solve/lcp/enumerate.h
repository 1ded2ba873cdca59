#pragma once
// All solutions of a small complementarity problem, by trying every complementary basis.

#include <limits>
#include <vector>

#include <pawl/lcp.h>
#include <pawl/linalg/linear_program.h>
#include <pawl/solve/lcp/basis_system.h>
#include <pawl/solve/lcp/equilibrate.h>

namespace pawl::internal {

struct EnumerationOptions {
  double tolerance = 1e-12;      // of the judged residual, in the equilibrated problem
  double singular = 1e-13;       // a basis whose least pivot is below this share of its largest is singular
  double regular = 1e-10;        // … above this, regular; in between it is left undecided
  double sign_tolerance = 1e-9;  // signs are clear where they are above this share of what made them
  double zero = 1e-10;  // values of the equilibrated problem below this share of the largest are 0, where two
                        // solutions are compared
  int max_solutions = std::numeric_limits<int>::max();  // the search ends with these
};

struct ComplementarySolution {
  std::vector<char> alpha;  // [n] 1 where z_i may be nonzero and w_i is 0
  std::vector<double> z;    // [n] the solution, or one of those of this alpha
  bool isolated = true;     // false: it is a point of a polyhedron of solutions
};

struct Enumeration {
  std::vector<ComplementarySolution> solutions;  // by alpha; a degenerate solution has several
  bool complete = true;  // every alpha not listed has no solution; false where one was too near to call
};

/// Tries all 2ᵐ bases of a problem with m complementary rows. The linear system of a basis either has one
/// solution, whose signs decide; or it is singular, and a linear program decides whether one with these signs
/// exists. The problem is equilibrated first, so that the thresholds above do not depend on units. What has a
/// wrong sign, but not clearly so, is a solution where the judge accepts it with that entry at 0, and
/// undecided where not.
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
  std::vector<int> complementary_;  // the complementary rows
  std::vector<char> alpha_;         // [n] the present basis; 1 on free rows too
  std::vector<int> rows_, columns_;
  std::vector<double> z_, w_;  // [n] in the units of the equilibrated problem
  BasisSystem system_;
  LinearProgram program_;
  SimplexMethod simplex_;
};

}  // namespace pawl::internal
