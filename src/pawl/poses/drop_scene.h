#pragma once
// The scene in which a part is dropped on a table, again and again.

#include <string>

#include <pawl/poses/rest_faces.h>
#include <pawl/scene.h>

namespace pawl::internal {

/// A part: points whose hull touches the table, and the mass properties of the solid.
struct Part {
  std::string name;
  std::vector<Vec3> points;  // m
  MassProperties body;
};

/// From a mesh file, .stl or .obj, with lengths times `scale`. Throws Error unless it is a closed solid.
Part load_part(const std::string& path, double scale, double density);
/// A body of a scene, the only one that moves if `name` is "". Throws SceneError if a shape has no corners.
Part part_of_scene(const Scene& scene, const std::string& name);

struct DropOptions {
  double friction = 0.5;
  double restitution = 0.3;
};

/// A scene file with the outcomes `rested` and `face`, whose classes face0, face1, … are the stable faces.
/// The part is turned at random; its lowest corner may be from half to two sizes of the part above the table,
/// and its speed sideways up to that of half a size in free fall.
std::string drop_scene(const Part& part, const RestFaces& faces, const DropOptions& options);

}  // namespace pawl::internal
