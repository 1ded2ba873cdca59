// Reading of friction sets of pairs: accepted values and error messages.

#include <gtest/gtest.h>

#include "unit/scene_file/scene_text.h"

#include <pawl/scene_file.h>

namespace pawl::internal::testing {
namespace {

std::string scene_with_set(const std::string& set, const std::string& world = "") {
  return "pawl: 1\n" + world +
         "materials: {ball: {friction: 0.2}, lane: {friction: 0.2}}\n"
         "pairs:\n"
         "  - between: [ball, lane]\n"
         "    friction_set: " +
         set + "\n";
}
std::string set_message(const std::string& set, const std::string& world = "") {
  const std::string message = message_of(scene_with_set(set, world));
  const std::size_t reason = message.find("friction_set");
  return reason == std::string::npos ? message : message.substr(reason);
}
SceneFrictionSet read_set(const std::string& set) {
  return parse_scene(scene_with_set(set), "s.yaml").pairs.at(0).friction_set;
}

TEST(SceneFrictionSets, AreACircleUnlessThePairSaysOtherwise) {
  const Scene scene = parse_scene("pawl: 1\nmaterials: {a: {friction: 0.2}, b: {friction: 0.2}}\n", "s.yaml");
  const SceneFrictionSet set = contact_values(scene, "a", "b").friction_set;
  EXPECT_EQ(set.kind, FrictionSetKind::ellipsoid);
  EXPECT_EQ(set.radii, (std::array<double, 3>{1, 1, 0}));
  EXPECT_EQ(set.along, Vec3{});
}

TEST(SceneFrictionSets, AreReadWithRadiiFrameAndRings) {
  const SceneFrictionSet set = read_set(
      "{type: mixed, e_t: 2, e_o: 0.5, e_r: 0.1, along: [3, 0, 4], of: lane,"
      " directions: {rings: [{count: 5}, {latitude_deg: -90, count: 1}]}}");
  EXPECT_EQ(set.kind, FrictionSetKind::mixed);
  EXPECT_EQ(set.radii, (std::array<double, 3>{2, 0.5, 0.1}));
  EXPECT_NEAR(norm(set.along - Vec3{0.6, 0, 0.8}), 0, 1e-15);
  EXPECT_EQ(set.of, "lane");
  ASSERT_EQ(set.rings.size(), 2u);
  EXPECT_EQ(set.rings[0].latitude, 0);
  EXPECT_EQ(set.rings[0].count, 5);
  EXPECT_NEAR(set.rings[1].latitude, -1.5707963267948966, 1e-15);
}

TEST(SceneFrictionSets, HaveDirectionsByNumberOrOneByOne) {
  EXPECT_EQ(read_set("{type: polyhedron, directions: 6}").count, 6);
  const SceneFrictionSet set = read_set("{type: polyhedron, directions: [[1, 0], [-1, 2, 0.3]]}");
  ASSERT_EQ(set.directions.size(), 2u);
  EXPECT_EQ(set.directions[0], (std::array<double, 3>{1, 0, 0}));
  EXPECT_EQ(set.directions[1], (std::array<double, 3>{-1, 2, 0.3}));
}

TEST(SceneFrictionSets, RefuseBadRadii) {
  EXPECT_EQ(message_of(scene_with_set("{type: ellipsoid, e_t: -1}")),
            "s.yaml:5:42: pairs.0.friction_set.e_t: -1 is not a radius of friction: it must be a finite "
            "number > 0");
  EXPECT_EQ(set_message("{type: ellipsoid, e_o: 0}"),
            "friction_set.e_o: 0 is not a radius of friction: it must be a finite number > 0");
  EXPECT_EQ(set_message("{type: ellipsoid, e_r: .nan}"),
            "friction_set.e_r: .nan is not a radius of friction about the normal: it must be a finite number "
            ">= 0 (m)");
  EXPECT_EQ(set_message("{type: mixed, e_t: 1}"),
            "friction_set.e_r: a mixed set needs a radius about the normal, e_r > 0 (m)");
  EXPECT_EQ(
      set_message("{type: ellipsoid, directions: {rings: [{count: 4}]}}"),
      "friction_set.e_r: rings of latitude lie on an ellipsoid with a radius about the normal, e_r > 0 (m)");
}

TEST(SceneFrictionSets, RefuseBadDirections) {
  EXPECT_EQ(set_message("{type: polyhedron}"),
            "friction_set.directions: missing: a polyhedron is the hull of its directions");
  EXPECT_EQ(
      set_message("{type: polyhedron, directions: 2}"),
      "friction_set.directions: 2 is not a number of directions: it must be a whole number from 3 to 62");
  EXPECT_EQ(set_message("{type: polyhedron, directions: [[1, .inf]]}"),
            "friction_set.directions.0.1: .inf is not an element of a friction direction: it must be a "
            "finite number");
  EXPECT_EQ(set_message("{type: polyhedron, e_r: 1, directions: {rings: [{latitude_deg: 91, count: 1}]}}"),
            "friction_set.directions.rings.0.latitude_deg: it must lie between the poles, from -90° to 90°");
  EXPECT_EQ(set_message("{type: polyhedron, e_r: 1, directions: {rings: [{count: 40}, {count: 40}]}}"),
            "friction_set.directions.rings: these are 80 directions: there can be 62 at most");
}

TEST(SceneFrictionSets, RefuseFramesWithoutABody) {
  EXPECT_EQ(set_message("{type: ellipsoid, along: [1, 0, 0]}"),
            "friction_set.of: missing: 'along' is fixed in a body, that of ball or that of lane");
  EXPECT_EQ(set_message("{type: ellipsoid, of: ball}"),
            "friction_set.of: it says whose direction 'along' is, and there is no 'along'");
  EXPECT_EQ(set_message("{type: planar}"),
            "friction_set.along: missing: in space, planar friction acts along one direction, which it must "
            "be told");
}

TEST(SceneFrictionSets, OfPlanarWorldsAreIntervals) {
  const std::string planar = "world: {dimension: planar}\n";
  EXPECT_EQ(set_message("{type: planar, e_t: 2}", planar), "no error");
  EXPECT_EQ(set_message("{type: ellipsoid}", planar),
            "friction_set.type: friction has one direction in a planar world: it must be planar or none");
}

}  // namespace
}  // namespace pawl::internal::testing
