#pragma once
// Mesh assets, read when something needs them.

#include <map>
#include <memory>

#include <pawl/mjcf/context.h>
#include <pawl/robot/hull_points.h>

namespace pawl::internal {

struct MeshAsset : HullPoints {
  std::optional<MassProperties> volume;  // at density 1; empty if the triangles cannot be used
};

class Meshes {
 public:
  explicit Meshes(MjcfContext& context);
  /// The asset that an attribute of an element names.
  const MeshAsset& load(const Element& user);
  /// Throws SceneError unless the asset exists, and its file.
  void check(const Element& user) const;

 private:
  struct Entry {
    const XmlElement* xml;
    std::string path;  // empty: vertices in the file itself
    std::unique_ptr<MeshAsset> asset;
  };
  const Entry& find(const Element& user) const;
  MeshAsset read(const Entry& entry);

  MjcfContext& context_;
  std::map<std::string, Entry> entries_;
};

/// Mass properties at density 1 as MuJoCo's default computes them: the volumes of the tetrahedra over all
/// triangles, seen from a point inside, all counted as positive.
MassProperties tetrahedra_mass(const TriangleMesh& mesh);

}  // namespace pawl::internal
