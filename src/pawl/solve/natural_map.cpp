#include <pawl/solve/natural_map.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl {
namespace {

/// figure := max(figure, value), and no number is the worst of all: std::max would lose it.
void worsen(double& figure, double value) {
  if (!(value <= figure)) figure = std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

}  // namespace

FrictionVector friction_part(const double* rows, int n) {
  FrictionVector part{};
  std::copy_n(rows + 1, n - 1, part.begin());
  return part;
}

double contact_error(const FrictionSet& set, int n, const double* x, const double* w) {
  double error = 0;
  worsen(error, x[0] < w[0] ? std::abs(x[0]) : std::abs(w[0]));
  for (int r = 0; r < n; ++r) {  // sets of 0 or with corners have a nearest point even to what is no number
    if (std::isnan(x[r]) || std::isnan(w[r])) worsen(error, std::numeric_limits<double>::quiet_NaN());
  }
  if (n == 1) return error;
  const FrictionVector x_f = friction_part(x, n), w_f = friction_part(w, n);
  const FrictionVector nearest =
      set.frictionless()
          ? FrictionVector{}
          : project(set, {x_f[0] - w_f[0], x_f[1] - w_f[1], x_f[2] - w_f[2]}, set.mu * std::max(x[0], 0.0));
  for (int i = 0; i < 3; ++i) worsen(error, std::abs(x_f[i] - nearest[i]));
  return error;
}

double natural_map(const ScaledProblem& problem, std::span<const double> x, std::span<const double> w) {
  double worst = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    const int begin = problem.begin(i), n = problem.size_of(i);
    if (i < problem.contacts()) {
      worsen(worst, contact_error(problem.friction(i), n, x.data() + begin, w.data() + begin));
    } else {
      for (int r = begin; r < begin + n; ++r) worsen(worst, std::abs(w[r]));
    }
  }
  return worst;
}

}  // namespace pawl
