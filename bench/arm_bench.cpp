// An arm with 6 joints and a hand of 6 fingers with 4 joints each (30 degrees of freedom); the finger tips
// rest on a table.

#include <cmath>
#include <numbers>
#include <string>

#include "timing.h"

namespace pawl::internal::bench {
namespace {

std::string vec_text(double x, double y, double z) {
  return "[" + test::number_text(x) + ", " + test::number_text(y) + ", " + test::number_text(z) + "]";
}

/// A link from its hinge at `anchor` to `end`.
std::string link(const std::string& name, const std::string& parent, const Vec3& anchor, const Vec3& end,
                 const Vec3& axis, double mass, double radius) {
  const Vec3 middle = 0.5 * (anchor + end), along = end - anchor;
  const double length = norm(along);
  // Rotates the capsule's axis z to the direction of the link.
  const Vec3 turn = cross(Vec3{0, 0, 1}, along / length);
  const double angle = std::atan2(norm(turn), along.z / length);
  const Vec3 about = norm(turn) > 0 ? turn : Vec3{1, 0, 0};
  return "  " + name + ": {mass: " + test::number_text(mass) +
         ", position: " + vec_text(middle.x, middle.y, middle.z) +
         ", orientation: {axis: " + vec_text(about.x, about.y, about.z) +
         ", angle: " + test::number_text(angle) + "}, joint: {type: revolute, parent: " + parent +
         ", anchor: " + vec_text(anchor.x, anchor.y, anchor.z) +
         ", axis: " + vec_text(axis.x, axis.y, axis.z) +
         "}, shapes: [{type: capsule, radius: " + test::number_text(radius) +
         ", length: " + test::number_text(length) + "}]}\n";
}

std::string arm_and_hand() {
  std::string text =
      "pawl: 1\nmaterials: {plain: {friction: 0.6}}\nbodies:\n"
      "  table: {joint: {type: weld}, shapes: [{type: half-space, normal: [0, 0, 1]}]}\n";
  std::string parent = "world";
  Vec3 at{-0.9, 0, 0.9};
  for (int i = 0; i < 6; ++i) {
    const Vec3 end = at + Vec3{0.15, 0, i < 3 ? 0.0 : -0.15};
    const std::string name = "arm" + std::to_string(i);
    text += link(name, parent, at, end, i % 2 == 0 ? Vec3{0, 1, 0} : Vec3{0, 0, 1}, 2, 0.04);
    parent = name;
    at = end;
  }
  for (int finger = 0; finger < 6; ++finger) {
    const double angle = 2 * std::numbers::pi * finger / 6;
    const Vec3 out{std::cos(angle), std::sin(angle), 0}, axis{-std::sin(angle), std::cos(angle), 0};
    Vec3 knuckle = at + 0.05 * out;
    std::string last = parent;
    for (int joint = 0; joint < 4; ++joint) {
      const Vec3 end = knuckle + 0.04 * out + Vec3{0, 0, -(at.z - 0.01) / 4};
      const std::string name = "finger" + std::to_string(finger) + std::to_string(joint);
      text += link(name, last, knuckle, end, axis, 0.1, 0.01);
      last = name;
      knuckle = end;
    }
  }
  return text + "run: {step: 1ms, until: 0.5}\n";
}

void time_arm(benchmark::State& state) {
  test::SceneRun run(arm_and_hand());
  time_scene(state, run);
  state.counters["degrees_of_freedom"] = run.model.nv;
}

[[maybe_unused]] const bool registered = [] {
  add("ArmAndHand/pawl/1ms", time_arm);
  return true;
}();

}  // namespace
}  // namespace pawl::internal::bench
