#include <pawl/collision/shapes/contact_feature.h>

#include <pawl/collision/shapes/contact_patch.h>
#include <pawl/collision/shapes/support.h>

namespace pawl::internal {
namespace {

using Kind = CoreFeature::Kind;

/// Normals of curved pairs are known to about 1e-8.
constexpr double kTilt = 1e-7;
/// Names of edges tell two vertices up to this many.
constexpr std::size_t kMaxEncodedVertices = std::size_t{1} << 14;

// Kinds of names; contact_patch.h makes them.
const std::uint32_t kKinds = curve_id(0), kFace = face_id(0), kEdge = kKinds ^ kFace;

CoreFeature vertex() {
  return {Kind::vertex, {}, 0, 0};
}
CoreFeature face() {
  return {Kind::face, {}, 0, 0};
}
CoreFeature line(const Vec3& along, double radius = 0) {
  return {Kind::line, along, radius, 0};
}
CoreFeature curve(int piece) {
  return {Kind::curve, {}, 0, piece};
}

Vec3 axis_of(const Convex& shape) {
  return shape.planar ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
}

/// The straight line of a cylinder's or a cone's side through the witness. A circle of radius ρ whose surface
/// leans has the normal curvature |across|/ρ (Meusnier), with `across` the part of the normal in its plane.
CoreFeature side(const Convex& shape, const Vec3& outward, const Vec3& witness) {
  const auto [radius, unused, h] = shape.half;
  if (shape.core == CoreKind::cylinder) return line({0, 0, 1}, radius);
  const double across = std::sqrt(outward.x * outward.x + outward.y * outward.y);
  const double rho = std::sqrt(witness.x * witness.x + witness.y * witness.y);
  const Vec3 along{-radius * (outward.x / across), -radius * (outward.y / across), 2 * h};
  return line(normalized(along), rho / across);
}

CoreFeature exposed_by_box(const Vec3& outward) {
  int level = 0;
  Vec3 along;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(outward[i]) > kTilt) continue;
    ++level;
    along = {};
    along[i] = 1;
  }
  return level == 0 ? vertex() : level == 1 ? line(along) : face();
}

CoreFeature exposed_by_polytope(const Polytope& polytope, const Vec3& outward) {
  const int top = farthest_vertex(polytope, outward);
  int level = 0;
  Vec3 along;
  for (int i = polytope.neighbour_begin[top]; i < polytope.neighbour_begin[top + 1]; ++i) {
    const Vec3 edge = polytope.vertices[polytope.neighbours[i]] - polytope.vertices[top];
    const double length = norm(edge);
    if (std::abs(dot(edge, outward)) > kTilt * length) continue;
    ++level;
    along = edge / length;
  }
  return level == 0 ? vertex() : level == 1 ? line(along) : face();
}

CoreFeature exposed_by_cone(const Convex& shape, const Vec3& outward, const Vec3& witness) {
  const auto [radius, unused, h] = shape.half;
  const double across = std::sqrt(outward.x * outward.x + outward.y * outward.y);
  if (across <= kTilt && outward.z < 0) return face();
  const double over_apex = 2 * h * outward.z - radius * across;
  if (std::abs(over_apex) <= kTilt * std::sqrt(4 * h * h + radius * radius)) {
    return side(shape, outward, witness);
  }
  return over_apex > 0 ? vertex() : curve(0);
}

std::optional<CoreFeature> edge_from_id(const Convex& shape, std::uint32_t id) {
  if (shape.core == CoreKind::segment) return line(axis_of(shape));
  const Polytope& polytope = *shape.polytope;
  if (polytope.vertices.size() > kMaxEncodedVertices) return {};
  const std::uint32_t index = id & ~kKinds, from = index >> 15, to = index & 0x7fff;
  return line(normalized(polytope.vertices[to] - polytope.vertices[from]));
}

/// The ends of a capsule are vertices. Those of a cylinder are points of its rims: the lowest over something
/// flat, but beside another line only about so.
std::optional<CoreFeature> end_from_id(const Convex& shape, int index, std::uint32_t other) {
  if (shape.core == CoreKind::segment) return vertex();
  if (other == curve_id(CurveIndex::kSide)) return {};
  if (shape.core == CoreKind::cone && index == CurveIndex::kEndAbove) return vertex();
  return curve(index == CurveIndex::kEndAbove ? 1 : 0);
}

}  // namespace

CoreFeature exposed_feature(const Convex& shape, const Vec3& outward, const Vec3& witness) {
  switch (shape.core) {
    case CoreKind::point:
      return vertex();
    case CoreKind::segment:
      return std::abs(dot(axis_of(shape), outward)) <= kTilt ? line(axis_of(shape)) : vertex();
    case CoreKind::box:
      return exposed_by_box(outward);
    case CoreKind::polytope:
      return exposed_by_polytope(*shape.polytope, outward);
    case CoreKind::ellipsoid:
      return curve(0);
    case CoreKind::cylinder:
      if (std::abs(outward.z) <= kTilt) return side(shape, outward, witness);
      if (outward.x * outward.x + outward.y * outward.y <= kTilt * kTilt) return face();
      return curve(outward.z > 0 ? 1 : 0);
    case CoreKind::cone:
      return exposed_by_cone(shape, outward, witness);
  }
  return vertex();
}

std::optional<CoreFeature> feature_from_id(const Convex& shape, std::uint32_t id, std::uint32_t other,
                                           const Vec3& outward, const Vec3& witness) {
  if (id == kNearestId) return exposed_feature(shape, outward, witness);
  const std::uint32_t kind = id & kKinds;
  if (kind == kFace) return face();
  if (kind == kEdge) return edge_from_id(shape, id);
  if (kind != kKinds) return vertex();
  const auto index = static_cast<int>(id & ~kKinds);
  if (index == CurveIndex::kCapBelow || index == CurveIndex::kCapAbove) return face();
  if (index == CurveIndex::kEndBelow || index == CurveIndex::kEndAbove)
    return end_from_id(shape, index, other);
  if (index == CurveIndex::kSide) {
    // Beside the end of a capsule. Where it leaves a face, the point is that of the face's normal.
    const bool end = other == curve_id(CurveIndex::kEndBelow) || other == curve_id(CurveIndex::kEndAbove);
    return end ? std::optional(side(shape, outward, witness)) : std::nullopt;
  }
  if (index >= CurveIndex::kRimPoints && index < CurveIndex::kRimChords) return vertex();
  return {};
}

}  // namespace pawl::internal
