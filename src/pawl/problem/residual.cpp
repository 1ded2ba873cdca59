#include <pawl/problem/residual.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pawl {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool all_finite(std::span<const double> x) {
  return std::ranges::all_of(x, [](double value) { return std::isfinite(value); });
}

/// The balance of M (v⁺ - v_free) and Jᵀ p, row by row against the largest term of its block. The rows of a
/// block differ in unit (kg m/s, kg m²/s); divided by the root of their diagonal in M all are in √J.
double momentum_error(const MotionRows& motion, int dim, std::span<const double> p,
                      std::span<const double> v_next) {
  double worst_error = 0;
  for (std::size_t m = 0; m < motion.mass_blocks.size(); ++m) {
    const auto& mass = motion.mass_blocks[m];
    double largest = 0, error = 0;
    for (int i = 0; i < mass.size; ++i) {
      double balance = 0, terms = 0;
      for (int k = 0; k < mass.size; ++k) {
        const double M = motion.mass[mass.offset + i * mass.size + k];
        balance += M * (v_next[mass.begin + k] - motion.v_free[mass.begin + k]);
        terms += std::abs(M) * (std::abs(v_next[mass.begin + k]) + std::abs(motion.v_free[mass.begin + k]));
      }
      for (const auto& block : motion.jacobian_blocks) {
        if (block.mass_block != static_cast<int>(m)) continue;
        for (int r = 0; r < dim; ++r) {
          const double term = motion.jacobian[block.offset + r * mass.size + i] * p[block.contact * dim + r];
          balance -= term;
          terms += std::abs(term);
        }
      }
      const double root = std::sqrt(motion.mass[mass.offset + i * (mass.size + 1)]);
      if (!std::isfinite(terms / root)) return kInfinity;
      largest = std::max(largest, terms / root);
      error = std::max(error, std::abs(balance) / root);
    }
    if (largest > 0) worst_error = std::max(worst_error, error / largest);
  }
  return worst_error;
}

/// The largest velocity that a contact would have without impulse, ζ included where it acts.
double own_velocity(const ContactProblem& problem, std::span<const double> p, int contact) {
  const int first = contact * problem.dim;
  double size = p[first] > 0 ? std::abs(problem.zeta[contact]) : 0;
  for (int i = first; i < first + problem.dim; ++i) size = std::max(size, std::abs(problem.b[i]));
  return size;
}

/// What the velocities of a contact are measured by: its own, or what impulses elsewhere do to it, but no
/// more than the largest of the problem. Without that bound the terms of W p would do, and between a heavy
/// and a light body they are far larger than any velocity there is: an answer that lets the heavy one fall
/// would pass.
double velocity_size(const ContactProblem& problem, std::span<const double> p, int contact, double largest) {
  const int n = problem.rows(), first = contact * problem.dim;
  double pushed = 0;
  for (int i = first; i < first + problem.dim; ++i) {
    double terms = 0;
    for (int j = 0; j < n; ++j) terms += std::abs(problem.W[i * n + j] * p[j]);
    pushed = std::max(pushed, terms);
  }
  const double size = std::max(own_velocity(problem, p, contact), std::min(pushed, largest));
  return size > 0 ? size : largest > 0 ? largest : 1;
}

}  // namespace

Residual worst(const Residual& a, const Residual& b) {
  return {std::max(a.natural_map, b.natural_map),           std::max(a.momentum, b.momentum),
          std::max(a.penetration_rate, b.penetration_rate), std::max(a.tension, b.tension),
          std::max(a.complementarity, b.complementarity),   std::max(a.friction_excess, b.friction_excess),
          std::max(a.work_defect, b.work_defect),           std::max(a.energy_gain, b.energy_gain)};
}

Residual judge(const ContactProblem& problem, std::span<const double> p, std::span<double> u,
               std::span<double> v_next) {
  const int dim = problem.dim, n = problem.rows();
  Residual result;
  if (problem.motion.empty()) {
    for (int i = 0; i < n; ++i) {
      u[i] = problem.b[i];
      for (int j = 0; j < n; ++j) u[i] += problem.W[i * n + j] * p[j];
    }
  } else {
    velocity_after(problem.motion, dim, p, v_next);
    contact_velocity(problem.motion, dim, v_next, u);
    result.momentum = momentum_error(problem.motion, dim, p, v_next);
  }
  const bool friction_finite =
      std::ranges::all_of(problem.friction, [](const FrictionSet& set) { return std::isfinite(set.mu); });
  if (!all_finite(p) || !all_finite(u) || !all_finite(problem.b) || !all_finite(problem.zeta) ||
      !friction_finite) {
    result.natural_map = kInfinity;
    return result;
  }

  double u_largest = 0;
  for (int c = 0; c < problem.contacts; ++c) u_largest = std::max(u_largest, own_velocity(problem, p, c));
  for (int c = 0; c < problem.contacts; ++c) {
    const double u_size = velocity_size(problem, p, c, u_largest);
    const int first = c * dim;
    const double p_n = p[first], rate = u[first] + problem.zeta[c];
    // Divided by their sizes, velocities and impulses are numbers that can be mixed in the natural map. An
    // impulse is measured by the contact's own, at least by the one that stops u_size there.
    double diagonal = 0, largest = 0;
    for (int i = first; i < first + dim; ++i) {
      diagonal = std::max(diagonal, problem.W[i * n + i]);
      largest = std::max(largest, std::abs(p[i]));
    }
    const double p_size = std::max(largest, diagonal > 0 ? u_size / diagonal : u_size);
    double defect = std::abs(std::min(p_n / p_size, rate / u_size));

    const FrictionSet& set = problem.friction[c];
    const FrictionPolygon::Vec2 p_f{p[first + 1], dim > 2 ? p[first + 2] : 0};
    const FrictionPolygon::Vec2 u_f{u[first + 1], dim > 2 ? u[first + 2] : 0};
    const double length = std::hypot(p_f[0], p_f[1]);
    const double work = u_f[0] * p_f[0] + u_f[1] * p_f[1];
    if (set.frictionless()) {
      defect = std::max(defect, length / p_size);
      result.friction_excess = std::max(result.friction_excess, length);
    } else {
      const double radius = set.mu * std::max(p_n, 0.0);
      const FrictionPolygon::Vec2 part{p_f[0] / p_size, p_f[1] / p_size};
      const auto nearest =
          set.polygon->project({part[0] - u_f[0] / u_size, part[1] - u_f[1] / u_size}, radius / p_size);
      defect = std::max(defect, std::hypot(part[0] - nearest[0], part[1] - nearest[1]));
      const double gauge = set.polygon->gauge(p_f);
      if (gauge > radius) {
        result.friction_excess = std::max(result.friction_excess, length * (gauge - radius) / gauge);
      }
      const double most = radius * set.polygon->support({-u_f[0], -u_f[1]});
      result.work_defect = std::max(result.work_defect, most + work);
    }
    result.natural_map = std::max(result.natural_map, defect);
    result.penetration_rate = std::max(result.penetration_rate, -rate);
    result.tension = std::max(result.tension, -p_n);
    result.complementarity = std::max(result.complementarity, std::abs(p_n * rate));
    result.energy_gain = std::max(result.energy_gain, work);
  }
  return result;
}

}  // namespace pawl
