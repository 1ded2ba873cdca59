#pragma once
// From a contact problem to an answer that the judge has seen.

#include <span>
#include <string_view>
#include <vector>

#include <pawl/problem/residual.h>
#include <pawl/problem/status.h>
#include <pawl/solve/lemke.h>
#include <pawl/solve/polyhedral_lcp.h>

namespace pawl {

struct SolveOptions {
  double tolerance = 1e-8;  // of the judged residual
  double warm_feasible =
      1e-14;  // how far, relatively, an old basis may fall below 0 and still be put before the judge
  LemkeOptions lemke;
};

struct Solution {
  Status status = Status::refused;
  std::string_view solver = "none";  // what found it
  std::string_view reason;           // why there is no better status; empty when certified
  std::vector<double> p;             // [rows] impulses, N s
  std::vector<double> u;             // [rows] contact velocities that follow, m/s
  std::vector<double> v_next;        // body velocities that follow, where the problem has motion rows
  std::vector<ContactBasis> basis;   // [contacts] for the next warm start
  Residual residual;
  int size = 0;  // rows of the complementarity problem
  int pivots = 0;
  int solves = 0;  // complementarity problems tried
};

/// The methods in order, each with its memory: no contact acting, the previous basis, Lemke. The first answer
/// that the judge certifies is taken; else the one with the least residual.
class ContactSolver {
 public:
  /// `warm` is one word per contact from an earlier Solution::basis, or empty.
  void solve(const ContactProblem& problem, const SolveOptions& options, std::span<const ContactBasis> warm,
             Solution& solution);

 private:
  bool consider(const ContactProblem& problem, const SolveOptions& options, std::string_view solver,
                std::span<const double> z, std::span<const char> alpha, Solution& solution);

  PolyhedralLcp form_;
  Lemke lemke_;
  std::vector<char> alpha_;
  std::vector<double> p_, u_, v_next_;
};

}  // namespace pawl
