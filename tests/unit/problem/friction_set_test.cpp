#include <pawl/friction_set.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <pawl/error.h>

#include "random.h"

namespace pawl::internal {
namespace friction_set_test {

using Vec2 = FrictionVector;  // the last entry is 0
using Directions = std::vector<Vec2>;

double dot(const Vec2& a, const Vec2& b) {
  return a[0] * b[0] + a[1] * b[1];
}
double cross(const Vec2& a, const Vec2& b) {
  return a[0] * b[1] - a[1] * b[0];
}

// The oracles below use only the directions, not hulls or facets.

double support_of(const Directions& directions, const Vec2& u) {
  double best = -std::numeric_limits<double>::infinity();
  for (const Vec2& d : directions) best = std::max(best, dot(d, u));
  return best;
}

/// Min Σ λ with Σ λ_i d_i = x, λ ≥ 0: a linear program with two rows, so some pair of directions attains it.
double gauge_of(const Directions& directions, const Vec2& x) {
  double best = std::numeric_limits<double>::infinity();
  for (const Vec2& a : directions) {
    for (const Vec2& b : directions) {
      const double area = cross(a, b);
      if (std::abs(area) < 1e-12) continue;
      const double s = cross(x, b) / area, t = cross(a, x) / area;
      if (s >= -1e-14 && t >= -1e-14) best = std::min(best, s + t);
    }
  }
  return best;
}

/// Distance of a point outside: the nearest edge is a segment between two directions.
double distance_of(const Directions& directions, const Vec2& x, double scale) {
  double best = std::numeric_limits<double>::infinity();
  for (const Vec2& a : directions) {
    for (const Vec2& b : directions) {
      const Vec2 edge{scale * (b[0] - a[0]), scale * (b[1] - a[1])};
      const Vec2 to_x{x[0] - scale * a[0], x[1] - scale * a[1]};
      const double length2 = dot(edge, edge);
      const double s = length2 > 0 ? std::clamp(dot(to_x, edge) / length2, 0.0, 1.0) : 0;
      best = std::min(best, std::hypot(to_x[0] - s * edge[0], to_x[1] - s * edge[1]));
    }
  }
  return best;
}

void expect_oracles_agree(const FrictionPolyhedron& polygon, Random& random) {
  const Directions& directions = polygon.directions();
  for (int trial = 0; trial < 50; ++trial) {
    const double angle = random.angle(), length = random.magnitude(1e-3, 1e3);
    const Vec2 x{length * std::cos(angle), length * std::sin(angle)};
    EXPECT_NEAR(polygon.support(x), support_of(directions, x), 1e-14 * length * 10);
    const double gauge = gauge_of(directions, x);
    EXPECT_NEAR(polygon.gauge(x), gauge, 1e-11 * gauge);

    const double scale = random.magnitude(1e-3, 1e3);
    const Vec2 nearest = polygon.project(x, scale);
    if (gauge <= scale * (1 - 1e-10)) {
      EXPECT_EQ(nearest, x);
    } else {
      EXPECT_LE(gauge_of(directions, nearest), scale * (1 + 1e-10));
      const double distance = std::hypot(x[0] - nearest[0], x[1] - nearest[1]);
      EXPECT_NEAR(distance, distance_of(directions, x, scale), 1e-12 * (length + scale));
    }
  }
}

TEST(FrictionPolygon, RegularOnesAgreeWithTheHullOfTheirDirections) {
  Random random(1);
  for (int k = 3; k <= 32; ++k) {
    SCOPED_TRACE(k);
    const FrictionPolyhedron polygon = FrictionPolyhedron::regular(k);
    ASSERT_EQ(polygon.directions().size(), static_cast<std::size_t>(k));
    EXPECT_EQ(polygon.directions()[0], (Vec2{1, 0}));
    for (const Vec2& d : polygon.directions()) EXPECT_NEAR(std::hypot(d[0], d[1]), 1, 1e-15);
    expect_oracles_agree(polygon, random);
  }
}

TEST(FrictionPolygon, RandomOnesAgreeWithTheHullOfTheirDirections) {
  Random random(2);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    Directions directions;
    for (const double turn : {0.0, 2.1, 4.2}) {  // these three surround 0; the others are arbitrary
      const double angle = turn + random.uniform(-0.4, 0.4), length = random.uniform(0.3, 2);
      directions.push_back({length * std::cos(angle), length * std::sin(angle)});
    }
    for (int i = random.integer(0, 9); i > 0; --i)
      directions.push_back({random.uniform(-2, 2), random.uniform(-2, 2)});
    expect_oracles_agree(FrictionPolyhedron(directions), random);
  }
}

TEST(FrictionPolygon, TwoDirectionsAreTheIntervalOfPlanarWorlds) {
  const FrictionPolyhedron interval = FrictionPolyhedron::regular(2);
  EXPECT_EQ(interval.directions(), (Directions{{1, 0}, {-1, 0}}));
  EXPECT_EQ(interval.support({-3, 0}), 3);
  EXPECT_EQ(interval.gauge({-0.25, 0}), 0.25);
  EXPECT_EQ(interval.project({0.5, 0}, 2), (Vec2{0.5, 0}));
  EXPECT_EQ(interval.project({5, 0}, 2), (Vec2{2, 0}));
  EXPECT_EQ(interval.project({-5, 0}, 2), (Vec2{-2, 0}));

  const FrictionPolyhedron uneven({{3, 0}, {-0.5, 0}, {1, 0}});
  EXPECT_EQ(uneven.support({-1, 0}), 0.5);
  EXPECT_EQ(uneven.gauge({-0.5, 0}), 1);
  EXPECT_EQ(uneven.gauge({6, 0}), 2);
  EXPECT_EQ(uneven.project({-9, 0}, 2), (Vec2{-1, 0}));
}

TEST(FrictionPolygon, RedundantDirectionsChangeNothing) {
  const FrictionPolyhedron square({{1, 1}, {-1, 1}, {-1, -1}, {1, -1}});
  const FrictionPolyhedron same(  // a corner twice, a point inside, 0 itself, the middle of an edge
      {{0.2, 0.1}, {1, 1}, {0, 0}, {-1, 1}, {1, 1}, {-1, -1}, {1, 0}, {1, -1}});
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Vec2 x{random.uniform(-3, 3), random.uniform(-3, 3)};
    EXPECT_EQ(same.support(x), square.support(x));
    EXPECT_EQ(same.gauge(x), square.gauge(x));
    EXPECT_EQ(same.project(x, 0.7), square.project(x, 0.7));
  }
}

TEST(FrictionPolygon, ShrunkToNothingHoldsOnlyZero) {
  const FrictionPolyhedron polygon = FrictionPolyhedron::regular(8);
  EXPECT_EQ(polygon.project({3, -4}, 0), (Vec2{0, 0}));
  EXPECT_EQ(polygon.project({0, 0}, 0), (Vec2{0, 0}));
  EXPECT_EQ(polygon.gauge({0, 0}), 0);
}

std::optional<std::string> complaint_about(const Directions& directions) {
  try {
    const FrictionPolyhedron polygon(directions);
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(FrictionPolygon, RefusesDirectionsThatDoNotSurroundZero) {
  for (const Directions& directions : {
           Directions{}, Directions{{1, 0}}, Directions{{0, 1}}, Directions{{1, 0}, {2, 0}},
           Directions{{0, 0}, {-1, 0}},                    // 0 is the end of the interval
           Directions{{0, 1}, {0, -1}},                    // a line, but not along t
           Directions{{1, 1}, {-1, -1}},                   //
           Directions{{1, 1}, {1, 1}, {1, 1}},             //
           Directions{{1, 0}, {0, 1}, {-1, 0}},            // 0 on an edge
           Directions{{0, 0}, {1, 0}, {0, 1}},             // 0 a corner
           Directions{{1, 0}, {2, 1}, {1, 1}, {2, -0.5}},  // 0 outside
       }) {
    EXPECT_TRUE(complaint_about(directions)) << testing::PrintToString(directions);
  }
  EXPECT_THROW(FrictionPolyhedron::regular(1), Error);
  EXPECT_THROW(FrictionPolyhedron::regular(0), Error);
  EXPECT_THAT(complaint_about({{1, 0}, {0, 1}, {-1, 0}}),
              testing::Optional(testing::HasSubstr("surround 0")));
}

TEST(FrictionPolygon, RefusesDirectionsThatAreNotFinite) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -infinity}) {
    EXPECT_THAT(complaint_about({{1, 0}, {-1, 0}, {bad, 0}}),
                testing::Optional(testing::HasSubstr("finite")));
    EXPECT_THAT(complaint_about({{1, 0}, {0, 1}, {-1, bad}}),
                testing::Optional(testing::HasSubstr("finite")));
  }
}

}  // namespace friction_set_test
}  // namespace pawl::internal
