#pragma once
// From a linear complementarity problem, plain or mixed, to an answer that the judge has seen.

#include <span>
#include <string_view>
#include <vector>

#include <pawl/linalg/linear_program.h>
#include <pawl/problem/lcp_residual.h>
#include <pawl/problem/status.h>
#include <pawl/solve/lcp/basis_system.h>
#include <pawl/solve/lcp/eliminate_free.h>
#include <pawl/solve/lcp/enumerate.h>
#include <pawl/solve/lcp/equilibrate.h>
#include <pawl/solve/lcp/lemke.h>

namespace pawl {

struct LcpOptions {
  double tolerance = 1e-12;  // of the judged residual
  int covers = 8;            // covering vectors that Lemke's method tries
  int restarts = 8;          // pairs of rows that it then starts from, exchanged
  int max_enumerated_rows =
      16;  // complementary rows up to which all bases are tried where nothing else helps; 0: never
  int max_proved_rows = 400;  // rows up to which a linear program looks for a proof that there is no solution
  LemkeOptions lemke = {};
};

struct LcpSolution {
  Status status = Status::refused;
  std::string_view solver = "none";  // what found it, or proved that there is none
  std::string_view reason;           // why there is no better status; empty when certified
  std::vector<double> z, w;          // [n]
  std::vector<char> alpha;           // [n] 1 where z_i is in the basis: the next warm start
  /// For no_solution by "infeasible": y with yᵀ M ≤ 0 (= 0 for free columns), y ≥ 0 on complementary rows and
  /// yᵀ q < 0, so that w = M z + q is nowhere what it should be. Else empty.
  std::vector<double> certificate;
  LcpResidual residual;  // of the equilibrated problem
  int pivots = 0;
};

/// The methods in order, each with its memory: the basis of an earlier answer, Lemke, Lemke with other
/// covering vectors and from other bases, the proof that no z and w ≥ 0 fit the equations, all bases. Before
/// them the problem is equilibrated and its free rows are eliminated. The first answer that the judge
/// certifies is taken; else the one with the least residual.
class LcpSolver {
 public:
  /// `warm` is the alpha of an earlier solution, or empty.
  void solve(const Lcp& lcp, const LcpOptions& options, std::span<const char> warm, LcpSolution& solution);
  void solve(const MixedLcp& lcp, const LcpOptions& options, std::span<const char> warm,
             LcpSolution& solution);

 private:
  bool try_basis(std::string_view solver, std::span<const char> alpha);
  bool try_lemke();
  bool restart_lemke(int index);
  bool consider(std::string_view solver, std::span<const double> z, std::span<const char> alpha);
  bool prove_infeasible();
  void enumerate();

  const MixedLcp* original_ = nullptr;
  const LcpOptions* options_ = nullptr;
  LcpSolution* solution_ = nullptr;
  MixedLcp plain_;  // a plain problem, without free rows
  Equilibrated scaled_;
  FreeElimination elimination_;
  Lemke lemke_;
  Lcp exchanged_;
  BasisSystem system_;
  Enumerator enumerator_;
  LinearProgram program_;
  Simplex simplex_;
  std::vector<int> rows_;
  std::vector<char> alpha_, alpha_plain_;
  std::vector<double> z_, w_, cover_;
};

}  // namespace pawl
