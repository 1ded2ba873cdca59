#pragma once
// What differs from one kind of core to the next: one table of functions per kind.

#include <optional>

#include <pawl/collision/shapes/polytope.h>
#include <pawl/geometry.h>

namespace pawl::internal {

inline constexpr int kCoreKinds = 1 + static_cast<int>(CoreKind::cone);

struct Aabb;
struct CoreFeature;
struct Patch;

/// The core of a shape is the hull of its pieces: the vertices of a polytope, the rims of a cylinder (0
/// below, 1 above), the rim (0) and the apex (1) of a cone, an ellipsoid (0). The farthest point of a piece
/// moves smoothly with the direction; between pieces it jumps.
struct Support {
  Vec3 point;     // shape frame, m
  int piece = 0;  // the piece that holds the point
};

/// A circle about the z axis, or an apex where the radius is 0.
struct Rim {
  double radius = 0, height = 0;  // m; height: its z
};

/// A flat face, in its shape's frame.
struct FlatFace {
  Vec3 normal, center;
  int axis = -1;                       // box: the axis of its normal
  const Polytope::Face* of = nullptr;  // box, polytope
  double radius = 0;                   // cap, m
};

/// Refers to a function of a vector, and does not own it.
class VectorVisitor {
 public:
  template <class Function>
  VectorVisitor(const Function& function)
      : function_(&function),
        call_([](const void* f, const Vec3& v) { (*static_cast<const Function*>(f))(v); }) {}
  void operator()(const Vec3& v) const { call_(function_, v); }

 private:
  const void* function_;
  void (*call_)(const void*, const Vec3&);
};

/// One kind of core. Vectors are in the shape's frame and leave the rounding radius aside, unless an entry
/// says otherwise. Entries with a default may be left out.
struct CoreOps {
  CoreKind kind;
  const char* name;

  // Support mapping; support.h explains these.
  Support (*support)(const Convex& shape, const Vec3& direction, int start);
  Vec3 (*support_of_piece)(const Convex& shape, int piece, const Vec3& direction);
  /// Null: zero, since all pieces are points.
  Mat3 (*support_derivative)(const Convex& shape, int piece, const Vec3& unit) = nullptr;
  /// Where many points are farthest along d but for `rounding` (m): the nearest of them to a target. Null:
  /// that of `support`.
  Vec3 (*support_near)(const Convex& shape, const Vec3& d, const Vec3& target, double rounding) = nullptr;

  // Extents and mass.
  /// Of a ball about core_center that holds the core, m.
  double (*core_radius)(const Convex& shape);
  /// Of a ball about the origin that holds the core, m. Null: core_radius.
  double (*bounding_radius)(const Convex& shape) = nullptr;
  /// Of a ball that fits into the core, m.
  double (*inner_radius)(const Convex& shape);
  /// Of a ball about x that fits into the core, or less, m; negative: none. Null: unknown, taken as -1.
  double (*inscribed_radius)(const Convex& shape, const Vec3& x) = nullptr;
  /// Of the largest ball that rolls everywhere along the inside of the boundary, m. Null: 0, for edges.
  double (*rolling_radius)(const Convex& shape) = nullptr;
  /// The core turned by R, with the shape's origin at zero.
  Aabb (*core_aabb)(const Convex& shape, const Mat3& R);
  /// Of the whole shape, rounding radius included.
  MassProperties (*mass_properties)(const Convex& shape);

  // Contact features.
  /// All that lies farthest along `outward`; contact_feature.h.
  CoreFeature (*exposed_feature)(const Convex& shape, const Vec3& outward, const Vec3& witness);
  /// The straight line of the side through `witness`: of a cylinder, a cone or a segment.
  CoreFeature (*side_feature)(const Convex& shape, const Vec3& outward, const Vec3& witness) = nullptr;
  /// The unit vector from one vertex to another along an edge.
  Vec3 (*edge_direction)(const Convex& shape, int from, int to) = nullptr;
  /// As facing_face and facing_patch in contact_patch.h, but the direction is in the shape's frame. Null: a
  /// smooth core, which touches any convex shape in one point.
  int (*facing_face)(const Convex& shape, const Vec3& direction) = nullptr;
  void (*facing_patch)(const Convex& shape, const Pose& X, const Vec3& direction, Patch& patch) = nullptr;
  /// The circle that a piece is; radius 0: a point. Null: no piece is a circle.
  Rim (*rim)(const Convex& shape, int piece) = nullptr;

  // Flat faces, by which the search for the least separation is shortened. Null: none.
  /// The face over which x lies the highest.
  std::optional<FlatFace> (*face_towards)(const Convex& shape, const Vec3& x) = nullptr;
  /// How far within a face a point of its plane is, m; negative outside.
  double (*distance_inside_face)(const Convex& shape, const FlatFace& face, const Vec3& x) = nullptr;
  /// Visits sign · R n for the outward normal n of each face. Those of both signs may be visited for a core
  /// that is symmetric.
  void (*visit_face_normals)(const Convex& shape, const Mat3& R, double sign, VectorVisitor visit) = nullptr;
  /// The surface has straight lines along these axes: [begin, end).
  int line_axes_begin = 0, line_axes_end = 0;
};

/// [kCoreKinds] by kind.
extern const CoreOps* const kCoreTable[];

inline const CoreOps& core_ops(CoreKind kind) {
  return *kCoreTable[static_cast<int>(kind)];
}
inline const CoreOps& core_ops(const Convex& shape) {
  return core_ops(shape.core);
}

}  // namespace pawl::internal
