// Poses where a closed form divides zero by zero, or where rounding selects the branch.
#include <gtest/gtest.h>

#include <unit/base/worst.h>
#include <unit/collision/two_shapes.h>

namespace pawl::internal {
namespace degenerate_contacts_test {

using testing::contacts_of;
using testing::core_distance;
using testing::min_gap;
using testing::PlacedShape;
using testing::Random;
using testing::swept_ball;
using testing::WorstValue;

class DegenerateContactsIn : public ::testing::TestWithParam<Dimension> {};
INSTANTIATE_TEST_SUITE_P(BothWorlds, DegenerateContactsIn,
                         ::testing::Values(Dimension::spatial, Dimension::planar),
                         [](const auto& world) { return std::string(to_string(world.param)); });

void expect_sound(const std::vector<Contact>& contacts) {
  for (const Contact& contact : contacts) {
    EXPECT_TRUE(std::isfinite(contact.gap));
    EXPECT_NEAR(norm(contact.normal), 1, 1e-15);
    EXPECT_LE(norm(contact.point_a - contact.point_b - contact.gap * contact.normal), 1e-15);
  }
}

/// Contacts whose gaps are within rounding of the least.
std::vector<Contact> with_min_gap(std::vector<Contact> contacts) {
  const double least = min_gap(contacts);
  std::erase_if(contacts, [&](const Contact& contact) { return contact.gap > least + 1e-9; });
  return contacts;
}

Vec3 direction(Random& random, Dimension dimension) {
  const double turn = random.uniform(-4, 4);
  return dimension == Dimension::planar ? Vec3{std::cos(turn), std::sin(turn), 0} : random.unit();
}

Vec3 perpendicular_to(Random& random, const Vec3& d, Dimension dimension) {
  return dimension == Dimension::planar ? Vec3{-d.y, d.x, 0} : normalized(cross(d, random.unit()));
}

TEST_P(DegenerateContactsIn, CoincidentCentresStillHaveANormal) {
  const Vec3 axis = GetParam() == Dimension::planar ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
  const PlacedShape ball = swept_ball({1, 2, 0}, {}, 0.1, GetParam()),
                    rod = swept_ball({1, 2, 0}, 0.5 * axis, 0.2, GetParam());
  const std::vector<Contact> balls = contacts_of(ball, ball);
  expect_sound(balls);
  EXPECT_DOUBLE_EQ(min_gap(balls), -0.2);
  for (const auto& contacts : {contacts_of(ball, rod), contacts_of(rod, ball)}) {
    expect_sound(contacts);
    EXPECT_DOUBLE_EQ(min_gap(contacts), -0.3);
    EXPECT_NEAR(dot(contacts[0].normal, axis), 0, 1e-15) << "out of the side, not along the axis";
  }
}

TEST(DegenerateContacts, SegmentsThatMeetInSpaceArePushedApartAlongTheirCommonNormal) {
  const PlacedShape a = swept_ball({}, {1, 0, 0}, 0.1, Dimension::spatial),
                    b = swept_ball({0.5, 0, 0}, {0, 1, 0}, 0.2, Dimension::spatial);
  const std::vector<Contact> contacts = with_min_gap(contacts_of(a, b));
  expect_sound(contacts);
  ASSERT_EQ(contacts.size(), 1U);
  EXPECT_DOUBLE_EQ(contacts[0].gap, -0.3);
  EXPECT_DOUBLE_EQ(std::abs(contacts[0].normal.z), 1);
}

TEST(DegenerateContacts, SegmentsThatCrossInThePlaneArePushedBackTheShortestWay) {
  // An upright rod whose tip is 0.1 beyond a level one.
  const PlacedShape upright = swept_ball({0.3, 0.9, 0}, {0, 1, 0}, 0.05, Dimension::planar),
                    level = swept_ball({}, {2, 0, 0}, 0.1, Dimension::planar);
  const std::vector<Contact> contacts = contacts_of(upright, level);
  expect_sound(contacts);
  ASSERT_EQ(contacts.size(), 1U);
  EXPECT_NEAR(contacts[0].gap, -0.25, 1e-15);
  EXPECT_LE(norm(contacts[0].normal - Vec3{0, 1, 0}), 1e-15);
}

TEST_P(DegenerateContactsIn, CapsulesWithoutLengthAreSpheres) {
  PlacedShape a = swept_ball({}, {}, 0.1, GetParam());
  SceneShape capsule;
  capsule.kind = a.shape.kind = ShapeKind::capsule;
  capsule.radius = 0.1;
  a.shape.solid = make_collision_shape(capsule, GetParam());
  const PlacedShape b = swept_ball({3, 4, 0}, {}, 0.2, GetParam());
  const std::vector<Contact> contacts = contacts_of(a, b);
  ASSERT_EQ(contacts.size(), 1U);
  expect_sound(contacts);
  EXPECT_DOUBLE_EQ(contacts[0].gap, 4.7);
  EXPECT_LE(norm(contacts[0].normal - Vec3{-0.6, -0.8, 0}), 1e-15);
}

TEST_P(DegenerateContactsIn, ParallelCapsulesSideBySideTouchAtBothEndsOfTheirOverlap) {
  Random random(1);
  WorstValue error("error");
  for (int sample = 0; sample < 1000; ++sample) {
    const Vec3 d = direction(random, GetParam()), side = perpendicular_to(random, d, GetParam());
    const double sign = random.below(2) == 0 ? 1 : -1;  // of b's direction
    const PlacedShape a = swept_ball({}, 1.0 * d, 0.1, GetParam()),
                      b = swept_ball(0.5 * d + side, sign * 0.8 * d, 0.2, GetParam());
    const std::vector<Contact> contacts = with_min_gap(contacts_of(a, b));
    ASSERT_EQ(contacts.size(), 2U);
    expect_sound(contacts);
    for (const Contact& contact : contacts) {
      error.add(contact.gap - 0.7);
      error.add(contact.normal + side);
    }
    error.add(dot(contacts[0].point_a, d) - 1.0);  // an end of a
    error.add(dot(contacts[1].point_a, d) + 0.3);  // the projection of an end of b
  }
  error.expect_at_most(1e-15);
}

TEST_P(DegenerateContactsIn, CapsulesInLineTouchOnceEndToEnd) {
  Random random(2);
  WorstValue error("error");
  for (int sample = 0; sample < 1000; ++sample) {
    const Vec3 d = direction(random, GetParam());
    const PlacedShape a = swept_ball({}, 1.0 * d, 0.1, GetParam()),
                      b = swept_ball(3.0 * d, 0.5 * d, 0.2, GetParam());
    const std::vector<Contact> contacts = with_min_gap(contacts_of(a, b));
    ASSERT_EQ(contacts.size(), 1U);
    expect_sound(contacts);
    error.add(contacts[0].gap - 1.2);
    error.add(contacts[0].normal + d);
  }
  error.expect_at_most(1e-15);
}

TEST_P(DegenerateContactsIn, CapsulesInLineThatOverlapLeaveSideways) {
  Random random(3);
  for (int sample = 0; sample < 1000; ++sample) {
    const Vec3 d = direction(random, GetParam());
    const PlacedShape a = swept_ball({}, 1.0 * d, 0.1, GetParam()),
                      b = swept_ball(1.2 * d, 0.5 * d, 0.2, GetParam());
    const std::vector<Contact> contacts = with_min_gap(contacts_of(a, b));
    expect_sound(contacts);
    EXPECT_NEAR(min_gap(contacts), -0.3, 1e-14);
    for (const Contact& contact : contacts) EXPECT_NEAR(dot(contact.normal, d), 0, 1e-14);
  }
}

TEST(DegenerateContacts, AnEndThatMeetsASideInThePlaneIsPushedBackOutOfIt) {
  Random random(5);
  WorstValue error("error");
  for (int sample = 0; sample < 1000; ++sample) {
    const Vec3 d = direction(random, Dimension::planar), out = perpendicular_to(random, d, Dimension::planar);
    const Vec3 half = random.uniform(0.1, 1) * (out + random.uniform(-2, 2) * d);  // out of the line along d
    const double along = random.below(3) - 1;  // at one of its ends or in its middle
    const PlacedShape a = swept_ball(along * d + half, half, 0.1, Dimension::planar),
                      b = swept_ball({}, d, 0.2, Dimension::planar);
    for (const bool swapped : {false, true}) {
      const auto contacts = swapped ? contacts_of(b, a) : contacts_of(a, b);
      ASSERT_EQ(contacts.size(), 1U);
      expect_sound(contacts);
      error.add(contacts[0].gap + 0.3);
      error.add(contacts[0].normal.z);
      if (along == 0) error.add(contacts[0].normal - (swapped ? -out : out));
    }
  }
  error.expect_at_most(2e-15);
}

TEST_P(DegenerateContactsIn, GapIsExactThroughEveryAngleNearToParallel) {
  Random random(4);
  WorstValue error("error");
  for (int sample = 0; sample < 100'000; ++sample) {
    const Vec3 d = direction(random, GetParam()), side = perpendicular_to(random, d, GetParam());
    const double angle = random.scale(1e-12, 1e-2) * (random.below(2) == 0 ? 1 : -1);
    // In space, half of them rotate about the direction that separates them, so that they are closest between
    // their ends.
    const Vec3 towards = GetParam() == Dimension::spatial && sample % 2 == 0 ? cross(d, side) : side;
    const Vec3 turned = std::cos(angle) * d + std::sin(angle) * towards;
    const double apart = random.scale(1e-3, 1);
    const PlacedShape a = swept_ball(random.uniform(-1, 1) * d + apart * side,
                                     random.uniform(0.1, 1) * turned, 0.1, GetParam());
    const PlacedShape b = swept_ball({}, random.uniform(0.1, 1) * d, 0.1, GetParam());
    error.add(min_gap(contacts_of(a, b)) - core_distance(a, b, GetParam()) + 0.2);
  }
  error.expect_at_most(1e-13);  // below 1e-8 rad: (1e-8 length)²/(2 distance), not 0, between the ends
}

}  // namespace degenerate_contacts_test
}  // namespace pawl::internal
