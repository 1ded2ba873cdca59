#include <algorithm>

#include <gtest/gtest.h>

#include <pawl/collision/narrow_phase.h>
#include <unit/collision/ball_scenes.h>

namespace pawl::internal {
namespace should_collide_test {

using testing::ball;
using testing::ground;
using testing::model_of;

using Names = std::vector<std::string>;

/// The pairs that may collide, by the names of their bodies, in the order of contacts.
Names named_pairs(const Model& model) {
  std::vector<ShapePair> pairs;
  const int shapes = static_cast<int>(model.shapes.size());
  for (int s = 0; s < shapes; ++s) {
    for (int other = s + 1; other < shapes; ++other) {
      EXPECT_EQ(should_collide(model, s, other), should_collide(model, other, s));
      EXPECT_EQ(ordered_pair(model, s, other), ordered_pair(model, other, s));
      if (should_collide(model, s, other)) pairs.push_back(ordered_pair(model, s, other));
    }
  }
  std::ranges::sort(pairs);
  Names names;
  for (const ShapePair& pair : pairs) {
    names.push_back(model.body_names[model.shapes[pair.a].body] + "-" +
                    model.body_names[model.shapes[pair.b].body]);
  }
  return names;
}

TEST(OrderedPair, PutsTheFixedShapeSecondWhereverItStandsInTheModel) {
  EXPECT_EQ(named_pairs(model_of({ground(), ball("a", {}), ball("b", {})})),
            (Names{"a-ground", "a-b", "b-ground"}));
  EXPECT_EQ(named_pairs(model_of({ball("a", {}), ball("b", {}), ground()})),
            (Names{"a-b", "a-ground", "b-ground"}));
}

TEST(ShouldCollide, LeavesOutShapesOfOneBodyAndOfTwoFixedOnes) {
  SceneBody dumbbell = ball("dumbbell", {});
  dumbbell.shapes.push_back(dumbbell.shapes[0]);
  EXPECT_EQ(named_pairs(model_of({dumbbell})), Names{});
  EXPECT_EQ(named_pairs(model_of({ground(), ground("wall"), ball("post", {}, JointKind::weld)})), Names{});
}

TEST(ShouldCollide, LeavesOutBodiesThatAreJoined) {
  const Model model = model_of(
      {ball("a", {}), ball("b", {}, JointKind::revolute, "a"), ball("c", {}, JointKind::prismatic, "b")});
  EXPECT_EQ(named_pairs(model), (Names{"a-c"}));
}

TEST(ShouldCollide, LeavesOutBodiesThatWeldsHoldTogether) {
  const Model model =
      model_of({ball("a", {}), ball("b", {}, JointKind::weld, "a"), ball("c", {}, JointKind::weld, "a"),
                ball("d", {}, JointKind::weld, "c"), ball("e", {}, JointKind::revolute, "d")});
  EXPECT_EQ(named_pairs(model), (Names{"a-e", "b-e", "c-e"}));
}

TEST(ShouldCollide, GoesByRowJointsAndLists) {
  Scene scene;
  scene.materials.push_back({"plain", 0, 0});
  scene.bodies = {ball("a", {}), ball("b", {}), ball("c", {}), ball("d", {}, JointKind::revolute, "a")};
  for (SceneBody& body : scene.bodies) body.shapes[0].material = "plain";
  const auto join = [&](const char* first, const char* second, bool collide) {
    SceneConstraintJoint joint;
    joint.first = first, joint.second = second, joint.collide = collide;
    scene.joints.push_back(joint);
  };
  join("b", "a", false);
  join("b", "c", true);
  EXPECT_EQ(named_pairs(compile(scene)), (Names{"a-c", "d-b", "d-c", "b-c"}));
  scene.no_collision = {{"c", "a"}, {"c", "b"}};
  scene.collision = {{"a", "b"}, {"d", "a"}};
  EXPECT_EQ(named_pairs(compile(scene)), (Names{"a-d", "a-b", "d-b", "d-c"}));
}

TEST(ShouldCollide, TakesTheConsentOfBothGroups) {
  std::vector<SceneBody> bodies{ball("a", {}), ball("b", {}), ball("c", {}), ball("d", {})};
  bodies[0].shapes[0].group = 2;
  bodies[1].shapes[0].group = 4;
  bodies[1].shapes[0].collides_with = 1;  // b does not collide with a, although a accepts all groups
  bodies[2].shapes[0].collides_with = 2;  // c collides with a alone
  bodies[3].shapes[0].group = 1u << 31;
  bodies[3].shapes[0].collides_with = 0;
  EXPECT_EQ(named_pairs(model_of(bodies)), (Names{"a-c"}));
  bodies[2].shapes[0].collides_with = 2 + 4;
  EXPECT_EQ(named_pairs(model_of(bodies)), (Names{"a-c", "b-c"}));
}

}  // namespace should_collide_test
}  // namespace pawl::internal
