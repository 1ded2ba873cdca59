#include <gtest/gtest.h>

#include <algorithm>

#include <pawl/model/kinematics.h>
#include <unit/base/worst.h>
#include <unit/model/mechanisms.h>

namespace pawl::internal {
namespace kinematics_test {

using testing::derivative;
using testing::kinematics_after;
using testing::Random;
using testing::random_mechanism;
using testing::WorstValue;

constexpr int kSamples = 50;

class KinematicsIn : public ::testing::TestWithParam<Dimension> {};
INSTANTIATE_TEST_SUITE_P(BothWorlds, KinematicsIn, ::testing::Values(Dimension::spatial, Dimension::planar),
                         [](const auto& world) { return std::string(to_string(world.param)); });

/// The angular velocity of a rotation R with derivative dR: Ṙ Rᵀ = [w]×.
Vec3 spin_of(const Mat3& dR, const Mat3& R) {
  const Mat3 W = dR * transpose(R);
  return {W(2, 1), W(0, 2), W(1, 0)};
}

/// Compares velocity_kinematics with differences of the poses reached by integrate().
void compare_with_differences(const Model& model, const std::vector<double>& q, const std::vector<double>& v,
                              WorstValue& error) {
  const Kinematics k = kinematics_after(model, q, v, 0);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    error.add(k.c[b] - derivative([&](double t) { return kinematics_after(model, q, v, t).X_WB[b].p; }));
    const Mat3 dR = derivative([&](double t) { return kinematics_after(model, q, v, t).X_WB[b].R; });
    error.add(k.w[b] - spin_of(dR, k.X_WB[b].R));
  }
}

TEST_P(KinematicsIn, VelocitiesAreTheDerivativesOfPoses) {
  Random random(1);
  WorstValue each("one rate"), together("all rates");
  for (int sample = 0; sample < kSamples; ++sample) {
    const Model model = compile(random_mechanism(random, GetParam()));
    for (int i = 0; i < model.nv; ++i) {
      compare_with_differences(model, model.q_start, testing::unit_rate(model, i), each);
    }
    compare_with_differences(model, model.q_start, random.numbers(model.nv), together);
  }
  each.expect_at_most(2e-11);
  together.expect_at_most(1e-9);  // all velocities at once: the fifth derivative is larger
}

TEST_P(KinematicsIn, DofsOfABodyAndItsAncestorsMoveItsPoints) {
  Random random(2);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const Model model = compile(random_mechanism(random, GetParam()));
    const std::vector<double> v = random.numbers(model.nv);
    const Kinematics k = kinematics_after(model, model.q_start, v, 0);
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
      const Vec3 point = random.vec();
      Vec3 velocity;
      for (int a = b; a > 0; a = model.bodies[a].parent) {
        for (int i = model.bodies[a].v_begin; i < model.bodies[a].v_begin + model.bodies[a].nv; ++i) {
          velocity += v[i] * point_velocity(k.dofs[i], point);
        }
      }
      error.add(velocity - point_velocity(k, b, point));
    }
  }
  error.expect_at_most(1e-13);
}

void at_reference(SceneJoint& joint) {
  joint.position = joint.second_position = 0;
  joint.orientation = {};
}

TEST_P(KinematicsIn, InitialPosesAreThoseOfTheScene) {
  Random random(3);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    Scene scene = random_mechanism(random, GetParam());
    for (SceneBody& body : scene.bodies) at_reference(body.joint);
    const Model model = compile(scene);
    Kinematics k;
    position_kinematics(model, model.q_start, k);
    for (const SceneBody& body : scene.bodies) {
      const auto b = std::ranges::find(model.body_names, body.name) - model.body_names.begin();
      const Mat3 R = to_matrix(body.orientation);
      error.add(k.X_WB[b].R - R);
      error.add(k.X_WB[b] * model.bodies[b].frame_origin_B - body.position);
    }
  }
  error.expect_at_most(1e-13);
}

TEST_P(KinematicsIn, JointsMoveAboutTheAxesAndAnchorsOfTheScene) {
  Random random(8);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    Scene scene = random_mechanism(random, GetParam());
    for (SceneBody& body : scene.bodies) at_reference(body.joint);
    const Model model = compile(scene);
    Kinematics k;
    position_kinematics(model, model.q_start, k);
    for (const SceneBody& body : scene.bodies) {
      const auto b = std::ranges::find(model.body_names, body.name) - model.body_names.begin();
      const Dof* dofs = k.dofs.data() + model.bodies[b].v_begin;
      const auto turns = [&](const Dof& dof, const Vec3& axis) {
        error.add(dof.a - axis);
        error.add(point_velocity(dof, body.joint.anchor));
      };
      const auto slides = [&](const Dof& dof, const Vec3& axis) {
        error.add(dof.l - axis);
        error.add(dof.a);
      };
      if (body.joint.kind == JointKind::revolute) turns(dofs[0], body.joint.axis);
      if (body.joint.kind == JointKind::prismatic) slides(dofs[0], body.joint.axis);
      if (body.joint.kind == JointKind::cylindrical) {
        slides(dofs[0], body.joint.axis);
        turns(dofs[1], body.joint.axis);
      }
      if (body.joint.kind == JointKind::universal) {
        turns(dofs[0], body.joint.axis);
        turns(dofs[1], body.joint.second_axis);
      }
      if (body.joint.kind == JointKind::ball) {
        for (int i = 0; i < 3; ++i) error.add(point_velocity(dofs[i], body.joint.anchor));
      }
    }
  }
  error.expect_at_most(1e-14);
}

TEST(BallJoint, StartsWithTheRotationAndAngularVelocityOfTheScene) {
  Random random(9);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    Scene scene;
    scene.bodies.push_back(testing::random_body(random, Dimension::spatial, "a", JointKind::weld, "world"));
    scene.bodies.push_back(testing::random_body(random, Dimension::spatial, "b", JointKind::ball, "a"));
    const Model model = compile(scene);
    const Kinematics k = kinematics_after(model, model.q_start, model.v_start, 0);
    const SceneBody& body = scene.bodies[1];
    error.add(k.X_WB[2].R - to_matrix(body.joint.orientation * body.orientation));
    error.add(k.w[2] - body.joint.angular_velocity);
    error.add(point_velocity(k, 2, body.joint.anchor));
  }
  error.expect_at_most(1e-14);
}

Scene one_free_body() {
  Random random(4);
  Scene scene;
  scene.bodies.push_back(testing::random_body(random, Dimension::spatial, "body", JointKind::free, "world"));
  return scene;
}

TEST(Integrate, IsExactForAConstantAngularVelocityAtAnyStep) {
  const Model model = compile(one_free_body());
  Random random(5);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const std::vector<double> v = random.numbers(model.nv, 5);
    std::vector<double> once(model.nq), often = model.q_start;
    integrate(model, model.q_start, v, 1.0, once);
    for (int step = 0; step < 1000; ++step) integrate(model, often, v, 1e-3, often);
    error.add_difference(once, often);
  }
  error.expect_at_most(1e-12);
}

TEST(Integrate, KeepsTheQuaternionAUnit) {
  const Model model = compile(one_free_body());
  Random random(6);
  WorstValue error("error");
  std::vector<double> q = model.q_start;
  for (int step = 0; step < 100'000; ++step) {
    integrate(model, q, random.numbers(model.nv, 100), 0.1, q);
    error.add(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6] - 1);
  }
  error.expect_at_most(1e-15);
}

TEST(Integrate, OverNoTimeChangesNothing) {
  Random random(7);
  const Model model = compile(random_mechanism(random, Dimension::spatial));
  std::vector<double> q(model.nq);
  integrate(model, model.q_start, random.numbers(model.nv), 0, q);
  WorstValue error("error");
  error.add_difference(q, model.q_start);
  error.expect_at_most(3e-16);  // the quaternion is normalised again
}

}  // namespace kinematics_test
}  // namespace pawl::internal
