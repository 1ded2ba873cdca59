#pragma once
// Operations on cores: one table of functions per kind of core.

#include <array>
#include <optional>

#include <pawl/collision/shapes/polytope.h>
#include <pawl/geometry.h>

namespace pawl::internal {

struct Aabb;
struct CoreFeature;
struct Patch;

/// A support point. The core of a shape is the convex hull of its pieces: the vertices of a polytope, the
/// rims of a cylinder (0 lower, 1 upper), the rim (0) and apex (1) of a cone, an ellipsoid (0). The support
/// point of one piece is a smooth function of the direction; between pieces it jumps.
struct Support {
  Vec3 point;     // shape frame, m
  int piece = 0;  // the piece that contains the point
};

/// A circle about the z axis; radius 0 is an apex.
struct Rim {
  double radius = 0, height = 0;  // m; height: z coordinate
};

/// A flat face in the shape's frame.
struct FlatFace {
  Vec3 normal, center;
  int axis = -1;                       // box: index of the axis along the normal
  const Polytope::Face* of = nullptr;  // box, polytope
  double radius = 0;                   // cap, m
};

/// Non-owning reference to a function of a vector.
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

/// The operations of one kind of core. Unless stated otherwise, vectors are in the shape's frame and the
/// rounding radius is excluded. Entries with a default are optional.
struct CoreOps {
  CoreKind kind;
  const char* name;

  // Support mapping; see support.h.
  Support (*support)(const Convex& shape, const Vec3& direction, int start);
  Vec3 (*support_of_piece)(const Convex& shape, int piece, const Vec3& direction);
  /// Null: zero, all pieces are points.
  Mat3 (*support_derivative)(const Convex& shape, int piece, const Vec3& unit) = nullptr;
  /// The support point along d nearest to a target, among points that tie up to `rounding` (m). Null: use
  /// `support`.
  Vec3 (*support_near)(const Convex& shape, const Vec3& d, const Vec3& target, double rounding) = nullptr;

  // Extents and mass.
  /// Radius of a ball about core_center that contains the core, m.
  double (*core_radius)(const Convex& shape);
  /// Radius of a ball about the origin that contains the core, m. Null: core_radius.
  double (*bounding_radius)(const Convex& shape) = nullptr;
  /// Radius of a ball that fits into the core, m.
  double (*inner_radius)(const Convex& shape);
  /// Lower bound on the radius of the largest ball about x inside the core, m; negative if there is none.
  /// Null: unknown, taken as -1.
  double (*inscribed_radius)(const Convex& shape, const Vec3& x) = nullptr;
  /// Radius of the largest ball that rolls freely along the inside of the boundary, m. Null: 0, the core has
  /// edges.
  double (*rolling_radius)(const Convex& shape) = nullptr;
  /// AABB of the core rotated by R, with the shape's origin at zero.
  Aabb (*core_aabb)(const Convex& shape, const Mat3& R);
  /// Mass properties of the whole shape, rounding radius included.
  MassProperties (*mass_properties)(const Convex& shape);

  // Contact features.
  /// The set of support points along `outward`; see contact_feature.h.
  CoreFeature (*exposed_feature)(const Convex& shape, const Vec3& outward, const Vec3& witness);
  /// The straight line through `witness` on the side of a cylinder, cone or segment.
  CoreFeature (*side_feature)(const Convex& shape, const Vec3& outward, const Vec3& witness) = nullptr;
  /// The unit vector from one vertex to another along an edge.
  Vec3 (*edge_direction)(const Convex& shape, int from, int to) = nullptr;
  /// See facing_face and facing_patch in contact_patch.h; here the direction is in the shape's frame. Null: a
  /// smooth core, which touches any convex shape in one point.
  int (*facing_face)(const Convex& shape, const Vec3& direction) = nullptr;
  void (*facing_patch)(const Convex& shape, const Pose& X, const Vec3& direction, Patch& patch) = nullptr;
  /// The circle of a piece; radius 0 is a point. Null: no piece is a circle.
  Rim (*rim)(const Convex& shape, int piece) = nullptr;

  // Flat faces, used to shorten the search for the optimal direction. Null: none.
  /// The face with the largest signed height of x above its plane.
  std::optional<FlatFace> (*face_towards)(const Convex& shape, const Vec3& x) = nullptr;
  /// Distance of a point in the face's plane from the face's boundary, m; negative outside.
  double (*distance_inside_face)(const Convex& shape, const FlatFace& face, const Vec3& x) = nullptr;
  /// Visits sign · R n for the outward normal n of each face. Boxes, cylinders and cones visit both signs.
  void (*visit_face_normals)(const Convex& shape, const Mat3& R, double sign, VectorVisitor visit) = nullptr;
  /// Axes [begin, end) along which the surface has straight lines.
  int line_axes_begin = 0, line_axes_end = 0;
};

/// [kCoreKinds], indexed by kind.
extern const CoreOps* const kCoreTable[];

inline const CoreOps& core_ops(CoreKind kind) {
  return *kCoreTable[static_cast<int>(kind)];
}
inline const CoreOps& core_ops(const Convex& shape) {
  return core_ops(shape.core);
}

/// One function for each ordered pair of kinds.
template <class Function>
class PairTable {
 public:
  constexpr explicit PairTable(Function any_pair) {
    for (auto& row : functions_) row.fill(any_pair);
  }
  /// Sets the functions for (a, b) and for (b, a).
  constexpr void set(CoreKind a, CoreKind b, Function function, Function swapped) {
    functions_[static_cast<int>(a)][static_cast<int>(b)] = function;
    functions_[static_cast<int>(b)][static_cast<int>(a)] = swapped;
  }
  constexpr Function operator()(const Convex& a, const Convex& b) const {
    return functions_[static_cast<int>(a.core)][static_cast<int>(b.core)];
  }

 private:
  std::array<std::array<Function, kCoreKinds>, kCoreKinds> functions_;
};

}  // namespace pawl::internal
