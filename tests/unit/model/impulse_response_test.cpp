#include <pawl/model/impulse_response.h>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <pawl/linalg/dense.h>
#include <unit/model/mechanisms.h>
#include <unit/record/allocation_count.h>

namespace pawl::internal {
namespace impulse_response_test {

using testing::Random;

BodyImpulse random_impulse(Random& random, const Kinematics& k, int body, bool planar) {
  BodyImpulse impulse{body, k.X_WB[body].p + random.vec(), random.vec(), random.vec()};
  if (planar) {
    impulse.point.z = impulse.linear.z = 0;
    impulse.angular = {0, 0, impulse.angular.z};
  }
  return impulse;
}

/// Adds Jᵀ p of one impulse.
void add_generalised(const Model& model, const Tree& tree, const Kinematics& k, const BodyImpulse& impulse,
                     std::vector<double>& force) {
  for (int b = impulse.body; b >= tree.body_begin; b = model.bodies[b].parent) {
    for (int i = model.bodies[b].v_begin; i < model.bodies[b].v_begin + model.bodies[b].nv; ++i) {
      const Dof& dof = k.dofs[i];
      force[i - tree.v_begin] +=
          dot(impulse.linear, point_velocity(dof, impulse.point)) + dot(impulse.angular, dof.a);
    }
  }
}

/// The response by a Cholesky factor of M.
std::vector<double> dense_response(const Model& model, const Tree& tree, const Kinematics& k,
                                   const std::vector<BodyImpulse>& impulses) {
  std::vector<double> M(tree.nv * tree.nv), dv(tree.nv, 0.0);
  DynamicsScratch scratch;
  mass_block(model, tree, k, scratch, M);
  for (const BodyImpulse& impulse : impulses) add_generalised(model, tree, k, impulse, dv);
  EXPECT_TRUE(cholesky(M, tree.nv));
  solve_lower(M, tree.nv, dv);
  solve_lower_transposed(M, tree.nv, dv);
  return dv;
}

double largest(const std::vector<double>& x) {
  double size = 0;
  for (const double xi : x) size = std::max(size, std::abs(xi));
  return size;
}

TEST(ImpulseResponse, IsThatOfTheMassMatrixForEveryJoint) {
  Random random(1);
  std::set<JointKind> joints;
  for (int trial = 0; trial < 400; ++trial) {
    const bool planar = trial % 4 == 0;
    const Model model = compile(testing::random_mechanism(
        random, planar ? Dimension::planar : Dimension::spatial, 3 + random.below(12)));
    Kinematics k;
    position_kinematics(model, model.q_start, k);
    ImpulseResponse response;
    ASSERT_TRUE(response.prepare(model, k));
    for (const Tree& tree : model.trees) {
      std::vector<BodyImpulse> impulses;
      for (int i = 0; i <= random.below(3); ++i) {
        const int body = tree.body_begin + random.below(tree.body_end - tree.body_begin);
        impulses.push_back(random_impulse(random, k, body, planar));
      }
      std::vector<double> dv(tree.nv);
      response.respond(tree, impulses, dv);
      const std::vector<double> dense = dense_response(model, tree, k, impulses);
      for (int i = 0; i < tree.nv; ++i) {
        ASSERT_NEAR(dv[i], dense[i], 1e-11 * largest(dense)) << trial << ' ' << i;
      }
      // The change of a point's velocity agrees with the change of the generalised velocities.
      std::vector<double> all(model.nv, 0.0);
      std::copy(dv.begin(), dv.end(), all.begin() + tree.v_begin);
      velocity_kinematics(model, all, k);
      const BodyImpulse& at = impulses.front();
      const Vec3 moves = point_velocity(k, at.body, at.point);
      ASSERT_LE(norm(response.change(at.body, at.point) - moves), 1e-12 * (1 + norm(moves))) << trial;
      for (int b = tree.body_begin; b < tree.body_end; ++b) joints.insert(model.bodies[b].joint);
    }
  }
  EXPECT_EQ(joints.size(), 8u);  // free, planar, revolute, prismatic, cylindrical, universal, ball, weld
}

TEST(ImpulseResponse, LeavesOtherTreesAndTheWorldOut) {
  Random random(2);
  Model model;
  while (model.trees.size() < 2) model = compile(testing::random_mechanism(random, Dimension::spatial));
  Kinematics k;
  position_kinematics(model, model.q_start, k);
  ImpulseResponse response;
  ASSERT_TRUE(response.prepare(model, k));
  const BodyImpulse own = random_impulse(random, k, model.trees[0].body_begin, false);
  const BodyImpulse other = random_impulse(random, k, model.trees[1].body_begin, false);
  const BodyImpulse world = random_impulse(random, k, 0, false);
  std::vector<double> alone(model.trees[0].nv), among(model.trees[0].nv);
  response.respond(model.trees[0], std::vector{own}, alone);
  response.respond(model.trees[0], std::vector{world, own, other}, among);
  EXPECT_EQ(alone, among);
}

TEST(ImpulseResponse, OfALongChainIsThatOfTheMassMatrix) {
  Random random(3);
  for (const double size : {1e-3, 1.0, 1e2}) {
    Scene scene = testing::random_chain(random, Dimension::spatial, 40);
    for (SceneBody& body : scene.bodies) {
      body.joint.anchor = size * body.joint.anchor;
      body.position = size * body.position;
      const bool slides =
          body.joint.kind == JointKind::prismatic || body.joint.kind == JointKind::cylindrical;
      if (slides) body.joint.position *= size;
      body.center_of_mass = size * body.center_of_mass;
      body.inertia = size * size * *body.inertia;
    }
    const Model model = compile(scene);
    Kinematics k;
    position_kinematics(model, model.q_start, k);
    ImpulseResponse response;
    ASSERT_TRUE(response.prepare(model, k));
    const Tree& tree = model.trees[0];
    BodyImpulse impulse = random_impulse(random, k, tree.body_end - 1, false);
    impulse.point = k.X_WB[impulse.body].p + size * random.vec();
    impulse.angular = size * impulse.angular;
    std::vector<double> dv(tree.nv);
    response.respond(tree, std::vector{impulse}, dv);
    velocity_kinematics(model, dense_response(model, tree, k, {impulse}), k);
    const double tip = norm(point_velocity(k, impulse.body, impulse.point));
    for (int b = tree.body_begin; b < tree.body_end; ++b) {
      EXPECT_LE(norm(response.change(b, k.X_WB[b].p) - k.c[b]), 1e-10 * tip) << size << ' ' << b;
    }
  }
}

TEST(ImpulseResponse, AllocatesNothingWhenWarm) {
  Random random(4);
  const Model model = compile(testing::random_mechanism(random, Dimension::spatial));
  Kinematics k;
  position_kinematics(model, model.q_start, k);
  ImpulseResponse response;
  ASSERT_TRUE(response.prepare(model, k));
  const BodyImpulse impulse = random_impulse(random, k, model.trees[0].body_end - 1, false);
  std::vector<double> dv(model.trees[0].nv);
  const long before = allocation_count();
  ASSERT_TRUE(response.prepare(model, k));
  response.respond(model.trees[0], {&impulse, 1}, dv);
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace impulse_response_test
}  // namespace pawl::internal
