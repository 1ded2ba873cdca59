#include <pawl/collision/mesh/mesh_file.h>

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <pawl/base/read_bytes.h>
#include <pawl/error.h>

namespace pawl::internal {

namespace {

enum class Format { obj, stl };

Format format_of(const std::string& path, double scale) {
  if (!(scale > 0) || !std::isfinite(scale)) {
    throw Error(fmt::format("{}: scale must be positive and finite, not {}", path, scale));
  }
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (ending != ".obj" && ending != ".stl") {
    throw Error(fmt::format("{}: a mesh must be a file .obj or .stl", path));
  }
  return ending == ".obj" ? Format::obj : Format::stl;
}

}  // namespace

TriangleMesh load_mesh(const std::string& path, double scale) {
  const Format format = format_of(path, scale);
  const std::string bytes = read_bytes(path);
  TriangleMesh mesh = format == Format::obj ? parse_obj(bytes, path) : parse_stl(bytes, path);
  if (scale == 1) return mesh;
  for (Vec3& v : mesh.vertices) v *= scale;
  check_triangles(mesh);
  return mesh;
}

std::vector<Vec3> load_points(const std::string& path, double scale) {
  const Format format = format_of(path, scale);
  const std::string bytes = read_bytes(path);
  std::vector<Vec3> points =
      format == Format::obj ? parse_obj_points(bytes, path) : parse_stl_points(bytes, path);
  for (Vec3& p : points) p *= scale;
  return points;
}

}  // namespace pawl::internal
