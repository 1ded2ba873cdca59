// If several impulses give the same motion, a step records the minimum-norm impulses. They are equivariant
// under mirroring and renaming, and independent of history.

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support.h"

#include <pawl/scene_file.h>

namespace pawl::internal {
namespace least_norm_test {

constexpr double kSameTolerance = 1e-9;  // relative to the largest force

struct Box {
  std::string name;
  Vec3 position, size;
  bool fixed = false;
  double tilt = 0;  // degrees about y
  double spin = 0;  // degrees about z, if not tilted
  Vec3 velocity{};
};
using Boxes = std::vector<Box>;

Boxes mirrored(Boxes boxes) {
  for (Box& box : boxes) {
    box.position.x = -box.position.x;
    box.velocity.x = -box.velocity.x;
    box.tilt = -box.tilt;
    box.spin = -box.spin;
  }
  return boxes;
}

Boxes relabelled(Boxes boxes, int seed) {
  std::mt19937 random(seed);
  std::shuffle(boxes.begin(), boxes.end(), random);
  return boxes;
}

/// A run of these boxes, with the force of each contact on the body whose name comes first.
class BoxRun {
 public:
  struct Force {
    std::string pair;
    Vec3 point, impulse;
  };

  BoxRun(const Boxes& boxes, double friction)
      : model_(compile(parse(boxes, friction))), simulation_(model_, run_) {}

  void step(int steps) {
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(simulation_.step().certified()) << "step " << i;
  }
  Simulation& simulation() { return simulation_; }

  std::vector<Force> forces() {
    std::vector<Force> out;
    for (const ContactRecord& contact : simulation_.contacts()) {
      const Vec3 &n = contact.normal, &t = contact.tangent, o = cross(n, t);
      const auto& p = contact.impulse;
      const Vec3 on_a = p[0] * n + p[1] * t + p[2] * o;
      const std::string a = name(contact.body_a), b = name(contact.body_b);
      out.push_back({std::min(a, b) + " " + std::max(a, b), contact.point, a < b ? on_a : -1.0 * on_a});
    }
    return out;
  }

 private:
  Scene parse(const Boxes& boxes, double friction) {
    std::string text = fmt::format("pawl: 1\nmaterials: {{plain: {{friction: {}}}}}\nbodies:\n", friction);
    for (const Box& box : boxes) {
      const bool tilted = box.tilt != 0;
      text += fmt::format(
          "  {}: {{position: [{:.17g}, {:.17g}, {:.17g}], orientation: {{axis: {}, angle_deg: {:.17g}}}, "
          "shapes: "
          "[{{type: box, size: [{}, {}, {}], density: 1000}}]{}}}\n",
          box.name, box.position.x, box.position.y, box.position.z, tilted ? "[0, 1, 0]" : "[0, 0, 1]",
          tilted ? box.tilt : box.spin, box.size.x, box.size.y, box.size.z,
          box.fixed
              ? ", joint: {type: weld}"
              : fmt::format(", velocity: [{}, {}, {}]", box.velocity.x, box.velocity.y, box.velocity.z));
    }
    Scene scene = parse_scene(text, "boxes.yaml", {"run.step=1ms", "run.until=10"});
    run_ = scene.run;
    return scene;
  }
  std::string name(int body) const { return model_.body_names[body]; }

  RunOptions run_;
  Model model_;
  Simulation simulation_;
};

void expect_same(std::vector<BoxRun::Force> forces, std::vector<BoxRun::Force> expected, bool mirror) {
  ASSERT_EQ(forces.size(), expected.size());
  double largest = 0;
  for (BoxRun::Force& force : expected) {
    if (mirror) force.point.x = -force.point.x, force.impulse.x = -force.impulse.x;
    largest = std::max(largest, norm(force.impulse));
  }
  ASSERT_GT(largest, 0);
  for (const BoxRun::Force& force : expected) {
    const auto distance = [&](const BoxRun::Force& other) {
      return other.pair == force.pair ? norm(other.point - force.point) : 1e9;
    };
    const auto found = std::ranges::min_element(forces, {}, distance);
    ASSERT_LE(distance(*found), 1e-6) << force.pair;
    EXPECT_LE(norm(found->impulse - force.impulse), kSameTolerance * largest)
        << force.pair << " at " << force.point.x << ", " << force.point.y << ", " << force.point.z;
  }
}

struct Case {
  std::string name;
  Boxes boxes;
  double friction = 0.5;
};

Boxes on_table(Boxes boxes) {
  boxes.push_back({"table", {0, 0, -0.5}, {4, 4, 1}, true});
  return boxes;
}

/// A brick wall, each brick on two; the top one is heavy on one side.
Boxes wall() {
  Boxes boxes;
  for (int level = 0; level < 3; ++level) {
    for (int k = 0; k < 3 - level % 2; ++k) {
      const double x = 0.2 * (k - 1) + (level % 2 == 1 ? 0.1 : 0);
      boxes.push_back({fmt::format("brick{}{}", level, k), {x, 0, 0.05 + 0.1 * level}, {0.19, 0.1, 0.1}});
    }
  }
  boxes.push_back({"load", {0.17, 0.02, 0.325}, {0.1, 0.05, 0.05}});
  return on_table(boxes);
}

std::vector<Case> cases() {
  const double half_diagonal = std::sqrt(0.5);
  return {
      {"a box on a plane", on_table({{"box", {0.1, 0.2, 0.05}, {0.3, 0.2, 0.1}, false, 0, 20}})},
      {"a table on four legs", on_table({{"leg0", {-0.4, -0.3, 0.2}, {0.05, 0.05, 0.4}},
                                         {"leg1", {0.5, -0.3, 0.2}, {0.05, 0.05, 0.4}},
                                         {"leg2", {-0.4, 0.35, 0.2}, {0.05, 0.05, 0.4}},
                                         {"leg3", {0.5, 0.35, 0.2}, {0.05, 0.05, 0.4}},
                                         {"top", {0.02, 0.01, 0.425}, {1.2, 0.9, 0.05}}})},
      {"a wall of three levels", wall()},
      {"a box wedged between two walls",
       {{"left", {-half_diagonal, 0, 0}, {1, 1, 1}, true, 45},
        {"right", {half_diagonal, 0, 0}, {1, 1, 1}, true, 45},
        {"box",
         {(0.1 - 0.125) * half_diagonal, 0.05, (0.1 + 0.125) * half_diagonal},
         {0.25, 0.3, 0.2},
         false,
         45}},
       0.8},
      {"a box that slides", on_table({{"box", {0, 0, 0.05}, {0.3, 0.2, 0.1}, false, 0, 0, {0.7, 0.4, 0}}})},
  };
}

/// Compares after 1, 10 and 100 steps.
void expect_same_all_along(BoxRun& run, BoxRun& other, bool mirror) {
  for (const int steps : {1, 9, 90}) {
    run.step(steps);
    other.step(steps);
    expect_same(other.forces(), run.forces(), mirror);
  }
}

TEST(LeastNormInSteps, FollowsAMirror) {
  for (const Case& given : cases()) {
    SCOPED_TRACE(given.name);
    BoxRun run(given.boxes, given.friction), mirror(mirrored(given.boxes), given.friction);
    expect_same_all_along(run, mirror, true);
  }
}

TEST(LeastNormInSteps, FollowsNewNames) {
  for (const Case& given : cases()) {
    SCOPED_TRACE(given.name);
    for (const int seed : {1, 2, 3}) {
      BoxRun run(given.boxes, given.friction), other(relabelled(given.boxes, seed), given.friction);
      expect_same_all_along(run, other, false);
    }
  }
}

TEST(LeastNormInSteps, DependsOnTheStateAlone) {
  for (const Case& given : cases()) {
    SCOPED_TRACE(given.name);
    BoxRun run(given.boxes, given.friction), fresh(given.boxes, given.friction);
    run.step(50);
    fresh.simulation().reset(run.simulation().state());  // without warm start
    run.step(1);
    fresh.step(1);
    expect_same(fresh.forces(), run.forces(), false);
  }
}

}  // namespace least_norm_test
}  // namespace pawl::internal
