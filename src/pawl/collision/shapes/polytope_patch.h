#pragma once
// Contact patches of polytope cores.

#include <pawl/collision/shapes/contact_patch.h>

namespace pawl::internal {

/// See CoreOps::facing_face.
inline int polytope_facing_face(const Convex& shape, const Vec3& direction) {
  return aligned_face(*shape.polytope, direction);
}
/// See CoreOps::facing_patch.
inline void polytope_facing_patch(const Convex& shape, const Pose& X, const Vec3& direction, Patch& patch) {
  set_face_patch(*shape.polytope, X, aligned_face(*shape.polytope, direction), patch);
}
/// See CoreOps::edge_direction.
inline Vec3 polytope_edge_direction(const Convex& shape, int from, int to) {
  return normalized(shape.polytope->vertices[to] - shape.polytope->vertices[from]);
}

}  // namespace pawl::internal
