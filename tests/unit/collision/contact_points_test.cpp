// The max number of contacts per pair that a run sets.

#include <pawl/collision/contact_finder.h>
#include <pawl/scene_file.h>

#include <algorithm>

#include <gtest/gtest.h>

#include <unit/record/allocation_count.h>

#include "prism_scene.h"

namespace pawl::internal {
namespace contact_points_test {

using test::kFlatBox;
using test::kFlatHalfSpace;
using test::kFlatSurface;
using test::prism_scene;

Kinematics at(const Model& model, const Vec3& translation = {}) {
  std::vector<double> q = model.q_start;
  for (int i = 0; i < 3; ++i) q[i] += translation[i];
  Kinematics kinematics;
  position_kinematics(model, q, kinematics);
  return kinematics;
}

/// Contacts of a scene at its start, within 1 mm, with the number of points that its run sets.
std::vector<Contact> contacts_at_start(const std::string& text) {
  const Scene scene = parse_scene(text, "test.yaml");
  const Model model = compile(scene);
  std::vector<Contact> contacts;
  ContactFinder(model, scene.run.contact_points).find({at(model), nullptr, 1e-3}, contacts);
  return contacts;
}

std::size_t count_at_start(int sides, const std::string& table, const std::string& run = "") {
  return contacts_at_start(prism_scene(sides, table, run)).size();
}

TEST(ContactPoints, OfAHexagonalPrismOnABoxAreSixWhereEightAreAskedForAndElseFour) {
  EXPECT_EQ(count_at_start(6, kFlatBox), 4U);
  EXPECT_EQ(count_at_start(6, kFlatBox, "contact_points: 8"), 6U);
}

TEST(ContactPoints, OfAnOctagonalPrismOnABoxAreEightWhereEightAreAskedFor) {
  EXPECT_EQ(count_at_start(8, kFlatBox), 4U);
  EXPECT_EQ(count_at_start(8, kFlatBox, "contact_points: 8"), 8U);
}

TEST(ContactPoints, AreAsManyAsAreAskedForOnEveryKindOfTable) {
  for (const std::string& table : {kFlatBox, kFlatHalfSpace, kFlatSurface}) {
    EXPECT_EQ(count_at_start(10, table), 4U) << table;
    for (int max_points = 1; max_points <= kMaxContactPoints; ++max_points) {
      EXPECT_EQ(count_at_start(10, table, "contact_points: " + std::to_string(max_points)),
                static_cast<std::size_t>(max_points))
          << table;
    }
  }
}

TEST(ContactPoints, OfTwoBoxesAreTheCornersOfTheirCommonOctagonWhereEightAreAskedFor) {
  const auto boxes = [](const std::string& run) {
    return "pawl: 1\nmaterials: {plain: {friction: 0.5}}\nbodies:\n"
           "  a: {joint: {type: weld}, shapes: [{type: box, size: [0.2, 0.2, 0.1]}]}\n"
           "  b: {position: [0, 0, 0.1], orientation: {axis: [0, 0, 1], angle_deg: 45}, "
           "shapes: [{type: box, size: [0.2, 0.2, 0.1], density: 1000}]}\nrun: {" +
           run + "}\n";
  };
  EXPECT_EQ(contacts_at_start(boxes("")).size(), 4U);
  EXPECT_EQ(contacts_at_start(boxes("contact_points: 8")).size(), 8U);
}

TEST(ContactPoints, OfASideInThePlaneAreTwoHoweverManyAreAskedFor) {
  for (const char* table :
       {"{type: box, size: [1, 0.2], position: [0, -0.1]}", "{type: half-plane, normal: [0, 1]}",
        "{type: polyline, points: [[-1, 0], [1, 0]]}"}) {
    for (const char* run : {"", "contact_points: 8"}) {
      EXPECT_EQ(contacts_at_start(std::string("pawl: 1\nworld: {dimension: planar}\n"
                                              "materials: {plain: {friction: 0.5}}\nbodies:\n"
                                              "  table: {joint: {type: weld}, shapes: [") +
                                  table +
                                  "]}\n  box: {position: [0, 0.1], shapes: [{type: box, size: [0.2, 0.2], "
                                  "density: 1000}]}\nrun: {" +
                                  run + "}\n")
                    .size(),
                2U)
          << table;
    }
  }
}

/// Contacts that are found again have their second point directly below the first, at its new position.
TEST(ContactPoints, ThatWereAskedForAreAllFoundAgainWhereTheBodyHasSlid) {
  const Scene scene = parse_scene(prism_scene(8, kFlatBox, "contact_points: 8"), "test.yaml");
  const Model model = compile(scene);
  const Kinematics start = at(model), slid = at(model, {0.02, 0.01, 0});
  std::vector<Contact> contacts, followed;
  ContactFinder(model, 8).find({start, nullptr, 1e-3}, contacts);
  follow_contacts(model, start, slid, 8, contacts, followed);
  ASSERT_EQ(followed.size(), 8U);
  for (const Contact& contact : followed) {
    EXPECT_NEAR(norm(contact.point_a - contact.point_b - contact.gap * contact.normal), 0, 1e-15);
  }
}

TEST(ContactPoints, ThatAFastBodyMeetsOnItsWayAreAsManyAsAreAskedFor) {
  const std::string plate = "{type: box, size: [1, 1, 0.002], position: [0, 0, -0.001]}";
  const Scene scene = parse_scene(prism_scene(8, plate, "contact_points: 8"), "test.yaml");
  const Model model = compile(scene);
  const Kinematics start = at(model, {0, 0, 1}), end = at(model, {0, 0, -1});
  for (const int max_points : {4, 8}) {
    std::vector<Contact> contacts;
    ContactFinder(model, max_points).find({end, &start, 0}, contacts);
    EXPECT_EQ(contacts.size(), static_cast<std::size_t>(max_points));
  }
}

TEST(ContactPoints, UpToEightAreFoundWithoutAllocatingOnceWarm) {
  for (const std::string& table : {kFlatBox, kFlatHalfSpace, kFlatSurface}) {
    const Model model = compile(parse_scene(prism_scene(8, table), "test.yaml"));
    const Kinematics start = at(model), slid = at(model, {0.02, 0.01, 0});
    ContactFinder finder(model, 8);
    std::vector<Contact> contacts, followed;
    const auto go = [&] {
      finder.find({start, nullptr, 1e-3}, contacts);
      follow_contacts(model, start, slid, 8, contacts, followed);
    };
    go();
    ASSERT_EQ(contacts.size(), 8U) << table;
    const long before = allocation_count();
    go();
    EXPECT_EQ(allocation_count() - before, 0) << table;
  }
}

}  // namespace contact_points_test
}  // namespace pawl::internal
