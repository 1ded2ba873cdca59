#include <algorithm>

#include <gtest/gtest.h>

#include <unit/base/worst.h>
#include <unit/collision/two_shapes.h>

#include <pawl/collision/contact.h>

namespace pawl::internal {
namespace narrow_phase_test {

using testing::contacts_of;
using testing::core_distance;
using testing::core_of;
using testing::distance_to;
using testing::half_space;
using testing::min_gap;
using testing::PlacedShape;
using testing::radius_of;
using testing::Random;
using testing::random_pair;
using testing::TwoShapes;
using testing::WorstValue;

constexpr int kSamples = 20'000;

class NarrowPhaseIn : public ::testing::TestWithParam<Dimension> {};
INSTANTIATE_TEST_SUITE_P(BothWorlds, NarrowPhaseIn, ::testing::Values(Dimension::spatial, Dimension::planar),
                         [](const auto& world) { return std::string(to_string(world.param)); });

TEST_P(NarrowPhaseIn, GapIsTheDistanceOfTheSurfacesAtAnySizeNearAndAKilometreOut) {
  Random random(1);
  const Vec3 far{1000, -1000, GetParam() == Dimension::planar ? 0.0 : 1000.0};
  for (const Vec3& offset : {Vec3{}, far}) {
    WorstValue error(offset == far ? "error over size, 1 km out" : "error over size");
    for (int sample = 0; sample < kSamples; ++sample) {
      const double size = random.scale(1e-3, 1e2);
      const TwoShapes pair = random_pair(random, GetParam(), size, offset);
      const double exact = core_distance(pair.a, pair.b, GetParam()) - radius_of(pair.a) - radius_of(pair.b);
      error.add((min_gap(contacts_of(pair.a, pair.b)) - exact) / size);
    }
    error.expect_at_most(2e-15);
  }
}

TEST_P(NarrowPhaseIn, WitnessesLieOnTheSurfacesAGapApartAlongTheNormal) {
  Random random(3);
  WorstValue on_surface("off the surface"), apart("gap"), unit("normal");
  for (int sample = 0; sample < kSamples; ++sample) {
    const TwoShapes pair = random_pair(random, GetParam(), 1);
    const std::vector<Contact> contacts = contacts_of(pair.a, pair.b);
    for (const Contact& contact : contacts) {
      // Other contacts may lie on the ball of an end where the side covers it.
      if (contact.gap == min_gap(contacts)) {
        on_surface.add(distance_to(contact.point_a, core_of(pair.a)) - radius_of(pair.a));
        on_surface.add(distance_to(contact.point_b, core_of(pair.b)) - radius_of(pair.b));
      }
      apart.add(contact.point_a - contact.point_b - contact.gap * contact.normal);
      unit.add(norm(contact.normal) - 1);
      unit.add(GetParam() == Dimension::planar ? contact.normal.z : 0);
    }
  }
  on_surface.expect_at_most(1e-15);
  apart.expect_at_most(1e-15);
  unit.expect_at_most(5e-16);
}

TEST_P(NarrowPhaseIn, GapChangesAsTheWitnessesMoveAlongTheNormal) {
  Random random(4);
  const double t = 1e-7;
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const TwoShapes pair = random_pair(random, GetParam(), 1);
    const std::vector<Contact> contacts = contacts_of(pair.a, pair.b);
    // Where cores touch, normals in space are discontinuous and all gaps have a kink.
    if (contacts.size() != 1 || std::abs(core_distance(pair.a, pair.b, GetParam())) < 0.01) continue;
    Vec3 velocity = random.vec(), spin = random.vec();
    if (GetParam() == Dimension::planar) velocity.z = spin.x = spin.y = 0;
    const auto gap_after = [&](double time) {
      PlacedShape moved = pair.a;
      moved.X_WB.p += time * velocity;
      moved.X_WB.R = to_matrix(quat_exp(time * spin)) * moved.X_WB.R;
      return min_gap(contacts_of(moved, pair.b));
    };
    const Vec3 point_velocity = velocity + cross(spin, contacts[0].point_a - pair.a.X_WB.p);
    error.add((gap_after(t) - gap_after(-t)) / (2 * t) - dot(contacts[0].normal, point_velocity));
  }
  error.expect_at_most(1e-4);  // t times the curvature of the gap, 1/distance
}

TEST_P(NarrowPhaseIn, SwappedShapesMirrorTheContact) {
  Random random(5);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const TwoShapes pair = random_pair(random, GetParam(), 1);
    auto ab = contacts_of(pair.a, pair.b), ba = contacts_of(pair.b, pair.a);
    ASSERT_EQ(ab.size(), ba.size());
    std::ranges::sort(ab, {}, &Contact::gap);
    std::ranges::sort(ba, {}, &Contact::gap);
    for (std::size_t i = 0; i < ab.size(); ++i) {
      error.add(ab[i].gap - ba[i].gap);
      if (std::abs(core_distance(pair.a, pair.b, GetParam())) < 0.01)
        continue;  // rounding turns the normal there
      error.add(ab[i].normal + ba[i].normal);
      error.add(ab[i].point_a - ba[i].point_b);
      error.add(ab[i].point_b - ba[i].point_a);
    }
  }
  error.expect_at_most(1e-12);  // points slide along nearly parallel capsules
}

TEST_P(NarrowPhaseIn, GapNeverChangesFasterThanThePointsMove) {
  Random random(6);
  const double dt = 1e-3;
  WorstValue ratio("change over most possible");
  int crossings = 0;
  for (int path = 0; path < 300; ++path) {
    TwoShapes pair = random_pair(random, GetParam(), 1);
    Vec3 velocity = -1.0 * (pair.a.X_WB.p - pair.b.X_WB.p) + random.vec(0.3), spin = random.vec(3);
    if (GetParam() == Dimension::planar) velocity.z = spin.x = spin.y = 0;
    const double fastest = norm(velocity) + norm(spin) * norm(pair.a.shape.solid.half);
    double last = min_gap(contacts_of(pair.a, pair.b));
    for (int step = 0; step < 2000; ++step) {
      pair.a.X_WB.p += dt * velocity;
      pair.a.X_WB.R = to_matrix(quat_exp(dt * spin)) * pair.a.X_WB.R;
      const double now = min_gap(contacts_of(pair.a, pair.b));
      ratio.add((now - last) / (fastest * dt));
      crossings += core_distance(pair.a, pair.b, GetParam()) < 0;
      last = now;
    }
  }
  ratio.expect_at_most(1 + 1e-9);
  EXPECT_EQ(crossings > 0, GetParam() == Dimension::planar);
}

TEST_P(NarrowPhaseIn, HalfSpacesMeetSpheresOnceAndCapsulesAtBothEnds) {
  Random random(7);
  WorstValue error("error");
  for (int sample = 0; sample < kSamples; ++sample) {
    const PlacedShape a = random_pair(random, GetParam(), 1).a;
    const Vec3 n =
        GetParam() == Dimension::planar ? normalized(Vec3{random.uniform(-1, 1), 1, 0}) : random.unit();
    const PlacedShape ground = half_space(random.vec(), n);
    const std::vector<Contact> contacts = contacts_of(a, ground);
    const bool sphere = a.shape.kind == ShapeKind::sphere;
    ASSERT_EQ(contacts.size(), sphere ? 1U : 2U);
    double least = 1e9;
    for (int i = 0; i <= 100; ++i) {  // sampled core: its lowest point is an end
      const Vec3 p = core_of(a).center + (0.02 * i - 1) * core_of(a).half;
      least = std::min(least, dot(n, p - ground.X_WB.p) - radius_of(a));
    }
    error.add(min_gap(contacts) - least);
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      EXPECT_TRUE(i == 0 || contacts[i - 1].id < contacts[i].id);
      EXPECT_EQ(contacts[i].normal, n);
      error.add(dot(n, contacts[i].point_b - ground.X_WB.p));
      const double off_surface = distance_to(contacts[i].point_a, core_of(a)) - radius_of(a);
      // The point of the upper end lies inside.
      error.add(contacts[i].gap == min_gap(contacts) ? off_surface : 0);
      error.add(contacts[i].point_a - contacts[i].point_b - contacts[i].gap * n);
    }
  }
  error.expect_at_most(3e-15);
}

TEST(Tangent, IsUnitAndPerpendicularToTheNormalAndLevelOrAlongX) {
  Random random(8);
  WorstValue unit("length"), square("against n"), level("height"), along_x("off x");
  const auto check = [&](const Vec3& n) {
    const Vec3 t = tangent(n, false);
    unit.add(norm(t) - 1);
    square.add(dot(t, n));
    const double tilt = std::hypot(n.x, n.y);
    if (tilt > 2e-6) {
      level.add(t.z);
    } else if (tilt < 0.5e-6) {
      along_x.add(t - Vec3{1, 0, 0});
    }
  };
  for (int sample = 0; sample < kSamples; ++sample) {
    check(random.unit());
    const double tilt = random.scale(1e-12, 1e-3), turn = random.uniform(-4, 4);
    const double up = random.below(2) == 0 ? 1 : -1;
    check(normalized(Vec3{tilt * std::cos(turn), tilt * std::sin(turn), up}));
  }
  unit.expect_at_most(5e-16);
  square.expect_at_most(5e-16);
  level.expect_at_most(0);
  along_x.expect_at_most(1e-6);
  EXPECT_EQ(tangent({0, 0, 1}, false), (Vec3{1, 0, 0}));
  EXPECT_EQ(tangent({0, 0, -1}, false), (Vec3{1, 0, 0}));
  EXPECT_EQ(tangent({1, 0, 0}, false), (Vec3{0, 1, 0}));
  EXPECT_EQ(tangent({0, 1, 0}, true), (Vec3{1, 0, 0}));
  EXPECT_EQ(tangent({1, 0, 0}, true), (Vec3{0, -1, 0}));
}

}  // namespace narrow_phase_test
}  // namespace pawl::internal
