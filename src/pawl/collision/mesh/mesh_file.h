#pragma once
// Reads triangle meshes from OBJ and STL files.

#include <string>
#include <string_view>
#include <vector>

#include <pawl/collision/mesh/mesh.h>

namespace pawl::internal {

/// Limit of the readers; larger meshes are refused.
inline constexpr long long kMaxTriangles = 16'000'000;

/// Reads a file by its extension, .obj or .stl in any case, with lengths times `scale`. The readers weld
/// vertices of equal coordinates, drop unused ones, and return only meshes that pass check_triangles(). All
/// throw Error with the file, and the line or triangle.
TriangleMesh load_mesh(const std::string& path, double scale = 1);

/// The points of such a file, for a hull, which needs no valid triangles. They are all vertices of OBJ, used
/// by a face or not, or the corners of STL. Equal points are merged.
std::vector<Vec3> load_points(const std::string& path, double scale = 1);

/// Wavefront OBJ: vertices and faces; polygons are triangulated. Normals, textures, groups and materials are
/// ignored.
TriangleMesh parse_obj(std::string_view text, const std::string& name);
std::vector<Vec3> parse_obj_points(std::string_view text, const std::string& name);

/// STL, text (keywords in any case, line breaks anywhere) or binary. Normals are ignored: they follow from
/// the order of the corners.
TriangleMesh parse_stl(std::string_view bytes, const std::string& name);
std::vector<Vec3> parse_stl_points(std::string_view bytes, const std::string& name);

}  // namespace pawl::internal
