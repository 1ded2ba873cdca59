// Time of one manifold of two shapes in resting contact. The poses vary slightly, so that branch prediction
// cannot learn them.

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include <pawl/geometry.h>

#include "resting_hull.h"

namespace pawl::internal::bench {
namespace {

constexpr int kPoses = 64;

std::vector<Pose> resting_poses(double height, bool upright) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Pose> poses;
  for (int i = 0; i < kPoses; ++i) {
    const Vec3 tilt = 1e-3 * Vec3{uniform(engine), uniform(engine), 0};
    const Mat3 spin = to_matrix(quat_exp({0, 0, 3 * uniform(engine)}));
    const Mat3 lay = upright ? Mat3::identity() : to_matrix(quat_exp({1.5707963267948966, 0, 0}));
    poses.push_back({to_matrix(quat_exp(tilt)) * spin * lay,
                     {0.2 * uniform(engine), 0.2 * uniform(engine), height + 1e-3 * uniform(engine)}});
  }
  return poses;
}

void run(benchmark::State& state, const Convex& a, const std::vector<Pose>& poses, const Convex& b) {
  Manifold manifold;
  int i = 0;
  double points = 0;
  for ([[maybe_unused]] auto _ : state) {
    collide({a, poses[i]}, {b, Pose{}}, 0.01, Manifold::kMaxPoints, manifold);
    points += manifold.count;
    i = (i + 1) % kPoses;
    benchmark::DoNotOptimize(manifold);
  }
  state.counters["points"] = points / static_cast<double>(state.iterations());
}

void BoxBox(benchmark::State& state) {
  const Convex shape = Convex::box({0.5, 0.5, 0.5});
  run(state, shape, resting_poses(1, true), shape);
}
BENCHMARK(BoxBox)->Name("contact_set/box-box");

void BoxBoxAligned(benchmark::State& state) {
  const Convex shape = Convex::box({0.5, 0.5, 0.5});
  run(state, shape, std::vector<Pose>(kPoses, Pose{Mat3::identity(), {0.1, 0.2, 1}}), shape);
}
BENCHMARK(BoxBoxAligned)->Name("contact_set/box-box-aligned");

void HullHull(benchmark::State& state) {
  const Convex shape = Convex::hull(hull_with_flat_faces(static_cast<int>(state.range(0)), 2));
  run(state, shape, resting_poses(2, true), shape);
}
BENCHMARK(HullHull)->Name("contact_set/hull-hull")->Arg(16)->Arg(32)->Arg(128);

void SphereSphere(benchmark::State& state) {
  const Convex shape = Convex::sphere(0.5);
  run(state, shape, resting_poses(0.99, true), shape);
}
BENCHMARK(SphereSphere)->Name("contact_set/sphere-sphere");

void CapsuleCapsule(benchmark::State& state) {
  const Convex shape = Convex::capsule(0.5, 0.5);
  std::vector<Pose> poses = resting_poses(0, false);
  for (Pose& pose : poses) pose.p = {0, 1, 0};
  run(state, shape, poses, shape);
}
BENCHMARK(CapsuleCapsule)->Name("contact_set/capsule-capsule");

void CapsuleBox(benchmark::State& state) {
  const Convex capsule = Convex::capsule(0.25, 0.25);
  run(state, capsule, resting_poses(0.75, false), Convex::box({0.5, 0.5, 0.5}));
}
BENCHMARK(CapsuleBox)->Name("contact_set/capsule-box");

void CylinderBox(benchmark::State& state) {
  const Convex cylinder = Convex::cylinder(0.25, 0.25);
  run(state, cylinder, resting_poses(0.75, true), Convex::box({0.5, 0.5, 0.5}));
}
BENCHMARK(CylinderBox)->Name("contact_set/cylinder-box");

void CylinderHalfSpace(benchmark::State& state) {
  const Convex cylinder = Convex::cylinder(0.25, 0.25);
  const std::vector<Pose> poses = resting_poses(0.25, state.range(0) == 1);
  Manifold manifold;
  int i = 0;
  for ([[maybe_unused]] auto _ : state) {
    collide({cylinder, poses[i]}, HalfSpace{{0, 0, 1}, 0}, 0.01, Manifold::kMaxPoints, manifold);
    i = (i + 1) % kPoses;
    benchmark::DoNotOptimize(manifold);
  }
}
BENCHMARK(CylinderHalfSpace)->Name("contact_set/cylinder-half-space")->ArgName("upright")->Arg(0)->Arg(1);

}  // namespace
}  // namespace pawl::internal::bench
