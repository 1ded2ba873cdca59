#include <pawl/collision/mesh/mesh.h>

#include <algorithm>
#include <limits>
#include <span>

#include <fmt/format.h>

#include <pawl/base/numeric_util.h>
#include <pawl/error.h>

namespace pawl::internal {
namespace {

[[noreturn]] void fail(const TriangleMesh& mesh, std::size_t triangle, const std::string& reason) {
  throw Error(fmt::format("{}: {}", location_of(mesh, triangle), reason));
}

/// True if twice the area over the longest side is 0 within the rounding of the coordinates: three collinear
/// points.
bool is_degenerate(const std::array<Vec3, 3>& corner) {
  double longest = 0, largest = 0;
  for (int k = 0; k < 3; ++k) {
    longest = std::max(longest, norm(corner[(k + 1) % 3] - corner[k]));
    largest = std::max({largest, std::abs(corner[k].x), std::abs(corner[k].y), std::abs(corner[k].z)});
  }
  if (!(longest > 0)) return true;
  const Vec3 unit_side = (corner[1] - corner[0]) / longest;
  return norm(cross(unit_side, corner[2] - corner[0])) <= 8 * kEpsilon * largest;
}

struct Side {
  int low, high;   // vertices
  bool ascending;  // the triangle traverses it from low to high
  int triangle, k;
  auto operator<=>(const Side&) const = default;
};

std::vector<Side> sorted_sides(const TriangleMesh& mesh) {
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int from = mesh.triangles[t][k], to = mesh.triangles[t][(k + 1) % 3];
      sides.push_back({std::min(from, to), std::max(from, to), from < to, static_cast<int>(t), k});
    }
  }
  std::ranges::sort(sides);
  return sides;
}

/// Throws unless a side is shared by two triangles that traverse it in opposite directions.
void check_shared_edge(const TriangleMesh& mesh, std::span<const Side> shared, bool must_be_closed) {
  const Side& first = shared[0];
  const auto fail_side = [&](const std::string& what) {
    const Vec3 &a = mesh.vertices[first.low], &b = mesh.vertices[first.high];
    fail(mesh, first.triangle,
         fmt::format("the side from ({}, {}, {}) to ({}, {}, {}) {}", a.x, a.y, a.z, b.x, b.y, b.z, what));
  };
  if (shared.size() == 1) {
    if (must_be_closed) fail_side("belongs to no other triangle: the mesh is open");
    return;
  }
  const std::string other = location_of(mesh, shared[1].triangle);
  if (shared.size() > 2) {
    fail_side(fmt::format("is shared by {} triangles ({}, …), and must be by 2", shared.size(), other));
  }
  if (first.ascending == shared[1].ascending) {
    fail_side(fmt::format("is shared with one that faces the other way ({}): turn one of them round", other));
  }
}

double surface_area(const TriangleMesh& mesh) {
  double area = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    area += 0.5 * norm(cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]));
  }
  return area;
}

/// Volumes within the rounding of the coordinates, area · |x| · epsilon, count as zero.
void check_volume(const TriangleMesh& mesh, double volume) {
  double largest = 0;
  for (const Vec3& v : mesh.vertices)
    largest = std::max({largest, std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  if (std::abs(volume) <= 8 * kEpsilon * largest * surface_area(mesh)) {
    throw Error(
        fmt::format("{}: the mesh is closed but flat, and holds no volume: give it a thickness, or leave out "
                    "the triangles of one side",
                    mesh.name));
  }
  if (volume < 0) {
    throw Error(fmt::format("{}: the triangles face inwards (volume {:.6g} m³): turn each of them round",
                            mesh.name, volume));
  }
}

}  // namespace

std::string location_of(const TriangleMesh& mesh, std::size_t triangle) {
  return mesh.lines.empty() ? fmt::format("{}: triangle {}", mesh.name, triangle)
                            : fmt::format("{}:{}", mesh.name, mesh.lines[triangle]);
}

void check_triangles(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) throw Error(fmt::format("{}: the mesh has no triangles", mesh.name));
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<Vec3, 3> corner;
    for (int k = 0; k < 3; ++k) {
      const int v = mesh.triangles[t][k];
      if (v < 0 || v >= static_cast<int>(mesh.vertices.size())) {
        fail(mesh, t, fmt::format("vertex {} does not exist: there are {}", v, mesh.vertices.size()));
      }
      corner[k] = mesh.vertices[v];
      for (int i = 0; i < 3; ++i) {
        if (!(std::abs(corner[k][i]) <= kMaxCoordinate)) {
          fail(mesh, t,
               fmt::format("coordinate {} must be a number within {} m", corner[k][i], kMaxCoordinate));
        }
      }
    }
    if (is_degenerate(corner)) fail(mesh, t, "the corners lie on one line: a triangle needs an area");
  }
}

std::vector<std::array<int, 3>> neighbours_of(const TriangleMesh& mesh, bool must_be_closed) {
  std::vector<std::array<int, 3>> neighbours(mesh.triangles.size(), {-1, -1, -1});
  const std::vector<Side> sides = sorted_sides(mesh);
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    const Side& first = sides[begin];
    while (end < sides.size() && sides[end].low == first.low && sides[end].high == first.high) ++end;
    check_shared_edge(mesh, {&first, end - begin}, must_be_closed);
    if (end - begin == 1) continue;
    neighbours[first.triangle][first.k] = sides[begin + 1].triangle;
    neighbours[sides[begin + 1].triangle][sides[begin + 1].k] = first.triangle;
  }
  return neighbours;
}

std::optional<double> enclosed_volume(const TriangleMesh& mesh) {
  for (const auto& around : neighbours_of(mesh, false)) {
    if (std::ranges::find(around, -1) != around.end()) return std::nullopt;
  }
  return mesh_mass_properties(mesh).mass;
}

void check_surface(const TriangleMesh& mesh) {
  check_triangles(mesh);
  if (const std::optional<double> volume = enclosed_volume(mesh)) check_volume(mesh, *volume);
}

void check_solid(const TriangleMesh& mesh) {
  check_triangles(mesh);
  neighbours_of(mesh, true);
  check_volume(mesh, mesh_mass_properties(mesh).mass);
}

}  // namespace pawl::internal
