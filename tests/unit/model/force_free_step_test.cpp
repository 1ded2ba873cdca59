#include <pawl/model/force_free_step.h>

#include <gtest/gtest.h>

#include <pawl/linalg/dense.h>
#include <unit/base/worst.h>
#include <unit/model/mechanisms.h>

namespace pawl::internal {
namespace force_free_step_test {

using testing::kinematics_after;
using testing::Random;
using testing::random_mechanism;
using testing::WorstValue;
using Numbers = std::vector<double>;

/// One force-free step of all trees.
struct ForceFreeStep {
  bool solved = true;
  Numbers q, v;

  ForceFreeStep(const Model& model, const Numbers& q_start, const Numbers& v_start, double h)
      : q(model.nq), v(model.nv) {
    DynamicsScratch dynamics;
    ForceFreeScratch scratch;
    prepare(model, kinematics_after(model, q_start, v_start, 0), scratch);
    Numbers mean(model.nv);
    for (const Tree& tree : model.trees) {
      Numbers L(tree.nv * tree.nv);
      mass_block(model, tree, kinematics_after(model, q_start, v_start, 0), dynamics, L);
      cholesky(L, tree.nv);
      solved &= force_free_step(model, tree, q_start, v_start, h, L, dynamics, scratch, mean);
    }
    integrate(model, q_start, mean, h, q);
    for (int i = 0; i < model.nv; ++i) v[i] = 2 * mean[i] - v_start[i];
  }
};

TEST(ForceFreeStep, BackInTimeReturnsToTheStart) {
  Random random(1);
  WorstValue error("error");
  for (int sample = 0; sample < 50; ++sample) {
    const Model model = compile(random_mechanism(random, Dimension::spatial));
    const Numbers v = random.numbers(model.nv);
    const ForceFreeStep there(model, model.q_start, v, 0.02), back(model, there.q, there.v, -0.02);
    ASSERT_TRUE(there.solved && back.solved);
    error.add_difference(back.q, model.q_start);
    error.add_difference(back.v, v);
  }
  error.expect_at_most(1e-12);
}

/// The state after 0.2 s in the given number of steps.
ForceFreeStep after(const Model& model, const Numbers& v, int steps) {
  ForceFreeStep state(model, model.q_start, v, 0.2 / steps);
  for (int i = 1; i < steps; ++i) state = ForceFreeStep(model, state.q, state.v, 0.2 / steps);
  return state;
}

TEST(ForceFreeStep, IsOfSecondOrderInMotionEnergyAndMomentum) {
  Random random(2);
  for (int sample = 0; sample < 5; ++sample) {
    const Model model = compile(random_mechanism(random, Dimension::spatial));
    const Numbers v = random.numbers(model.nv);
    const Kinematics start = kinematics_after(model, model.q_start, v, 0);
    const ForceFreeStep exact = after(model, v, 640);
    double motion[2], energy[2], impulse[2];
    for (const int i : {0, 1}) {
      const ForceFreeStep end = after(model, v, 40 << i);
      const Kinematics k = kinematics_after(model, end.q, end.v, 0);
      motion[i] = 0;
      for (int j = 0; j < model.nq; ++j) motion[i] = std::max(motion[i], std::abs(end.q[j] - exact.q[j]));
      energy[i] = std::abs(kinetic_energy(model, k) - kinetic_energy(model, start));
      // Of the floating tree only: the other is attached to the world.
      Model floating = model;
      for (Body& body : floating.bodies) {
        if (body.tree != 0) body.tree = -1;
      }
      const Momentum change_to = momentum(floating, k), change_from = momentum(floating, start);
      impulse[i] =
          norm(change_to.linear - change_from.linear) + norm(change_to.angular - change_from.angular);
    }
    EXPECT_NEAR(std::log2(motion[0] / motion[1]), 2, 0.1);
    EXPECT_NEAR(std::log2(energy[0] / energy[1]), 2, 0.3);
    EXPECT_NEAR(std::log2(impulse[0] / impulse[1]), 2, 0.3);
  }
}

TEST(ForceFreeStep, DoesNothingAtRest) {
  Random random(3);
  const Model model = compile(random_mechanism(random, Dimension::spatial));
  const ForceFreeStep rest(model, model.q_start, Numbers(model.nv, 0.0), 0.1);
  EXPECT_TRUE(rest.solved);
  EXPECT_EQ(rest.v, Numbers(model.nv, 0.0));
}

TEST(ForceFreeStep, ReportsThatItDidNotConverge) {
  Random random(4);
  const Model model = compile(random_mechanism(random, Dimension::spatial));
  EXPECT_FALSE(ForceFreeStep(model, model.q_start, random.numbers(model.nv, 1e3), 1).solved);
}

TEST(ForceFreeStep, DoesNotDependOnTheUnitOfLength) {
  Random random(5);
  WorstValue error("error");
  for (int sample = 0; sample < 20; ++sample) {
    Scene scene = random_mechanism(random, Dimension::spatial);
    const Model metres = compile(scene);
    // The same scene in millimetres.
    for (SceneBody& body : scene.bodies) {
      for (Vec3* length : {&body.position, &body.center_of_mass, &body.velocity, &body.joint.anchor}) {
        *length *= 1e3;
      }
      body.inertia = 1e6 * *body.inertia;
      if (body.joint.kind == JointKind::prismatic || body.joint.kind == JointKind::cylindrical) {
        body.joint.position *= 1e3;
        body.joint.velocity *= 1e3;
      }
    }
    const Model millimetres = compile(scene);
    const ForceFreeStep a(metres, metres.q_start, metres.v_start, 0.02),
        b(millimetres, millimetres.q_start, millimetres.v_start, 0.02);
    ASSERT_TRUE(a.solved && b.solved);
    const Kinematics ka = kinematics_after(metres, a.q, a.v, 0),
                     kb = kinematics_after(millimetres, b.q, b.v, 0);
    for (std::size_t i = 0; i < ka.w.size(); ++i) {
      error.add(ka.w[i] - kb.w[i]);
      error.add(ka.c[i] - 1e-3 * kb.c[i]);
    }
  }
  error.expect_at_most(1e-11);
}

/// A heavy arm on a revolute joint carries a light link on a ball joint, off its centre.
TEST(ForceFreeStep, LightLinkThatSpinsFastIsSolvedInOneStep) {
  Scene scene;
  SceneBody arm;
  arm.name = "arm";
  arm.mass = 1;
  arm.inertia = 0.01 * Mat3::identity();
  arm.joint.kind = JointKind::revolute;
  arm.joint.axis = {0, 0, 1};
  arm.joint.anchor = {0, 0, 0};
  arm.position = {0.2, 0, 0};
  SceneBody link;
  link.name = "link";
  link.mass = 0.5;
  link.inertia = Mat3::diagonal({1e-6, 4e-5, 4e-5});
  link.joint.kind = JointKind::ball;
  link.joint.parent = "arm";
  link.joint.anchor = {0.4, 0, 0};
  link.position = {0.43, 0.02, 0.01};
  scene.bodies = {arm, link};
  const Model model = compile(scene);
  const Numbers v{20, 80, 60, -40};
  const ForceFreeStep there(model, model.q_start, v, 2e-3), back(model, there.q, there.v, -2e-3);
  ASSERT_TRUE(there.solved && back.solved);
  WorstValue error("error");
  error.add_difference(back.q, model.q_start);
  error.add_difference(back.v, v);
  error.expect_at_most(1e-9);
}

}  // namespace force_free_step_test
}  // namespace pawl::internal
