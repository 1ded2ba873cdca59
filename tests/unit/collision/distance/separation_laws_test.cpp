// Properties of separation() for all shapes: symmetry, invariance, rates, continuity, and closed forms of
// special cases.
#include <gtest/gtest.h>

#include <unit/base/worst.h>
#include <unit/collision/shapes/random_convex.h>

namespace pawl::internal {
namespace separation_laws_test {

using namespace testing;

/// Two random shapes in random poses; successive samples run through all pairs of kinds and all kinds of
/// poses.
struct Sample {
  Convex shape_a, shape_b;
  Pose X_a, X_b;
  double size = 0;

  Sample(Random& random, int number, double slender = 10) {
    const bool planar = number % 3 == 2;
    const int kinds = planar ? static_cast<int>(kPlanarCores.size()) : static_cast<int>(kSpatialCores.size());
    const auto kind = [&] { return static_cast<CoreKind>(random.below(kinds)); };
    shape_a = random_convex(random, kind(), planar, random.scale(1e-3, 1e2), slender);
    shape_b = random_convex(random, kind(), planar, size_of(shape_a) * random.scale(0.1, 1), slender);
    const auto pose = static_cast<PoseKind>(random.below(kPoseKinds));
    random_poses(random, pose, shape_a, shape_b, X_a, X_b);
    size = std::max(size_of(shape_a), size_of(shape_b));
  }
  PosedConvex a() const { return {shape_a, X_a}; }
  PosedConvex b() const { return {shape_b, X_b}; }
};

constexpr int kSamples = 4000;

TEST(Separation, OfSwappedShapesIsTheMirror) {
  WorstValue gap("gap"), normal("normal"), points("points");
  for (int i = 0; i < kSamples; ++i) {
    Random random(static_cast<unsigned>(i));
    const Sample sample(random, i);
    const Separation one = separation(sample.a(), sample.b()), other = separation(sample.b(), sample.a());
    gap.add((one.gap - other.gap) / sample.size);
    normal.add(one.normal + other.normal);
    points.add((one.point_a - other.point_b) / sample.size);
  }
  gap.expect_at_most(0);
  normal.expect_at_most(0);
  points.expect_at_most(0);
}

TEST(Separation, DoesNotChangeWhenTheWorldIsTurnedAndMovedByAKilometre) {
  WorstValue gap("gap");
  for (int i = 0; i < kSamples; ++i) {
    Random random(static_cast<unsigned>(i));
    const Sample sample(random, i);
    const bool planar = sample.a().shape.planar;
    Pose X{random_turn(random, planar), random.vec(1000)};
    if (planar) X.p.z = 0;
    const double far = separation({sample.a().shape, X * sample.X_a}, {sample.b().shape, X * sample.X_b}).gap;
    // Positions themselves are rounded at a kilometre.
    const double rounding = 1e-12 + 1e-11 * sample.size;
    gap.add((separation(sample.a(), sample.b()).gap - far) / rounding);
  }
  gap.expect_at_most(1);
}

TEST(Separation, GrowsAtTheRateOfTheNormal) {
  WorstValue rate("rate");
  for (int i = 0; i < kSamples; ++i) {
    Random random(static_cast<unsigned>(i));
    Sample sample(random, i);
    const Separation at = separation(sample.a(), sample.b());
    Vec3 v = random.unit();
    if (sample.a().shape.planar) v.z = 0;
    const double h = 1e-6 * sample.size;
    const auto moved = [&](double step) {
      Pose X = sample.X_a;
      X.p += step * v;
      return separation({sample.a().shape, X}, sample.b());
    };
    const Separation ahead = moved(h), behind = moved(-h);
    // Where the normal changes within the step, there are two slopes, and the rate lies between them.
    if (norm(ahead.normal - at.normal) > 1e-3 || norm(behind.normal - at.normal) > 1e-3) continue;
    rate.add((ahead.gap - behind.gap) / (2 * h) - dot(v, at.normal));
  }
  rate.expect_at_most(1e-3);
}

TEST(Separation, ChangesByNoMoreThanTheShapesMove) {
  WorstValue jump("jump over step");
  for (int i = 0; i < 400; ++i) {
    Random random(static_cast<unsigned>(i));
    Sample sample(random, i);
    Vec3 v = random.unit();
    if (sample.a().shape.planar) v.z = 0;
    const double step = 0.01 * sample.size;
    sample.X_a.p = sample.X_b.p - 150 * step * v;
    double last = separation(sample.a(), sample.b()).gap;
    for (int k = 0; k < 300; ++k) {
      sample.X_a.p += step * v;
      const double gap = separation(sample.a(), sample.b()).gap;
      jump.add((gap - last) / step);
      last = gap;
    }
  }
  jump.expect_at_most(1 + 1e-9);
}

TEST(Separation, IsFoundOfShapesAThousandTimesAsLongAsThick) {
  WorstValue bound("bound"), witness("witness"), missed("missed");
  for (int i = 0; i < 2000; ++i) {
    Random random(static_cast<unsigned>(i));
    const Sample sample(random, i, 1000);
    const Separation found = separation(sample.a(), sample.b());
    bound.add((separation_along(sample.a(), sample.b(), found.normal) - found.gap) / sample.size);
    const Vec3 core = inverse(sample.X_a) * (found.point_a + sample.a().shape.rounding_radius * found.normal);
    witness.add(testing::outside(sample.a().shape, core) / sample.size);
    missed.add(std::max(0.0, searched_gap(random, sample.a(), sample.b(), found.normal, 100, 2) - found.gap) /
               sample.size);
  }
  bound.expect_at_most(1e-12);
  witness.expect_at_most(1e-8);
  missed.expect_at_most(1e-10);
}

TEST(Separation, IsFiniteForNeedlesPlatesAndCrumbsInAnyPose) {
  WorstValue bound("bound"), apart("points");
  for (int i = 0; i < kSamples; ++i) {
    Random random(static_cast<unsigned>(i));
    Sample sample(random, i, 1e4);
    if (i % 4 == 0)
      sample.shape_b =
          random_convex(random, CoreKind::ellipsoid, sample.a().shape.planar, 1e-5 * sample.size, 1e4);
    if (i % 5 == 0) sample.X_b = sample.X_a;
    const Separation found = separation(sample.a(), sample.b());
    bound.add((separation_along(sample.a(), sample.b(), found.normal) - found.gap) / sample.size);
    apart.add((found.point_a - found.point_b - found.gap * found.normal) / sample.size);
    apart.add(norm(found.normal) - 1);
  }
  bound.expect_at_most(1e-12);
  apart.expect_at_most(1e-13);
}

TEST(Separation, OfAShapeFromItselfIsItsMinimumWidth) {
  WorstValue gap("gap");
  for (int i = 0; i < 500; ++i) {
    Random random(static_cast<unsigned>(i));
    const double x = random.scale(0.1, 1), y = random.scale(0.1, 1), z = random.scale(0.1, 1);
    const Pose X{random_turn(random, false), random.vec()};
    const Convex ellipsoid = Convex::ellipsoid({x, y, z}), cylinder = Convex::cylinder(x, z);
    gap.add(separation({ellipsoid, X}, {ellipsoid, X}).gap + 2 * std::min({x, y, z}));
    gap.add(separation({cylinder, X}, {cylinder, X}).gap + 2 * std::min(x, z));
  }
  gap.expect_at_most(1e-12);
}

TEST(Separation, OfEllipsoidsThatAreBallsIsThatOfBalls) {
  WorstValue gap("gap"), points("points");
  for (int i = 0; i < 2000; ++i) {
    Random random(static_cast<unsigned>(i));
    const double r = random.scale(1e-3, 1e2), q = r * random.scale(0.01, 1);
    const Convex a = Convex::ellipsoid({r, r, r}), b = Convex::ellipsoid({q, q, q});
    const Vec3 d = (i % 10 == 0 ? 0 : random.scale(1e-6, 3) * r) * random.unit();
    const Separation found =
        separation({a, {random_turn(random, false), d}}, {b, {random_turn(random, false), {}}});
    gap.add((found.gap - (norm(d) - r - q)) / r);
    if (norm(d) > 0.01 * r) points.add(norm(found.point_b - q * normalized(d)) / r);
  }
  gap.expect_at_most(1e-12);
  points.expect_at_most(1e-8);
}

TEST(Separation, OfParallelCylindersIsThatOfTheirDiscsOrOfTheirHeights) {
  WorstValue gap("gap");
  for (int i = 0; i < 2000; ++i) {
    Random random(static_cast<unsigned>(i));
    const double r = random.scale(0.1, 1), q = random.scale(0.1, 1), h = random.scale(0.1, 1),
                 g = random.scale(0.1, 1);
    const Convex a = Convex::cylinder(r, h), b = Convex::cylinder(q, g);
    const Mat3 R = random_turn(random, false);
    const double turn = random.uniform(-4, 4), off = i % 5 == 0 ? 0 : random.uniform(0, 3),
                 up = i % 7 == 0 ? 0 : random.uniform(-3, 3);
    const Vec3 d{off * std::cos(turn), off * std::sin(turn), up};
    const Separation found = separation({a, {R, R * d}}, {b, {R, {}}});
    const double across = off - r - q, along = std::abs(up) - h - g;
    const double exact = across > 0 && along > 0 ? std::hypot(across, along) : std::max(across, along);
    gap.add(found.gap - exact);
  }
  gap.expect_at_most(1e-12);
}

TEST(Separation, OfCrossedCylindersIsTheDistanceOfTheirAxesLessTheirRadii) {
  WorstValue gap("gap");
  for (int i = 0; i < 1000; ++i) {
    Random random(static_cast<unsigned>(i));
    const double r = random.uniform(0.1, 0.3), q = random.uniform(0.1, 0.3), d = random.uniform(0.3, 0.9);
    const Convex a = Convex::cylinder(r, 5), b = Convex::cylinder(q, 5);
    const double turn = random.uniform(0.3, 2.8);
    const Mat3 R{{{{1, 0, 0}, {0, std::cos(turn), -std::sin(turn)}, {0, std::sin(turn), std::cos(turn)}}}};
    const Mat3 W = random_turn(random, false);
    const Separation found = separation({a, {W, W * Vec3{d, 0, 0}}}, {b, {W * R, {}}});
    gap.add(found.gap - (d - r - q));
    gap.add(norm(found.normal - W * Vec3{1, 0, 0}));
  }
  gap.expect_at_most(1e-12);
}

TEST(Separation, FromAHalfSpaceIsTheHeightOfTheLowestPoint) {
  WorstValue gap("gap"), points("points");
  for (int i = 0; i < kSamples; ++i) {
    Random random(static_cast<unsigned>(i));
    const Sample sample(random, i);
    HalfSpace ground{random.unit(), random.uniform(-1, 1)};
    if (sample.a().shape.planar) ground.normal = {0, 1, 0};
    const Separation found = separation(sample.a(), ground);
    const Vec3& n = ground.normal;
    const double lowest = dot(n, sample.X_a.p) -
                          testing::core_support(sample.a().shape, transpose(sample.X_a.R) * -n) -
                          sample.a().shape.rounding_radius;
    const double scale = sample.size + 1;
    gap.add((found.gap - (lowest - ground.offset)) / scale);
    points.add((dot(n, found.point_b) - ground.offset) / scale);
    points.add((found.point_a - found.point_b - found.gap * n) / scale);
  }
  gap.expect_at_most(1e-14);
  points.expect_at_most(1e-14);
}

}  // namespace separation_laws_test
}  // namespace pawl::internal
