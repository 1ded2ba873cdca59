#include <pawl/analysis.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>
#include <pawl/linalg/linear_program.h>
#include <pawl/problem/delassus.h>
#include <pawl/solve/contact/polyhedral_lcp.h>
#include <pawl/solve/lcp/enumerate.h>

namespace pawl {

using namespace internal;

namespace {

constexpr double kSameTolerance =
    tolerances::kSame;                           // relative to the largest; smaller differences count as 0
constexpr double kSingular = tolerances::kRank;  // relative to the largest pivot; smaller pivots count as 0

/// Scales forces and accelerations to one unit, N/√kg: A then has a unit diagonal.
struct Measure {
  explicit Measure(const AccelerationProblem& problem) : length(problem.rows()) {
    for (int r = 0; r < problem.rows(); ++r) {
      double sum = 0;
      for (int k = 0; k < problem.rates; ++k) sum += std::pow(problem.Y[r * problem.rates + k], 2);
      length[r] = sum > 0 ? std::sqrt(sum) : 1;
      unit = std::max(unit, std::abs(problem.b[r]) / length[r]);
    }
  }
  bool same_forces(const std::vector<double>& c, const std::vector<double>& d) const {
    double most = unit, apart = 0;
    for (std::size_t r = 0; r < length.size(); ++r) {
      most = std::max({most, std::abs(c[r]) * length[r], std::abs(d[r]) * length[r]});
      apart = std::max(apart, std::abs(c[r] - d[r]) * length[r]);
    }
    return apart <= kSameTolerance * most;
  }
  bool same_accelerations(const AccelerationSolution& x, const AccelerationSolution& y) const {
    double most = unit, apart = 0;
    for (std::size_t r = 0; r < length.size(); ++r) {
      most = std::max({most, std::abs(x.c[r]) * length[r], std::abs(y.c[r]) * length[r]});
      apart = std::max(apart, std::abs(x.a[r] - y.a[r]) / length[r]);
    }
    return apart <= kSameTolerance * most;
  }
  std::vector<double> length;  // [rows] |Y_r|
  double unit = 0;             // largest free acceleration
};

/// Polyhedron of the solutions of one basis: z_α, w_β ≥ 0 with w - M z = q. Linear programs compute its
/// extent in a direction.
class BasisPolyhedron {
 public:
  BasisPolyhedron(const AccelerationProblem& problem, PolyhedralLcp& form, int reduced_rows)
      : problem_(problem), form_(form), p_(reduced_rows) {}

  /// Sets the basis and two generic directions, one in the forces and one in the accelerations. Forces or
  /// accelerations are unique if their direction has a single value on the polyhedron.
  void set(const std::vector<char>& alpha) {
    const Lcp& lcp = form_.lcp();
    program_.rows = program_.columns = lcp.n;
    program_.A.assign(lcp.n * lcp.n, 0.0);
    program_.b = lcp.q;
    program_.free.assign(lcp.n, 0);
    for (int i = 0; i < lcp.n; ++i) {
      for (int j = 0; j < lcp.n; ++j) {
        program_.A[i * lcp.n + j] = alpha[j] ? -lcp.M[i * lcp.n + j] : i == j ? 1.0 : 0.0;
      }
    }
    basic_.clear();
    for (int j = 0; j < lcp.n; ++j) {
      if (alpha[j]) basic_.push_back(j);
    }
    std::vector<double> unit(lcp.n, 0.0);
    forces_.assign(lcp.n, 0.0);
    accelerations_.assign(lcp.n, 0.0);
    for (const int j : basic_) {
      unit[j] = 1;
      form_.impulses(unit, p_);
      unit[j] = 0;
      const std::vector<double> c = all_forces(problem_, p_), a = accelerations(problem_, c);
      for (int r = 0; r < problem_.rows(); ++r) {
        const double weight = std::cos(1.0 + r);  // generic weights
        forces_[j] += weight * measure_.length[r] * c[r];
        accelerations_[j] += weight * (a[r] - problem_.b[r]) / measure_.length[r];
      }
    }
  }
  bool forces_vary() { return varies(forces_); }
  bool accelerations_vary() { return varies(accelerations_); }

 private:
  /// True if the rows of the basis' system do not determine the value along this direction.
  bool is_free(const std::vector<double>& direction) {
    const double size = largest(direction);
    if (size == 0) return false;
    const Lcp& lcp = form_.lcp();
    const auto rank_with = [&](int more) {
      const int columns = static_cast<int>(basic_.size()), rows = columns + more;
      std::vector<double> system;
      for (const int i : basic_) {
        for (const int j : basic_) system.push_back(lcp.M[i * lcp.n + j]);
      }
      for (const int j : basic_) system.push_back(direction[j] / size);
      std::vector<int> row_pivot(rows), column_pivot(columns);
      return lu_complete(std::span(system).first(rows * columns), rows, columns, row_pivot, column_pivot,
                         kSingular);
    };
    return rank_with(1) > rank_with(0);
  }

  bool varies(const std::vector<double>& direction) {
    if (!is_free(direction)) return false;
    double ends[2] = {0, 0}, most = 0;
    for (const int side : {0, 1}) {
      program_.c = direction;
      if (side == 1) std::ranges::transform(program_.c, program_.c.begin(), std::negate());
      switch (simplex_.solve(program_)) {
        case LinearProgramOutcome::unbounded:
          return true;
        case LinearProgramOutcome::optimal:
          break;
        default:
          return false;
      }
      for (std::size_t j = 0; j < direction.size(); ++j) {
        ends[side] += direction[j] * simplex_.x()[j];
        most = std::max(most, std::abs(direction[j] * simplex_.x()[j]));
      }
    }
    return ends[0] - ends[1] > kSameTolerance * std::max(most, measure_.unit);
  }

  const AccelerationProblem& problem_;
  PolyhedralLcp& form_;
  Measure measure_{problem_};
  std::vector<double> p_;
  std::vector<int> basic_;
  LinearProgram program_;
  SimplexMethod simplex_;
  std::vector<double> forces_, accelerations_;  // general directions of them, by unknown
};

SolutionCount count_of(const SolutionCountResult& found, bool complete) {
  const auto& solutions = found.solutions;
  if (solutions.size() > 1) return SolutionCount::several;
  if (!solutions.empty() && solutions.front().motion_varies) return SolutionCount::several;
  if (!complete) return SolutionCount::unknown;
  if (solutions.empty()) return SolutionCount::none;
  return solutions.front().forces_vary ? SolutionCount::several_forces : SolutionCount::one;
}

}  // namespace

std::string_view to_string(SolutionCount count) {
  switch (count) {
    case SolutionCount::unknown:
      return "unknown";
    case SolutionCount::none:
      return "none";
    case SolutionCount::one:
      return "one";
    case SolutionCount::several_forces:
      return "one motion, several forces";
    case SolutionCount::several:
      return "several";
  }
  return "?";
}

SolutionCountResult count_solutions(const AccelerationProblem& problem) {
  SolutionCountResult result;
  const ContactProblem reduced = reduced_problem(problem);
  int unknowns = 0;
  for (int c = 0; c < reduced.contacts; ++c) unknowns += unknowns_of(reduced, c);
  if (!PolyhedralLcp::unsupported_reason(reduced).empty()) {
    result.reason = "a rolling contact has round friction";
    return result;
  }
  if (unknowns > kMaxCountedUnknowns) {
    result.reason = "too many contacts";
    return result;
  }
  BlockMatrix W = reduced.W;
  DelassusScratch scratch;
  if (reduced.primal()) compute_delassus(reduced, W, scratch);
  PolyhedralLcp form;
  form.formulate(reduced, W);
  const Enumeration enumeration = Enumerator().enumerate(form.lcp());
  const Measure measure(problem);
  BasisPolyhedron polyhedron(problem, form, reduced.rows());
  std::vector<double> p(reduced.rows());
  for (const ComplementarySolution& basis : enumeration.solutions) {
    form.impulses(basis.z, p);
    AccelerationSolution solution = solution_of(problem, p);
    bool forces_vary = false, motion_varies = false;
    if (!basis.isolated) {  // the family may only split friction differently among directions
      polyhedron.set(basis.alpha);
      forces_vary = polyhedron.forces_vary();
      motion_varies = forces_vary && polyhedron.accelerations_vary();
    }
    const auto same = std::ranges::find_if(result.solutions, [&](const CountedSolution& other) {
      return measure.same_accelerations(solution, other.solution);
    });
    if (same == result.solutions.end()) {
      result.solutions.push_back({std::move(solution), forces_vary, motion_varies});
    } else {
      same->forces_vary |= forces_vary || !measure.same_forces(solution.c, same->solution.c);
      same->motion_varies |= motion_varies;
    }
  }
  result.count = count_of(result, enumeration.complete);
  if (result.count == SolutionCount::unknown) result.reason = "too near to call";
  return result;
}

}  // namespace pawl
