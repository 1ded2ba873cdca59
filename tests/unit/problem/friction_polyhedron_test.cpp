// Friction polyhedra with spin, against oracles that use the directions only.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/error.h>
#include <pawl/friction_set.h>

#include "random.h"

namespace pawl::internal {
namespace friction_polyhedron_test {

using Directions = std::vector<FrictionVector>;

double dot(const FrictionVector& a, const FrictionVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
FrictionVector cross(const FrictionVector& a, const FrictionVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
FrictionVector minus(const FrictionVector& a, const FrictionVector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double length(const FrictionVector& x) {
  return std::sqrt(dot(x, x));
}

double support_of(const Directions& directions, const FrictionVector& u) {
  double best = -std::numeric_limits<double>::infinity();
  for (const FrictionVector& d : directions) best = std::max(best, dot(d, u));
  return best;
}

/// Min Σ λ with Σ λ_i d_i = x, λ ≥ 0: a linear program with three rows, so some triple attains it.
double gauge_of(const Directions& directions, const FrictionVector& x) {
  double best = std::numeric_limits<double>::infinity();
  const std::size_t n = directions.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      for (std::size_t k = j + 1; k < n; ++k) {
        const FrictionVector &a = directions[i], &b = directions[j], &c = directions[k];
        const double volume = dot(cross(a, b), c);
        if (std::abs(volume) < 1e-12) continue;
        const double r = dot(cross(x, b), c) / volume, s = dot(cross(a, x), c) / volume,
                     t = dot(cross(a, b), x) / volume;
        if (r >= -1e-13 && s >= -1e-13 && t >= -1e-13) best = std::min(best, r + s + t);
      }
    }
  }
  return best;
}

/// P is the nearest point to x in s times the hull if it lies in it and x - P points away from all of it.
void expect_nearest(const Directions& directions, const FrictionVector& x, double s,
                    const FrictionVector& P) {
  const double size = length(x) + s;
  if (length(P) > 0) {
    EXPECT_LE(gauge_of(directions, P), s * (1 + 1e-10));
  }
  const FrictionVector away = minus(x, P);
  for (const FrictionVector& d : directions) {
    EXPECT_LE(dot(away, minus({s * d[0], s * d[1], s * d[2]}, P)), 1e-12 * size * size);
  }
}

/// The point is linear in x and s on the given face.
void expect_face(const FrictionPolyhedron::Face& face, const FrictionVector& x, double s,
                 const FrictionVector& P) {
  FrictionVector point{s * face.origin[0], s * face.origin[1], s * face.origin[2]};
  const FrictionVector from = minus(x, point);
  for (int a = 0; a < face.dimensions; ++a) {
    for (int b = 0; b <= a; ++b) EXPECT_NEAR(dot(face.axes[a], face.axes[b]), a == b ? 1 : 0, 1e-12);
    for (int i = 0; i < 3; ++i) point[i] += dot(face.axes[a], from) * face.axes[a][i];
  }
  EXPECT_LE(length(minus(P, point)), 1e-12 * (length(x) + s));
}

void expect_oracles_agree(const FrictionPolyhedron& polyhedron, Random& random) {
  const Directions& directions = polyhedron.directions();
  int faces[4] = {};
  for (int trial = 0; trial < 80; ++trial) {
    const double size = random.magnitude(0.05, 20), s = random.magnitude(0.1, 10);
    const FrictionVector x{size * random.uniform(-1, 1), size * random.uniform(-1, 1),
                           size * random.uniform(-1, 1)};
    EXPECT_NEAR(polyhedron.support(x), support_of(directions, x), 1e-14 * size);
    const double gauge = gauge_of(directions, x);
    EXPECT_NEAR(polyhedron.gauge(x), gauge, 1e-10 * gauge);
    FrictionPolyhedron::Face face;
    const FrictionVector P = polyhedron.project(x, s, &face);
    EXPECT_EQ(polyhedron.project(x, s), P);
    expect_nearest(directions, x, s, P);
    expect_face(face, x, s, P);
    EXPECT_EQ(face.dimensions == 3, P == x);
    ++faces[face.dimensions];
  }
  for (const int on : faces) EXPECT_GT(on, 0);
}

/// Corners of a prism: k directions on each end.
Directions prism(int k) {
  Directions directions;
  const FrictionPolyhedron polygon = FrictionPolyhedron::regular(k);
  for (const FrictionVector& d : polygon.directions()) {
    for (const double r : {-1.0, 1.0}) directions.push_back({d[0], d[1], r});
  }
  return directions;
}
const Directions kOctahedron{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};

TEST(FrictionPolyhedron, RandomOnesAgreeWithTheHullOfTheirDirections) {
  Random random(1);
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    Directions directions = kOctahedron;
    for (FrictionVector& d : directions) {
      for (double& entry : d) entry = random.uniform(0.5, 2) * entry + random.uniform(-0.2, 0.2);
    }
    for (int i = random.integer(0, 10); i > 0; --i) {
      directions.push_back({random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)});
    }
    const FrictionPolyhedron polyhedron(directions);
    EXPECT_EQ(polyhedron.dimensions(), 3);
    expect_oracles_agree(polyhedron, random);
  }
}

TEST(FrictionPolyhedron, FacetsWithManyCornersAgreeWithTheHullOfTheirDirections) {
  Random random(2);
  for (const int k : {3, 4, 8, 12}) expect_oracles_agree(FrictionPolyhedron(prism(k)), random);
  expect_oracles_agree(FrictionPolyhedron(kOctahedron), random);
  // The prism in random orientations: its facets are planar up to rounding.
  for (int trial = 0; trial < 10; ++trial) {
    SCOPED_TRACE(trial);
    FrictionVector a{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)},
        b{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const double size = length(a);
    for (double& entry : a) entry /= size;
    b = cross(a, b);
    const double width = length(b);
    for (double& entry : b) entry /= width;
    const FrictionVector c = cross(a, b);
    Directions turned;
    for (const FrictionVector& d : prism(6)) {
      FrictionVector sum{};
      for (int i = 0; i < 3; ++i) sum[i] = d[0] * a[i] + d[1] * b[i] + d[2] * c[i];
      turned.push_back(sum);
    }
    expect_oracles_agree(FrictionPolyhedron(turned), random);
  }
}

TEST(FrictionPolyhedron, TakesAsManyDirectionsAsABasisHolds) {
  Random random(3);
  Directions directions;
  while (directions.size() < 62) {
    const FrictionVector d{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    if (const double size = length(d); size > 0.1)
      directions.push_back({d[0] / size, d[1] / size, d[2] / size});
  }
  const FrictionPolyhedron ball(directions);
  for (int trial = 0; trial < 20; ++trial) {
    const FrictionVector x{random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)};
    expect_nearest(directions, x, 1, ball.project(x, 1));
  }
}

TEST(FrictionPolyhedron, HoldsOnlyZeroOfWhatItLacks) {
  const FrictionPolyhedron interval = FrictionPolyhedron::regular(2),
                           octagon = FrictionPolyhedron::regular(8);
  EXPECT_EQ(interval.dimensions(), 1);
  EXPECT_EQ(octagon.dimensions(), 2);
  EXPECT_EQ(interval.project({0.5, 0.25, 0.125}, 1), (FrictionVector{0.5, 0, 0}));
  EXPECT_EQ(interval.project({5, 0.25, 0.125}, 1), (FrictionVector{1, 0, 0}));
  EXPECT_EQ(octagon.project({0.5, 0.25, 0.125}, 1), (FrictionVector{0.5, 0.25, 0}));
  EXPECT_EQ(octagon.project({5, 0, 7}, 1), (FrictionVector{1, 0, 0}));
  EXPECT_EQ(octagon.gauge({0.5, 0.25, 0.125}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(interval.gauge({0.5, 1e-300, 0}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(octagon.support({1, 0, 1e9}), 1);
}

TEST(FrictionPolyhedron, ShrunkToNothingHoldsOnlyZero) {
  const FrictionPolyhedron polyhedron(kOctahedron);
  FrictionPolyhedron::Face face;
  EXPECT_EQ(polyhedron.project({3, -4, 1}, 0, &face), (FrictionVector{}));
  EXPECT_EQ(face.origin, (FrictionVector{0, -1, 0}));  // the direction in which it grows
  EXPECT_EQ(face.dimensions, 0);
  EXPECT_EQ(polyhedron.gauge({}), 0);
}

TEST(FrictionPolyhedron, RefusesDirectionsThatDoNotSurroundZero) {
  for (const Directions& directions : {
           Directions{{0, 0, 1}, {0, 0, -1}},                                    // a line, but not along t
           Directions{{1, 0, 1}, {-1, 0, 1}, {1, 0, -1}, {-1, 0, -1}},           // flat
           Directions{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}},  // 0 in a facet
           Directions{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}},               // 0 a corner
           Directions{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 2, 2}},               // 0 outside
           Directions{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
       }) {
    EXPECT_THROW(FrictionPolyhedron{directions}, Error) << testing::PrintToString(directions);
  }
  EXPECT_THROW((FrictionPolyhedron{{{1, 0, 0}, {-1, 0, 0}, {0, 0, std::nan("")}}}), Error);
}

}  // namespace friction_polyhedron_test
}  // namespace pawl::internal
