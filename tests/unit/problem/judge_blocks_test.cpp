// judge() on all kinds of blocks: contacts of 1 to 4 rows, all friction sets, bilateral rows.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <limits>

#include <pawl/problem/delassus.h>
#include <pawl/residual.h>

#include "random.h"

namespace pawl::internal {
namespace judge_blocks_test {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;

const FrictionPolyhedron& polyhedron_for(int friction_rows) {
  static const FrictionPolyhedron made[] = {
      FrictionPolyhedron::regular(2), FrictionPolyhedron::regular(8),
      FrictionPolyhedron(
          {{1, 0, 0.5}, {-1, 0, 0.4}, {0, 1, -0.5}, {0, -1, -0.6}, {0.5, 0.5, 1}, {0, 0, -1}})};
  return made[friction_rows - 1];
}

enum class State { separating, sticking, sliding };

/// Prescribed final state of a contact, scaled by the radii.
struct Contact {
  FrictionSet set;
  int friction_rows = 0;
  State state = State::sliding;
  double zeta = 0, p_n = 0, u_n = 0;  // u_n includes ζ
  FrictionVector p_f{}, u_f{};
};

FrictionVector random_friction(Random& random, int rows) {
  FrictionVector x{};
  for (int i = 0; i < rows; ++i) x[i] = random.uniform(-1, 1);
  return x;
}

/// The impulse of F(1) with maximum dissipation.
FrictionVector max_dissipation_impulse(const FrictionSet& set, const FrictionVector& u) {
  const double slip = set.kind == FrictionKind::mixed ? std::hypot(u[0], u[1]) : std::hypot(u[0], u[1], u[2]);
  switch (set.kind) {
    case FrictionKind::none:
      return {};
    case FrictionKind::ellipsoid:
      return {-u[0] / slip, -u[1] / slip, -u[2] / slip};
    case FrictionKind::mixed:
      return {-u[0] / slip, -u[1] / slip, u[2] == 0 ? 0 : std::copysign(1.0, -u[2])};
    case FrictionKind::polyhedron:
      break;
  }
  FrictionVector best{};
  double most = -1;
  for (const FrictionVector& d : set.polyhedron->directions()) {
    const double work = -(d[0] * u[0] + d[1] * u[1] + d[2] * u[2]);
    if (work > most) most = work, best = d;
  }
  return best;
}

/// A contact that satisfies all laws.
Contact make_consistent_contact(Random& random, FrictionKind kind, int friction_rows, State state) {
  Contact contact;
  contact.friction_rows = friction_rows;
  contact.state = state;
  contact.set = {kind, random.uniform(0.2, 0.9), {}, nullptr};
  for (double& e : contact.set.radii) e = random.magnitude(0.1, 2);
  if (kind == FrictionKind::polyhedron) contact.set.polyhedron = &polyhedron_for(friction_rows);
  contact.zeta = random.uniform(-0.5, 0.5);
  contact.u_f = random_friction(random, friction_rows);
  if (state == State::separating) {
    contact.u_n = random.uniform(0.1, 1);
    return contact;
  }
  contact.p_n = random.uniform(0.5, 2);
  if (contact.set.frictionless() || friction_rows == 0) return contact;
  const double radius = contact.set.mu * contact.p_n;
  contact.p_f = max_dissipation_impulse(contact.set, contact.u_f);
  for (double& entry : contact.p_f) entry *= radius;
  if (state == State::sticking) {
    for (double& entry : contact.p_f) entry *= 0.5;
    contact.u_f = {};
  }
  return contact;
}

struct SolvedProblem {
  ContactProblem problem;
  std::vector<double> p;
};

/// Bodies, J and v_free that give the prescribed p and u, and velocities `drift` on the bilateral rows, two
/// blocks of 1 and 3.
SolvedProblem make_solved_problem(Random& random, const std::vector<Contact>& contacts, double drift = 0) {
  SolvedProblem made;
  ContactProblem& problem = made.problem;
  problem.contacts = static_cast<int>(contacts.size());
  std::vector<double> u;
  for (const Contact& contact : contacts) {
    problem.begin.push_back(problem.rows() + 1 + contact.friction_rows);
    problem.zeta.push_back(contact.zeta);
    problem.friction.push_back(contact.set);
    made.p.push_back(contact.p_n);
    u.push_back(contact.u_n - contact.zeta);
    for (int i = 0; i < contact.friction_rows; ++i) {
      made.p.push_back(contact.set.radii[i] * contact.p_f[i]);
      u.push_back(contact.u_f[i] / contact.set.radii[i]);
    }
  }
  for (const int rows : {1, 3}) {
    problem.begin.push_back(problem.rows() + rows);
    for (int i = 0; i < rows; ++i) {
      made.p.push_back(random.uniform(-1, 1));
      u.push_back(drift);
    }
  }

  PrimalData& motion = problem.motion;
  const int rows = problem.rows();
  int dofs = 0;
  while (dofs < 2 * rows) {
    const int size = random.integer(2, 7);
    motion.mass_blocks.push_back({dofs, size, static_cast<int>(motion.mass.size())});
    const Matrix A = Matrix::NullaryExpr(size, size, [&] { return random.uniform(-1, 1); });
    const Matrix M = A * A.transpose() + Matrix::Identity(size, size);
    const Matrix L = M.llt().matrixL();
    motion.mass.insert(motion.mass.end(), M.data(), M.data() + M.size());
    motion.factor.insert(motion.factor.end(), L.data(), L.data() + L.size());
    dofs += size;
  }
  Matrix J(rows, dofs);
  for (int i = 0; i < problem.blocks(); ++i) {
    for (int m = 0; m < static_cast<int>(motion.mass_blocks.size()); ++m) {
      const auto& mass = motion.mass_blocks[m];
      motion.jacobian_blocks.push_back({i, m, static_cast<int>(motion.jacobian.size())});
      for (int r = problem.begin[i]; r < problem.begin[i + 1]; ++r) {
        for (int k = 0; k < mass.size; ++k) {
          motion.jacobian.push_back(J(r, mass.begin + k) = random.uniform(-1, 1));
        }
      }
    }
  }
  // v⁺ such that J v⁺ = u, and v_free = v⁺ - M⁻¹ Jᵀ p.
  const Vector v = J.completeOrthogonalDecomposition().solve(Eigen::Map<const Vector>(u.data(), rows));
  motion.v_free.assign(dofs, 0.0);
  std::vector<double> change(dofs);
  velocity_after(problem, made.p, change);
  for (int i = 0; i < dofs; ++i) motion.v_free[i] = v[i] - change[i];
  set_free_velocities(problem);
  return made;
}

ContactProblem delassus_form(ContactProblem problem) {
  DelassusScratch scratch;
  compute_delassus(problem, problem.W, scratch);
  problem.motion = {};
  return problem;
}

Residual residual_of(const ContactProblem& problem, std::span<const double> p) {
  std::vector<double> u(problem.rows()), v_next(problem.motion.v_free.size());
  JudgeScratch scratch;
  return judge(problem, p, u, v_next, scratch);
}

void expect_exact(const Residual& r) {
  for (const double figure : {r.natural_map, r.cone_map, r.momentum, r.bilateral, r.penetration_rate,
                              r.tension, r.complementarity, r.friction_excess, r.work_defect}) {
    EXPECT_LE(figure, kRounding);
  }
}

const FrictionKind kKinds[] = {FrictionKind::none, FrictionKind::ellipsoid, FrictionKind::mixed,
                               FrictionKind::polyhedron};

FrictionKind random_kind(Random& random, int friction_rows) {
  return friction_rows == 0 ? FrictionKind::none : kKinds[random.integer(0, 3)];
}

std::vector<Contact> random_contacts(Random& random) {
  std::vector<Contact> contacts;
  for (int i = random.integer(1, 6); i > 0; --i) {
    const int friction_rows = random.integer(0, 3);
    contacts.push_back(make_consistent_contact(random, random_kind(random, friction_rows), friction_rows,
                                               static_cast<State>(random.integer(0, 2))));
  }
  return contacts;
}

TEST(JudgeBlocks, FindNothingWhereEveryLawHolds) {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    const auto [problem, p] = make_solved_problem(random, random_contacts(random));
    expect_exact(residual_of(problem, p));
    expect_exact(residual_of(delassus_form(problem), p));
  }
}

/// One contact of each kind in the given state, violated by `harm`, among lawful ones. In primal and in
/// Delassus form.
void for_each_broken_contact(std::uint64_t seed, State state, const std::function<void(Contact&)>& harm,
                             const std::function<void(const Contact&, const Residual&)>& expect) {
  Random random(seed);
  for (int trial = 0; trial < 60; ++trial) {
    for (const FrictionKind kind : kKinds) {
      SCOPED_TRACE(static_cast<int>(kind));
      std::vector<Contact> contacts = random_contacts(random);
      const int friction_rows = random.integer(kind == FrictionKind::none ? 0 : 1, 3);
      contacts.push_back(make_consistent_contact(random, kind, friction_rows, state));
      harm(contacts.back());
      const auto [problem, p] = make_solved_problem(random, contacts);
      for (const Residual& r : {residual_of(problem, p), residual_of(delassus_form(problem), p)}) {
        EXPECT_GT(r.natural_map, 1e-5);
        if (contacts.back().set.kind == FrictionKind::ellipsoid || contacts.back().set.frictionless()) {
          EXPECT_GT(r.cone_map, 1e-6);
        }
        EXPECT_LE(r.momentum, kRounding);
        EXPECT_LE(r.bilateral, kRounding);
        expect(contacts.back(), r);
      }
    }
  }
}

TEST(JudgeBlocks, SeePenetration) {
  for_each_broken_contact(
      2, State::sticking, [](Contact& contact) { contact.u_n = -0.01; },
      [](const Contact&, const Residual& r) {
        EXPECT_NEAR(r.penetration_rate, 0.01, kRounding);
        EXPECT_LE(r.tension, 0);
      });
}

TEST(JudgeBlocks, SeeTension) {
  for_each_broken_contact(
      3, State::separating, [](Contact& contact) { contact.p_n = -0.01; },
      [](const Contact& contact, const Residual& r) {
        EXPECT_EQ(r.tension, 0.01);
        EXPECT_NEAR(r.complementarity, 0.01 * contact.u_n, kRounding);
      });
}

TEST(JudgeBlocks, SeeAnImpulseWhereAContactSeparates) {
  for_each_broken_contact(
      4, State::sticking, [](Contact& contact) { contact.u_n = 0.02; },
      [](const Contact& contact, const Residual& r) {
        EXPECT_NEAR(r.complementarity, 0.02 * contact.p_n, kRounding);
      });
}

TEST(JudgeBlocks, SeeFrictionOutsideItsSetByItsDistance) {
  for_each_broken_contact(
      5, State::sliding,
      [](Contact& contact) {
        if (contact.set.frictionless() && contact.friction_rows == 0) contact.friction_rows = 1;
        if (contact.set.frictionless()) {
          contact.p_f[0] = 0.03;
        } else {
          for (double& entry : contact.p_f) entry *= 1.25;
        }
      },
      [](const Contact& contact, const Residual& r) {
        const double length = std::hypot(contact.p_f[0], contact.p_f[1], contact.p_f[2]);
        if (contact.set.frictionless()) {
          EXPECT_NEAR(r.friction_excess, 0.03, kRounding);
        } else if (contact.set.kind == FrictionKind::polyhedron) {  // a corner may not be the nearest point
          EXPECT_GT(r.friction_excess, 0.01 * length);
          EXPECT_LE(r.friction_excess, length * 0.2 + kRounding);
        } else {
          EXPECT_NEAR(r.friction_excess, length * 0.2, kRounding);
        }
      });
}

TEST(JudgeBlocks, SeeFrictionThatDoesNotDissipateMaximally) {
  for_each_broken_contact(
      6, State::sliding,
      [](Contact& contact) {
        if (contact.set.frictionless()) {
          contact.u_n = 0.5;  // no friction to violate: violate the normal law instead
        } else {
          contact.p_f = {};
        }
      },
      [](const Contact& contact, const Residual& r) {
        if (contact.set.frictionless()) return;
        const FrictionVector best = max_dissipation_impulse(contact.set, contact.u_f);
        double work = 0;
        for (int i = 0; i < 3; ++i) work -= best[i] * contact.u_f[i];
        EXPECT_NEAR(r.work_defect, contact.set.mu * contact.p_n * work, kRounding);
      });
}

TEST(JudgeBlocks, SeeSpinFrictionThatDoesPositiveWork) {
  Random random(7);
  for (int trial = 0; trial < 50; ++trial) {
    for (const FrictionKind kind : {FrictionKind::ellipsoid, FrictionKind::mixed}) {
      Contact contact = make_consistent_contact(random, kind, 3, State::sliding);
      contact.p_f = {0, 0, std::copysign(contact.set.mu * contact.p_n, contact.u_f[2])};
      const auto [problem, p] = make_solved_problem(random, {contact});
      for (const Residual& r : {residual_of(problem, p), residual_of(delassus_form(problem), p)}) {
        EXPECT_NEAR(r.energy_gain, std::abs(contact.p_f[2] * contact.u_f[2]), kRounding);
        EXPECT_LE(r.friction_excess, kRounding);
        EXPECT_GT(r.work_defect, r.energy_gain);
        EXPECT_GT(r.natural_map, 1e-3);
      }
    }
  }
}

TEST(JudgeBlocks, SeeBilateralRowsThatMove) {
  Random random(8);
  for (int trial = 0; trial < 100; ++trial) {
    const auto [problem, p] = make_solved_problem(random, random_contacts(random), 1e-3);
    for (const Residual& r : {residual_of(problem, p), residual_of(delassus_form(problem), p)}) {
      EXPECT_GT(r.bilateral, 1e-6);
      EXPECT_LT(r.bilateral, 1);
      EXPECT_LE(r.natural_map, kRounding);
      EXPECT_FALSE(r.within(1e-7));
    }
  }
}

TEST(JudgeBlocks, MeasureABilateralBlockByWhatItWouldMoveAtFreely) {
  // A mass on a rail at 4 m/s, stopped up to one percent.
  ContactProblem problem;
  problem.begin = {0, 1};
  problem.b = {4};
  problem.W = to_block_matrix({0, 1}, std::vector{0.5});
  EXPECT_NEAR(residual_of(problem, std::vector{-7.92}).bilateral, 0.01, kRounding);
  EXPECT_EQ(residual_of(problem, std::vector{-7.92}).natural_map, 0);
}

/// A body that one joint row stops along y. Another row holds it along x and carries no load.
TEST(JudgeBlocks, MeasureAJointThatHasNothingToHoldByTheMotionOfItsBodies) {
  ContactProblem problem;
  problem.begin = {0, 1, 2};
  PrimalData& motion = problem.motion;
  motion.mass_blocks = {{0, 2, 0}};
  motion.mass = motion.factor = {1, 0, 0, 1};
  motion.jacobian_blocks = {{0, 0, 0}, {1, 0, 2}};
  motion.jacobian = {1, 0, 0, 1};
  motion.v_free = {0, -1};
  set_free_velocities(problem);
  const auto bilateral = [&](double idle) {
    return residual_of(problem, std::vector<double>{idle, 1}).bilateral;
  };
  EXPECT_NEAR(bilateral(1e-13), 1e-13, 1e-15);  // rounding of the other row, not a violation
  EXPECT_NEAR(bilateral(1e-6), 1e-6, 1e-8);
}

TEST(JudgeBlocks, PrimalAndDelassusFormAreJudgedAlike) {
  Random random(9);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    std::vector<Contact> contacts = random_contacts(random);
    for (Contact& contact : contacts) {
      contact.zeta = -1e3;  // dominates, so that both forms use it as the scale of every contact
      contact.u_n += random.uniform(-0.1, 0.1);
      contact.p_n += random.uniform(0.1, 0.2);
      for (int i = 0; i < contact.friction_rows; ++i) contact.p_f[i] += random.uniform(-0.1, 0.1);
    }
    const auto [problem, p] = make_solved_problem(random, contacts, 0.1);
    const Residual primal = residual_of(problem, p), plain = residual_of(delassus_form(problem), p);
    EXPECT_GT(primal.natural_map, 1e-7);
    EXPECT_NEAR(plain.natural_map, primal.natural_map, 1e-11 * (1 + primal.natural_map));
    EXPECT_NEAR(plain.cone_map, primal.cone_map, 1e-12);
    EXPECT_NEAR(plain.penetration_rate, primal.penetration_rate, 1e-10);
    EXPECT_NEAR(plain.friction_excess, primal.friction_excess, 1e-12);
    EXPECT_NEAR(plain.work_defect, primal.work_defect, 1e-10);
    EXPECT_EQ(plain.tension, primal.tension);
  }
}

TEST(JudgeBlocks, SeeThatAHeavyBodyFallsOntoALightOne) {
  // A mass of 1e6 on a mass of 1, at rest under gravity: Judge.SeesThatAHeavyBodyFallsOntoALightOne in primal
  // form.
  ContactProblem problem;
  problem.contacts = 2;
  problem.begin = {0, 1, 2};
  problem.zeta = {0, 0};
  problem.friction.resize(2);
  problem.motion.mass_blocks = {{0, 1, 0}, {1, 1, 1}};
  problem.motion.mass = {1, 1e6};
  problem.motion.factor = {1, 1e3};
  problem.motion.jacobian_blocks = {{0, 0, 0}, {1, 0, 1}, {1, 1, 2}};
  problem.motion.jacobian = {1, -1, 1};
  problem.motion.v_free = {-0.1, -0.1};
  set_free_velocities(problem);
  const auto stacked = [](double fraction) {
    const double heavy = 0.1e6 * (1 - fraction);
    return std::vector<double>{heavy + 0.1 * (1 - fraction), heavy};
  };
  EXPECT_LE(residual_of(problem, stacked(0)).natural_map, 1e-9);
  EXPECT_NEAR(residual_of(problem, stacked(1e-3)).natural_map, 1e-3, 1e-6);
  const double heavy = 0.1e6 * (1 - 1e-3);
  EXPECT_NEAR(residual_of(problem, std::vector{heavy + 0.1, heavy}).natural_map, 1e-3, 1e-6);
}

TEST(JudgeBlocks, TheConeMapIsTheFormulaOfItsDefinition) {
  ContactProblem problem;
  problem.contacts = 1;
  problem.begin = {0, 3};
  problem.b = {-1.5, 2, 0};
  problem.zeta = {0.5};
  problem.friction = {{.kind = FrictionKind::ellipsoid, .mu = 0.5}};
  problem.W = to_block_matrix(problem.begin, std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  // u = (-0.5, 2, 0) + ζ: p - (u + ζ + μ |u_f| n) = (0, -2, 0), whose nearest point in the cone is (0.8,
  // -0.4, 0).
  const double expected = std::hypot(0.2, 0.4) / std::hypot(1, 2);
  EXPECT_NEAR(residual_of(problem, std::vector{1.0, 0.0, 0.0}).cone_map, expected, 1e-15);
  // The same contact with a different radius along t: p_t = e p̂_t, u_t = û_t / e, W_tt = Ŵ_tt / e².
  problem.friction[0].radii[0] = 4;
  problem.b[1] = 0.5;
  problem.W = to_block_matrix(problem.begin, std::vector<double>{1, 0, 0, 0, 1.0 / 16, 0, 0, 0, 1});
  EXPECT_NEAR(residual_of(problem, std::vector{1.0, 0.0, 0.0}).cone_map, expected, 1e-15);
  // Not defined for polyhedra.
  problem.friction[0] = {FrictionKind::polyhedron, 0.5, {1, 1, 1}, &polyhedron_for(2)};
  EXPECT_EQ(residual_of(problem, std::vector{1.0, 0.0, 0.0}).cone_map, 0);
}

TEST(JudgeBlocks, DoNotDependOnTheUnitOfLength) {
  // The unit of length only changes e_r and the spin row.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const FrictionKind kind : kKinds) {
      const auto residual_in = [&](double metre) {
        Random random(seed);
        Contact contact = make_consistent_contact(random, kind, 3, State::sliding);
        for (double& entry : contact.p_f) entry *= 1.1;
        contact.u_n += 0.01;
        auto [problem, p] = make_solved_problem(random, {contact});
        // Velocities, impulses and masses are unchanged, but the spin row is in rad/s.
        problem.friction[0].radii[2] *= metre;
        p[3] *= metre;
        for (auto& block : problem.motion.jacobian_blocks) {
          const int size = problem.motion.mass_blocks[block.mass_block].size;
          if (block.block != 0) continue;
          for (int k = 0; k < size; ++k) problem.motion.jacobian[block.offset + 3 * size + k] /= metre;
        }
        set_free_velocities(problem);
        return std::array{residual_of(problem, p), residual_of(delassus_form(problem), p)};
      };
      const auto plain = residual_in(1), scaled = residual_in(1e3);
      for (int i = 0; i < 2; ++i) {
        EXPECT_GT(plain[i].natural_map, 1e-6);
        EXPECT_NEAR(scaled[i].natural_map, plain[i].natural_map, 1e-11);
        EXPECT_NEAR(scaled[i].cone_map, plain[i].cone_map, 1e-11);
      }
    }
  }
}

TEST(JudgeBlocks, CertifyNothingThatIsNotFinite) {
  Random random(10);
  std::vector<Contact> contacts;
  for (const FrictionKind kind : kKinds)
    contacts.push_back(make_consistent_contact(random, kind, 3, State::sliding));
  contacts.push_back(make_consistent_contact(random, FrictionKind::none, 0, State::separating));
  const auto [good, p] = make_solved_problem(random, contacts);
  const ContactProblem plain = delassus_form(good);
  for (const double bad : {std::nan(""), kInfinity, -kInfinity}) {
    for (const std::size_t i : {0, 5, 20}) {
      std::vector<double> wrong = p;
      wrong[i] = bad;
      EXPECT_EQ(residual_of(good, wrong).natural_map, kInfinity);
      EXPECT_EQ(residual_of(plain, wrong).natural_map, kInfinity);
      ContactProblem problem = plain;
      problem.b[i] = bad;
      EXPECT_EQ(residual_of(problem, p).natural_map, kInfinity);
    }
    for (std::size_t i = 0; i < plain.W.values.size(); i += 7) {
      ContactProblem problem = plain;
      problem.W.values[i] = bad;
      EXPECT_EQ(residual_of(problem, p).natural_map, kInfinity) << i;
      EXPECT_EQ(residual_of(problem, std::vector<double>(p.size(), 0.0)).natural_map, kInfinity) << i;
    }
    for (std::size_t i = 0; i < good.motion.jacobian.size(); i += 7) {
      ContactProblem problem = good;
      problem.motion.jacobian[i] = bad;
      EXPECT_EQ(residual_of(problem, p).natural_map, kInfinity) << i;
    }
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      ContactProblem problem = good;
      problem.zeta[c] = bad;
      EXPECT_EQ(residual_of(problem, p).natural_map, kInfinity);
      problem = good;
      problem.friction[c].mu = bad;
      EXPECT_EQ(residual_of(problem, p).natural_map, kInfinity);
      problem = good;
      problem.friction[c].radii[2] = bad;
      EXPECT_EQ(residual_of(problem, p).natural_map, kInfinity);
    }
  }
}

}  // namespace judge_blocks_test
}  // namespace pawl::internal
