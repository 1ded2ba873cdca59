#include <pawl/geometry/mesh_file.h>

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <pawl/base/error.h>
#include <pawl/base/read_bytes.h>

namespace pawl {

TriangleMesh load_mesh(const std::string& path, double scale) {
  if (!(scale > 0) || !std::isfinite(scale)) {
    throw Error(fmt::format("{}: scale must be positive and finite, not {}", path, scale));
  }
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (ending != ".obj" && ending != ".stl") {
    throw Error(fmt::format("{}: a mesh must be a file .obj or .stl", path));
  }
  const std::string bytes = read_bytes(path);
  TriangleMesh mesh = ending == ".obj" ? parse_obj(bytes, path) : parse_stl(bytes, path);
  if (scale == 1) return mesh;
  for (Vec3& v : mesh.vertices) v *= scale;
  check_triangles(mesh);
  return mesh;
}

}  // namespace pawl
