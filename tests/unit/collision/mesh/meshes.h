#pragma once
// Meshes shared by tests.

#include <cmath>
#include <numbers>

#include <pawl/collision/mesh/mesh.h>
#include <pawl/collision/shapes/polytope.h>

namespace pawl::internal::test {

/// The faces of a polytope as triangles.
inline TriangleMesh mesh_of(const Polytope& polytope) {
  TriangleMesh mesh{polytope.vertices, {}};
  for (const auto& face : polytope.faces) {
    for (int i = face.begin + 1; i + 1 < face.end; ++i) {
      mesh.triangles.push_back({polytope.loops[face.begin], polytope.loops[i], polytope.loops[i + 1]});
    }
  }
  return mesh;
}

/// A ball of radius 1: the faces of a cube, n × n squares each, projected onto the sphere. Faces share no
/// vertices.
inline TriangleMesh ball_mesh(int n) {
  TriangleMesh mesh;
  for (int side = 0; side < 6; ++side) {
    const int axis = side / 2;
    const double sign = side % 2 ? 1 : -1;
    const int first = static_cast<int>(mesh.vertices.size());
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j) {
        Vec3 v;
        v[axis] = sign;
        v[(axis + 1) % 3] = sign * std::tan(std::numbers::pi / 4 * (2.0 * i / n - 1));
        v[(axis + 2) % 3] = std::tan(std::numbers::pi / 4 * (2.0 * j / n - 1));
        mesh.vertices.push_back(normalized(v));
        if (i == n || j == n) continue;
        const int a = first + i * (n + 1) + j;
        mesh.triangles.push_back({a, a + n + 1, a + n + 2});
        mesh.triangles.push_back({a, a + n + 2, a + 1});
      }
    }
  }
  return mesh;
}

}  // namespace pawl::internal::test
