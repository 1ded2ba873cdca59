#include <pawl/collision/manifold/box_contacts.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <tuple>

#include <pawl/collision/manifold/box_clipping.h>
#include <pawl/collision/manifold/manifold_builder.h>
#include <pawl/collision/manifold/patch_clipper.h>

namespace pawl::internal {
namespace {

/// Stores vectors of four lanes; the next store overwrites the fourth. This halves the number of stores.
void put(double gap, Vec4d normal, Vec4d point_a, Vec4d point_b, std::int64_t feature, ManifoldPoint& point) {
  static_assert(offsetof(ManifoldPoint, point_a) == offsetof(ManifoldPoint, normal) + sizeof(Vec3) &&
                offsetof(ManifoldPoint, point_b) == offsetof(ManifoldPoint, point_a) + sizeof(Vec3) &&
                offsetof(ManifoldPoint, feature) == offsetof(ManifoldPoint, point_b) + sizeof(Vec3));
  char* const bytes = reinterpret_cast<char*>(&point);
  std::memcpy(bytes + offsetof(ManifoldPoint, normal), &normal, sizeof normal);
  std::memcpy(bytes + offsetof(ManifoldPoint, point_a), &point_a, sizeof point_a);
  std::memcpy(bytes + offsetof(ManifoldPoint, point_b), &point_b, sizeof point_b);
  point.feature = static_cast<std::uint64_t>(feature);
  point.gap = gap;
}

/// Writes the points in the order of their features; `mirrored` writes those of (b, a). `own` has the
/// reference face.
template <bool on_a, bool mirrored>
void put(const BoxFaces& faces, const BoxFaceClip& clip_points, const ChosenClipPoints& chosen,
         const PosedConvex& own, const PosedConvex& other, Manifold& manifold) {
  const Vec4d x = load_column(own.X_WS.R, faces.x), y = load_column(own.X_WS.R, faces.y),
              z = faces.up * load_column(own.X_WS.R, faces.z);
  const Vec4d origin = to_vec4d(own.X_WS.p), middle = faces.half_z * z;
  const double rounding_radii = own.shape.rounding_radius + other.shape.rounding_radius;
  PerClipPoint<Mask4> features;
  for (int kind = 0; kind < BoxFaceClip::kKinds; ++kind) {
    const Mask4 four = clip_points.feature.kinds[kind];
    features.kinds[kind] = mirrored ? swap_halves(four) : four;
  }
  manifold.count = chosen.count;
  for (int i = 0; i < chosen.count; ++i) {
    const int clip_point = chosen.clip_points[i];
    const std::int64_t feature = features[clip_point];
    unsigned earlier = 0;
    for (int kind = 0; kind < BoxFaceClip::kKinds; ++kind) {
      earlier |= bits(features.kinds[kind] < feature) << (4 * kind);
    }
    const double core_gap = clip_points.gap[clip_point], gap = core_gap - rounding_radii,
                 n_z = clip_points.n_z[clip_point];
    const Vec4d out = clip_points.n_x[clip_point] * x + clip_points.n_y[clip_point] * y + n_z * z;
    const Vec4d incident =
        origin +
        (middle + (clip_points.x[clip_point] * x + clip_points.y[clip_point] * y + core_gap * n_z * z) -
         other.shape.rounding_radius * out);
    const Vec4d reference = incident - gap * out;
    ManifoldPoint& point = manifold.points[std::popcount(earlier & chosen.all)];
    if (on_a == mirrored) {
      put(gap, out, incident, reference, feature, point);
    } else {
      put(gap, -out, reference, incident, feature, point);
    }
  }
}

/// The edges of the best axis. Separated edges meet only if their closest points are at the crossing, not at
/// an end.
struct EdgePair {
  SeparatingAxis axis;
  Vec3 from_b, along_b;  // in the frame of a, m
  double on_a, on_b;

  EdgePair(const ObbPair& obbs, const ObbAxis& best) : axis(to_separating_axis(obbs, best)) {
    const auto rotate = [&](const Vec3& x) { return x.x * obbs.Rt[0] + x.y * obbs.Rt[1] + x.z * obbs.Rt[2]; };
    const Vec3 from_a = obbs.a.vertex(axis.a), along_a = obbs.a.vertex(axis.a_to) - from_a;
    const Vec3 corner_b = obbs.b.vertex(axis.b);
    from_b = to_vec3(rotate(corner_b) + obbs.t);
    along_b = to_vec3(rotate(obbs.b.vertex(axis.b_to) - corner_b));
    std::tie(on_a, on_b) = crossing_of_edges(from_a, along_a, from_b, along_b, axis.normal);
  }
  bool meet() const { return axis.value <= 0 || (is_on_edge(on_a) && is_on_edge(on_b)); }
};

void put(const EdgePair& edges, const PosedConvex& a, const PosedConvex& b, bool mirrored,
         Manifold& manifold) {
  const SeparatingAxis& axis = edges.axis;
  const double gap = axis.value - (a.shape.rounding_radius + b.shape.rounding_radius);
  const Vec3 normal = a.X_WS.R * -axis.normal;
  const Vec3 core_b = edges.from_b + std::clamp(edges.on_b, 0.0, 1.0) * edges.along_b;
  const Vec3 point_b = a.X_WS.p + (a.X_WS.R * core_b + b.shape.rounding_radius * normal);
  const Vec3 point_a = point_b + gap * normal;
  const std::uint64_t id = feature_pair_id(edge_id(axis.a, axis.a_to), edge_id(axis.b, axis.b_to));
  manifold.count = 1;
  manifold.points[0] = mirrored ? ManifoldPoint{gap, -normal, point_b, point_a, std::rotl(id, 32)}
                                : ManifoldPoint{gap, normal, point_a, point_b, id};
}

}  // namespace

bool collide_boxes(const PosedConvex& a, const PosedConvex& b, double contact_margin, int max_points,
                   bool mirrored, Manifold& manifold) {
  const ObbPair obbs(a, b);
  const double rounding_radius_a = a.shape.rounding_radius, rounding_radius_b = b.shape.rounding_radius,
               max_separation = contact_margin + (rounding_radius_a + rounding_radius_b);
  const DeepestObbAxis axis = deepest_obb_axis(obbs, max_separation);
  manifold.count = 0;
  const double value = axis.best.value;
  if (value > max_separation) return true;
  if (axis.best.is_edge_edge()) {
    const bool aside = cosine(obbs, axis.best, axis.face) < kNearlyParallel;
    if (aside || value > 0) {
      const EdgePair edges(obbs, axis.best);
      if (!edges.meet()) return false;
      if (aside) {
        put(edges, a, b, mirrored, manifold);
        return true;
      }
    }
  }
  const double radius_a = a.shape.polytope->outer_radius + rounding_radius_a,
               radius_b = b.shape.polytope->outer_radius + rounding_radius_b;
  const double size = radius_a + radius_b, extent = std::min(radius_a, radius_b);
  const double rounding = kGapRounding * size;
  const BoxFaces faces(obbs, axis.face);
  const ClipRange range{value - rounding, max_separation, kRimTolerance * size, kMergeDistance * extent};
  const BoxFaceClip clip_points(faces, range);
  const int count = clip_points.count();
  const bool too_many = count > max_points && max_points != 4;
  if (clip_points.min_gap() > value + rounding || clip_points.coincide() || too_many) return false;
  ChosenClipPoints chosen;
  if (count <= max_points) {
    clip_points.choose_all(chosen);
  } else {
    clip_points.choose_widest(rounding, kAreaRounding * extent * extent, chosen);
    if (chosen.count < 3) return false;
  }
  const auto put_all = faces.on_a ? (mirrored ? put<true, true> : put<true, false>)
                                  : (mirrored ? put<false, true> : put<false, false>);
  put_all(faces, clip_points, chosen, faces.on_a ? a : b, faces.on_a ? b : a, manifold);
  return true;
}

}  // namespace pawl::internal
