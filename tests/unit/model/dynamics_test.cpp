#include <gtest/gtest.h>

#include <algorithm>

#include <pawl/model/dynamics.h>
#include <unit/base/worst.h>
#include <unit/model/mechanisms.h>

namespace pawl::internal {
namespace dynamics_test {

using testing::derivative;
using testing::kinematics_after;
using testing::Random;
using testing::random_chain;
using testing::random_mechanism;
using testing::WorstValue;

constexpr int kSamples = 50;
using Numbers = std::vector<double>;

class DynamicsIn : public ::testing::TestWithParam<Dimension> {};
INSTANTIATE_TEST_SUITE_P(BothWorlds, DynamicsIn, ::testing::Values(Dimension::spatial, Dimension::planar),
                         [](const auto& world) { return std::string(to_string(world.param)); });

/// M as one dense matrix, zero between trees.
Numbers whole_mass_matrix(const Model& model, const Kinematics& k) {
  DynamicsScratch scratch;
  Numbers blocks(model.mass_size), M(model.nv * model.nv, 0.0);
  mass_matrix(model, k, scratch, blocks);
  for (const Tree& tree : model.trees) {
    for (int i = 0; i < tree.nv; ++i) {
      for (int j = 0; j < tree.nv; ++j) {
        M[(tree.v_begin + i) * model.nv + tree.v_begin + j] = blocks[tree.mass_begin + i * tree.nv + j];
      }
    }
  }
  return M;
}

struct Forces {
  Numbers conservative, applied, bias;
};
Forces forces_of(const Model& model, const Kinematics& k) {
  Forces f{Numbers(model.nv), Numbers(model.nv), Numbers(model.nv)};
  DynamicsScratch scratch;
  generalised_forces(model, k, {}, scratch, {f.conservative, f.applied});
  for (const Tree& tree : model.trees) {
    inertial_forces(model, tree, k, {}, scratch, std::span(f.bias).subspan(tree.v_begin, tree.nv));
  }
  return f;
}

double dot_product(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Vec3 spin_momentum(const Model& model, const Kinematics& k, std::size_t b) {
  const Mat3& R = k.X_WB[b].R;
  return R * (model.bodies[b].inertia_B * (transpose(R) * k.w[b]));
}

TEST_P(DynamicsIn, MassMatrixIsTheSumOverBodiesOfTheirJacobians) {
  Random random(1);
  WorstValue error("error"), asymmetry("asymmetry");
  for (int sample = 0; sample < kSamples; ++sample) {
    const Model model = compile(random_mechanism(random, GetParam()));
    const Numbers& q = model.q_start;
    const Numbers M = whole_mass_matrix(model, kinematics_after(model, q, model.v_start, 0));
    for (int i = 0; i < model.nv; ++i) {
      const Kinematics ki = kinematics_after(model, q, testing::unit_rate(model, i), 0);
      for (int j = 0; j < model.nv; ++j) {
        const Kinematics kj = kinematics_after(model, q, testing::unit_rate(model, j), 0);
        double m = 0;
        for (std::size_t b = 1; b < model.bodies.size(); ++b) {
          m += model.bodies[b].mass * dot(ki.c[b], kj.c[b]) + dot(ki.w[b], spin_momentum(model, kj, b));
        }
        error.add(M[i * model.nv + j] - m);
        asymmetry.add(M[i * model.nv + j] - M[j * model.nv + i]);
      }
    }
  }
  error.expect_at_most(2e-13);  // entries up to about 100
  asymmetry.expect_at_most(0);
}

TEST_P(DynamicsIn, KineticEnergyIsHalfOfVTransposeMV) {
  Random random(2);
  WorstValue error("relative error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const Model model = compile(random_mechanism(random, GetParam()));
    const Numbers v = random.numbers(model.nv);
    const Kinematics k = kinematics_after(model, model.q_start, v, 0);
    const Numbers M = whole_mass_matrix(model, k);
    double energy = 0;
    for (int i = 0; i < model.nv; ++i) {
      for (int j = 0; j < model.nv; ++j) energy += 0.5 * v[i] * M[i * model.nv + j] * v[j];
    }
    error.add(energy / kinetic_energy(model, k) - 1);
  }
  error.expect_at_most(1e-13);
}

TEST_P(DynamicsIn, ForcesOfInertiaAreTheMassMatrixTimesAccelerationsBesideTheBias) {
  Random random(11);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const Model model = compile(random_mechanism(random, GetParam()));
    const Numbers v = random.numbers(model.nv), a = random.numbers(model.nv);
    const Kinematics k = kinematics_after(model, model.q_start, v, 0);
    const Numbers M = whole_mass_matrix(model, k), bias = forces_of(model, k).bias;
    Numbers tau(model.nv);
    DynamicsScratch scratch;
    for (const Tree& tree : model.trees) {
      inertial_forces(model, tree, k, std::span(a).subspan(tree.v_begin, tree.nv), scratch,
                      std::span(tau).subspan(tree.v_begin, tree.nv));
    }
    for (int i = 0; i < model.nv; ++i) {
      error.add(tau[i] - bias[i] +
                dot_product({M.begin() + i * model.nv, M.begin() + (i + 1) * model.nv}, a));
    }
  }
  error.expect_at_most(1e-12);
}

TEST_P(DynamicsIn, BiasOfChainsIsThatOfLagrange) {
  Random random(3);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const Model model = compile(random_chain(random, GetParam()));
    const Numbers& q = model.q_start;
    const Numbers v = random.numbers(model.nv);
    const Numbers bias = forces_of(model, kinematics_after(model, q, v, 0)).bias;
    for (int i = 0; i < model.nv; ++i) {
      // At constant velocities d/dt ∂T/∂vᵢ − ∂T/∂qᵢ = −biasᵢ.
      const auto momentum_i = [&](double t) {
        const Numbers M = whole_mass_matrix(model, kinematics_after(model, q, v, t));
        return dot_product({M.begin() + i * model.nv, M.begin() + (i + 1) * model.nv}, v);
      };
      const auto energy = [&](double change) {
        Kinematics k = kinematics_after(model, q, testing::unit_rate(model, i), change);
        velocity_kinematics(model, v, k);
        return kinetic_energy(model, k);
      };
      error.add(bias[i] + derivative(momentum_i) - derivative(energy));
    }
  }
  error.expect_at_most(1e-8);  // h⁴ = 1e-12 times fifth derivatives of chains of five bodies
}

TEST_P(DynamicsIn, BiasOfAnyMechanismIsThatOfItsBodiesAccelerations) {
  Random random(4);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const Model model = compile(random_mechanism(random, GetParam()));
    const Numbers& q = model.q_start;
    const Numbers v = random.numbers(model.nv);
    const Numbers bias = forces_of(model, kinematics_after(model, q, v, 0)).bias;
    Numbers expected(model.nv, 0.0);
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
      // d'Alembert: at constant generalised velocities the change of the bodies' momenta is the bias.
      const Vec3 force =
          model.bodies[b].mass * derivative([&](double t) { return kinematics_after(model, q, v, t).c[b]; });
      const Vec3 torque =
          derivative([&](double t) { return spin_momentum(model, kinematics_after(model, q, v, t), b); });
      for (int i = 0; i < model.nv; ++i) {
        const Kinematics rate = kinematics_after(model, q, testing::unit_rate(model, i), 0);
        expected[i] -= dot(rate.c[b], force) + dot(rate.w[b], torque);
      }
    }
    error.add_difference(bias, expected);
  }
  error.expect_at_most(1e-8);
}

/// A random mechanism with four force elements of one kind between random bodies, the first to the world. No
/// two ends are close, where the curvature of the potential would be too large for the differences.
Model mechanism_with_forces(Random& random, Dimension dimension, ForceKind kind) {
  const bool planar = dimension == Dimension::planar;
  const auto vec = [&](double size) {
    const Vec3 p = random.vec(size);
    return planar ? Vec3{p.x, p.y, 0} : p;
  };
  while (true) {
    Scene scene = random_mechanism(random, dimension);
    const int bodies = static_cast<int>(scene.bodies.size());
    for (int i = 0; i < 4; ++i) {
      SceneForce& force = scene.forces.emplace_back();
      force.kind = kind;
      force.from = {scene.bodies[i == 0 ? 0 : random.below(bodies)].name, vec(1)};
      force.to = {i == 0 ? "world" : scene.bodies[random.below(bodies)].name, vec(1)};
      force.stiffness = random.uniform(1, 100);
      force.rest_length = random.uniform(0, 2);
      force.damping = random.uniform(1, 10);
      force.force = vec(10);
      force.torque = planar ? Vec3{0, 0, random.uniform(-10, 10)} : random.vec(10);
      force.in_body_frame = random.below(2) == 1;
    }
    const Model model = compile(scene);
    const Kinematics k = kinematics_after(model, model.q_start, model.v_start, 0);
    const bool apart = std::ranges::all_of(model.forces, [&](const ForceElement& f) {
      return norm(k.X_WB[f.body_b] * f.point_b - k.X_WB[f.body_a] * f.point_a) > 0.2;
    });
    if (apart) return model;
  }
}

TEST_P(DynamicsIn, ConservativeForcesAreTheGradientOfThePotential) {
  Random random(5);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const Model model = mechanism_with_forces(random, GetParam(), ForceKind::spring);
    const Forces forces = forces_of(model, kinematics_after(model, model.q_start, model.v_start, 0));
    for (int i = 0; i < model.nv; ++i) {
      const auto potential = [&](double t) {
        return potential_energy(model,
                                kinematics_after(model, model.q_start, testing::unit_rate(model, i), t));
      };
      error.add(forces.conservative[i] + derivative(potential));
      EXPECT_EQ(forces.applied[i], 0);
    }
  }
  error.expect_at_most(1e-7);  // forces up to about 1000, fifth derivatives up to 1e5
}

TEST_P(DynamicsIn, DampersDissipateByTheRelativeVelocityOfTheirEnds) {
  Random random(6);
  WorstValue error("relative error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const Model model = mechanism_with_forces(random, GetParam(), ForceKind::damper);
    const Numbers v = random.numbers(model.nv);
    const double power =
        dot_product(forces_of(model, kinematics_after(model, model.q_start, v, 0)).applied, v);
    double expected = 0;
    for (const ForceElement& f : model.forces) {
      const double rate = derivative([&](double t) {
        const Kinematics k = kinematics_after(model, model.q_start, v, t);
        return norm(k.X_WB[f.body_b] * f.point_b - k.X_WB[f.body_a] * f.point_a);
      });
      expected -= f.damping * rate * rate;
    }
    EXPECT_LE(power, 0);
    error.add((power - expected) / (1 + std::abs(expected)));
  }
  error.expect_at_most(1e-8);
}

TEST_P(DynamicsIn, WrenchesWorkOnTheVelocityOfTheirPointAndTheSpinOfTheirBody) {
  Random random(7);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const Model model = mechanism_with_forces(random, GetParam(), ForceKind::wrench);
    const Numbers v = random.numbers(model.nv);
    const Kinematics k = kinematics_after(model, model.q_start, v, 0);
    double power = 0;
    for (const ForceElement& f : model.forces) {
      const Pose& X = k.X_WB[f.body_a];
      const Mat3 R = f.in_body_frame ? X.R : Mat3::identity();
      power +=
          dot(R * f.force, point_velocity(k, f.body_a, X * f.point_a)) + dot(R * f.torque, k.w[f.body_a]);
    }
    error.add(dot_product(forces_of(model, k).applied, v) - power);
  }
  error.expect_at_most(1e-12);
}

TEST(GeneralisedForces, OfASpringOrDamperWhoseEndsMeetAreNone) {
  Random random(8);
  Scene scene;
  scene.gravity = {};
  scene.bodies.push_back(testing::random_body(random, Dimension::spatial, "body", JointKind::free, "world"));
  scene.bodies[0].position = {};
  for (const ForceKind kind : {ForceKind::spring, ForceKind::damper}) {
    SceneForce force;
    force.kind = kind;
    force.to.body = "body";
    force.stiffness = force.damping = force.rest_length = 1;
    scene.forces.push_back(force);
  }
  const Model model = compile(scene);
  const Forces forces = forces_of(model, kinematics_after(model, model.q_start, model.v_start, 0));
  EXPECT_EQ(forces.conservative, Numbers(6, 0.0));
  EXPECT_EQ(forces.applied, Numbers(6, 0.0));
}

TEST_P(DynamicsIn, MomentumIsTheDerivativeOfTheEnergyByACommonVelocity) {
  Random random(9);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const Model model = compile(random_mechanism(random, GetParam()));
    const Numbers v = random.numbers(model.nv);
    Kinematics k = kinematics_after(model, model.q_start, v, 0);
    const Momentum sum = momentum(model, k);
    // The energy after adding a common velocity, and an angular velocity about the origin, to all bodies.
    const auto energy = [&](const Vec3& velocity, const Vec3& spin) {
      Kinematics more = k;
      for (std::size_t b = 1; b < model.bodies.size(); ++b) {
        more.w[b] += spin;
        more.c[b] += velocity + cross(spin, k.X_WB[b].p);
      }
      return kinetic_energy(model, more);
    };
    const Vec3 direction = random.unit();
    error.add(dot(sum.linear, direction) - derivative([&](double t) { return energy(t * direction, {}); }));
    error.add(dot(sum.angular, direction) - derivative([&](double t) { return energy({}, t * direction); }));
  }
  error.expect_at_most(1e-10);
}

}  // namespace dynamics_test
}  // namespace pawl::internal
