// A warm step does not allocate. This file replaces operator new by a counting one.

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "support.h"

namespace {
std::atomic<std::size_t> allocations = 0;  // atomic: tests of this program use threads
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace pawl::internal {
namespace {

void expect_warm_steps_allocate_nothing(const char* scene, const char* method, int contact_points = 4) {
  test::SceneRun run(test::repository_scene(
      scene, {std::string("run.method=") + method, "run.contact_points=" + std::to_string(contact_points)}));
  const State start = run.simulation.state();
  const int steps = static_cast<int>(run.scene.run.until / run.scene.run.step);
  std::size_t cold = allocations;
  for (int i = 0; i < steps; ++i) run.simulation.step();
  cold = allocations - cold;
  EXPECT_GT(cold, 0U);  // the counter works
  run.simulation.reset(start);
  const std::size_t before = allocations;
  for (int i = 0; i < steps; ++i) run.simulation.step();
  EXPECT_EQ(allocations - before, 0U) << scene << ", " << method;
}

TEST(Allocation, NoneInAWarmStep) {
  for (const std::string_view name : kMethodNames) {
    const char* method = name.data();
    expect_warm_steps_allocate_nothing("papers/four_balls.yaml", method);
    expect_warm_steps_allocate_nothing("papers/falling_rod.yaml", method);
  }
  expect_warm_steps_allocate_nothing("papers/two_spheres.yaml", "tzitzouris-pang");
  for (const char* scene :
       {"four_bar.yaml", "slider_crank.yaml", "ratchet_and_pawl.yaml", "bouncing_ball.yaml", "cradle.yaml",
        "box_corner.yaml", "papers/double_pendulum.yaml"}) {
    expect_warm_steps_allocate_nothing(scene, "pawl");
  }
  for (const int contact_points : {4, 8}) {
    expect_warm_steps_allocate_nothing("cylinders.yaml", "pawl", contact_points);
  }
}

}  // namespace
}  // namespace pawl::internal
