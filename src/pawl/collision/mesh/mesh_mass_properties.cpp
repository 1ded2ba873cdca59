#include <pawl/collision/mesh/mesh.h>

#include <pawl/collision/shapes/moments.h>

namespace pawl {

using namespace internal;

namespace {

/// Moments of the tetrahedron from the origin to a triangle, negative if the origin is on its outer side.
Moments tetrahedron(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double det = dot(a, cross(b, c));
  const Vec3 sum = a + b + c;
  return {det / 6, det / 24 * sum, det / 120 * (outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c))};
}

}  // namespace

/// About the mean of the vertices, so that no digits are lost far from the origin.
MassProperties mesh_mass_properties(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return {};
  const Vec3 origin = mesh.vertices[0];
  Vec3 center;
  for (const Vec3& v : mesh.vertices) center += (v - origin) / static_cast<double>(mesh.vertices.size());
  center += origin;
  Moments moments;
  for (const auto& [a, b, c] : mesh.triangles) {
    moments += tetrahedron(mesh.vertices[a] - center, mesh.vertices[b] - center, mesh.vertices[c] - center);
  }
  return to_mass_properties(moments, center, false);
}

}  // namespace pawl
