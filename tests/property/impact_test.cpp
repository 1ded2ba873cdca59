// Closed form of planar impacts on mechanisms, against direct integration over the impulse and against the
// energies of the mechanisms. The integration shares no code with the closed form.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <pawl/impact.h>
#include <pawl/linalg/dense.h>
#include <unit/model/mechanisms.h>
#include <vectors/impact_oracle.h>

namespace pawl::internal {
namespace impact_test {

using testing::ImpactOracle;
using testing::OracleContact;
using testing::OracleImpact;
using testing::Random;

/// An impacting point of a mechanism: M [n × n], rows of J, generalised velocities u.
struct ImpactingMechanism {
  int n = 0;
  std::vector<double> M, J_n, J_t, u;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double kinetic_energy(const ImpactingMechanism& s, const std::vector<double>& u) {
  double sum = 0;
  for (int i = 0; i < s.n; ++i) {
    for (int j = 0; j < s.n; ++j) sum += 0.5 * u[i] * s.M[i * s.n + j] * u[j];
  }
  return sum;
}

/// Two bars above a floor [Morgan2011, figure 2.1 and (2.2)], r = 0.7 m, m = 1.3 kg.
ImpactingMechanism double_pendulum(Random& random) {
  const double r = 0.7, m = 1.3, pi = std::numbers::pi;
  const double q1 = random.uniform(-pi, pi), q2 = random.uniform(-pi, pi), c2 = std::cos(q2);
  ImpactingMechanism s{2, {}, {}, {}, random.numbers(2, 5)};
  s.M = {c2 + 5.0 / 3, c2 / 2 + 1.0 / 3, c2 / 2 + 1.0 / 3, 1.0 / 3};
  for (double& x : s.M) x *= m * r * r;
  s.J_t = {-r * (std::sin(q1) + std::sin(q1 + q2)), -r * std::sin(q1 + q2)};
  s.J_n = {r * (std::cos(q1) + std::cos(q1 + q2)), r * std::cos(q1 + q2)};
  return s;
}

/// A point of some body of a random planar tree impacts in a random direction.
ImpactingMechanism random_tree(Random& random) {
  const Model model = compile(testing::random_mechanism(random, Dimension::planar, 3 + random.below(6)));
  Kinematics k;
  position_kinematics(model, model.q_start, k);
  const Tree& tree = model.trees[random.below(static_cast<int>(model.trees.size()))];
  const int last = tree.body_begin + random.below(tree.body_end - tree.body_begin);
  const double angle = random.uniform(-3, 3);
  const Vec3 n{std::cos(angle), std::sin(angle), 0}, t{n.y, -n.x, 0};
  const Vec3 point = k.X_WB[last].p + Vec3{random.uniform(-1, 1), random.uniform(-1, 1), 0};
  ImpactingMechanism s{tree.nv, std::vector<double>(tree.nv * tree.nv), std::vector<double>(tree.nv, 0.0),
                       std::vector<double>(tree.nv, 0.0), random.numbers(tree.nv, 2)};
  DynamicsScratch scratch;
  mass_block(model, tree, k, scratch, s.M);
  for (int b = last; b > 0; b = model.bodies[b].parent) {
    for (int i = model.bodies[b].v_begin; i < model.bodies[b].v_begin + model.bodies[b].nv; ++i) {
      s.J_n[i - tree.v_begin] = dot(n, point_velocity(k.dofs[i], point));
      s.J_t[i - tree.v_begin] = dot(t, point_velocity(k.dofs[i], point));
    }
  }
  return s;
}

/// M⁻¹ j.
std::vector<double> response(const ImpactingMechanism& s, std::vector<double> j) {
  std::vector<double> L = s.M;
  EXPECT_TRUE(cholesky(L, s.n));
  solve_lower(L, s.n, j);
  solve_lower_transposed(L, s.n, j);
  return j;
}

OracleImpact integrate_directly(const PlanarContact& c) {
  OracleContact contact;
  contact.A = {{{c.a_nn, c.a_nt, 0}, {c.a_nt, c.a_tt, 0}, {0, 0, 1}}};
  contact.v = {c.v_n, c.v_t, 0};
  contact.mu = c.mu, contact.mu_static = c.mu_static, contact.e = c.e;
  return ImpactOracle(contact).solve();
}

TEST(PlanarImpactOfMechanisms, IsWhatDirectIntegrationFinds) {
  Random random(7);
  std::map<std::string, int> seen;
  double worst_v = 0, worst_p = 0, worst_energy = 0;
  int impacts = 0;
  for (int i = 0; impacts < 10000; ++i) {
    ImpactingMechanism s = i % 2 == 0 ? double_pendulum(random) : random_tree(random);
    const std::vector<double> L_n = response(s, s.J_n), L_t = response(s, s.J_t);
    if (dot(s.J_n, s.u) > 0) {
      for (double& x : s.u) x = -x;
    }
    PlanarContact c{.a_nn = dot(s.J_n, L_n),
                    .a_nt = dot(s.J_n, L_t),
                    .a_tt = dot(s.J_t, L_t),
                    .v_n = dot(s.J_n, s.u),
                    .v_t = dot(s.J_t, s.u)};
    c.mu = random.uniform(0, 1.5);
    c.mu_static = random.below(2) == 0 ? c.mu : c.mu * random.uniform(1, 1.5);
    c.e = random.below(5) == 0 ? random.below(2) : random.uniform(0, 1);
    // Skip nearly singular A, where impulses depend on rounding without bound; another test covers it.
    if (!(c.v_n < 0) || c.a_nn * c.a_tt - c.a_nt * c.a_nt < 1e-6 * c.a_nn * c.a_tt) continue;
    ++impacts;
    const PlanarImpact hit = planar_impact(c);
    ASSERT_EQ(hit.status, ImpactStatus::resolved) << i;
    const OracleImpact direct = integrate_directly(c);
    ASSERT_EQ(to_string(hit.path), direct.path) << i;
    ASSERT_EQ(to_string(hit.slip), direct.slip) << i;
    ++seen[direct.path];
    ++seen[direct.slip];
    seen["jam"] += hit.jam;
    const double speed = std::hypot(c.v_n, c.v_t), impulse = std::hypot(hit.p_n, hit.p_t);
    worst_v = std::max({worst_v, std::abs(hit.v_n - static_cast<double>(direct.v[0])) / speed,
                        std::abs(hit.v_t - static_cast<double>(direct.v[1])) / speed});
    worst_p = std::max({worst_p, std::abs(hit.p_n - static_cast<double>(direct.p[0])) / impulse,
                        std::abs(hit.p_t - static_cast<double>(direct.p[1])) / impulse});
    // Energy of the whole mechanism.
    std::vector<double> L = L_n, after = s.u;
    L.insert(L.end(), L_t.begin(), L_t.end());
    apply_impulse(L, std::array{hit.p_n, hit.p_t}, after);
    const double before_K = kinetic_energy(s, s.u), after_K = kinetic_energy(s, after);
    ASSERT_LE(after_K, before_K * (1 + 1e-12)) << i;
    ASSERT_LE(hit.history.end().E_f, 0) << i;
    const double change = hit.history.end().E_n + hit.history.end().E_f;
    worst_energy = std::max(worst_energy, std::abs(after_K - before_K - change) / before_K);
    ASSERT_NEAR(dot(s.J_n, after), hit.v_n, 1e-9 * speed) << i;
    if (c.e == 0) {
      ASSERT_EQ(hit.v_n, 0) << i;
    }
  }
  for (const auto& [what, count] : seen) {
    std::printf("%-22s %d\n", what.c_str(), count);
  }
  std::printf("worst of v %.1e, of p %.1e, of energy %.1e\n", worst_v, worst_p, worst_energy);
  EXPECT_LE(worst_v, 1e-8);
  EXPECT_LE(worst_p, 1e-8);
  EXPECT_LE(worst_energy, 1e-8);
  for (const char* what : {"stops-in-compression", "never-stops", "stops-in-expansion", "slides-through",
                           "stops-and-sticks", "stops-and-reverses", "jam"}) {
    EXPECT_GE(seen[what], 50) << what;
  }
}

}  // namespace impact_test
}  // namespace pawl::internal
