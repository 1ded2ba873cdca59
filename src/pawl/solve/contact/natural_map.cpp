#include <pawl/solve/contact/natural_map.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include <pawl/base/numeric_util.h>

namespace pawl::internal {

namespace {

FrictionVector project_friction(const FrictionSet& set, int n, const double* x, const double* w, double x_n) {
  if (set.frictionless()) return {};
  return project(set, minus(friction_components(x, n), friction_components(w, n)),
                 set.mu * std::max(x_n, 0.0));
}

}  // namespace

double contact_error(const FrictionSet& set, int n, const double* x, const double* w) {
  double error = 0;
  nan_max(error, x[0] < w[0] ? std::abs(x[0]) : std::abs(w[0]));
  // Check for NaN explicitly: projections on {0} and on polyhedra return finite points even for NaN.
  for (int r = 0; r < n; ++r) {
    if (std::isnan(x[r]) || std::isnan(w[r])) nan_max(error, std::numeric_limits<double>::quiet_NaN());
  }
  if (n == 1) return error;
  const FrictionVector x_f = friction_components(x, n);
  if (x[0] <= 0 && x_f == FrictionVector{}) return error;  // friction is 0, as required
  const FrictionVector nearest = project_friction(set, n, x, w, x[0]);
  for (int i = 0; i < 3; ++i) nan_max(error, std::abs(x_f[i] - nearest[i]));
  return error;
}

void project_on_constraints(const ScaledProblem& problem, std::span<const double> w, std::span<double> x) {
  assert(std::ssize(w) == problem.rows() && std::ssize(x) == problem.rows());
  for (int i = 0; i < problem.contacts(); ++i) {
    const int n = problem.size_of(i);
    double* own = x.data() + problem.begin(i);
    const double* velocity = w.data() + problem.begin(i);
    const double x_n = std::max(own[0] - velocity[0], 0.0);
    const FrictionVector x_f =
        n > 1 ? project_friction(problem.friction(i), n, own, velocity, x_n) : FrictionVector{};
    own[0] = x_n;
    std::copy_n(x_f.begin(), n - 1, own + 1);
  }
}

double natural_map(const ScaledProblem& problem, std::span<const double> x, std::span<const double> w) {
  assert(std::ssize(x) == problem.rows() && std::ssize(w) == problem.rows());
  double worst = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    if (i < problem.contacts()) {
      nan_max(worst, contact_error(problem.friction(i), n, x.data() + begin, w.data() + begin));
    } else {
      for (int r = begin; r < begin + n; ++r) nan_max(worst, std::abs(w[r]));
    }
  }
  return worst;
}

}  // namespace pawl::internal
