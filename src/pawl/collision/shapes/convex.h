#pragma once
// Convex shapes for gap queries: a core, grown on all sides by a margin.

#include <pawl/collision/shapes/polytope.h>

namespace pawl {

enum class CoreKind { point, segment, box, polytope, ellipsoid, cylinder, cone };

/// A ball is a point with a margin, a capsule a segment with one. The signed gap of two shapes is that of
/// their cores less both margins, inside and outside alike: growing a convex set by r moves its boundary out
/// by r everywhere. The shape's frame has its origin in the core's centre (cone: half-way up its axis;
/// polytope: wherever its vertices say), its axis along z. In planar worlds everything lies in z = 0: a box
/// has half.z = 0, an ellipsoid half.z = 0, a segment lies along x.
struct Convex {
  CoreKind core = CoreKind::point;
  bool planar = false;
  double rounding_radius = 0;  // m
  /// m; segment: half its length in z (planar: in x). Box: half its sides. Ellipsoid: semi-axes. Cylinder:
  /// radius, radius, half its height. Cone: radius of the base at z = -half.z, …, half its height; apex +z.
  Vec3 half;
  const Polytope* polytope = nullptr;  // box and polytope, segment too; belongs to the model
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
