#include <pawl/model/force_free_step.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>

namespace pawl::internal {
namespace {

constexpr int kMaxIterations = 60;
// Substitution whose changes shrink less than this is replaced by Newton's method, with the Jacobian of one
// place until the changes shrink less than this again.
constexpr double kSlow = 0.1;
constexpr int kMaxJacobians = 6;
constexpr double kDifference = 1e-7;  // of the Jacobian, relative to the motion
constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
// Relative change in the M-norm below which stagnation counts as convergence.
constexpr double kConverged = tolerances::kIterated;

/// |Lᵀ x| = √(xᵀ M x), a norm for generalised velocities of mixed units.
double mass_norm(std::span<const double> L, int n, std::span<const double> x) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double row = 0;
    for (int k = i; k < n; ++k) row += L[k * n + i] * x[k];
    sum += row * row;
  }
  return std::sqrt(sum);
}

}  // namespace

void prepare(const Model& model, const Kinematics& kinematics, ForceFreeScratch& scratch) {
  scratch.middle.X_WB = kinematics.X_WB;
  scratch.middle.dofs.resize(model.nv);
  scratch.middle.w.assign(model.bodies.size(), {});
  scratch.middle.c.assign(model.bodies.size(), {});
  scratch.q_middle.resize(model.nq);
}

bool force_free_step(const Model& model, const Tree& tree, std::span<const double> q,
                     std::span<const double> v, double h, std::span<const double> L,
                     DynamicsScratch& dynamics, ForceFreeScratch& scratch, std::span<double> mean) {
  const int n = tree.nv;
  auto &a = scratch.a, &change = scratch.change;
  a.resize(n);
  change.resize(n);
  const std::span<double> m = mean.subspan(tree.v_begin, n);
  std::copy_n(v.begin() + tree.v_begin, n, m.begin());
  // to := g(m) = h/2 M⁻¹ (−M(q_mid) a − C m), with a = 2 (m − v)/h; M⁻¹ is taken at the start of the step.
  const auto evaluate = [&](std::span<double> to) {
    integrate_tree(model, tree, q, mean, 0.5 * h, scratch.q_middle);
    tree_kinematics(model, tree, scratch.q_middle, mean, scratch.middle);
    for (int i = 0; i < n; ++i) a[i] = (m[i] - v[tree.v_begin + i]) / (0.5 * h);
    inertial_forces(model, tree, scratch.middle, a, dynamics, to);
    solve_lower(L, n, to);
    solve_lower_transposed(L, n, to);
    for (int i = 0; i < n; ++i) to[i] *= 0.5 * h;
  };
  // The factors of −dg/dm at m, by differences from g(m) = change.
  const auto factorise = [&](double size) {
    scratch.jacobian.resize(n * n);
    scratch.moved_change.resize(n);
    scratch.pivot.resize(n);
    scratch.moved.assign(m.begin(), m.end());
    for (int k = 0; k < n; ++k) {
      double own = 0;  // √M_kk
      for (int i = 0; i <= k; ++i) own = std::hypot(own, L[k * n + i]);
      m[k] += kDifference * size / own;
      const double step = m[k] - scratch.moved[k];
      evaluate(scratch.moved_change);
      m[k] = scratch.moved[k];
      for (int i = 0; i < n; ++i) scratch.jacobian[i * n + k] = (change[i] - scratch.moved_change[i]) / step;
    }
    return lu(scratch.jacobian, n, scratch.pivot, tolerances::kPivot);
  };
  double last = std::numeric_limits<double>::infinity();
  int jacobians = 0;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    evaluate(change);
    const double size = mass_norm(L, n, m);
    // Substitution takes g(m) as the change, Newton's method −(dg/dm)⁻¹ g(m).
    if (jacobians > 0) lu_solve(scratch.jacobian, n, scratch.pivot, change);
    double change_norm = mass_norm(L, n, change);
    if (!std::isfinite(change_norm)) return false;
    const bool slow = change_norm > kSlow * last && change_norm > kConverged * size;
    if (slow && jacobians < kMaxJacobians) {
      evaluate(change);
      if (!factorise(size)) return false;
      ++jacobians;
      lu_solve(scratch.jacobian, n, scratch.pivot, change);
      change_norm = mass_norm(L, n, change);
      if (!std::isfinite(change_norm)) return false;
    }
    for (int i = 0; i < n; ++i) m[i] += change[i];
    // Converged to rounding: the changes no longer decrease.
    if (change_norm <= kRounding * size || (change_norm >= last && change_norm <= kConverged * size))
      return true;
    last = change_norm;
  }
  return false;
}

}  // namespace pawl::internal
