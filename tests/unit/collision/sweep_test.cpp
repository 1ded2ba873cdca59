#include <pawl/collision/sweep.h>

#include <algorithm>
#include <numbers>

#include <gtest/gtest.h>

#include <pawl/collision/contact_finder.h>
#include <pawl/collision/shapes/bounds.h>
#include <unit/base/random.h>
#include <unit/base/worst.h>
#include <unit/collision/ball_scenes.h>

namespace pawl::internal {
namespace sweep_test {

using testing::ball;
using testing::model_of;
using testing::Random;
using testing::start_of;
using testing::WorstValue;

constexpr double kPi = std::numbers::pi;

TEST(MotionBetween, EndsAtTheTargetPose) {
  Random random(1);
  WorstValue error("error");
  for (int sample = 0; sample < 10'000; ++sample) {
    const Pose from{to_matrix(random.rotation()), random.vec()};
    const double angle = sample % 2 == 0 ? random.uniform(0, kPi) : kPi - random.scale(1e-12, 1e-3);
    const Vec3 rotation = (sample % 3 == 0 ? random.scale(1e-12, 1) : 1) * angle * random.unit();
    const Pose to{to_matrix(quat_exp(rotation)) * from.R, random.vec()};
    const BodyMotion motion = motion_between(from, to);
    EXPECT_LE(norm(motion.rotation), kPi + 1e-12);
    error.add(motion.at(1).p - to.p);
    error.add(motion.at(1).R - to.R);
    error.add(motion.at(0).p - from.p);
    error.add(motion.at(0).R - from.R);
  }
  error.expect_at_most(1e-14);
}

TEST(MotionBetween, HandlesHalfATurnAboutEveryAxis) {
  Random random(2);
  std::vector<Vec3> axes{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, normalized(Vec3{1, 1, 0})};
  for (int i = 0; i < 1000; ++i) axes.push_back(random.unit());
  WorstValue error("error");
  for (const Vec3& axis : axes) {
    const Mat3 half = 2 * outer(axis, axis) - Mat3::identity();
    const BodyMotion motion = motion_between({}, {half, {}});
    error.add(motion.at(1).R - half);
    error.add(norm(motion.rotation) - kPi);
    error.add(std::abs(dot(motion.rotation, axis)) - kPi);
  }
  error.expect_at_most(1e-14);
}

TEST(MotionBetween, GoesAtConstantSpeedAndSpin) {
  Random random(3);
  WorstValue error("error");
  for (int sample = 0; sample < 1000; ++sample) {
    const Pose from{to_matrix(random.rotation()), random.vec()};
    const Vec3 rotation = random.uniform(0, 3) * random.unit(), translation = random.vec();
    const Pose to{to_matrix(quat_exp(rotation)) * from.R, from.p + translation};
    const Pose middle = motion_between(from, to).at(0.25);
    error.add(middle.p - from.p - 0.25 * translation);
    error.add(middle.R - to_matrix(quat_exp(0.25 * rotation)) * from.R);
  }
  error.expect_at_most(1e-13);
}

/// A bullet of 5 mm and a plate of 1 mm, as a box or as a mesh of two triangles.
enum class Plate { box, mesh };
Model bullet_and_plate(Plate kind) {
  SceneBody bullet = ball("bullet", {});
  bullet.shapes[0].radius = 2.5e-3;
  SceneBody plate = ball("plate", {}, JointKind::weld);
  SceneShape& shape = plate.shapes[0];
  if (kind == Plate::box) {
    shape.kind = ShapeKind::box;
    shape.size = {0.4, 0.4, 1e-3};
  } else {
    shape.kind = ShapeKind::height_field;
    shape.heights.assign(9, 5e-4);
    shape.columns = 3;
    shape.spacing = {0.2, 0.2, 0};
    shape.position = {-0.2, -0.2, 0};
  }
  return model_of({bullet, plate});
}

struct Shot {
  Kinematics start, end;
};
/// 300 m/s for 1 ms, through a point of the plate.
Shot shot(const Model& model, const Vec3& direction, const Vec3& through, double fraction) {
  Shot shot{start_of(model), start_of(model)};
  const Vec3 displacement = 0.3 * direction;
  shot.start.X_WB[1].p = through - fraction * displacement;
  shot.end.X_WB[1].p = shot.start.X_WB[1].p + displacement;
  return shot;
}

class SweptBullet : public ::testing::TestWithParam<Plate> {};
INSTANTIATE_TEST_SUITE_P(Plates, SweptBullet, ::testing::Values(Plate::box, Plate::mesh),
                         [](const auto& plate) { return plate.param == Plate::box ? "Box" : "Mesh"; });

TEST_P(SweptBullet, IsFoundAtTheFrontOfAThinPlateAtEveryAngle) {
  Random random(4);
  const Model model = bullet_and_plate(GetParam());
  ContactFinder finder(model);
  std::vector<Contact> found;
  WorstValue normal("normal"), gap("gap"), witness("witness");
  for (int sample = 0; sample < 50; ++sample) {
    const double steep = random.uniform(0, 1.3), turn = random.uniform(-kPi, kPi);
    const Vec3 down{std::sin(steep) * std::cos(turn), std::sin(steep) * std::sin(turn), -std::cos(steep)};
    const Vec3 through{random.uniform(-0.15, 0.15), random.uniform(-0.15, 0.15), 0};
    const Shot s = shot(model, down, through, random.uniform(0.3, 0.8));
    finder.find({s.end, &s.start}, found);
    ASSERT_EQ(found.size(), 1U) << "sample " << sample;
    normal.add(found[0].normal - Vec3{0, 0, 1});
    // Measured from the front, at the full depth.
    gap.add(found[0].gap - (s.end.X_WB[1].p.z - 5e-4 - 2.5e-3));
    witness.add(dot(found[0].point_a - found[0].point_b, found[0].normal) - found[0].gap);
  }
  normal.expect_at_most(1e-12);
  gap.expect_at_most(1e-15);
  witness.expect_at_most(1e-15);
}

TEST_P(SweptBullet, PassesThroughWhereItComesOutBehindAndNotWhereItStopsOrSlides) {
  const Model model = bullet_and_plate(GetParam());
  ContactFinder finder(model);
  std::vector<Contact> found;
  const auto passes = [&](const Shot& s) {
    finder.find({s.end, &s.start}, found);
    return finder.passes_through(found);
  };
  const double front = 5e-4 + 2.5e-3;  // height of the bullet's centre at impact
  for (const double fraction : {0.01, 0.3, 0.7, 0.99}) {
    EXPECT_TRUE(passes(shot(model, {0, 0, -1}, {}, fraction))) << fraction;
    EXPECT_FALSE(passes(shot(model, {0, 0, 1}, {0, 0, front}, 0))) << fraction;
    EXPECT_FALSE(passes(shot(model, {1, 0, 0}, {0, 0, front}, fraction))) << fraction;
    EXPECT_FALSE(passes(shot(model, {0, 0, -1}, {0, 0, front - fraction * 1e-4}, 1))) << fraction;
  }
}

/// An end of a rod touches a plate and rises at first, as the rod rotates about its middle. But the middle
/// moves down and takes the rod through the plate.
TEST(Sweep, FindsWhatClosesAfterATouchThatOpens) {
  SceneBody rod = ball("rod", {});
  rod.shapes[0].kind = ShapeKind::capsule;
  rod.shapes[0].radius = 0.01;
  rod.shapes[0].length = 0.2;
  SceneBody plate = ball("plate", {}, JointKind::weld);
  plate.shapes[0].kind = ShapeKind::box;
  plate.shapes[0].size = {1, 1, 0.01};
  const Model model = model_of({rod, plate});
  Kinematics start = start_of(model), end = start_of(model);
  start.X_WB[1] = {to_matrix(quat_exp({0.6, 0, 0})), {0, 0, 0.005 + 0.01 + 0.1 * std::cos(0.6)}};
  end.X_WB[1] = {to_matrix(quat_exp({2.4, 0, 0})), {0, 0, -0.1}};
  ContactFinder finder(model);
  std::vector<Contact> found;
  finder.find({end, &start}, found);
  ASSERT_FALSE(found.empty());
  EXPECT_LT(found[0].gap, -0.02);
  EXPECT_EQ(found[0].normal, (Vec3{0, 0, 1}));
  EXPECT_TRUE(finder.passes_through(found));
}

TEST(Sweep, FindsNothingWhereTheyPassBy) {
  Random random(5);
  const Model model = bullet_and_plate(Plate::box);
  ContactFinder finder(model);
  std::vector<Contact> found;
  for (int sample = 0; sample < 200; ++sample) {
    const double turn = random.uniform(-kPi, kPi);
    const Vec3 out{std::cos(turn), std::sin(turn), 0};
    const double edge = 0.2 / std::max(std::abs(out.x), std::abs(out.y));
    // Down past the rim, and level over the face, by a tenth of a radius or more.
    const double room = 2.5e-3 * random.uniform(1.1, 3) * std::sqrt(2.0);
    const Shot past = shot(model, {0, 0, -1}, (edge + room) * out, random.uniform(0.1, 0.9));
    finder.find({past.end, &past.start}, found);
    EXPECT_TRUE(found.empty());
    const Shot over = shot(model, out, {0, 0, 5e-4 + 2.5e-3 * random.uniform(1.1, 3)}, random.uniform(0, 1));
    finder.find({over.end, &over.start}, found);
    EXPECT_TRUE(found.empty());
    // It stops before the plate.
    const Shot before = shot(model, {0, 0, -1}, {0, 0, 5e-4 + 2.5e-3 * random.uniform(1.1, 3)}, 1);
    finder.find({before.end, &before.start}, found);
    EXPECT_TRUE(found.empty());
  }
}

/// Obstacles in the path of a rod that rotates about its middle within the step, far from its first and its
/// last pose.
TEST(Sweep, FindsWhatASpinningRodHits) {
  Random random(6);
  SceneBody rod = ball("rod", {});
  rod.shapes[0].kind = ShapeKind::capsule;
  rod.shapes[0].radius = 0.01;
  rod.shapes[0].length = 2;
  rod.shapes[0].orientation = quat_exp({0, kPi / 2, 0});  // along x
  SceneBody stone = ball("stone", {});
  stone.shapes[0].radius = 0.01;
  const Model model = model_of({rod, stone});
  ContactFinder finder(model);
  std::vector<Contact> found;
  for (int sample = 0; sample < 500; ++sample) {
    const Mat3 world = to_matrix(random.rotation());
    const double turn = random.uniform(0.3, 3), fraction = random.uniform(0.2, 0.8);
    const double reach = random.uniform(0.3, 1);
    Kinematics start = start_of(model), end = start_of(model);
    const auto rotation = [&](double angle) { return world * to_matrix(quat_exp({0, 0, angle})); };
    start.X_WB[1].R = rotation(0);
    end.X_WB[1].R = rotation(turn);
    start.X_WB[2].p = end.X_WB[2].p = rotation(fraction * turn) * Vec3{reach, 0, 0};
    finder.find({end, &start}, found);
    ASSERT_EQ(found.size(), 1U) << "sample " << sample;
    // The rod pushes the stone ahead: the normal points out of b, the stone, into the rod.
    EXPECT_GT(dot(found[0].normal, rotation(fraction * turn) * Vec3{0, -1, 0}), 0.9);
    EXPECT_LT(found[0].gap, 0);
    start.X_WB[2].p = end.X_WB[2].p = rotation(turn + 0.5 * (kPi - turn)) * Vec3{reach, 0, 0};
    finder.find({end, &start}, found);
    EXPECT_EQ(found.empty(), reach * std::sin(0.5 * (kPi - turn)) > 0.02) << "where it does not come";
  }
}

SceneBody random_solid(Random& random, const std::string& name) {
  SceneBody body = ball(name, {});
  SceneShape& shape = body.shapes[0];
  constexpr ShapeKind kinds[] = {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::box, ShapeKind::cylinder,
                                 ShapeKind::ellipsoid};
  shape.kind = kinds[random.below(5)];
  shape.radius = random.uniform(0.02, 0.1);
  shape.length = shape.height = random.uniform(0.1, 1);
  shape.size = {random.uniform(0.02, 0.5), random.uniform(0.02, 0.5), random.uniform(0.02, 0.5)};
  shape.position = random.vec(0.3);
  body.inertia = Mat3::identity();
  return body;
}

/// From one side to the other, rotating by up to 3 rad.
BodyMotion random_motion(Random& random, double side) {
  const Pose from{to_matrix(random.rotation()), Vec3{side, 0, 0} + random.vec(0.5)};
  const Pose to{to_matrix(quat_exp(random.uniform(0, 3) * random.unit())) * from.R,
                from.p - Vec3{1.5 * side, 0, 0}};
  return motion_between(from, to);
}

/// Two solids that collide, pass by or miss each other during their motions.
struct Encounter {
  explicit Encounter(Random& random)
      : model(model_of({random_solid(random, "a"), random_solid(random, "b")})),
        a(random_motion(random, 1)),
        b(random_motion(random, -1)),
        thick(inner_radius(model.shapes[0].solid) + inner_radius(model.shapes[1].solid)) {}
  double gap_at(double fraction) const { return pair_gap(model, {0, 1}, a.at(fraction), b.at(fraction)); }

  Model model;
  BodyMotion a, b;
  double thick;  // m
};

TEST(Sweep, PenetratesDeeplyWhereManySmallStepsDo) {
  Random random(8);
  int sunk = 0, kept = 0;
  for (int sample = 0; sample < 200; ++sample) {
    const Encounter meeting(random);
    const double allowed = 0.5 * meeting.thick, floor = std::min(meeting.gap_at(0), 0.0) - allowed;
    double least = 1e9;
    for (int i = 0; i <= 4000; ++i) least = std::min(least, meeting.gap_at(i / 4000.0));
    const bool penetrates = penetrates_deeply(meeting.model, {0, 1}, meeting.a, meeting.b);
    if (least < floor) {
      EXPECT_TRUE(penetrates) << "sample " << sample;
      ++sunk;
    } else if (least > floor + 0.11 * allowed) {
      EXPECT_FALSE(penetrates) << "sample " << sample;
      ++kept;
    }
  }
  EXPECT_GT(sunk, 15);
  EXPECT_GT(kept, 50);
}

TEST(Sweep, TimeOfImpactIsThatOfManySmallSteps) {
  Random random(7);
  int hits = 0, misses = 0;
  for (int sample = 0; sample < 400; ++sample) {
    const Encounter meeting(random);
    const auto& [model, a, b, thick] = meeting;
    double sampled = 2;  // the first of many sampled fractions where they are surely close
    double least = 1e9;
    for (int i = 0; i <= 4000; ++i) {
      const double gap = meeting.gap_at(i / 4000.0);
      if (gap <= 0.5e-2 * thick) sampled = std::min(sampled, i / 4000.0);
      least = std::min(least, gap);
    }
    const double touch = time_of_impact(model, {0, 1}, a, b);
    if (least > 1e-2 * thick) {
      EXPECT_GT(touch, 1) << "sample " << sample;
      ++misses;
    } else if (sampled <= 1) {
      EXPECT_LE(touch, sampled) << "sample " << sample;  // not later than they touch
      EXPECT_LE(meeting.gap_at(touch), 1e-2 * thick);    // and not before
      ++hits;
    }
  }
  EXPECT_GT(hits, 50);
  EXPECT_GT(misses, 50);
}

}  // namespace sweep_test
}  // namespace pawl::internal
