#include <pawl/model/coast.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/base/dense.h>

namespace pawl {
namespace {

constexpr int kMostIterations = 100;
constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
constexpr double kSolved = 1e-12;  // relative change, in the measure of M, below which rounding may end it

/// |Lᵀ x|, the root of xᵀ M x: one measure for rates of all units.
double measure(std::span<const double> L, int n, std::span<const double> x) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double row = 0;
    for (int k = i; k < n; ++k) row += L[k * n + i] * x[k];
    sum += row * row;
  }
  return std::sqrt(sum);
}

}  // namespace

void prepare(const Model& model, const Kinematics& placed, CoastScratch& scratch) {
  scratch.middle.X_WB = placed.X_WB;
  scratch.middle.dofs.resize(model.nv);
  scratch.middle.w.assign(model.bodies.size(), {});
  scratch.middle.c.assign(model.bodies.size(), {});
  scratch.q_middle.resize(model.nq);
}

bool coast(const Model& model, const Tree& tree, std::span<const double> q, std::span<const double> v,
           double h, DynamicsScratch& dynamics, CoastScratch& scratch, std::span<double> mean) {
  const int n = tree.nv;
  auto &L = scratch.mass, &change = scratch.forces;
  L.resize(n * n);
  change.resize(n);
  std::copy_n(v.begin() + tree.v_begin, n, mean.begin() + tree.v_begin);
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    integrate_tree(model, tree, q, mean, 0.5 * h, scratch.q_middle);
    place_and_move_tree(model, tree, scratch.q_middle, mean, scratch.middle);
    mass_block(model, tree, scratch.middle, dynamics, L);
    bias_forces(model, tree, scratch.middle, dynamics, change);
    if (!cholesky(L, n)) return false;
    solve_lower(L, n, change);
    solve_lower_transposed(L, n, change);
    const std::span<double> m = mean.subspan(tree.v_begin, n);
    for (int i = 0; i < n; ++i) change[i] = v[tree.v_begin + i] + 0.5 * h * change[i] - m[i];
    for (int i = 0; i < n; ++i) m[i] += change[i];
    const double size = measure(L, n, m), moved = measure(L, n, change);
    if (!std::isfinite(moved)) return false;
    // To rounding, where changes no longer shrink.
    if (moved <= kRounding * size || (moved >= last && moved <= kSolved * size)) return true;
    last = moved;
  }
  return false;
}

}  // namespace pawl
