#pragma once
// The cascade of contact solvers: a table of methods, tried in order until the judge certifies an answer.

#include <span>
#include <string_view>
#include <vector>

#include <pawl/problem/delassus.h>
#include <pawl/solve/contact/admm.h>
#include <pawl/solve/contact/gauss_seidel.h>
#include <pawl/solve/contact/interior_point.h>
#include <pawl/solve/contact/minimum_norm.h>
#include <pawl/solve/contact/newton.h>
#include <pawl/solve/contact/planar_active_set.h>
#include <pawl/solve/contact/polyhedral_lcp.h>
#include <pawl/solve/contact/scaled_problem.h>
#include <pawl/solver.h>

namespace pawl::internal {

/// See ContactSolver. The table is in cascade.cpp; judging and refining answers is in cascade_answers.cpp.
class Cascade {
 public:
  void solve(const ContactProblem& problem, const SolveOptions& options, const WarmStart& warm,
             Solution& solution);
  void refine(const ContactProblem& problem, const SolveOptions& options, Solution& solution);
  void choose_least_norm(const ContactProblem& problem, const SolveOptions& options, Solution& solution);

 private:
  /// One call of solve() or refine().
  struct Call {
    const ContactProblem& problem;
    const SolveOptions& options;
    Solution& solution;
    WarmStart warm = {};
    bool cascade = false;   // all methods, not one
    int unknowns = 0;       // of pivoting in a cascade; 0 without polyhedral friction
    bool started = false;   // x_ has its first value
    bool at_floor = false;  // no later iteration would improve the answer
  };
  /// Where a method starts within a cascade.
  enum class Start {
    none,  // does not use x_
    keep,  // where the last method ended, or at the warm start
    best,  // at the best answer so far, if there is one
    zero,
  };
  struct Row {
    SolveMethod method;  // the name in Solution
    bool (Cascade::*applies)(const Call& call, SolveMethod method);
    std::string_view (Cascade::*unsupported)(Call& call);  // why the problem is not solvable so; may be null
    Start start;
    bool (Cascade::*run)(Call& call, SolveMethod method);  // true if the answer is certified
  };
  static const Row kTable[];

  void find_answer(Call& call);
  bool run_table(Call& call);
  void set_start(Call& call, Start start);
  void set_first_start(Call& call);

  // Column `applies`
  bool is_asked(const Call& call, SolveMethod method);
  bool is_cascade(const Call& call, SolveMethod);
  bool separates(const Call& call, SolveMethod);
  bool pivots_first(const Call& call, SolveMethod);
  bool pivots_last(const Call& call, SolveMethod);
  bool starts_cold(const Call& call, SolveMethod);
  bool has_joints_only(const Call& call, SolveMethod);

  // Column `unsupported`
  std::string_view not_for_pivoting(Call& call);
  std::string_view not_for_interior_point(Call& call);
  std::string_view too_large(Call& call);

  // Column `run`
  bool take_zero(Call& call, SolveMethod method);
  bool solve_by_pivoting(Call& call, SolveMethod method);
  bool solve_directly(Call& call, SolveMethod method);
  bool solve_by_newton(Call& call, SolveMethod method);
  template <auto method, auto options>
  bool solve_by(Call& call, SolveMethod name);
  template <class Method, class Options>
  bool iterate(Call& call, SolveMethod name, Method& method, Options options);

  void scale(const ContactProblem& problem);
  void refine_by_newton(const Call& call);
  void select_least_norm(const Call& call);
  bool consider(const Call& call, SolveMethod method, std::span<const double> p,
                std::span<const char> alpha = {});
  bool consider_motion(const Call& call, SolveMethod method, std::span<const double> p,
                       std::span<const char> alpha = {});
  void consider_if_better(const Call& call, SolveMethod method);

  ScaledProblem scaled_;
  bool is_scaled_ = false;  // scaled_ holds the current problem
  BlockMatrix W_;
  DelassusScratch delassus_scratch_;
  JudgeScratch judge_;
  PolyhedralLcp form_;
  Lemke lemke_;
  PlanarActiveSet planar_active_set_;
  GaussSeidel gauss_seidel_;
  Newton newton_;
  InteriorPoint interior_point_;
  Admm admm_;
  MinimumNorm minimum_norm_;
  UniquenessCheck uniqueness_check_;
  std::vector<char> alpha_;
  std::vector<double> x_, w_, projected_, p_, u_, v_next_;
};

/// Tolerance of a method, relative to that of judge().
inline constexpr double kToleranceFraction = 0.1;
inline constexpr int kFirstSweeps = 6;  // Gauss-Seidel sweeps before Newton

}  // namespace pawl::internal
