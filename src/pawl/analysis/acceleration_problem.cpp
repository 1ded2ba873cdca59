#include <pawl/analysis.h>
#include <pawl/base/tolerances.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace pawl {

using namespace internal;

namespace {

/// From this distance, the nearest point of a set of size 1 is its support point.
constexpr double kFarDistance = 1e12;
constexpr double kZeroAcceleration =
    10 * tolerances::kSame;  // relative to the row's terms; smaller accelerations count as 0

/// y = Yᵀ c: the effect of the forces on the bodies.
std::vector<double> Yt_times(const AccelerationProblem& problem, std::span<const double> c) {
  std::vector<double> y(problem.rates, 0.0);
  for (int r = 0; r < problem.rows(); ++r) {
    for (int k = 0; k < problem.rates; ++k) y[k] += problem.Y[r * problem.rates + k] * c[r];
  }
  return y;
}

/// Scale of a row's acceleration: the sum of its terms.
double row_terms(const AccelerationProblem& problem, std::span<const double> c, int row) {
  double sum = std::abs(problem.b[row]);
  const double* Y_row = problem.Y.data() + row * problem.rates;
  for (int s = 0; s < problem.rows(); ++s) {
    double entry = 0;
    for (int k = 0; k < problem.rates; ++k) entry += Y_row[k] * problem.Y[s * problem.rates + k];
    sum += std::abs(entry * c[s]);
  }
  return sum;
}

ContactTransition transition_of(const AccelerationProblem& problem, int contact,
                                const AccelerationSolution& s) {
  const int n = problem.begin[contact];
  const auto Y_n = std::span(problem.Y).subspan(n * problem.rates, problem.rates);
  const double A_nn = std::inner_product(Y_n.begin(), Y_n.end(), Y_n.begin(), 0.0);
  // Up to rounding, a_n or c_n is 0.
  if (s.a[n] > A_nn * s.c[n] && s.a[n] > kZeroAcceleration * row_terms(problem, s.c, n))
    return ContactTransition::breaks;
  if (problem.sliding[contact] != 0) return ContactTransition::keeps_sliding;
  for (int r = n + 1; r < problem.begin[contact + 1]; ++r) {
    if (std::abs(s.a[r]) > kZeroAcceleration * row_terms(problem, s.c, r))
      return ContactTransition::starts_to_slide;
  }
  return ContactTransition::keeps_rolling;
}

/// True if c_n determines the friction by sliding.
bool slides(const AccelerationProblem& problem, int contact) {
  return problem.sliding[contact] != 0 && !problem.friction[contact].frictionless();
}

/// Rows of Y in the reduced problem.
std::vector<double> reduced_rows(const AccelerationProblem& problem, const ContactProblem& reduced) {
  std::vector<double> rows;
  for (int c = 0; c < reduced.contacts; ++c) {
    const auto first = problem.Y.begin() + problem.begin[c] * problem.rates;
    rows.insert(rows.end(), first, first + reduced.size_of(c) * problem.rates);
  }
  return rows;
}

/// W = Y Xᵀ of the kept rows. A row of X is the row of Y plus the friction caused by c_n.
void set_matrix(const AccelerationProblem& problem, ContactProblem& reduced) {
  const std::vector<double> Y = reduced_rows(problem, reduced);
  std::vector<double> X = Y;
  const int size = reduced.rows(), rates = problem.rates;
  for (int c = 0; c < reduced.contacts; ++c) {
    if (!slides(problem, c)) continue;
    double* combined = X.data() + reduced.begin[c] * rates;
    for (int r = 1; r < problem.size_of(c); ++r) {
      const double friction_ratio = problem.friction[c].mu * problem.direction[c][r - 1];
      const double* row = problem.Y.data() + (problem.begin[c] + r) * rates;
      for (int k = 0; k < rates; ++k) combined[k] += friction_ratio * row[k];
    }
  }
  std::vector<double> W(size * size, 0.0);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      for (int k = 0; k < rates; ++k) W[i * size + j] += Y[i * rates + k] * X[j * rates + k];
    }
  }
  reduced.W = to_block_matrix(reduced.begin, W);
}

/// Primal form with M = I in the coordinates Lᵀ v, which keeps the precision of light bodies between heavy
/// ones.
void set_motion(const AccelerationProblem& problem, ContactProblem& reduced) {
  PrimalData& motion = reduced.motion;
  const int rates = problem.rates;
  motion.mass_blocks = {{0, rates, 0}};
  motion.mass.assign(rates * rates, 0.0);
  for (int k = 0; k < rates; ++k) motion.mass[k * (rates + 1)] = 1;
  motion.factor = motion.mass;
  motion.v_free.assign(rates, 0.0);
  motion.shift = reduced.b;
  motion.jacobian = reduced_rows(problem, reduced);
  for (int c = 0; c < reduced.contacts; ++c)
    motion.jacobian_blocks.push_back({c, 0, reduced.begin[c] * rates});
}

}  // namespace

std::vector<double> acceleration_matrix(const AccelerationProblem& problem) {
  const int n = problem.rows(), m = problem.rates;
  std::vector<double> A(n * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k < m; ++k) sum += problem.Y[i * m + k] * problem.Y[j * m + k];
      A[i * n + j] = A[j * n + i] = sum;
    }
  }
  return A;
}

FrictionVector sliding_direction(const FrictionSet& set, const FrictionVector& velocity) {
  FrictionVector x{};
  for (int i = 0; i < 3; ++i) x[i] = -set.radii[i] * velocity[i];
  const double size = std::hypot(x[0], x[1], x[2]);
  for (double& entry : x) entry *= kFarDistance / size;
  FrictionVector direction = project(set, x, 1);
  for (int i = 0; i < 3; ++i) direction[i] *= set.radii[i];
  return direction;
}

ContactProblem reduced_problem(const AccelerationProblem& problem) {
  ContactProblem out;
  out.contacts = problem.contacts();
  out.zeta.assign(out.contacts, 0.0);
  bool any_slides = false;
  for (int c = 0; c < out.contacts; ++c) {
    const bool known = problem.friction_known(c);
    const int rows = known ? 1 : problem.size_of(c);
    const auto first = problem.b.begin() + problem.begin[c];
    out.b.insert(out.b.end(), first, first + rows);
    out.begin.push_back(out.begin.back() + rows);
    out.friction.push_back(known ? FrictionSet{} : problem.friction[c]);
    any_slides |= slides(problem, c);
  }
  if (any_slides) {
    set_matrix(problem, out);
  } else {
    set_motion(problem, out);
  }
  return out;
}

std::vector<double> all_forces(const AccelerationProblem& problem, std::span<const double> reduced) {
  assert(problem.contacts() == std::ssize(problem.friction));
  std::vector<double> c;
  for (int i = 0; i < problem.contacts(); ++i) {
    const double normal = reduced.front();
    const int given = problem.friction_known(i) ? 1 : problem.size_of(i);
    c.insert(c.end(), reduced.begin(), reduced.begin() + given);
    reduced = reduced.subspan(given);
    for (int r = given; r < problem.size_of(i); ++r) {
      c.push_back(slides(problem, i) ? problem.friction[i].mu * normal * problem.direction[i][r - 1] : 0.0);
    }
  }
  return c;
}

std::vector<double> accelerations(const AccelerationProblem& problem, std::span<const double> forces) {
  assert(std::ssize(forces) == problem.rows());
  const std::vector<double> y = Yt_times(problem, forces);
  std::vector<double> a = problem.b;
  for (int r = 0; r < problem.rows(); ++r) {
    for (int k = 0; k < problem.rates; ++k) a[r] += problem.Y[r * problem.rates + k] * y[k];
  }
  return a;
}

std::string_view to_string(ContactTransition transition) {
  switch (transition) {
    case ContactTransition::breaks:
      return "breaks";
    case ContactTransition::keeps_rolling:
      return "keeps rolling";
    case ContactTransition::starts_to_slide:
      return "starts to slide";
    case ContactTransition::keeps_sliding:
      return "keeps sliding";
  }
  return "?";
}

AccelerationSolution solution_of(const AccelerationProblem& problem, std::span<const double> reduced) {
  AccelerationSolution solution;
  solution.c = all_forces(problem, reduced);
  solution.a = accelerations(problem, solution.c);
  for (int c = 0; c < problem.contacts(); ++c)
    solution.transitions.push_back(transition_of(problem, c, solution));
  return solution;
}

}  // namespace pawl
