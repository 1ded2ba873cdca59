#include <pawl/model/constraint_rows.h>

#include <gtest/gtest.h>

#include <unit/base/worst.h>
#include <unit/model/mechanisms.h>

namespace pawl::internal {
namespace constraint_rows_test {

using testing::derivative;
using testing::kinematics_after;
using testing::Random;
using testing::random_mechanism;
using testing::WorstValue;
using Numbers = std::vector<double>;

class ConstraintRowsIn : public ::testing::TestWithParam<Dimension> {};
INSTANTIATE_TEST_SUITE_P(BothWorlds, ConstraintRowsIn,
                         ::testing::Values(Dimension::spatial, Dimension::planar),
                         [](const auto& world) { return std::string(to_string(world.param)); });

std::vector<ConstraintJointKind> kinds_of(Dimension dimension) {
  using enum ConstraintJointKind;
  if (dimension == Dimension::planar) return {revolute, prismatic, weld, distance};
  return {ball, revolute, prismatic, cylindrical, universal, weld, distance, point_in_plane};
}

/// One joint of each kind between random bodies of a random mechanism, and a coupling.
Scene with_joints(Random& random, Dimension dimension) {
  Scene scene = random_mechanism(random, dimension);
  const bool planar = dimension == Dimension::planar;
  const auto flat = [&](Vec3 x) { return planar ? Vec3{x.x, x.y, 0} : x; };
  const auto any = [&] { return random.below(static_cast<int>(scene.bodies.size())); };
  for (const ConstraintJointKind kind : kinds_of(dimension)) {
    SceneConstraintJoint joint;
    joint.kind = kind;
    joint.first = scene.bodies[0].name;  // the free body
    do {
      joint.second = random.below(4) == 0 ? "world" : scene.bodies[any()].name;
    } while (joint.second == joint.first);
    joint.anchor = flat(random.vec());
    joint.second_anchor = flat(random.vec(3));
    joint.length = norm(joint.anchor - joint.second_anchor);
    joint.axis = normalized(flat(random.unit()));
    joint.second_axis = normalized(cross(joint.axis, random.unit()) + 0.3 * joint.axis);
    scene.joints.push_back(joint);
  }
  SceneConstraintJoint coupling;
  coupling.kind = ConstraintJointKind::coupling;
  coupling.ratio = 0.3;
  coupling.offset = 0.1;
  for (const SceneBody& body : scene.bodies) {
    if (body.joint.kind != JointKind::revolute && body.joint.kind != JointKind::prismatic) continue;
    coupling.second = coupling.first;
    coupling.first = body.name;
  }
  if (!coupling.second.empty()) scene.joints.push_back(coupling);
  return scene;
}

double rate_of(const ConstraintBlock& block, int r, const Kinematics& k, const Numbers& v) {
  if (block.dof_a >= 0) {
    return block.sign * v[block.dof_a] - (block.dof_b >= 0 ? block.ratio * v[block.dof_b] : 0);
  }
  return dot(block.force[r], point_velocity(k, block.body_a, block.point_a) -
                                 point_velocity(k, block.body_b, block.point_b)) +
         dot(block.torque[r], k.w[block.body_a] - k.w[block.body_b]);
}

std::vector<ConstraintBlock> blocks_at(const Model& model, const Numbers& q, const Numbers& v, double t) {
  Numbers q_then(model.nq);
  integrate(model, q, v, t, q_then);
  std::vector<ConstraintBlock> blocks;
  constraint_blocks(model, kinematics_after(model, q, v, t), q_then, 0, blocks);
  return blocks;
}

TEST_P(ConstraintRowsIn, RowVelocitiesAreTheDerivativesOfErrorsAtLargeErrorsToo) {
  Random random(1);
  WorstValue error("error");
  for (int sample = 0; sample < 50; ++sample) {
    const Model model = compile(with_joints(random, GetParam()));
    const Numbers v = random.numbers(model.nv);
    // At the initial joint coordinates the loops are open.
    const auto blocks = blocks_at(model, model.q_start, v, 0);
    EXPECT_GT(max_joint_error(blocks), 0.01);
    const Kinematics k = kinematics_after(model, model.q_start, v, 0);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (int r = 0; r < blocks[b].rows; ++r) {
        const double expected =
            derivative([&](double t) { return blocks_at(model, model.q_start, v, t)[b].error[r]; });
        error.add(rate_of(blocks[b], r, k, v) - expected);
      }
    }
  }
  error.expect_at_most(1e-9);
}

TEST_P(ConstraintRowsIn, ErrorsAreZeroInTheReferenceConfiguration) {
  Random random(2);
  WorstValue error("error");
  for (int sample = 0; sample < 50; ++sample) {
    Scene scene = with_joints(random, GetParam());
    for (SceneBody& body : scene.bodies) {
      body.joint.position = body.joint.second_position = 0;
      body.joint.orientation = {};
    }
    for (SceneConstraintJoint& joint : scene.joints) joint.offset = 0;
    const Model model = compile(scene);
    error.add(max_joint_error(blocks_at(model, model.q_start, model.v_start, 0)));
  }
  error.expect_at_most(1e-14);
}

/// The number of rows of a joint between two free bodies, and the motions it allows.
TEST(ConstraintRows, LeaveTheMotionsOfTheirJointAndNoOther) {
  const std::pair<ConstraintJointKind, int> cases[] = {
      {ConstraintJointKind::ball, 3},      {ConstraintJointKind::revolute, 1},
      {ConstraintJointKind::prismatic, 1}, {ConstraintJointKind::cylindrical, 2},
      {ConstraintJointKind::universal, 2}, {ConstraintJointKind::weld, 0},
      {ConstraintJointKind::distance, 5},  {ConstraintJointKind::point_in_plane, 5}};
  for (const auto& [kind, freedoms] : cases) {
    Random random(3);
    Scene scene;
    scene.bodies = {testing::random_body(random, Dimension::spatial, "a", JointKind::free, "world"),
                    testing::random_body(random, Dimension::spatial, "b", JointKind::free, "world")};
    SceneConstraintJoint joint;
    joint.kind = kind;
    joint.first = "a", joint.second = "b";
    joint.anchor = random.vec(), joint.second_anchor = random.vec();
    joint.length = norm(joint.anchor - joint.second_anchor);
    joint.axis = random.unit();
    joint.second_axis = normalized(cross(joint.axis, random.unit()));
    scene.joints = {joint};
    const Model model = compile(scene);
    int rows = 0;
    for (const ConstraintBlock& block : blocks_at(model, model.q_start, model.v_start, 0)) rows += block.rows;
    EXPECT_EQ(6 - rows, freedoms) << to_string(kind);

    // The motion of a that the joint allows, with b at rest.
    Numbers v(12, 0.0);
    Vec3 spin, velocity;  // of the anchor
    if (kind == ConstraintJointKind::revolute) spin = joint.axis;
    if (kind == ConstraintJointKind::prismatic) velocity = joint.axis;
    if (kind == ConstraintJointKind::cylindrical) spin = joint.axis, velocity = 2.0 * joint.axis;
    if (kind == ConstraintJointKind::universal) spin = joint.axis + 2.0 * joint.second_axis;
    if (kind == ConstraintJointKind::ball) spin = random.vec();
    if (kind == ConstraintJointKind::distance) {
      spin = random.vec(), velocity = cross(random.unit(), joint.anchor - joint.second_anchor);
    }
    if (kind == ConstraintJointKind::point_in_plane) spin = random.vec(), velocity = joint.second_axis;
    const Kinematics k = kinematics_after(model, model.q_start, v, 0);
    const Vec3 c = velocity + cross(spin, k.X_WB[1].p - joint.anchor);
    for (int i = 0; i < 3; ++i) v[i] = c[i], v[3 + i] = spin[i];
    const Kinematics moving = kinematics_after(model, model.q_start, v, 0);
    for (const ConstraintBlock& block : blocks_at(model, model.q_start, v, 0)) {
      for (int r = 0; r < block.rows; ++r) {
        EXPECT_NEAR(rate_of(block, r, moving, v), 0, 1e-13) << to_string(kind);
      }
    }
  }
}

TEST(ConstraintRows, OfARodWhoseEndsMeetAreFinite) {
  Scene scene;
  scene.bodies.emplace_back();
  scene.bodies[0].name = "a";
  scene.bodies[0].mass = 1;
  scene.bodies[0].inertia = Mat3::identity();
  SceneConstraintJoint rod;
  rod.kind = ConstraintJointKind::distance;
  rod.first = "a", rod.second = "world";
  rod.length = 1;
  scene.joints = {rod};
  const Model model = compile(scene);
  const auto blocks = blocks_at(model, model.q_start, model.v_start, 0);
  EXPECT_EQ(blocks[0].error[0], -1);
  EXPECT_EQ(norm(blocks[0].force[0]), 1);
}

}  // namespace constraint_rows_test
}  // namespace pawl::internal
