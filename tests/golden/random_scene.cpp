#include "random_scene.h"

#include <array>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace pawl::internal {
namespace {

/// The values stand in braces, so that they are drawn from left to right: C++ leaves the order of function
/// arguments open.
template <class... Values>
std::string format(std::string_view text, const std::tuple<Values...>& values) {
  return std::apply([&](const auto&... value) { return fmt::format(fmt::runtime(text), value...); }, values);
}

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
    return format("{}{}.{:03}",
                  std::tuple{n < 0 ? "-" : "", (n < 0 ? -n : n) / 1000, (n < 0 ? -n : n) % 1000});
  }
  std::string vec3(int low, int high) {
    return format("[{}, {}, {}]", std::tuple{decimal(low, high), decimal(low, high), decimal(low, high)});
  }
  std::string vec2(int low, int high) {
    return format("[{}, {}]", std::tuple{decimal(low, high), decimal(low, high)});
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
      return format("type: sphere, radius: {}", std::tuple{radius});
    case 1:
      return format("type: capsule, radius: {}, length: {}", std::tuple{radius, random.decimal(50, 300)});
    case 2:
      return format("type: cylinder, radius: {}, height: {}", std::tuple{radius, random.decimal(50, 300)});
    case 3:
      return format("type: cone, radius: {}, height: {}", std::tuple{radius, random.decimal(80, 300)});
    case 4:
      return format("type: ellipsoid, semi_axes: {}", std::tuple{random.vec3(50, 150)});
    case 5:
      return format("type: hull, points: [{}, {}, [0.1, 0, 0], [0, 0.12, 0], [-0.1, -0.1, 0], [0, 0, 0.15]]",
                    std::tuple{random.vec3(-100, 100), random.vec3(-100, 100)});
    default:
      return format("type: box, size: {}, margin: {}",
                    std::tuple{random.vec3(80, 300), random.chance(30) ? "0.01" : "0"});
  }
}

std::string planar_shape(Random& random) {
  switch (random.integer(0, 3)) {
    case 0:
      return format("type: disc, radius: {}", std::tuple{random.decimal(40, 120)});
    case 1:
      return format("type: capsule, radius: {}, length: {}",
                    std::tuple{random.decimal(40, 120), random.decimal(50, 300)});
    case 2:
      return format("type: ellipse, semi_axes: {}", std::tuple{random.vec2(50, 150)});
    default:
      return format("type: box, size: {}", std::tuple{random.vec2(80, 300)});
  }
}

std::string friction_set(Random& random, bool planar) {
  if (planar || random.chance(50)) return "";
  switch (random.integer(0, 2)) {
    case 0:
      return format(", friction_set: {{type: ellipsoid, e_o: {}, e_r: {}}}",
                    std::tuple{random.decimal(300, 1500), random.decimal(10, 80)});
    case 1:
      return format(", friction_set: {{type: mixed, e_r: {}}}", std::tuple{random.decimal(10, 80)});
    default:
      return format(", friction_set: {{type: polyhedron, directions: {}}}",
                    std::tuple{random.integer(3, 12)});
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
  text += format("materials: {{m: {{friction: {}, restitution: {}}}}}\n",
                 std::tuple{random.decimal(0, 900), bounces ? random.decimal(0, 900) : "0"});
  text +=
      format("pairs: [{{between: [m, m], restitution_law: {}{}}}]\n",
             std::tuple{random.one_of<3>({"newton", "poisson", "energetic"}), friction_set(random, planar)});
  text += format("bodies:\n  floor: {{joint: {{type: weld}}, shapes: [{{type: {}}}]}}\n",
                 std::tuple{planar ? "half-plane" : "half-space"});
  std::string joints;
  for (int i = 0; i < bodies; ++i) {
    // Bodies start above each other without overlap; x and y vary so that they tumble.
    const std::string height =
        format("{}.{:03}", std::tuple{i * 450 / 1000, i * 450 % 1000 + random.integer(300, 340)});
    const std::string x = random.decimal(-80, 80), y = random.decimal(-80, 80);
    const std::string position =
        planar ? format("[{}, {}]", std::tuple{x, height}) : format("[{}, {}, {}]", std::tuple{x, y, height});
    text += format("  b{}:\n    mass: {}\n    position: {}\n",
                   std::tuple{i, random.decimal(200, 5000), position});
    if (planar) {
      text += format("    angle: {}\n", std::tuple{random.decimal(-1500, 1500)});
    } else {
      text +=
          format("    orientation: {{quaternion: [1, {}, {}, {}]}}\n",
                 std::tuple{random.decimal(-900, 900), random.decimal(-900, 900), random.decimal(-900, 900)});
    }
    const int kind = i == 0 ? 0 : random.integer(0, 5);
    const std::string anchor =
        planar ? format("[{}, {}]", std::tuple{x, height}) : format("[{}, {}, {}]", std::tuple{x, y, height});
    if (kind == 1) {  // a tree joint on the previous body
      text += format(
          "    joint: {{type: revolute, parent: b{}, anchor: {}{}, velocity: {}}}\n",
          std::tuple{i - 1, anchor, planar ? "" : ", axis: [0.3, 1, 0.2]", random.decimal(-3000, 3000)});
    } else {
      text += format("    velocity: {}\n    angular_velocity: {}\n",
                     std::tuple{planar ? random.vec2(-1500, 1500) : random.vec3(-1500, 1500),
                                planar ? random.decimal(-5000, 5000) : random.vec3(-5000, 5000)});
    }
    if (kind == 2) {
      joints += format("  - {{type: revolute, between: [b{}, b{}], anchor: {}{}}}\n",
                       std::tuple{i - 1, i, anchor, planar ? "" : ", axis: [0.1, 0.2, 1]"});
    }
    text +=
        format("    shapes: [{{{}}}]\n", std::tuple{planar ? planar_shape(random) : spatial_shape(random)});
  }
  if (!joints.empty()) text += "joints:\n" + joints;
  if (random.chance(25)) {
    text += format(
        "forces:\n  s: {{type: spring, from: {{body: b0}}, to: {{body: b1}}, stiffness: {}, rest_length: "
        "0.4}}\n",
        std::tuple{random.integer(5, 4000)});
  }
  text += format("run: {{method: {}, step: {}, until: 10}}\n",
                 std::tuple{method, random.one_of<3>({"2ms", "5ms", "10ms"})});
  return text;
}

}  // namespace pawl::internal
