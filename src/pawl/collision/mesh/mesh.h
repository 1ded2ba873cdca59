#pragma once
// Triangle meshes, and what makes one a solid.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <pawl/geometry.h>

namespace pawl::internal {

/// Beyond it the fifth power of a length, which an inertia has, overflows.
inline constexpr double kMaxCoordinate = 1e50;  // m

/// "file:line" of a triangle, or "file: triangle 7".
std::string location_of(const TriangleMesh& mesh, std::size_t triangle);

/// Throws Error where there are no triangles, or one has a corner that does not exist, is not finite or
/// beyond 1e50 m, or all its corners on one line.
void check_triangles(const TriangleMesh& mesh);

/// The triangle on the other side of each side, from corner k to the next; -1 where there is none. Throws
/// Error where more than two share a side, or two go along it in the same direction; where the mesh
/// `must_be_closed`, also for a side of one triangle alone.
std::vector<std::array<int, 3>> neighbours_of(const TriangleMesh& mesh, bool must_be_closed);

/// What the mesh encloses, m³, negative where it faces inwards; nothing where it is open. Throws Error as
/// neighbours_of().
std::optional<double> enclosed_volume(const TriangleMesh& mesh);

/// Throws Error unless the mesh can be felt as the surface of a solid: its triangles are good ones that fit
/// together, and where it is closed they face outwards around a volume. An open one, as ground is, is solid
/// behind its triangles whichever way they face.
void check_surface(const TriangleMesh& mesh);

/// Throws Error unless the mesh bounds a solid: its triangles are good ones, each side has a neighbour, and
/// they face outwards around a volume.
void check_solid(const TriangleMesh& mesh);

}  // namespace pawl::internal
