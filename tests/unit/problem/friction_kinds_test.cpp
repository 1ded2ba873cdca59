// All kinds of friction sets: derivatives of their projections, and projections on their cones.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <pawl/friction_set.h>

#include "random.h"

namespace pawl::internal {
namespace friction_kinds_test {

struct Named {
  const char* name;
  FrictionSet set;
};

std::vector<Named> all_kinds() {
  static const FrictionPolyhedron interval({{1.5, 0, 0}, {-0.5, 0, 0}}),
      octagon = FrictionPolyhedron::regular(8),
      uneven({{1, 0.1, 0.2},
              {-1, 0.3, 0},
              {0, 1.2, -0.3},
              {0.2, -1, 0.1},
              {0.1, 0, 1},
              {0, 0.2, -1.4},
              {0.9, 0.8, 0.1}});
  const auto set = [](FrictionKind kind, const FrictionPolyhedron* polyhedron = nullptr) {
    return FrictionSet{kind, 0.6, {1, 1, 1}, polyhedron};
  };
  return {{"none", set(FrictionKind::none)},
          {"ellipsoid", set(FrictionKind::ellipsoid)},
          {"mixed", set(FrictionKind::mixed)},
          {"interval", set(FrictionKind::polyhedron, &interval)},
          {"octagon", set(FrictionKind::polyhedron, &octagon)},
          {"uneven", set(FrictionKind::polyhedron, &uneven)}};
}

FrictionVector random_point(Random& random, double size) {
  return {size * random.uniform(-1, 1), size * random.uniform(-1, 1), size * random.uniform(-1, 1)};
}

/// Computed from the definition of the kind, not by the set.
double support_of(const FrictionSet& set, const FrictionVector& y) {
  switch (set.kind) {
    case FrictionKind::none:
      return 0;
    case FrictionKind::ellipsoid:
      return std::hypot(y[0], y[1], y[2]);
    case FrictionKind::mixed:
      return std::hypot(y[0], y[1]) + std::abs(y[2]);
    case FrictionKind::polyhedron:
      double most = -1e300;
      for (const FrictionVector& d : set.polyhedron->directions()) {
        most = std::max(most, d[0] * y[0] + d[1] * y[1] + d[2] * y[2]);
      }
      return most;
  }
  return 0;
}

TEST(FrictionKinds, SupportIsThatOfTheDefinition) {
  Random random(1);
  for (const auto& [name, set] : all_kinds()) {
    for (int trial = 0; trial < 100; ++trial) {
      const FrictionVector x = random_point(random, 3);
      EXPECT_NEAR(support(set, x), support_of(set, x), 1e-14) << name;
    }
  }
}

TEST(FrictionKinds, DerivativesOfTheProjectionAreThoseOfDifferences) {
  Random random(2);
  const double step = 1e-6;
  for (const auto& [name, set] : all_kinds()) {
    SCOPED_TRACE(name);
    int compared = 0;
    for (int trial = 0; trial < 300; ++trial) {
      const FrictionVector x = random_point(random, random.magnitude(0.1, 10));
      const double scale = random.magnitude(0.1, 10);
      const Projection at = differentiate(set, x, scale);
      const FrictionVector point = project(set, x, scale);
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(at.point[i], point[i], 1e-14);
      for (int j = 0; j < 4; ++j) {  // x_j, then the scale
        FrictionVector lower = x, upper = x;
        if (j < 3) lower[j] -= step, upper[j] += step;
        const double move = j < 3 ? 0 : step;
        const Projection low = differentiate(set, lower, scale - move),
                         high = differentiate(set, upper, scale + move);
        double kink = 0;  // between two faces the derivative is undefined
        for (int i = 0; i < 3; ++i) {
          kink = std::max(kink, std::abs(low.d_dscale[i] - high.d_dscale[i]));
          for (int k = 0; k < 3; ++k) kink = std::max(kink, std::abs(low.d_dx[i][k] - high.d_dx[i][k]));
        }
        if (kink > 1e-3) continue;
        ++compared;
        for (int i = 0; i < 3; ++i) {
          const double difference = (high.point[i] - low.point[i]) / (2 * step);
          EXPECT_NEAR(j < 3 ? at.d_dx[i][j] : at.d_dscale[i], difference, 1e-7);
        }
      }
    }
    EXPECT_GT(compared, 1000);
  }
}

TEST(FrictionKinds, TheProjectionOnTheConeObeysItsOptimalityConditions) {
  // P is the point of the cone K nearest to x if P ∈ K, x - P ⊥ P and x - P ∈ K°, the polar cone { y : y_n +
  // μ h(y_f) ≤ 0 }.
  Random random(3);
  for (const auto& [name, set] : all_kinds()) {
    SCOPED_TRACE(name);
    const double mu = set.frictionless() ? 0 : set.mu;
    int inside = 0, at_apex = 0, on_wall = 0;
    for (int trial = 0; trial < 500; ++trial) {
      const double x_n = random.uniform(-2, 2);
      const FrictionVector x = random_point(random, random.magnitude(0.01, 3));
      double P_n = x_n;
      FrictionVector P = x;
      project_on_cone(set, P_n, P);
      EXPECT_GE(P_n, 0);
      FrictionVector away;
      double across = (x_n - P_n) * P_n;
      const FrictionVector section = project(set, P, mu * P_n);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(section[i], P[i], 1e-13);
        away[i] = x[i] - P[i];
        across += away[i] * P[i];
      }
      EXPECT_NEAR(across, 0, 1e-12);
      EXPECT_LE(x_n - P_n + mu * support_of(set, away), 1e-12);
      const bool same = P == x && P_n == x_n;
      inside += same;
      at_apex += P_n == 0;
      on_wall += !same && P_n > 0;
    }
    EXPECT_GT(at_apex, 20);
    EXPECT_GT(on_wall, 20);
    if (std::string(name) == "ellipsoid" || std::string(name) == "mixed" || std::string(name) == "uneven") {
      EXPECT_GT(inside, 20);
    }
  }
}

}  // namespace friction_kinds_test
}  // namespace pawl::internal
