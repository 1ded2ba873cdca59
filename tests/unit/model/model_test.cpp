#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pawl/model.h>
#include <unit/base/worst.h>
#include <unit/model/mechanisms.h>

namespace pawl::internal {
namespace model_test {

using ::testing::ElementsAre;
using testing::Random;
using testing::WorstValue;

SceneBody heavy_body(const std::string& name, JointKind joint, const std::string& parent = "world") {
  SceneBody body;
  body.name = name;
  body.mass = 1;
  body.inertia = Mat3::identity();
  body.joint.kind = joint;
  body.joint.parent = parent;
  return body;
}

std::string message_of(const Scene& scene) {
  try {
    compile(scene);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Compile, PutsParentsFirstAndKeepsTreesTogetherElseInTheOrderOfTheFile) {
  Scene scene;
  scene.bodies = {heavy_body("hand", JointKind::revolute, "arm"),
                  heavy_body("ball", JointKind::free),
                  heavy_body("base", JointKind::weld),
                  heavy_body("arm", JointKind::prismatic, "base"),
                  heavy_body("tool", JointKind::weld, "hand"),
                  heavy_body("wheel", JointKind::revolute, "base")};
  const Model model = compile(scene);
  EXPECT_THAT(model.body_names, ElementsAre("world", "ball", "base", "arm", "hand", "tool", "wheel"));
  EXPECT_EQ(model.nv, 6 + 1 + 1 + 1);
  EXPECT_EQ(model.nq, 7 + 1 + 1 + 1);
  std::vector<int> trees;
  for (const Body& body : model.bodies) trees.push_back(body.tree);
  EXPECT_THAT(trees, ElementsAre(-1, 0, -1, 1, 1, 1, 2));
}

TEST(Compile, GivesEveryTreeContiguousBodiesDofsAndMassBlock) {
  Random random(1);
  for (int sample = 0; sample < 100; ++sample) {
    Scene scene = testing::random_mechanism(random, Dimension::spatial, 12);
    for (int i = 11; i > 0; --i) std::swap(scene.bodies[i], scene.bodies[random.below(i + 1)]);
    const Model model = compile(scene);
    ASSERT_EQ(model.bodies.size(), 13U);
    int v = 0, mass = 0;
    for (std::size_t t = 0; t < model.trees.size(); ++t) {
      const Tree& tree = model.trees[t];
      EXPECT_EQ(tree.v_begin, v);
      EXPECT_EQ(tree.mass_begin, mass);
      int nv = 0;
      for (int b = tree.body_begin; b < tree.body_end; ++b) {
        EXPECT_EQ(model.bodies[b].tree, static_cast<int>(t));
        EXPECT_EQ(model.bodies[b].v_begin, tree.v_begin + nv);
        nv += model.bodies[b].nv;
      }
      EXPECT_EQ(tree.nv, nv);
      v += nv;
      mass += nv * nv;
    }
    EXPECT_EQ(model.nv, v);
    EXPECT_EQ(model.mass_size, mass);
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
      const Body& body = model.bodies[b];
      EXPECT_LT(body.parent, static_cast<int>(b));
      if (body.tree < 0) {
        EXPECT_EQ(body.joint, JointKind::weld);
        EXPECT_EQ(model.bodies[body.parent].tree, -1);
      }
    }
  }
}

TEST(Compile, PutsBodyFramesInTheCentreOfMass) {
  Scene scene;
  SceneBody body = heavy_body("body", JointKind::free);
  body.center_of_mass = {0, 0, 2};
  body.position = {10, 0, 0};
  body.orientation = quat_exp({0, std::numbers::pi / 2, 0});  // rotates z to x
  SceneShape& shape = body.shapes.emplace_back();
  shape.position = {0, 0, 3};
  shape.material = "steel";
  scene.bodies = {body};
  scene.materials = {{"steel", 0.5, 0}};
  SceneForce& force = scene.forces.emplace_back();
  force.from = {"body", {1, 0, 0}};
  force.to = {"world", {4, 5, 6}};
  const Model model = compile(scene);
  EXPECT_THAT(model.q_start,
              ElementsAre(12, 0, ::testing::DoubleNear(0, 1e-15), ::testing::_, 0, ::testing::_, 0));
  EXPECT_EQ(model.bodies[1].frame_origin_B, (Vec3{0, 0, -2}));
  EXPECT_EQ(model.shapes[0].X_BS.p, (Vec3{0, 0, 1}));
  EXPECT_EQ(model.forces[0].point_a, (Vec3{1, 0, -2}));
  EXPECT_EQ(model.forces[0].point_b, (Vec3{4, 5, 6}));
}

TEST(Compile, PutsTheSurfaceOfAHalfSpaceAtItsOffset) {
  Scene scene;
  scene.materials = {{"rock", 0.5, 0}};
  SceneBody ground = heavy_body("ground", JointKind::weld);
  ground.center_of_mass = {1, 1, 1};
  SceneShape& plane = ground.shapes.emplace_back();
  plane.kind = ShapeKind::half_space;
  plane.normal = {0, 1, 0};
  plane.offset = 0.25;
  plane.material = "rock";
  scene.bodies = {ground};
  const Shape compiled = compile(scene).shapes.at(0);
  EXPECT_EQ(compiled.normal_B, (Vec3{0, 1, 0}));
  EXPECT_EQ(compiled.X_BS.p, (Vec3{-1, -0.75, -1}));
}

TEST(Compile, NamesTheColumnsOfEveryJoint) {
  Scene scene;
  scene.bodies = {heavy_body("ball", JointKind::free), heavy_body("arm", JointKind::revolute),
                  heavy_body("hand", JointKind::weld, "arm"), heavy_body("rod", JointKind::planar)};
  const Model model = compile(scene);
  EXPECT_THAT(q_columns(model), ElementsAre("ball.x", "ball.y", "ball.z", "ball.qw", "ball.qx", "ball.qy",
                                            "ball.qz", "arm.q", "rod.x", "rod.y", "rod.theta"));
  EXPECT_THAT(v_columns(model), ElementsAre("ball.vx", "ball.vy", "ball.vz", "ball.wx", "ball.wy", "ball.wz",
                                            "arm.v", "rod.vx", "rod.vy", "rod.omega"));
}

TEST(Compile, NamesTheColumnsOfJointsWithSeveralDegreesOfFreedom) {
  Scene scene;
  scene.bodies = {heavy_body("piston", JointKind::cylindrical), heavy_body("cross", JointKind::universal),
                  heavy_body("hip", JointKind::ball)};
  const Model model = compile(scene);
  EXPECT_THAT(q_columns(model), ElementsAre("piston.slide", "piston.turn", "cross.q1", "cross.q2", "hip.qw",
                                            "hip.qx", "hip.qy", "hip.qz"));
  EXPECT_THAT(v_columns(model), ElementsAre("piston.slide_rate", "piston.turn_rate", "cross.v1", "cross.v2",
                                            "hip.wx", "hip.wy", "hip.wz"));
}

TEST(Compile, StartsFromTheSceneState) {
  Scene scene;
  scene.dimension = Dimension::planar;
  SceneBody rod = heavy_body("rod", JointKind::planar), arm = heavy_body("arm", JointKind::revolute);
  rod.position = {1, 2, 0};
  rod.angle = 7;  // angles of more than a full turn are kept
  rod.orientation = quat_exp({0, 0, 7});
  rod.velocity = {3, 4, 0};
  rod.angular_velocity = {0, 0, 5};
  arm.joint.position = -6;
  arm.joint.velocity = 8;
  scene.bodies = {rod, arm};
  const State state = initial_state(compile(scene));
  EXPECT_EQ(state.time, 0);
  EXPECT_THAT(state.q, ElementsAre(1, 2, 7, -6));
  EXPECT_THAT(state.v, ElementsAre(3, 4, 5, 8));
}

Shape made_of(int material) {
  Shape shape;
  shape.material = material;
  return shape;
}

TEST(Compile, TakesTheLawOfTwoMaterialsFromTheScene) {
  Scene scene;
  scene.materials = {{"ice", 0.02, 0.9}, {"steel", 0.4, 0.5}, {"rubber", 1.1, 0.8}};
  scene.pairs = {{"rubber", "ice", 0.3, 0.7, RestitutionLaw::newton, {}, {}}};
  const Model model = compile(scene);
  ASSERT_EQ(model.materials, 3);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Shape a = made_of(i), b = made_of(j);
      const ContactValues values = contact_values(scene, scene.materials[i].name, scene.materials[j].name);
      EXPECT_EQ(model.law(a, b).friction, values.friction) << i << ' ' << j;
      EXPECT_EQ(model.law(a, b).restitution, values.restitution) << i << ' ' << j;
    }
  }
  const Shape ice = made_of(0), steel = made_of(1), rubber = made_of(2);
  EXPECT_DOUBLE_EQ(model.law(ice, steel).friction, std::sqrt(0.02 * 0.4));
  EXPECT_EQ(model.law(ice, steel).restitution, 0.5);
  EXPECT_EQ(model.law(ice, rubber).restitution_law, RestitutionLaw::newton);
  EXPECT_EQ(model.law(ice, rubber).friction, 0.3);
  EXPECT_EQ(model.law(steel, steel).friction, 0.4);
}

TEST(Compile, RefusesJointsThatFormALoop) {
  Scene scene;
  scene.file = "loop.yaml";
  scene.bodies = {heavy_body("a", JointKind::revolute, "b"), heavy_body("b", JointKind::revolute, "a")};
  EXPECT_THAT(message_of(scene), ::testing::AllOf(::testing::HasSubstr("loop.yaml"),
                                                  ::testing::HasSubstr("bodies.a.joint.parent"),
                                                  ::testing::HasSubstr("never reaches the world")));
}

TEST(Compile, RefusesAJointBetweenTwoBodiesThatCannotMove) {
  Scene scene;
  scene.bodies = {heavy_body("post", JointKind::weld), heavy_body("ball", JointKind::free)};
  SceneConstraintJoint joint;
  joint.first = "post", joint.second = "world";
  scene.joints = {joint};
  EXPECT_THROW(compile(scene), SceneError);
  scene.joints[0].second = "ball";
  EXPECT_EQ(compile(scene).joints.size(), 1u);
}

TEST(Compile, RefusesABodyThatFloatsOnAnother) {
  Scene scene;
  scene.bodies = {heavy_body("a", JointKind::free), heavy_body("b", JointKind::free, "a")};
  EXPECT_THAT(message_of(scene), ::testing::HasSubstr("bodies.b.joint.parent"));
}

TEST(Compile, RefusesAMassWithoutAClosedFormUnlessNothingAsksForIt) {
  Scene scene;
  scene.materials.push_back({"plain", 0.5, 0});
  scene.bodies = {heavy_body("a", JointKind::free)};
  SceneShape& egg = scene.bodies[0].shapes.emplace_back();
  egg.kind = ShapeKind::ellipsoid;
  egg.size = {1, 2, 3};
  egg.rounding_radius = 0.1;
  egg.material = "plain";
  EXPECT_EQ(message_of(scene), "no error");  // mass and inertia are given
  scene.bodies[0].inertia.reset();
  EXPECT_THAT(message_of(scene),
              ::testing::HasSubstr("bodies.a.shapes: an ellipsoid with a margin has no mass"));
  scene.bodies[0].mass.reset();
  scene.bodies[0].joint.kind = JointKind::weld;
  EXPECT_EQ(message_of(scene), "no error");
}

TEST(Compile, RefusesAHalfSpaceThatMoves) {
  Scene scene;
  scene.materials.push_back({"plain", 0.5, 0});
  scene.bodies = {heavy_body("a", JointKind::prismatic)};
  scene.bodies[0].shapes.emplace_back().kind = ShapeKind::half_space;
  scene.bodies[0].shapes[0].material = "plain";
  EXPECT_THAT(message_of(scene), ::testing::HasSubstr("only a body welded to the world can have it"));
  scene.bodies[0].joint.kind = JointKind::weld;
  EXPECT_EQ(message_of(scene), "no error");
}

TEST(Compile, RefusesAnUnknownMaterialAndTwoBodiesOfOneName) {
  Scene scene;
  scene.bodies = {heavy_body("a", JointKind::free)};
  scene.bodies[0].shapes.emplace_back().material = "cheese";
  EXPECT_THAT(message_of(scene), ::testing::HasSubstr("there is no material 'cheese'"));
  scene.bodies = {heavy_body("a", JointKind::free), heavy_body("a", JointKind::free)};
  EXPECT_THAT(message_of(scene), ::testing::HasSubstr("two bodies have the same name"));
}

TEST(Compile, RefusesABodyThatMovesAndWeighsNothing) {
  Scene scene;
  SceneBody ghost;
  ghost.name = "ghost";
  scene.bodies = {ghost};
  EXPECT_THAT(message_of(scene), ::testing::HasSubstr("needs a mass"));
  scene.bodies[0].joint.kind = JointKind::weld;
  EXPECT_EQ(message_of(scene), "no error");
}

}  // namespace model_test
}  // namespace pawl::internal
