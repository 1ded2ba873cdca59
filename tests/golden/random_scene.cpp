#include "random_scene.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace pawl::internal {
namespace {

/// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  int integer(int low, int high) {
    return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return integer(1, 100) <= percent; }
  /// A random number of thousandths from low to high, as decimal text.
  std::string decimal(int low, int high) {
    const int n = integer(low, high);
    return fmt::format("{}{}.{:03}", n < 0 ? "-" : "", (n < 0 ? -n : n) / 1000, (n < 0 ? -n : n) % 1000);
  }
  std::string vec3(int low, int high) {
    return fmt::format("[{}, {}, {}]", decimal(low, high), decimal(low, high), decimal(low, high));
  }
  std::string vec2(int low, int high) {
    return fmt::format("[{}, {}]", decimal(low, high), decimal(low, high));
  }
  template <std::size_t n>
  std::string_view one_of(const std::array<std::string_view, n>& options) {
    return options[static_cast<std::size_t>(integer(0, n - 1))];
  }

 private:
  std::uint64_t state_;
};

std::string spatial_shape(Random& random) {
  const std::string radius = random.decimal(40, 120);
  switch (random.integer(0, 7)) {
    case 0:
      return fmt::format("type: sphere, radius: {}", radius);
    case 1:
      return fmt::format("type: capsule, radius: {}, length: {}", radius, random.decimal(50, 300));
    case 2:
      return fmt::format("type: cylinder, radius: {}, height: {}", radius, random.decimal(50, 300));
    case 3:
      return fmt::format("type: cone, radius: {}, height: {}", radius, random.decimal(80, 300));
    case 4:
      return fmt::format("type: ellipsoid, semi_axes: {}", random.vec3(50, 150));
    case 5:
      return fmt::format(
          "type: hull, points: [{}, {}, [0.1, 0, 0], [0, 0.12, 0], [-0.1, -0.1, 0], [0, 0, 0.15]]",
          random.vec3(-100, 100), random.vec3(-100, 100));
    default:
      return fmt::format("type: box, size: {}, margin: {}", random.vec3(80, 300),
                         random.chance(30) ? "0.01" : "0");
  }
}

std::string planar_shape(Random& random) {
  switch (random.integer(0, 3)) {
    case 0:
      return fmt::format("type: disc, radius: {}", random.decimal(40, 120));
    case 1:
      return fmt::format("type: capsule, radius: {}, length: {}", random.decimal(40, 120),
                         random.decimal(50, 300));
    case 2:
      return fmt::format("type: ellipse, semi_axes: {}", random.vec2(50, 150));
    default:
      return fmt::format("type: box, size: {}", random.vec2(80, 300));
  }
}

std::string friction_set(Random& random, bool planar) {
  if (planar || random.chance(50)) return "";
  switch (random.integer(0, 2)) {
    case 0:
      return fmt::format(", friction_set: {{type: ellipsoid, e_o: {}, e_r: {}}}", random.decimal(300, 1500),
                         random.decimal(10, 80));
    case 1:
      return fmt::format(", friction_set: {{type: mixed, e_r: {}}}", random.decimal(10, 80));
    default:
      return fmt::format(", friction_set: {{type: polyhedron, directions: {}}}", random.integer(3, 12));
  }
}

}  // namespace

std::string random_scene(std::uint64_t seed) {
  Random random(seed);
  const bool planar = random.chance(30);
  const int bodies = random.integer(2, 6);
  const std::string_view method =
      random.one_of<9>({"pawl", "pawl", "pawl", "stewart-trinkle", "stewart-trinkle",
                        "stewart-trinkle-nonlinear", "anitescu-potra", "anitescu-hart", "tzitzouris-pang"});
  const bool bounces = method == "pawl" && random.chance(40);
  std::string text = "pawl: 1\n";
  if (planar) text += "world: {dimension: planar}\n";
  text += fmt::format("materials: {{m: {{friction: {}, restitution: {}}}}}\n", random.decimal(0, 900),
                      bounces ? random.decimal(0, 900) : "0");
  text += fmt::format("pairs: [{{between: [m, m], restitution_law: {}{}}}]\n",
                      random.one_of<3>({"newton", "poisson", "energetic"}), friction_set(random, planar));
  text += fmt::format("bodies:\n  floor: {{joint: {{type: weld}}, shapes: [{{type: {}}}]}}\n",
                      planar ? "half-plane" : "half-space");
  std::string joints;
  for (int i = 0; i < bodies; ++i) {
    // Bodies start above each other without overlap; x and y vary so that they tumble.
    const std::string height =
        fmt::format("{}.{:03}", i * 450 / 1000, i * 450 % 1000 + random.integer(300, 340));
    const std::string x = random.decimal(-80, 80), y = random.decimal(-80, 80);
    const std::string position =
        planar ? fmt::format("[{}, {}]", x, height) : fmt::format("[{}, {}, {}]", x, y, height);
    text += fmt::format("  b{}:\n    mass: {}\n    position: {}\n", i, random.decimal(200, 5000), position);
    if (planar) {
      text += fmt::format("    angle: {}\n", random.decimal(-1500, 1500));
    } else {
      text += fmt::format("    orientation: {{quaternion: [1, {}, {}, {}]}}\n", random.decimal(-900, 900),
                          random.decimal(-900, 900), random.decimal(-900, 900));
    }
    const int kind = i == 0 ? 0 : random.integer(0, 5);
    const std::string anchor =
        planar ? fmt::format("[{}, {}]", x, height) : fmt::format("[{}, {}, {}]", x, y, height);
    if (kind == 1) {  // a tree joint on the previous body
      text += fmt::format("    joint: {{type: revolute, parent: b{}, anchor: {}{}, velocity: {}}}\n", i - 1,
                          anchor, planar ? "" : ", axis: [0.3, 1, 0.2]", random.decimal(-3000, 3000));
    } else {
      text += fmt::format("    velocity: {}\n    angular_velocity: {}\n",
                          planar ? random.vec2(-1500, 1500) : random.vec3(-1500, 1500),
                          planar ? random.decimal(-5000, 5000) : random.vec3(-5000, 5000));
    }
    if (kind == 2) {
      joints += fmt::format("  - {{type: revolute, between: [b{}, b{}], anchor: {}{}}}\n", i - 1, i, anchor,
                            planar ? "" : ", axis: [0.1, 0.2, 1]");
    }
    text += fmt::format("    shapes: [{{{}}}]\n", planar ? planar_shape(random) : spatial_shape(random));
  }
  if (!joints.empty()) text += "joints:\n" + joints;
  if (random.chance(25)) {
    text += fmt::format(
        "forces:\n  s: {{type: spring, from: {{body: b0}}, to: {{body: b1}}, stiffness: {}, rest_length: "
        "0.4}}\n",
        random.integer(5, 4000));
  }
  text += fmt::format("run: {{method: {}, step: {}, until: 10}}\n", method,
                      random.one_of<3>({"2ms", "5ms", "10ms"}));
  return text;
}

}  // namespace pawl::internal
