#include <pawl/geometry/contact_set.h>

#include <algorithm>
#include <utility>

#include <pawl/geometry/contact_points.h>
#include <pawl/geometry/segment_contacts.h>
#include <pawl/geometry/separating_axes.h>
#include <pawl/geometry/support.h>

namespace pawl {
namespace {

/// Faces at a smaller angle than this (about eight degrees) may yet come to rest on each other.
constexpr double kNearlyParallel = 0.99;
/// What lies outside a face by less than this times the size counts as over it, so that corners on corners
/// and edges on edges stay what they are through rounding.
constexpr double kOnTheRim = 1e-11;

/// Where `separation` alone says that they are nearest: no features are known.
const std::uint32_t kNearest = curve_name(0xffff);

struct Scratch {
  ContactPoints points;
  Patch a, b;
  PatchClipper clipper;
};

Scratch& scratch() {
  thread_local Scratch own;
  return own;
}

/// Two shapes with places relative to the origin of a.
struct Pair {
  const PlacedConvex& a;
  const PlacedConvex& b;
  Pose X_a, X_b;
  double size;
};

void add_touching_corners(const Pair& pair, bool a_is_reference, Scratch& work) {
  const Patch& reference = a_is_reference ? work.a : work.b;
  const Patch& incident = a_is_reference ? work.b : work.a;
  for (const Touch& t : work.clipper.touching_corners(reference, incident, kOnTheRim * pair.size)) {
    if (a_is_reference) {
      work.points.add(t.gap, -t.normal, t.point_r, t.point_i, t.name_r, t.name_i);
    } else {
      work.points.add(t.gap, t.normal, t.point_i, t.point_r, t.name_i, t.name_r);
    }
  }
}

void add_separation(const Pair& pair, Scratch& work) {
  const Separation nearest = separation(pair.a, pair.b);
  work.points.drop_below(nearest.gap);
  if (!work.points.reach_down_to(nearest.gap)) work.points.add(nearest, kNearest, kNearest);
}

/// The features of the deepest axis themselves, as they meet. False where they do not: then the shapes are
/// apart, and nearest elsewhere.
bool add_axis(const Pair& pair, const SeparatingAxis& axis, Scratch& work) {
  const Polytope& a = *core_polytope(pair.a.shape);
  const Polytope& b = *core_polytope(pair.b.shape);
  const double gap = axis.value - pair.a.shape.margin - pair.b.shape.margin;
  work.points.drop_below(gap);
  if (axis.kind == AxisKind::edges) {
    const Vec3 from_a = pair.X_a * a.vertices[axis.a], from_b = pair.X_b * b.vertices[axis.b];
    const Vec3 along_a = pair.X_a.R * (a.vertices[axis.a_to] - a.vertices[axis.a]);
    const Vec3 along_b = pair.X_b.R * (b.vertices[axis.b_to] - b.vertices[axis.b]);
    const Touch touch = crossing_lines(from_b, along_b, from_a, along_a, axis.normal);
    const auto place = [](const Vec3& x, const Vec3& from, const Vec3& along) {
      return dot(x - from, along) / dot(along, along);
    };
    const auto within = [](double t) { return t >= -1e-12 && t <= 1 + 1e-12; };
    const double on_a = place(touch.point_i, from_a, along_a), on_b = place(touch.point_r, from_b, along_b);
    if (axis.value > 0 && !(within(on_a) && within(on_b))) return false;
    // Edges that overlap meet within both; only where they are nearly parallel rounding may say otherwise.
    const Vec3 point_b = from_b + std::clamp(on_b, 0.0, 1.0) * along_b;
    work.points.add(axis.value, axis.normal, point_b + axis.value * axis.normal, point_b,
                    edge_name(axis.a, axis.a_to), edge_name(axis.b, axis.b_to));
    return true;
  }
  if (work.points.reach_down_to(gap)) return true;
  if (axis.kind == AxisKind::none) return false;
  const bool on_a = axis.kind == AxisKind::face_a;
  const Vec3 vertex = on_a ? pair.X_b * b.vertices[axis.b] : pair.X_a * a.vertices[axis.a];
  if (axis.value > 0 && !lies_over(on_a ? work.a : work.b, vertex, kOnTheRim * pair.size)) return false;
  const Vec3 foot = vertex + (on_a ? axis.value : -axis.value) * axis.normal;
  work.points.add(axis.value, axis.normal, on_a ? foot : vertex, on_a ? vertex : foot,
                  on_a ? face_name(axis.a) : vertex_name(axis.a),
                  on_a ? vertex_name(axis.b) : face_name(axis.b));
  return true;
}

/// The best face carries what lies over it; where two edges or other features are deeper than any face, they
/// come first, and what the faces add to it is there for when the bodies rock back.
Vec3 polytope_contacts(const Pair& pair, double reach, Scratch& work) {
  const double enough = reach + (pair.a.shape.margin + pair.b.shape.margin);
  const DeepestAxis axis = deepest_axis_in_order(pair.a, pair.b, enough);
  if (axis.best.value > enough) return axis.best.normal;
  const bool faces = axis.face.kind != AxisKind::none;
  if (faces && dot(axis.best.normal, axis.face.normal) >= kNearlyParallel) {
    const bool on_a = axis.face.kind == AxisKind::face_a;
    const Polytope& a = *core_polytope(pair.a.shape);
    const Polytope& b = *core_polytope(pair.b.shape);
    if (on_a) {
      face_patch(a, pair.X_a, axis.face.a, work.a);
      facing_patch(pair.b.shape, pair.X_b, axis.face.normal, work.b);
    } else {
      face_patch(b, pair.X_b, axis.face.b, work.b);
      facing_patch(pair.a.shape, pair.X_a, -axis.face.normal, work.a);
    }
    add_touching_corners(pair, on_a, work);
  }
  if (!add_axis(pair, axis.best, work)) add_separation(pair, work);
  return axis.face.normal;
}

/// Cylinders and cones: where a cap or the line of a side lies on something flat, that carries.
Vec3 curved_contacts(const Pair& pair, double reach, Scratch& work) {
  const Separation nearest = separation(pair.a, pair.b);
  if (nearest.gap > reach) return nearest.normal;
  facing_patch(pair.a.shape, pair.X_a, -nearest.normal, work.a);
  facing_patch(pair.b.shape, pair.X_b, nearest.normal, work.b);
  const auto carries = [&](const Patch& patch) {
    return patch.flat && (patch.corners.size() > 2 || pair.a.shape.planar);
  };
  const bool on_a = carries(work.a) && (!work.a.round || !carries(work.b) || work.b.round);
  const Patch& reference = on_a ? work.a : work.b;
  Patch& incident = on_a ? work.b : work.a;
  if (carries(reference)) {
    const PlacedConvex& other = on_a ? pair.b : pair.a;
    facing_patch(other.shape, on_a ? pair.X_b : pair.X_a, -reference.normal, incident);
    if (!incident.flat || dot(reference.normal, incident.normal) <= -kNearlyParallel) {
      add_touching_corners(pair, on_a, work);
    }
  } else {
    add_lines_side_by_side(pair.a, pair.b, pair.X_a, pair.X_b, work.points);
  }
  work.points.drop_below(nearest.gap);
  if (!work.points.reach_down_to(nearest.gap)) work.points.add(nearest, kNearest, kNearest);
  return nearest.normal;
}

/// Shapes that touch in one point however they lie.
void one_contact(const PlacedConvex& a, const PlacedConvex& b, double reach, ContactSet& set) {
  const Separation nearest = separation(a, b);
  set.count = nearest.gap <= reach ? 1 : 0;
  if (set.count == 0) return;
  set.points[0] = {nearest.gap, nearest.normal, nearest.point_a, nearest.point_b,
                   feature_of(kNearest, kNearest)};
}

void contact_set_in_order(const PlacedConvex& a, const PlacedConvex& b, double reach, int most,
                          ContactSet& set) {
  const double radius_a = core_radius(a.shape) + a.shape.margin,
               radius_b = core_radius(b.shape) + b.shape.margin;
  const Pair pair{a, b, {a.X_WS.R, {}}, {b.X_WS.R, b.X_WS.p - a.X_WS.p}, radius_a + radius_b};
  Scratch& work = scratch();
  work.points.start(a.X_WS.p, a.shape.margin, b.shape.margin, reach, pair.size, std::min(radius_a, radius_b));
  Vec3 normal;
  if (a.shape.core == CoreKind::segment && b.shape.core == CoreKind::segment) {
    add_segment_contacts(a, b, pair.X_a, pair.X_b, work.points);
  } else if (core_polytope(a.shape) && core_polytope(b.shape)) {
    normal = polytope_contacts(pair, reach, work);
  } else {
    normal = curved_contacts(pair, reach, work);
  }
  work.points.choose(normal, most, set);
}

}  // namespace

void contact_set(const PlacedConvex& a, const PlacedConvex& b, double reach, int most, ContactSet& set) {
  if (touches_in_one_point(a.shape) || touches_in_one_point(b.shape)) return one_contact(a, b, reach, set);
  if (comes_first(a, b)) return contact_set_in_order(a, b, reach, most, set);
  contact_set_in_order(b, a, reach, most, set);
  const auto end = set.points.begin() + set.count;
  for (auto point = set.points.begin(); point != end; ++point) {
    point->normal = -point->normal;
    std::swap(point->point_a, point->point_b);
    point->feature = (point->feature << 32) | (point->feature >> 32);
  }
  std::ranges::sort(set.points.begin(), end, {}, &ContactPoint::feature);
}

void contact_set(const PlacedConvex& a, const HalfSpace& b, double reach, int most, ContactSet& set) {
  Scratch& work = scratch();
  const Vec3& n = b.normal;
  const double radius = core_radius(a.shape) + a.shape.margin;
  work.points.start(a.X_WS.p, a.shape.margin, 0, reach, radius, radius);
  const double height = dot(n, a.X_WS.p) - b.offset;
  const Mat3& R = a.X_WS.R;
  const auto add = [&](const Vec3& x, std::uint32_t name) {
    const double gap = dot(n, x) + height;
    work.points.add(gap, n, x, x - gap * n, name, 0);
  };
  if (const Polytope* core = core_polytope(a.shape)) {
    for (int v = 0; v < static_cast<int>(core->vertices.size()); ++v)
      add(R * core->vertices[v], vertex_name(v));
  } else {
    if (a.shape.core != CoreKind::ellipsoid) {
      facing_patch(a.shape, {R, {}}, -n, work.a);
      for (const Patch::Corner& corner : work.a.corners) add(corner.x, corner.name);
    }
    const Vec3 lowest = R * support(a.shape, transpose(R) * -n).point;
    if (!work.points.reach_down_to(dot(n, lowest) + height - a.shape.margin)) add(lowest, kNearest);
  }
  work.points.choose(n, most, set);
}

}  // namespace pawl
