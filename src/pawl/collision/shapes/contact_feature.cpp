#include <pawl/collision/shapes/contact_feature.h>

#include <pawl/collision/shapes/contact_patch.h>
#include <pawl/collision/shapes/core_ops.h>

namespace pawl::internal {
namespace {

/// Names of edges tell two vertices up to this many.
constexpr std::size_t kMaxEncodedVertices = std::size_t{1} << 14;

// Kinds of names; contact_patch.h makes them.
const std::uint32_t kKinds = curve_id(0), kFace = face_id(0), kEdge = kKinds ^ kFace;

std::optional<CoreFeature> edge_from_id(const Convex& shape, std::uint32_t id) {
  if (!shape.polytope || shape.polytope->vertices.size() > kMaxEncodedVertices) return {};
  const std::uint32_t index = id & ~kKinds, from = index >> 15, to = index & 0x7fff;
  return CoreFeature::line(
      core_ops(shape).edge_direction(shape, static_cast<int>(from), static_cast<int>(to)));
}

/// The ends of a capsule and the apex of a cone are vertices. Other ends are points of a rim: the lowest over
/// something flat, but beside another line only about so.
std::optional<CoreFeature> end_from_id(const Convex& shape, int index, std::uint32_t other) {
  const CoreOps& ops = core_ops(shape);
  if (!ops.rim) return CoreFeature::vertex();
  if (other == curve_id(CurveIndex::kSide)) return {};
  const int piece = index == CurveIndex::kEndAbove ? 1 : 0;
  return ops.rim(shape, piece).radius == 0 ? CoreFeature::vertex() : CoreFeature::curve(piece);
}

}  // namespace

CoreFeature exposed_feature(const Convex& shape, const Vec3& outward, const Vec3& witness) {
  return core_ops(shape).exposed_feature(shape, outward, witness);
}

std::optional<CoreFeature> feature_from_id(const Convex& shape, std::uint32_t id, std::uint32_t other,
                                           const Vec3& outward, const Vec3& witness) {
  if (id == kNearestId) return exposed_feature(shape, outward, witness);
  const std::uint32_t kind = id & kKinds;
  if (kind == kFace) return CoreFeature::face();
  if (kind == kEdge) return edge_from_id(shape, id);
  if (kind != kKinds) return CoreFeature::vertex();
  const auto index = static_cast<int>(id & ~kKinds);
  if (index == CurveIndex::kCapBelow || index == CurveIndex::kCapAbove) return CoreFeature::face();
  if (index == CurveIndex::kEndBelow || index == CurveIndex::kEndAbove)
    return end_from_id(shape, index, other);
  if (index == CurveIndex::kSide) {
    // Beside the end of a capsule. Where it leaves a face, the point is that of the face's normal.
    const bool end = other == curve_id(CurveIndex::kEndBelow) || other == curve_id(CurveIndex::kEndAbove);
    if (!end) return {};
    return core_ops(shape).side_feature(shape, outward, witness);
  }
  if (index >= CurveIndex::kRimPoints && index < CurveIndex::kRimChords) return CoreFeature::vertex();
  return {};
}

}  // namespace pawl::internal
