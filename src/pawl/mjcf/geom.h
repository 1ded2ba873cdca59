#pragma once
// Geoms: shapes, contact materials, and their part of a body's mass.

#include <pawl/mjcf/meshes.h>

namespace pawl::internal {

/// A geom with its frame in its body.
struct Geom {
  Element element;
  Frame X_BG;
};

/// Makes the materials, groups and shapes of geoms.
class GeomReader {
 public:
  explicit GeomReader(MjcfContext& context) : context_(context), meshes_(context) {}

  /// Mass properties in the body's frame; of a plane, none.
  MassProperties mass(const Geom& geom);
  /// Adds the shape to a body of the scene, unless nothing can touch the geom. X_SB is the geom's body in the
  /// scene's body, which `moves` or not.
  void add_shape(const Geom& geom, const Frame& X_SB, bool moves, SceneBody& body);
  /// Writes the materials, pairs and groups that the shapes name.
  void finish();

 private:
  struct Surface {
    double slide = 1, torsion = 0.005, roll = 0.0001;
    int dimension = 3, priority = 0;
    auto operator<=>(const Surface&) const = default;
  };
  struct Bits {
    unsigned type = 1, affinity = 1;
    auto operator<=>(const Bits&) const = default;
  };
  std::optional<SceneShape> shape_of(const Geom& geom);
  int material(const Element& element);
  int group(const Element& element, const Bits& bits);
  static Surface combined(const Surface& a, const Surface& b);

  MjcfContext& context_;
  Meshes meshes_;
  std::vector<Surface> surfaces_;  // materials, in the order of their first use
  std::vector<Bits> bits_;         // groups, likewise
};

}  // namespace pawl::internal
