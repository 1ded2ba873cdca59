#include <pawl/geometry/contact_set.h>

#include <algorithm>
#include <utility>

#include <pawl/geometry/box_contacts.h>
#include <pawl/geometry/capsule_box_contacts.h>
#include <pawl/geometry/contact_points.h>
#include <pawl/geometry/core_separation.h>
#include <pawl/geometry/patch_clipper.h>
#include <pawl/geometry/segment_contacts.h>
#include <pawl/geometry/separating_axes.h>
#include <pawl/geometry/simple_pairs.h>
#include <pawl/geometry/support.h>

namespace pawl {
namespace {

struct Scratch {
  ContactPoints points;
  Reference reference;
  Patch incident;
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
  const Polytope *core_a, *core_b;  // null where they are curved
  Pose X_a, X_b;
  double reach, size, extent;
};

/// Collects in the frame of X, relative to a's origin.
void start_points(const Pair& pair, const Pose& X, Scratch& work) {
  work.points.start(pair.a.X_WS.p, X, pair.a.shape.margin, pair.b.shape.margin, pair.reach, pair.size,
                    pair.extent);
}

/// For shapes beyond each other's reach.
Vec3 no_contacts(const Pair& pair, Scratch& work) {
  start_points(pair, {}, work);
  return {};
}

/// Makes a flat part of a shape the reference, and collects in its frame; the incident patch is the part of
/// the other that faces it.
void start_on(const Pair& pair, bool on_a, int flat, Scratch& work) {
  const Convex& shape = (on_a ? pair.a : pair.b).shape;
  const Pose& X = on_a ? pair.X_a : pair.X_b;
  if (const Polytope* core = on_a ? pair.core_a : pair.core_b) {
    work.reference.set_face(*core, X, flat);
  } else {
    work.reference.set_cap(shape, X, flat);
  }
  start_points(pair, work.reference.X, work);
  const Pose X_incident = inverse(work.reference.X) * (on_a ? pair.X_b : pair.X_a);
  facing_patch((on_a ? pair.b : pair.a).shape, X_incident, {0, 0, -1}, work.incident);
}

void add_touching_corners(const Pair& pair, bool on_a, Scratch& work) {
  const double rim = kOnTheRim * pair.size;
  for (const Touch& t : work.clipper.touching_corners(work.reference, work.incident, rim)) {
    if (on_a) {
      work.points.add(t.gap, -t.normal, t.point_r, t.point_i, t.name_r, t.name_i);
    } else {
      work.points.add(t.gap, t.normal, t.point_i, t.point_r, t.name_i, t.name_r);
    }
  }
  work.points.close_ring();
}

void add_separation(const Separation& nearest, Scratch& work) {
  work.points.drop_below(nearest.gap);
  if (!work.points.reach_down_to(nearest.gap)) work.points.add(nearest, kNearestName, kNearestName);
}

/// The features of the deepest axis themselves, as they meet. False where they do not: then the shapes are
/// apart, and nearest elsewhere.
bool add_axis(const Pair& pair, const SeparatingAxis& axis, Scratch& work) {
  const Polytope &a = *pair.core_a, &b = *pair.core_b;
  const double gap = axis.value - pair.a.shape.margin - pair.b.shape.margin;
  work.points.drop_below(gap);
  const bool overlap_or_face = axis.value <= 0 || axis.kind != AxisKind::edges;
  if (overlap_or_face && work.points.reach_down_to(gap)) return true;
  if (axis.kind == AxisKind::edges) {
    const Vec3 from_a = pair.X_a * a.vertices[axis.a], from_b = pair.X_b * b.vertices[axis.b];
    const Vec3 along_a = pair.X_a.R * (a.vertices[axis.a_to] - a.vertices[axis.a]);
    const Vec3 along_b = pair.X_b.R * (b.vertices[axis.b_to] - b.vertices[axis.b]);
    const auto [on_a, on_b] = crossing_of_edges(from_a, along_a, from_b, along_b, axis.normal);
    if (axis.value > 0 && !(is_on_edge(on_a) && is_on_edge(on_b))) return false;
    // Edges that overlap meet within both; only where they are nearly parallel rounding may say otherwise.
    const Vec3 point_b = from_b + std::clamp(on_b, 0.0, 1.0) * along_b;
    work.points.add_placed(axis.value, axis.normal, point_b + axis.value * axis.normal, point_b,
                           edge_name(axis.a, axis.a_to), edge_name(axis.b, axis.b_to));
    return true;
  }
  if (axis.kind == AxisKind::none) return false;
  const bool on_a = axis.kind == AxisKind::face_a;
  const Vec3 vertex = on_a ? pair.X_b * b.vertices[axis.b] : pair.X_a * a.vertices[axis.a];
  if (axis.value > 0 &&
      !work.reference.lies_under(inverse(work.reference.X) * vertex, kOnTheRim * pair.size)) {
    return false;
  }
  const Vec3 foot = vertex + (on_a ? axis.value : -axis.value) * axis.normal;
  work.points.add_placed(axis.value, axis.normal, on_a ? foot : vertex, on_a ? vertex : foot,
                         on_a ? face_name(axis.a) : vertex_name(axis.a),
                         on_a ? vertex_name(axis.b) : face_name(axis.b));
  return true;
}

/// The best face carries what lies over it; where two edges or other features are deeper than any face, they
/// come first, and what the faces add to it is there for when the bodies rock back. The answer is the
/// direction, in the frame of the points, along which they are seen.
Vec3 polytope_contacts(const Pair& pair, Scratch& work) {
  const double enough = pair.reach + (pair.a.shape.margin + pair.b.shape.margin);
  const DeepestAxis axis = deepest_axis_in_order(pair.a, pair.b, enough);
  if (axis.best.value > enough) return no_contacts(pair, work);
  const bool on_face =
      axis.face.kind != AxisKind::none && dot(axis.best.normal, axis.face.normal) >= kNearlyParallel;
  if (on_face) {
    const bool on_a = axis.face.kind == AxisKind::face_a;
    start_on(pair, on_a, on_a ? axis.face.a : axis.face.b, work);
    add_touching_corners(pair, on_a, work);
  } else {
    start_points(pair, {}, work);
  }
  if (!add_axis(pair, axis.best, work)) add_separation(separation(pair.a, pair.b), work);
  return on_face ? Vec3{0, 0, 1} : axis.face.normal;
}

/// Cylinders and cones: where a cap or the line of a side lies on something flat, that carries.
Vec3 curved_contacts(const Pair& pair, Scratch& work) {
  const Separation nearest = separation_in_order(pair.a, pair.b);
  if (nearest.gap > pair.reach) return no_contacts(pair, work);
  const int flat_a = facing_flat(pair.a.shape, transpose(pair.X_a.R) * -nearest.normal);
  const bool only_a = flat_a >= 0 && (pair.core_a || !pair.core_b);  // rather a face than a cap
  const int flat_b = only_a ? -1 : facing_flat(pair.b.shape, transpose(pair.X_b.R) * nearest.normal);
  const bool on_a = flat_a >= 0 && flat_b < 0;
  const bool flat = on_a || flat_b >= 0;
  if (flat) {
    start_on(pair, on_a, on_a ? flat_a : flat_b, work);
    if (!work.incident.flat || work.incident.normal.z <= -kNearlyParallel) {
      add_touching_corners(pair, on_a, work);
    }
  } else {
    start_points(pair, {}, work);
    add_lines_side_by_side(pair.a, pair.b, pair.X_a, pair.X_b, work.points);
  }
  add_separation(nearest, work);
  return flat ? Vec3{0, 0, 1} : nearest.normal;
}

/// Shapes that touch in one point however they lie.
Separation nearest_of(const PlacedConvex& a, const PlacedConvex& b) {
  const bool ball_a = a.shape.core == CoreKind::point, ball_b = b.shape.core == CoreKind::point;
  if (ball_a && ball_b) return separation_of_balls(a, b);
  if (ball_a && b.shape.core == CoreKind::box) return separation_of_ball_and_box(a, b);
  if (ball_b && a.shape.core == CoreKind::box) return mirrored(separation_of_ball_and_box(b, a));
  return separation(a, b);
}

[[gnu::noinline]] void one_contact(const PlacedConvex& a, const PlacedConvex& b, double reach,
                                   ContactSet& set) {
  const Separation nearest = nearest_of(a, b);
  set.count = nearest.gap <= reach ? 1 : 0;
  set.points[0] = {nearest.gap, nearest.normal, nearest.point_a, nearest.point_b,
                   feature_of(kNearestName, kNearestName)};
}

/// Of (a, b) as they stand, or `mirrored` to (b, a).
[[gnu::noinline]] void contact_set_in_order(const PlacedConvex& a, const PlacedConvex& b, double reach,
                                            int most, bool mirrored, ContactSet& set) {
  const double radius_a = core_radius(a.shape) + a.shape.margin,
               radius_b = core_radius(b.shape) + b.shape.margin;
  const Pair pair{a,
                  b,
                  core_polytope(a.shape),
                  core_polytope(b.shape),
                  {a.X_WS.R, {}},
                  {b.X_WS.R, b.X_WS.p - a.X_WS.p},
                  reach,
                  radius_a + radius_b,
                  std::min(radius_a, radius_b)};
  Scratch& work = scratch();
  Vec3 normal;
  if (a.shape.core == CoreKind::segment && b.shape.core == CoreKind::segment) {
    start_points(pair, {}, work);
    add_segment_contacts(a, b, pair.X_a, pair.X_b, work.points);
    normal = work.points.normal_of_deepest();
  } else if (pair.core_a && pair.core_b) {
    normal = polytope_contacts(pair, work);
  } else {
    normal = curved_contacts(pair, work);
  }
  work.points.choose(normal, most, mirrored, set);
}

/// Boxes and capsules in space, but for the few that take more.
bool has_way_of_its_own(const PlacedConvex& a, const PlacedConvex& b, double reach, int most,
                        ContactSet& set) {
  if (a.shape.planar) return false;
  const auto are = [&](CoreKind one, CoreKind other) { return a.shape.core == one && b.shape.core == other; };
  if (are(CoreKind::box, CoreKind::box)) {
    return comes_first(a, b) ? contacts_of_boxes(a, b, reach, most, false, set)
                             : contacts_of_boxes(b, a, reach, most, true, set);
  }
  if (are(CoreKind::segment, CoreKind::segment)) {
    return comes_first(a, b) ? contact_of_capsules(a, b, reach, false, set)
                             : contact_of_capsules(b, a, reach, true, set);
  }
  if (are(CoreKind::segment, CoreKind::box)) {
    return contacts_of_capsule_and_box(a, b, reach, most, true, set);
  }
  return are(CoreKind::box, CoreKind::segment) && contacts_of_capsule_and_box(b, a, reach, most, false, set);
}

[[gnu::noinline]] void contacts_of_solids(const PlacedConvex& a, const PlacedConvex& b, double reach,
                                          int most, ContactSet& set) {
  if (has_way_of_its_own(a, b, reach, most, set)) return;
  if (touches_in_one_point(a.shape) || touches_in_one_point(b.shape)) {
    one_contact(a, b, reach, set);
  } else if (comes_first(a, b)) {
    contact_set_in_order(a, b, reach, most, false, set);
  } else {
    contact_set_in_order(b, a, reach, most, true, set);
  }
}

}  // namespace

/// Each kind is a function of its own, so that none waits for the registers of another.
void contact_set(const PlacedConvex& a, const PlacedConvex& b, double reach, int most, ContactSet& set) {
  if (a.shape.core == CoreKind::point || b.shape.core == CoreKind::point) {
    one_contact(a, b, reach, set);
  } else {
    contacts_of_solids(a, b, reach, most, set);
  }
}

void contact_set(const PlacedConvex& a, const HalfSpace& b, double reach, int most, ContactSet& set) {
  Scratch& work = scratch();
  const Vec3& n = b.normal;
  const double radius = core_radius(a.shape) + a.shape.margin;
  work.points.start(a.X_WS.p, {}, a.shape.margin, 0, reach, radius, radius);
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
      facing_patch(a.shape, {R, {}}, -n, work.incident);
      for (const Patch::Corner& corner : work.incident.corners) add(corner.x, corner.name);
    }
    const Vec3 lowest = R * support(a.shape, transpose(R) * -n).point;
    if (!work.points.reach_down_to(dot(n, lowest) + height - a.shape.margin)) add(lowest, kNearestName);
  }
  work.points.choose(n, most, false, set);
}

}  // namespace pawl
