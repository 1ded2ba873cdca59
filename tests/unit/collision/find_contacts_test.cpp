#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include <pawl/collision/narrow_phase.h>
#include <unit/base/random.h>

namespace pawl {
namespace {

using testing::Random;

SceneBody ball(const std::string& name, const Vec3& position, JointKind joint = JointKind::free,
               const std::string& parent = "world") {
  SceneBody body;
  body.name = name;
  body.joint.kind = joint;
  body.joint.parent = parent;
  body.mass = 1;
  body.position = position;
  SceneShape shape;
  shape.radius = 0.5;
  shape.material = "plain";
  body.shapes = {shape};
  return body;
}

SceneBody ground(const std::string& name = "ground") {
  SceneBody body = ball(name, {}, JointKind::weld);
  body.mass.reset();
  body.shapes[0].kind = ShapeKind::half_space;
  return body;
}

Model model_of(std::vector<SceneBody> bodies) {
  Scene scene;
  scene.materials = {{"plain", 0.5, 0}};
  scene.bodies = std::move(bodies);
  return compile(scene);
}

/// The pairs by the names of their bodies.
std::vector<std::string> named_pairs(const Model& model) {
  std::vector<std::string> names;
  for (const ShapePair& pair : candidate_pairs(model)) {
    names.push_back(model.body_names[model.shapes[pair.a].body] + "-" +
                    model.body_names[model.shapes[pair.b].body]);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(CandidatePairs, PutTheFixedShapeSecond) {
  EXPECT_EQ(named_pairs(model_of({ground(), ball("a", {}), ball("b", {})})),
            (Names{"a-ground", "a-b", "b-ground"}));
}

TEST(CandidatePairs, LeaveOutShapesOfOneBodyAndOfTwoFixedOnes) {
  SceneBody dumbbell = ball("dumbbell", {});
  dumbbell.shapes.push_back(dumbbell.shapes[0]);
  EXPECT_EQ(named_pairs(model_of({dumbbell})), Names{});
  EXPECT_EQ(named_pairs(model_of({ground(), ground("wall"), ball("post", {}, JointKind::weld)})), Names{});
}

TEST(CandidatePairs, LeaveOutBodiesThatAreJoined) {
  const Model model = model_of(
      {ball("a", {}), ball("b", {}, JointKind::revolute, "a"), ball("c", {}, JointKind::prismatic, "b")});
  EXPECT_EQ(named_pairs(model), (Names{"a-c"}));
}

TEST(CandidatePairs, LeaveOutBodiesThatWeldsHoldTogether) {
  const Model model =
      model_of({ball("a", {}), ball("b", {}, JointKind::weld, "a"), ball("c", {}, JointKind::weld, "a"),
                ball("d", {}, JointKind::weld, "c"), ball("e", {}, JointKind::revolute, "d")});
  EXPECT_EQ(named_pairs(model), (Names{"a-e", "b-e", "c-e"}));
}

TEST(FindContacts, GivesOverlapsAndWhatItIsToldToKeepInTheOrderOfIds) {
  Random random(1);
  for (int sample = 0; sample < 200; ++sample) {
    std::vector<SceneBody> bodies{ground()};
    for (int i = 0; i < 8; ++i) {
      SceneBody body = ball("b" + std::to_string(i), random.vec(1.5));
      if (i % 2 == 0) {
        body.shapes[0].kind = ShapeKind::capsule;
        body.shapes[0].length = 1;
      }
      bodies.push_back(body);
    }
    const Model model = model_of(bodies);
    const std::vector<ShapePair> pairs = candidate_pairs(model);
    Kinematics placed;
    place_bodies(model, model.q_start, placed);
    std::vector<Contact> all;
    for (const ShapePair& pair : pairs) gap(model, placed, pair, all);
    EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Contact::id));

    std::vector<ContactId> keep{{0, 0, 99}};  // and one that is not there any more
    for (const Contact& contact : all) {
      if (random.below(3) == 0) keep.push_back(contact.id);
    }
    std::vector<ContactId> wanted;
    for (const Contact& contact : all) {
      if (contact.gap < 0 || std::ranges::binary_search(keep, contact.id)) wanted.push_back(contact.id);
    }
    std::vector<Contact> found;
    const double least = find_contacts(model, placed, pairs, keep, found);
    EXPECT_EQ(least, std::ranges::min_element(all, {}, &Contact::gap)->gap);
    std::vector<ContactId> ids;
    for (const Contact& contact : found) ids.push_back(contact.id);
    EXPECT_EQ(ids, wanted);
  }
}

TEST(FindContacts, NamesTheBodiesOfAContact) {
  const Model model = model_of({ground(), ball("a", {0, 0, 0.4})});
  Kinematics placed;
  place_bodies(model, model.q_start, placed);
  std::vector<Contact> found;
  EXPECT_DOUBLE_EQ(find_contacts(model, placed, candidate_pairs(model), {}, found), -0.1);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(model.body_names[found[0].body_a], "a");
  EXPECT_EQ(model.body_names[found[0].body_b], "ground");
  EXPECT_EQ(found[0].normal, (Vec3{0, 0, 1}));
}

TEST(FindContacts, OfNoPairsAreNoneAndInfinitelyFar) {
  const Model model = model_of({ball("a", {})});
  Kinematics placed;
  place_bodies(model, model.q_start, placed);
  std::vector<Contact> found(3);
  EXPECT_EQ(find_contacts(model, placed, {}, {}, found), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace pawl
