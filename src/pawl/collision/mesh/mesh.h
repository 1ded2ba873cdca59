#pragma once
// Triangle meshes, and checks that they bound a solid.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <pawl/geometry.h>

namespace pawl::internal {

/// Beyond it the fifth power of a length, as in an inertia, overflows.
inline constexpr double kMaxCoordinate = 1e50;  // m

/// "file:line" of a triangle, or "file: triangle 7".
std::string location_of(const TriangleMesh& mesh, std::size_t triangle);

/// Throws Error if there are no triangles, or if a triangle is invalid: a vertex index out of range, a
/// coordinate not finite or beyond 1e50 m, or collinear corners.
void check_triangles(const TriangleMesh& mesh);

/// The triangle across each side, from corner k to the next; -1 if there is none. Throws Error if more than
/// two triangles share a side, or if two traverse it in the same direction. If the mesh `must_be_closed`,
/// also if a side belongs to one triangle only.
std::vector<std::array<int, 3>> neighbours_of(const TriangleMesh& mesh, bool must_be_closed);

/// The enclosed volume, m³, negative if the triangles face inwards; empty if the mesh is open. Throws Error
/// as neighbours_of() does.
std::optional<double> enclosed_volume(const TriangleMesh& mesh);

/// Throws Error unless the mesh can be the surface of a solid: its triangles are valid and fit together. The
/// triangles of a closed mesh must face outwards around a volume. An open mesh, such as ground, is solid
/// behind its triangles whichever way they face.
void check_surface(const TriangleMesh& mesh);

/// Throws Error unless the mesh bounds a solid: its triangles are valid, each side has a neighbour, and they
/// face outwards around a volume.
void check_solid(const TriangleMesh& mesh);

}  // namespace pawl::internal
