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
  /// Reads <contact><pair>, since its geoms get materials and groups of their own.
  explicit GeomReader(MjcfContext& context);

  /// Mass properties in the body's frame; of a plane, none.
  MassProperties mass(const Geom& geom);
  /// Adds the shape to a body of the scene, unless nothing can touch the geom. X_SB is the geom's body in the
  /// scene's body, which `moves` or not.
  void add_shape(const Geom& geom, const Frame& X_SB, bool moves, SceneBody& body);
  /// Writes the materials, pairs and groups that the shapes name.
  void finish();
  /// Tells which pairs cannot touch, since their bodies do not: a body and its parent, or excluded ones.
  void check_pairs();

 private:
  struct Surface {
    double slide = 1, torsion = 0.005, roll = 0.0001;
    int dimension = 3, priority = 0;
    int paired = 0;  // number of the geom, if it is in pairs
    auto operator<=>(const Surface&) const = default;
  };
  struct Bits {
    unsigned type = 1, affinity = 1;
    int paired = 0;
    auto operator<=>(const Bits&) const = default;
  };
  /// Two geoms that touch whatever their types and affinities, with a surface of their own.
  struct Pair {
    Element element;
    int first = 0, second = 0;  // numbers of the geoms
  };
  int paired(const Element& geom) const;
  const Pair* find_pair(int first, int second) const;
  Surface surface_of(const Pair& pair, const Surface& combined) const;
  std::optional<SceneShape> shape_of(const Geom& geom);
  int material(const Element& element);
  int group(const Element& element, const Bits& bits);
  static Surface combined(const Surface& a, const Surface& b);

  MjcfContext& context_;
  Meshes meshes_;
  std::vector<Surface> surfaces_;  // materials, in the order of their first use
  std::vector<Bits> bits_;         // groups, likewise
  std::vector<Pair> pairs_;
  std::map<std::string, int> paired_;         // by the name of the geom
  std::map<int, std::string> paired_bodies_;  // of the scene, by the number of the geom
};

}  // namespace pawl::internal
