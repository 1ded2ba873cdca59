#pragma once
// Invariants of every mesh that a reader returns.

#include <cmath>
#include <cstddef>
#include <cstdlib>

#include <pawl/collision/mesh/mesh.h>
#include <pawl/collision/shapes/mass_properties.h>
#include <pawl/error.h>

namespace pawl::internal::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

template <class Parse>
void read_mesh(Parse parse) {
  TriangleMesh mesh;
  try {
    mesh = parse();
  } catch (const Error&) {
    return;
  }
  require(!mesh.triangles.empty());
  require(mesh.lines.empty() || mesh.lines.size() == mesh.triangles.size());
  for (const Vec3& v : mesh.vertices) require(is_finite(v));
  for (const auto& triangle : mesh.triangles) {
    for (const int v : triangle) require(v >= 0 && static_cast<std::size_t>(v) < mesh.vertices.size());
  }
  try {
    check_solid(mesh);
  } catch (const Error&) {
    return;
  }
  const MassProperties solid = mesh_mass_properties(mesh);
  require(solid.mass > 0 && is_finite(solid.center));
}

template <class Parse>
void read_points(Parse parse) {
  try {
    for (const Vec3& point : parse()) require(is_finite(point));
  } catch (const Error&) {
  }
}

}  // namespace pawl::internal::fuzz
