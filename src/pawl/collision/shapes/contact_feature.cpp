#include <pawl/collision/shapes/contact_feature.h>

#include <pawl/collision/shapes/contact_patch.h>
#include <pawl/collision/shapes/core_ops.h>

namespace pawl::internal {
namespace {

/// Edge ids encode both vertex indices uniquely up to this number of vertices.
constexpr std::size_t kMaxEncodedVertices = std::size_t{1} << 14;

// The kind bits of feature ids; see contact_patch.h.
const std::uint32_t kKinds = curve_id(0), kFace = face_id(0), kEdge = kKinds ^ kFace;

std::optional<CoreFeature> edge_from_id(const Convex& shape, std::uint32_t id) {
  if (!shape.polytope || shape.polytope->vertices.size() > kMaxEncodedVertices) return {};
  const std::uint32_t index = id & ~kKinds, from = index >> 15, to = index & 0x7fff;
  return CoreFeature::line(
      core_ops(shape).edge_direction(shape, static_cast<int>(from), static_cast<int>(to)));
}

/// The ends of a capsule and the apex of a cone are vertices. Other ends are points of a rim. Over a flat
/// face the contact is the lowest rim point; next to another line this holds only approximately: nullopt.
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
    // Against the end of a line. Against a face boundary the contact point is defined by the face's normal.
    const bool end = other == curve_id(CurveIndex::kEndBelow) || other == curve_id(CurveIndex::kEndAbove);
    if (!end) return {};
    return core_ops(shape).side_feature(shape, outward, witness);
  }
  if (index >= CurveIndex::kRimPoints && index < CurveIndex::kRimChords) return CoreFeature::vertex();
  return {};
}

}  // namespace pawl::internal
