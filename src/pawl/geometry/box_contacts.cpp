#include <pawl/geometry/box_contacts.h>

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include <pawl/geometry/box_touches.h>
#include <pawl/geometry/contact_points.h>
#include <pawl/geometry/patch_clipper.h>

namespace pawl {
namespace {

/// In the order of their features; `mirrored` gives them as those of (b, a).
void put(const BoxFaces& faces, const BoxTouches& touches, unsigned chosen, const PlacedConvex& a,
         const PlacedConvex& b, bool mirrored, ContactSet& set) {
  std::array<std::uint64_t, ContactSet::kMost> features;
  std::array<int, ContactSet::kMost> order;
  for (; chosen != 0; chosen &= chosen - 1) {
    const int touch = std::countr_zero(chosen);
    const std::uint64_t name = touches.feature(touch), feature = mirrored ? std::rotl(name, 32) : name;
    int place = set.count++;
    for (; place > 0 && feature < features[place - 1]; --place) {
      features[place] = features[place - 1];
      order[place] = order[place - 1];
    }
    features[place] = feature;
    order[place] = touch;
  }
  const PlacedConvex &own = faces.on_a ? a : b, &other = faces.on_a ? b : a;
  const Lanes x = column_lanes(own.X_WS.R, faces.x), y = column_lanes(own.X_WS.R, faces.y),
              z = faces.up * column_lanes(own.X_WS.R, faces.z);
  const Lanes origin = lanes_of(own.X_WS.p), middle = faces.half_z * z;
  const double margins = own.shape.margin + other.shape.margin;
  const bool incident_first = faces.on_a == mirrored;
  for (int i = 0; i < set.count; ++i) {
    const FourTouches& t = touches.kind_of(order[i]);
    const int k = order[i] % 4;
    const double gap = t.gap[k] - margins;
    const Lanes out = t.n_x[k] * x + t.n_y[k] * y + t.n_z[k] * z;
    const Lanes incident =
        origin + (middle + (t.x[k] * x + t.y[k] * y + t.z[k] * z) - other.shape.margin * out);
    const Lanes reference = incident - gap * out;
    ContactPoint& point = set.points[i];
    point.gap = gap;
    point.normal = first_three(incident_first ? out : -out);
    point.point_a = first_three(incident_first ? incident : reference);
    point.point_b = first_three(incident_first ? reference : incident);
    point.feature = features[i];
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
  const int count = std::popcount(touches.all());
  const bool too_many = count > most && most != 4;
  if (touches.least_gap() > value + rounding || touches.coincide() || too_many) return false;
  const unsigned chosen =
      count <= most ? touches.all() : touches.four_widest(rounding, kAreaRounding * extent * extent);
  if (chosen == 0) return false;
  put(faces, touches, chosen, a, b, mirrored, set);
  return true;
}

}  // namespace pawl
