#pragma once
// Stacks of cubes at rest under gravity, four contacts per level: hyperstatic, and as ill-conditioned as
// their mass ratios.

#include <vector>

#include "unit/solve/contact/touching_bodies.h"

namespace pawl::internal {

inline constexpr double kGravityImpulse = 9.81 * 0.01;  // per step, for a mass of 1

inline ContactProblem box_stack(const std::vector<double>& masses, int directions, double mu = 0.5) {
  using Vec3 = Eigen::Vector3d;
  TouchingBodies made(3);
  for (const double mass : masses)
    made.add_body(mass, mass / 6, {0, 0, -kGravityImpulse});  // a cube of side 1
  for (int level = 0; level < static_cast<int>(masses.size()); ++level) {
    const int below = level == 0 ? TouchingBodies::kWorld : level - 1;
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        made.add_contact(level, Vec3(x, y, -0.5), below, Vec3(x, y, 0.5), Vec3::UnitZ(),
                         polyhedral(mu, regular_polygon(directions)));
      }
    }
  }
  return made.problem();
}

/// Mass ratios up to 100 between levels: heavy below, heavy above, alternating or random.
inline std::vector<double> stack_masses(int levels, int variant) {
  Random random(1000 * levels + variant);
  const double ratio = random.magnitude(1, 100);
  std::vector<double> masses{1};
  while (static_cast<int>(masses.size()) < levels) {
    const bool odd = masses.size() % 2 == 1;
    const double factors[] = {1 / ratio, ratio, odd ? ratio : 1 / ratio, random.magnitude(0.01, 100)};
    masses.push_back(masses.back() * factors[variant % 4]);
  }
  return masses;
}

}  // namespace pawl::internal
