#include <pawl/analysis.h>

namespace pawl {

using namespace internal;

Verdict AccelerationAnalysis::exists() const {
  if (counted.count == SolutionCount::none) return Verdict::no;
  const bool known = status == Status::certified || counted.count != SolutionCount::unknown ||
                     theorem.exists_by_A() || theorem.exists_by_B();
  return known ? Verdict::yes : Verdict::undecided;
}

Verdict AccelerationAnalysis::unique_motion() const {
  if (counted.count == SolutionCount::several) return Verdict::no;
  if (counted.count == SolutionCount::one || counted.count == SolutionCount::several_forces)
    return Verdict::yes;
  // Without friction, Δa · Δc ≤ 0 implies A Δc = 0.
  return theorem.unique_by_A() || theorem.friction == 0 ? Verdict::yes : Verdict::undecided;
}

Verdict AccelerationAnalysis::unique_forces() const {
  if (counted.count == SolutionCount::several || counted.count == SolutionCount::several_forces)
    return Verdict::no;
  if (counted.count == SolutionCount::one || theorem.unique_by_A()) return Verdict::yes;
  return forces == ForceUniqueness::least_norm || forces == ForceUniqueness::any ? Verdict::no
                                                                                 : Verdict::undecided;
}

AccelerationAnalysis analyse(const AccelerationProblem& problem, double tolerance) {
  AccelerationAnalysis analysis;
  analysis.theorem = apply_theorem_1(problem);
  analysis.counted = count_solutions(problem);
  const ContactProblem reduced = reduced_problem(problem);
  SolveOptions options;
  options.tolerance = tolerance;
  options.least_norm = !analysis.theorem.positive_definite();
  const Solution solution = solve(reduced, options);
  analysis.status = solution.status;
  analysis.residual = solution.residual;
  analysis.method = to_string(solution.method);
  analysis.forces = solution.impulses;
  analysis.solution = solution_of(problem, solution.p);
  if (solution.status == Status::certified || analysis.counted.count == SolutionCount::unknown)
    return analysis;
  if (analysis.counted.count == SolutionCount::none) {
    analysis.status = Status::no_solution;
    return analysis;
  }
  // The solvers failed: judge a solution that the enumeration found.
  JudgeScratch scratch;
  std::vector<double> p, u(reduced.rows()), v(reduced.motion.v_free.size());
  const AccelerationSolution& listed = analysis.counted.solutions.front().solution;
  for (int c = 0; c < reduced.contacts; ++c) {
    for (int r = 0; r < reduced.size_of(c); ++r) p.push_back(listed.c[problem.begin[c] + r]);
  }
  analysis.residual = judge(reduced, p, u, v, scratch);
  analysis.status = analysis.residual.within(tolerance) ? Status::certified : Status::approximate;
  analysis.method = "enumeration";
  analysis.solution = listed;
  return analysis;
}

}  // namespace pawl
