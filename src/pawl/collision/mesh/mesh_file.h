#pragma once
// Triangle meshes in OBJ and STL files.

#include <string>
#include <string_view>
#include <vector>

#include <pawl/collision/mesh/mesh.h>

namespace pawl::internal {

/// What the readers take at most; more is refused.
inline constexpr long long kMaxTriangles = 16'000'000;

/// A file by its ending, .obj or .stl in any case, its lengths times `scale`. The readers weld vertices of
/// equal coordinates, keep those that triangles use, and return only what check_triangles() takes. All throw
/// Error naming the file, and the line or triangle.
TriangleMesh load_mesh(const std::string& path, double scale = 1);

/// The points of such a file alone, for a hull, which needs no good triangles: of OBJ all vertices, whether
/// or not a face has them; of STL the corners. Equal ones are one.
std::vector<Vec3> load_points(const std::string& path, double scale = 1);

/// Wavefront OBJ: vertices and faces; polygons become triangles. Normals, textures, groups and materials have
/// no part in a shape and are passed over.
TriangleMesh parse_obj(std::string_view text, const std::string& name);
std::vector<Vec3> parse_obj_points(std::string_view text, const std::string& name);

/// STL, text (keywords in any case, line breaks anywhere) or binary. Normals are passed over: the order of
/// the corners says the same.
TriangleMesh parse_stl(std::string_view bytes, const std::string& name);
std::vector<Vec3> parse_stl_points(std::string_view bytes, const std::string& name);

}  // namespace pawl::internal
