#pragma once
// Convex shapes for gap queries: a core, grown on all sides by a rounding radius.

#include <memory>

#include <pawl/collision/shapes/polytope.h>

namespace pawl {

/// A new kind needs a value here, a factory in Convex, a file of its own and a line in core_table.cpp.
enum class CoreKind { point, segment, box, polytope, ellipsoid, cylinder, cone };
inline constexpr int kCoreKinds = 1 + static_cast<int>(CoreKind::cone);

/// A ball is a point with a rounding radius, a capsule a segment with one. The signed gap of two shapes is
/// that of their cores less both rounding radii, inside and outside alike: growing a convex set by r moves
/// its boundary out by r everywhere. The shape's frame has its origin in the core's centre (cone: half-way up
/// its axis; polytope: wherever its vertices say), its axis along z. In planar worlds everything lies in
/// z = 0: a box has half.z = 0, an ellipsoid half.z = 0, a segment lies along x.
struct Convex {
  CoreKind core = CoreKind::point;
  bool planar = false;
  double rounding_radius = 0;  // m
  /// m; segment: half its length in z (planar: in x). Box: half its sides. Ellipsoid: semi-axes. Cylinder:
  /// radius, radius, half its height. Cone: radius of the base at z = -half.z, …, half its height; apex +z.
  Vec3 half;
  std::shared_ptr<const Polytope> polytope;  // of a segment, box or polytope

  // Lengths in m, positive and finite; a rounding radius may be 0.
  static Convex sphere(double radius, bool planar = false);
  /// A sphere where half_length = 0.
  static Convex capsule(double radius, double half_length, bool planar = false);
  static Convex box(const Vec3& half, double rounding_radius = 0, bool planar = false);
  static Convex cylinder(double radius, double half_height, double rounding_radius = 0);
  static Convex cone(double radius, double half_height, double rounding_radius = 0);
  static Convex ellipsoid(const Vec3& semi_axes, double rounding_radius = 0, bool planar = false);
  static Convex hull(Polytope polytope, double rounding_radius = 0, bool planar = false);
};

/// A shape in the world.
struct PosedConvex {
  const Convex& shape;
  Pose X_WS;
};

/// The solid n · x ≤ offset of the world.
struct HalfSpace {
  Vec3 normal;        // unit, out of the solid
  double offset = 0;  // m
};

}  // namespace pawl
