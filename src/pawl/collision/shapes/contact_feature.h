#pragma once
// What a contact touches of one core, by its curvature.

#include <cstdint>
#include <optional>

#include <pawl/geometry.h>

namespace pawl::internal {

/// The part of a core's boundary that carries a contact. Along `along` it is straight: the farthest point may
/// lie anywhere on it while the normal does not turn that way; across it, it has a radius.
struct CoreFeature {
  enum class Kind {
    vertex,  // the normal turns, the point stays
    line,    // an edge (radius 0), the side of a cylinder or a cone
    face,    // the point moves, the normal stays
    curve    // a rim or an ellipsoid: what support_derivative says
  };
  Kind kind = Kind::vertex;
  Vec3 along;         // line: unit, shape frame
  double radius = 0;  // line: m
  int piece = 0;      // curve: as in Support

  static CoreFeature vertex() { return {}; }
  static CoreFeature face() { return {Kind::face, {}, 0, 0}; }
  static CoreFeature line(const Vec3& along, double radius = 0) { return {Kind::line, along, radius, 0}; }
  static CoreFeature curve(int piece) { return {Kind::curve, {}, 0, piece}; }
  /// By the number of straight ways along which all points are as far as the farthest one.
  static CoreFeature flat(int ways, const Vec3& along) {
    return ways == 0 ? vertex() : ways == 1 ? line(along) : face();
  }
};

/// A direction within this angle (rad) of a face's normal exposes the face: normals of curved pairs are known
/// to about 1e-8.
inline constexpr double kTilt = 1e-7;

/// The feature with a name of collide; `other` is the name of its partner. `outward` is the contact's
/// unit normal out of this core and `witness` its point, both in the shape's frame. None: the name tells of
/// no feature that moves by itself.
std::optional<CoreFeature> feature_from_id(const Convex& shape, std::uint32_t id, std::uint32_t other,
                                           const Vec3& outward, const Vec3& witness);

/// All that lies farthest along a direction, a tilt of kTilt aside.
CoreFeature exposed_feature(const Convex& shape, const Vec3& outward, const Vec3& witness);

}  // namespace pawl::internal
