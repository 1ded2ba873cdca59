#include <pawl/geometry/box_contacts.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <tuple>

#include <pawl/geometry/box_touches.h>
#include <pawl/geometry/contact_points.h>
#include <pawl/geometry/patch_clipper.h>

namespace pawl {
namespace {

/// Each vector with one number too many, which the next one overwrites: half as many stores.
void put(double gap, Lanes normal, Lanes point_a, Lanes point_b, std::int64_t feature, ContactPoint& point) {
  static_assert(offsetof(ContactPoint, point_a) == offsetof(ContactPoint, normal) + sizeof(Vec3) &&
                offsetof(ContactPoint, point_b) == offsetof(ContactPoint, point_a) + sizeof(Vec3) &&
                offsetof(ContactPoint, feature) == offsetof(ContactPoint, point_b) + sizeof(Vec3));
  char* const bytes = reinterpret_cast<char*>(&point);
  std::memcpy(bytes + offsetof(ContactPoint, normal), &normal, sizeof normal);
  std::memcpy(bytes + offsetof(ContactPoint, point_a), &point_a, sizeof point_a);
  std::memcpy(bytes + offsetof(ContactPoint, point_b), &point_b, sizeof point_b);
  point.feature = static_cast<std::uint64_t>(feature);
  point.gap = gap;
}

/// In the order of their features; `mirrored` gives them as those of (b, a). `own` has the reference.
template <bool on_a, bool mirrored>
void put(const BoxFaces& faces, const BoxTouches& touches, const ChosenTouches& chosen,
         const PlacedConvex& own, const PlacedConvex& other, ContactSet& set) {
  const Lanes x = column_lanes(own.X_WS.R, faces.x), y = column_lanes(own.X_WS.R, faces.y),
              z = faces.up * column_lanes(own.X_WS.R, faces.z);
  const Lanes origin = lanes_of(own.X_WS.p), middle = faces.half_z * z;
  const double margins = own.shape.margin + other.shape.margin;
  OfTouches<LaneMask> features;
  for (int kind = 0; kind < BoxTouches::kKinds; ++kind) {
    const LaneMask four = touches.feature.kinds[kind];
    features.kinds[kind] = mirrored ? with_halves_swapped(four) : four;
  }
  set.count = chosen.count;
  for (int i = 0; i < chosen.count; ++i) {
    const int touch = chosen.touches[i];
    const std::int64_t feature = features[touch];
    unsigned earlier = 0;
    for (int kind = 0; kind < BoxTouches::kKinds; ++kind) {
      earlier |= bits(features.kinds[kind] < feature) << (4 * kind);
    }
    const double core_gap = touches.gap[touch], gap = core_gap - margins, n_z = touches.n_z[touch];
    const Lanes out = touches.n_x[touch] * x + touches.n_y[touch] * y + n_z * z;
    const Lanes incident =
        origin + (middle + (touches.x[touch] * x + touches.y[touch] * y + core_gap * n_z * z) -
                  other.shape.margin * out);
    const Lanes reference = incident - gap * out;
    ContactPoint& point = set.points[std::popcount(earlier & chosen.all)];
    if (on_a == mirrored) {
      put(gap, out, incident, reference, feature, point);
    } else {
      put(gap, -out, reference, incident, feature, point);
    }
  }
}

/// Whether two edges that are apart are nearest to each other where they cross, and not at an end.
struct EdgePair {
  SeparatingAxis axis;
  Vec3 from_b, along_b;  // in the frame of a, m
  double on_a, on_b;

  EdgePair(const BrickPair& bricks, const BrickAxis& best) : axis(features_of(bricks, best)) {
    const auto turned = [&](const Vec3& x) {
      return x.x * bricks.Rt[0] + x.y * bricks.Rt[1] + x.z * bricks.Rt[2];
    };
    const Vec3 from_a = bricks.a.vertex(axis.a), along_a = bricks.a.vertex(axis.a_to) - from_a;
    const Vec3 corner_b = bricks.b.vertex(axis.b);
    from_b = first_three(turned(corner_b) + bricks.t);
    along_b = first_three(turned(bricks.b.vertex(axis.b_to) - corner_b));
    std::tie(on_a, on_b) = crossing_of_edges(from_a, along_a, from_b, along_b, axis.normal);
  }
  bool meet() const { return axis.value <= 0 || (is_on_edge(on_a) && is_on_edge(on_b)); }
};

void put(const EdgePair& edges, const PlacedConvex& a, const PlacedConvex& b, bool mirrored,
         ContactSet& set) {
  const SeparatingAxis& axis = edges.axis;
  const double gap = axis.value - (a.shape.margin + b.shape.margin);
  const Vec3 normal = a.X_WS.R * -axis.normal;
  const Vec3 core_b = edges.from_b + std::clamp(edges.on_b, 0.0, 1.0) * edges.along_b;
  const Vec3 point_b = a.X_WS.p + (a.X_WS.R * core_b + b.shape.margin * normal);
  const Vec3 point_a = point_b + gap * normal;
  const std::uint64_t name = feature_of(edge_name(axis.a, axis.a_to), edge_name(axis.b, axis.b_to));
  set.count = 1;
  set.points[0] = mirrored ? ContactPoint{gap, -normal, point_b, point_a, std::rotl(name, 32)}
                           : ContactPoint{gap, normal, point_a, point_b, name};
}

}  // namespace

bool contacts_of_boxes(const PlacedConvex& a, const PlacedConvex& b, double reach, int most, bool mirrored,
                       ContactSet& set) {
  const BrickPair bricks(a, b);
  const double margin_a = a.shape.margin, margin_b = b.shape.margin, enough = reach + (margin_a + margin_b);
  const DeepestBrickAxis axis = deepest_brick_axis(bricks, enough);
  set.count = 0;
  const double value = axis.best.value;
  if (value > enough) return true;
  if (axis.best.is_of_edges()) {
    const bool aside = cosine(bricks, axis.best, axis.face) < kNearlyParallel;
    if (aside || value > 0) {
      const EdgePair edges(bricks, axis.best);
      if (!edges.meet()) return false;
      if (aside) {
        put(edges, a, b, mirrored, set);
        return true;
      }
    }
  }
  const double radius_a = a.shape.polytope->outer_radius + margin_a,
               radius_b = b.shape.polytope->outer_radius + margin_b;
  const double size = radius_a + radius_b, extent = std::min(radius_a, radius_b);
  const double rounding = kGapRounding * size;
  const BoxFaces faces(bricks, axis.face);
  const TouchRange range{value - rounding, enough, kOnTheRim * size, kSamePlace * extent};
  const BoxTouches touches(faces, range);
  const int count = touches.count();
  const bool too_many = count > most && most != 4;
  if (touches.least_gap() > value + rounding || touches.coincide() || too_many) return false;
  ChosenTouches chosen;
  if (count <= most) {
    touches.choose_all(chosen);
  } else {
    touches.choose_widest(rounding, kAreaRounding * extent * extent, chosen);
    if (chosen.count < 3) return false;
  }
  const auto put_all = faces.on_a ? (mirrored ? put<true, true> : put<true, false>)
                                  : (mirrored ? put<false, true> : put<false, false>);
  put_all(faces, touches, chosen, faces.on_a ? a : b, faces.on_a ? b : a, set);
  return true;
}

}  // namespace pawl
