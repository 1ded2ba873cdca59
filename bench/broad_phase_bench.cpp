// Broad phase on a pile of boxes: at rest, all moving slowly, all in free flight.

#include <limits>
#include <numeric>
#include <random>

#include <pawl/collision/broad_phase/broad_phase.h>

#include "timing.h"

namespace pawl::internal::bench {
namespace {

/// Boxes of about 1 m in a room of `count` m³, each overlapping about eight others, on a floor of static
/// tiles.
struct Pile {
  double side = 0;  // m
  std::vector<Aabb> boxes;
  std::vector<Vec3> velocities;  // unit
  std::vector<ShapeRole> roles;

  explicit Pile(int count) {
    std::mt19937 random(1);
    const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
    side = std::cbrt(count);
    for (int i = 0; i < count; ++i) {
      const double x = side * uniform(), y = side * uniform(), z = side * uniform();
      const double w = 0.4 + 0.2 * uniform(), d = 0.4 + 0.2 * uniform(), h = 0.4 + 0.2 * uniform();
      boxes.push_back({{x - w, y - d, z - h}, {x + w, y + d, z + h}});
      const double vz = 2 * uniform() - 1, turn = 6.283185307179586 * uniform(), r = std::sqrt(1 - vz * vz);
      velocities.push_back({r * std::cos(turn), r * std::sin(turn), vz});
      roles.push_back(ShapeRole::moving);
    }
    for (int x = 0; x < side; ++x) {
      for (int y = 0; y < side; ++y) {
        boxes.push_back({{1. * x, 1. * y, -1}, {x + 1., y + 1., 0}});
        velocities.emplace_back();
        roles.push_back(ShapeRole::fixed);
      }
    }
  }

  /// Moves the boxes in straight lines, reflected at the walls.
  void move(double distance) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        double& velocity = velocities[i][axis];
        if (boxes[i].low[axis] < 0 && velocity < 0) velocity = -velocity;
        if (boxes[i].high[axis] > side && velocity > 0) velocity = -velocity;
      }
      boxes[i].low += distance * velocities[i];
      boxes[i].high += distance * velocities[i];
    }
  }
};

constexpr int kRepeats = 10;  // same for all body counts, so that each result is the best of as many

/// `distance` is the motion of every body per step, in m and also in body sizes. The same steps are repeated
/// and the fastest time of each step counts, because other processes can only slow it down.
void time_steps(benchmark::State& state, int count, double distance) {
  constexpr int kWarmUpSteps = 10, kSteps = 50;
  std::vector<double> best(kSteps, std::numeric_limits<double>::infinity());
  std::size_t pairs = 0;
  for ([[maybe_unused]] auto _ : state) {
    Pile pile(count);
    BroadPhase broad_phase;
    broad_phase.reset(pile.roles);
    double total = 0;
    pairs = 0;
    for (int step = -kWarmUpSteps; step < kSteps; ++step) {
      pile.move(distance);
      const double begin = processor_seconds();
      broad_phase.update(pile.boxes, 0.01);
      const double seconds = processor_seconds() - begin;
      if (step < 0) continue;
      best[step] = std::min(best[step], seconds);
      total += seconds;
      pairs += broad_phase.pairs().size();
    }
    state.SetIterationTime(total);
  }
  state.counters["us_per_step"] = 1e6 * std::accumulate(best.begin(), best.end(), 0.) / kSteps;
  state.counters["us_worst_step"] = 1e6 * std::ranges::max(best);
  state.counters["pairs"] = static_cast<double>(pairs) / kSteps;
}

void time_closest(benchmark::State& state, int count) {
  Pile pile(count);
  for (Aabb& box : pile.boxes) {  // far apart, like a gas
    box.low *= 4;
    box.high = box.low + Vec3{1, 1, 1};
  }
  BroadPhase broad_phase;
  broad_phase.reset(pile.roles);
  broad_phase.update(pile.boxes, 0);
  int evaluated = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double begin = processor_seconds();
    const ClosestPair closest = broad_phase.closest(1e9, [&](int a, int b) {
      const double between = gap(pile.boxes[a], pile.boxes[b]);
      return between + 0.1;  // a shape does not fill its AABB
    });
    state.SetIterationTime(processor_seconds() - begin);
    evaluated = closest.evaluated;
  }
  state.counters["evaluated"] = evaluated;
}

[[maybe_unused]] const bool registered = [] {
  for (const int count : {1000, 10000, 100000}) {
    const std::string suffix = "/n:" + std::to_string(count);
    for (const auto& [name, distance] :
         {std::pair{"rest", 0.}, {"creep", 1e-3}, {"flow", 1e-2}, {"flight", 0.1}, {"blast", 0.5}}) {
      add("BroadPhase/" + std::string(name) + suffix, [=](benchmark::State& state) {
        time_steps(state, count, distance);
      })->Iterations(kRepeats);
    }
    add("BroadPhase/closest" + suffix, [=](benchmark::State& state) { time_closest(state, count); });
  }
  return true;
}();

}  // namespace
}  // namespace pawl::internal::bench
