#include <pawl/analysis/self_stress.h>

#include <algorithm>
#include <cmath>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>
#include <pawl/linalg/linear_program.h>
#include <pawl/problem/friction_kinds.h>

namespace pawl::internal {
namespace {

constexpr int kRingPoints = 24;      // directions per ring
constexpr int kRings = 12;           // latitude steps from pole to pole
constexpr int kMaxColumns = 5000;    // of a linear program
constexpr int kPivotsPerColumn = 5;  // pivot limit; undecided beyond it
constexpr double kClear =
    tolerances::kSign;  // relative to the largest term; values below -kClear count as negative

/// Edges of one contact's cone: forces with c_n = 1, scaled to bring its rows of Y near 1.
void add_edges(const AccelerationProblem& problem, int contact, bool outer, int& columns,
               std::vector<double>& edges) {
  const int begin = problem.begin[contact], size = problem.size_of(contact);
  const FrictionSet& set = problem.friction[contact];
  const FrictionCorners corners = friction_corners(set, size - 1, kRingPoints, kRings);
  double largest = 0;
  for (int r = begin; r < begin + size; ++r) {
    const double radius = r == begin ? 1 : set.radii[r - begin - 1];
    for (int k = 0; k < problem.rates; ++k) {
      largest = std::max(largest, radius * std::abs(problem.Y[r * problem.rates + k]));
    }
  }
  const double scale = largest > 0 ? 1 / largest : 1;
  for (const FrictionVector& d : corners.points) {
    ++columns;
    edges.resize(columns * problem.rows(), 0.0);
    double* edge = edges.data() + (columns - 1) * problem.rows() + begin;
    edge[0] = scale;
    for (int i = 0; i + 1 < size; ++i) {
      edge[1 + i] = scale * set.mu * set.radii[i] * d[i] * (outer && corners.grows[i] ? corners.growth : 1);
    }
  }
}

/// Minimises (J̇ v) · c, relative to its largest term, over c in the cones with Jᵀ c = 0 and Σ x = 1. Returns
/// "no" if the minimum is negative; "yes" if it is not, or if there is no such c.
Verdict check_over_cones(const AccelerationProblem& problem, bool outer) {
  int columns = 0;
  std::vector<double> edges;
  for (int c = 0; c < problem.contacts(); ++c) add_edges(problem, c, outer, columns, edges);
  if (columns > kMaxColumns) return Verdict::undecided;
  LinearProgram program;
  program.rows = problem.rates + 1;
  program.columns = columns;
  program.A.assign(program.rows * columns, 0.0);
  program.b.assign(program.rows, 0.0);
  program.b.back() = 1;
  program.c.assign(columns, 0.0);
  program.free.assign(columns, 0);
  for (int j = 0; j < columns; ++j) {
    const double* edge = edges.data() + j * problem.rows();
    for (int r = 0; r < problem.rows(); ++r) {
      if (edge[r] == 0) continue;
      for (int k = 0; k < problem.rates; ++k) {
        program.A[k * columns + j] += edge[r] * problem.Y[r * problem.rates + k];
      }
      program.c[j] -= edge[r] * problem.velocity_terms[r];
    }
    program.A[problem.rates * columns + j] = 1;
  }
  const double unit = largest(program.c);
  if (unit == 0) return Verdict::yes;
  for (double& c : program.c) c /= unit;
  LinearProgramOptions options;
  options.pivots_per_column = kPivotsPerColumn;
  SimplexMethod simplex;
  switch (simplex.solve(program, options)) {
    case LinearProgramOutcome::infeasible:
      return Verdict::yes;
    case LinearProgramOutcome::optimal: {
      double most = 0;
      for (int j = 0; j < columns; ++j) most += program.c[j] * simplex.x()[j];
      return most > kClear ? Verdict::no : Verdict::yes;
    }
    default:
      return Verdict::undecided;
  }
}

}  // namespace

Verdict check_condition_B(const AccelerationProblem& problem) {
  if (largest(problem.velocity_terms) == 0) return Verdict::yes;
  if (check_over_cones(problem, true) == Verdict::yes) return Verdict::yes;
  if (check_over_cones(problem, false) == Verdict::no) return Verdict::no;
  return Verdict::undecided;
}

}  // namespace pawl::internal
