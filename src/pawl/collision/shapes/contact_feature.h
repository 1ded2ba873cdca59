#pragma once
// The feature of a core that carries a contact, classified by curvature.

#include <cstdint>
#include <optional>

#include <pawl/base/tolerances.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// The part of a core's boundary that carries a contact. A line is straight along `along`: the support point
/// may lie anywhere on it, and the normal is constant. Across it, the surface has the radius `radius`.
struct CoreFeature {
  enum class Kind {
    vertex,  // the normal varies, the point is fixed
    line,    // an edge (radius 0), the side of a cylinder or a cone
    face,    // the point varies, the normal is fixed
    curve    // a rim or an ellipsoid: see support_derivative
  };
  Kind kind = Kind::vertex;
  Vec3 along;         // line: unit, shape frame
  double radius = 0;  // line: m
  int piece = 0;      // curve: as in Support

  static CoreFeature vertex() { return {}; }
  static CoreFeature face() { return {Kind::face, {}, 0, 0}; }
  static CoreFeature line(const Vec3& along, double radius = 0) { return {Kind::line, along, radius, 0}; }
  static CoreFeature curve(int piece) { return {Kind::curve, {}, 0, piece}; }
  /// From the number of edge directions perpendicular to the normal: 0 vertex, 1 line, 2 or more face.
  static CoreFeature flat(int ways, const Vec3& along) {
    return ways == 0 ? vertex() : ways == 1 ? line(along) : face();
  }
};

/// A direction within this angle (rad) of a face's normal exposes the face. Normals of curved pairs are
/// accurate to about 1e-8.
inline constexpr double kTilt = tolerances::kTiltTie;

/// The feature with an id assigned by collide; `other` is the id of the partner's feature. `outward` is the
/// contact's unit normal out of this core and `witness` the witness point, both in the shape's frame. Returns
/// nullopt if the id does not determine a feature by itself.
std::optional<CoreFeature> feature_from_id(const Convex& shape, std::uint32_t id, std::uint32_t other,
                                           const Vec3& outward, const Vec3& witness);

/// The set of support points along a direction, up to an angle of kTilt.
CoreFeature exposed_feature(const Convex& shape, const Vec3& outward, const Vec3& witness);

}  // namespace pawl::internal
