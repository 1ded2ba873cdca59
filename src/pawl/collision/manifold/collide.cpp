#include <pawl/geometry.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <pawl/collision/distance/closed_form_distance.h>
#include <pawl/collision/distance/core_separation.h>
#include <pawl/collision/distance/separating_axes.h>
#include <pawl/collision/distance/signed_distance.h>
#include <pawl/collision/manifold/box_contacts.h>
#include <pawl/collision/manifold/capsule_box_contacts.h>
#include <pawl/collision/manifold/manifold_builder.h>
#include <pawl/collision/manifold/patch_clipper.h>
#include <pawl/collision/manifold/segment_contacts.h>
#include <pawl/collision/shapes/contact_feature.h>
#include <pawl/collision/shapes/core_ops.h>
#include <pawl/collision/shapes/support.h>

namespace pawl {

using namespace internal;

namespace {

struct Scratch {
  ManifoldBuilder points;
  Reference reference;
  Patch incident;
  PatchClipper clipper;
};

Scratch& scratch() {
  thread_local Scratch own;
  return own;
}

/// Two shapes with poses relative to the origin of a.
struct Pair {
  const PosedConvex& a;
  const PosedConvex& b;
  const Polytope *core_a, *core_b;  // null if curved
  Pose X_a, X_b;
  double contact_margin, size, extent;
};

/// Points are collected in the frame X, relative to a's origin.
void start_points(const Pair& pair, const Pose& X, Scratch& work) {
  work.points.start(pair.a.X_WS.p, X, pair.a.shape.rounding_radius, pair.b.shape.rounding_radius,
                    pair.contact_margin, pair.size, pair.extent);
}

/// For shapes farther apart than the contact margin.
Vec3 no_contacts(const Pair& pair, Scratch& work) {
  start_points(pair, {}, work);
  return {};
}

/// Makes a flat part of one shape the reference, in whose frame points are collected. The incident patch is
/// the part of the other shape that faces it.
void start_on_reference(const Pair& pair, bool on_a, int flat, Scratch& work) {
  const Convex& shape = (on_a ? pair.a : pair.b).shape;
  const Pose& X = on_a ? pair.X_a : pair.X_b;
  if (const Polytope* core = on_a ? pair.core_a : pair.core_b) {
    work.reference.set_face(*core, X, flat);
  } else {
    work.reference.set_cap(core_ops(shape).rim(shape, flat), X, flat);
  }
  start_points(pair, work.reference.X, work);
  const Pose X_incident = inverse(work.reference.X) * (on_a ? pair.X_b : pair.X_a);
  facing_patch((on_a ? pair.b : pair.a).shape, X_incident, {0, 0, -1}, work.incident);
}

void add_clip_points(const Pair& pair, bool on_a, Scratch& work) {
  const double rim = kRimTolerance * pair.size;
  for (const ClipPoint& t : work.clipper.clip(work.reference, work.incident, rim)) {
    if (on_a) {
      work.points.add(t.gap, -t.normal, t.point_r, t.point_i, t.id_r, t.id_i);
    } else {
      work.points.add(t.gap, t.normal, t.point_i, t.point_r, t.id_i, t.id_r);
    }
  }
  work.points.mark_as_polygon();
}

void add_separation(const Separation& nearest, Scratch& work) {
  work.points.drop_deeper_than(nearest.gap);
  if (!work.points.has_gap_at_most(nearest.gap)) work.points.add(nearest, kNearestId, kNearestId);
}

/// Adds the contact of the features of the best axis. False if they do not meet: the shapes are then apart,
/// and their closest points are elsewhere.
bool add_axis(const Pair& pair, const SeparatingAxis& axis, Scratch& work) {
  const Polytope &a = *pair.core_a, &b = *pair.core_b;
  const double gap = axis.value - pair.a.shape.rounding_radius - pair.b.shape.rounding_radius;
  work.points.drop_deeper_than(gap);
  const bool overlap_or_face = axis.value <= 0 || axis.kind != AxisKind::edges;
  if (overlap_or_face && work.points.has_gap_at_most(gap)) return true;
  if (axis.kind == AxisKind::edges) {
    const Vec3 from_a = pair.X_a * a.vertices[axis.a], from_b = pair.X_b * b.vertices[axis.b];
    const Vec3 along_a = pair.X_a.R * (a.vertices[axis.a_to] - a.vertices[axis.a]);
    const Vec3 along_b = pair.X_b.R * (b.vertices[axis.b_to] - b.vertices[axis.b]);
    const auto [on_a, on_b] = crossing_of_edges(from_a, along_a, from_b, along_b, axis.normal);
    if (axis.value > 0 && !(is_on_edge(on_a) && is_on_edge(on_b))) return false;
    // Overlapping edges cross within both; only for nearly parallel ones rounding may give another result.
    const Vec3 point_b = from_b + std::clamp(on_b, 0.0, 1.0) * along_b;
    work.points.add_in_world(axis.value, axis.normal, point_b + axis.value * axis.normal, point_b,
                             edge_id(axis.a, axis.a_to), edge_id(axis.b, axis.b_to));
    return true;
  }
  if (axis.kind == AxisKind::none) return false;
  const bool on_a = axis.kind == AxisKind::face_a;
  const Vec3 vertex = on_a ? pair.X_b * b.vertices[axis.b] : pair.X_a * a.vertices[axis.a];
  if (axis.value > 0 &&
      !work.reference.contains_projection(inverse(work.reference.X) * vertex, kRimTolerance * pair.size)) {
    return false;
  }
  const Vec3 foot = vertex + (on_a ? axis.value : -axis.value) * axis.normal;
  work.points.add_in_world(axis.value, axis.normal, on_a ? foot : vertex, on_a ? vertex : foot,
                           on_a ? face_id(axis.a) : vertex_id(axis.a),
                           on_a ? vertex_id(axis.b) : face_id(axis.b));
  return true;
}

/// The best face is the reference, and the parts of the other shape over it give contacts. If edges or other
/// features are deeper than any face, their contact is added; those of the face remain for when the bodies
/// rock back. Returns the direction, in the frame of the points, along which they are projected.
Vec3 polytope_contacts(const Pair& pair, Scratch& work) {
  const double max_separation =
      pair.contact_margin + (pair.a.shape.rounding_radius + pair.b.shape.rounding_radius);
  const SatResult axis = find_separating_axis_canonical(pair.a, pair.b, max_separation);
  if (axis.best.value > max_separation) return no_contacts(pair, work);
  const bool on_face =
      axis.face.kind != AxisKind::none && dot(axis.best.normal, axis.face.normal) >= kNearlyParallel;
  if (on_face) {
    const bool on_a = axis.face.kind == AxisKind::face_a;
    start_on_reference(pair, on_a, on_a ? axis.face.a : axis.face.b, work);
    add_clip_points(pair, on_a, work);
  } else {
    start_points(pair, {}, work);
  }
  if (!add_axis(pair, axis.best, work)) add_separation(separation(pair.a, pair.b), work);
  return on_face ? Vec3{0, 0, 1} : axis.face.normal;
}

/// The angle (its sine) of a flat part of a core to a direction in the shape's frame.
double tilt(const Polytope* core, int flat, const Vec3& direction) {
  if (core) return norm(cross(core->faces[flat].normal, direction));
  return std::hypot(direction.x, direction.y);  // a cap
}

/// Cylinders and cones: contacts of a cap, or of the line of a side, on a flat face. A face is preferred to a
/// cap, unless only the cap is the common tangent plane: an edge or a corner touches it.
Vec3 curved_contacts(const Pair& pair, Scratch& work) {
  const Separation nearest = separation_ordered(pair.a, pair.b);
  if (nearest.gap > pair.contact_margin) return no_contacts(pair, work);
  const Vec3 out_a = transpose(pair.X_a.R) * -nearest.normal, out_b = transpose(pair.X_b.R) * nearest.normal;
  const int flat_a = facing_face(pair.a.shape, out_a), flat_b = facing_face(pair.b.shape, out_b);
  const bool tangent_a = flat_a >= 0 && tilt(pair.core_a, flat_a, out_a) <= kTilt;
  const bool tangent_b = flat_b >= 0 && tilt(pair.core_b, flat_b, out_b) <= kTilt;
  const bool prefers_a = tangent_a != tangent_b ? tangent_a : pair.core_a || !pair.core_b;
  const bool flat = flat_a >= 0 || flat_b >= 0, on_a = flat_a >= 0 && (prefers_a || flat_b < 0);
  if (flat) {
    start_on_reference(pair, on_a, on_a ? flat_a : flat_b, work);
    const bool edge = !work.incident.round && (on_a ? tangent_a : tangent_b);
    if (!work.incident.flat || edge || work.incident.normal.z <= -kNearlyParallel) {
      add_clip_points(pair, on_a, work);
      if (work.incident.round) work.points.drop_points_of_tilted_rim();
    }
  } else {
    start_points(pair, {}, work);
    add_parallel_side_contacts(pair.a, pair.b, pair.X_a, pair.X_b, work.points);
  }
  add_separation(nearest, work);
  // A cap and a face with corners beside it touch along the chord of an edge, between points that span more.
  if (pair.core_a || pair.core_b) work.points.take_deepest_first();
  return flat ? Vec3{0, 0, 1} : nearest.normal;
}

/// Shapes that touch in one point however they lie.
template <Separation (*kSeparation)(const PosedConvex& a, const PosedConvex& b)>
void collide_single_point(const PosedConvex& a, const PosedConvex& b, double contact_margin, int,
                          Manifold& manifold) {
  const Separation nearest = kSeparation(a, b);
  manifold.count = nearest.gap <= contact_margin ? 1 : 0;
  manifold.points[0] = {nearest.gap, nearest.normal, nearest.point_a, nearest.point_b,
                        feature_pair_id(kNearestId, kNearestId)};
}

Separation separation_of_box_and_ball(const PosedConvex& box, const PosedConvex& ball) {
  return mirrored(separation_of_ball_and_box(ball, box));
}

/// Of (a, b) as they stand, or `mirrored` to (b, a).
[[gnu::noinline]] void collide_ordered(const PosedConvex& a, const PosedConvex& b, double contact_margin,
                                       int max_points, bool mirrored, Manifold& manifold) {
  const double radius_a = core_radius(a.shape) + a.shape.rounding_radius,
               radius_b = core_radius(b.shape) + b.shape.rounding_radius;
  const Pair pair{a,
                  b,
                  core_polytope(a.shape),
                  core_polytope(b.shape),
                  {a.X_WS.R, {}},
                  {b.X_WS.R, b.X_WS.p - a.X_WS.p},
                  contact_margin,
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
  work.points.reduce(normal, max_points, mirrored, manifold);
}

void collide_any(const PosedConvex& a, const PosedConvex& b, double contact_margin, int max_points,
                 Manifold& manifold) {
  if (touches_in_one_point(a.shape) || touches_in_one_point(b.shape)) {
    collide_single_point<separation>(a, b, contact_margin, max_points, manifold);
  } else if (is_canonical_order(a, b)) {
    collide_ordered(a, b, contact_margin, max_points, false, manifold);
  } else {
    collide_ordered(b, a, contact_margin, max_points, true, manifold);
  }
}

// Boxes and capsules in space have code of their own for all but a few poses.

void collide_box_box(const PosedConvex& a, const PosedConvex& b, double contact_margin, int max_points,
                     Manifold& manifold) {
  if (!a.shape.planar &&
      (is_canonical_order(a, b) ? collide_boxes(a, b, contact_margin, max_points, false, manifold)
                                : collide_boxes(b, a, contact_margin, max_points, true, manifold)))
    return;
  collide_any(a, b, contact_margin, max_points, manifold);
}

void collide_capsules(const PosedConvex& a, const PosedConvex& b, double contact_margin, int max_points,
                      Manifold& manifold) {
  if (!a.shape.planar &&
      (is_canonical_order(a, b) ? single_capsule_contact(a, b, contact_margin, false, manifold)
                                : single_capsule_contact(b, a, contact_margin, true, manifold)))
    return;
  collide_any(a, b, contact_margin, max_points, manifold);
}

template <bool kCapsuleFirst>
void collide_capsule_and_box(const PosedConvex& a, const PosedConvex& b, double contact_margin,
                             int max_points, Manifold& manifold) {
  const PosedConvex &capsule = kCapsuleFirst ? a : b, &box = kCapsuleFirst ? b : a;
  if (!a.shape.planar &&
      collide_capsule_box(capsule, box, contact_margin, max_points, kCapsuleFirst, manifold))
    return;
  collide_any(a, b, contact_margin, max_points, manifold);
}

/// Each pair is a function of its own, so that none saves registers for another.
using PairCollide = void (*)(const PosedConvex& a, const PosedConvex& b, double contact_margin,
                             int max_points, Manifold& manifold);
constexpr PairTable<PairCollide> kPairs = [] {
  PairTable<PairCollide> pairs(collide_any);
  using enum CoreKind;
  pairs.set(point, point, collide_single_point<separation_of_balls>,
            collide_single_point<separation_of_balls>);
  pairs.set(point, box, collide_single_point<separation_of_ball_and_box>,
            collide_single_point<separation_of_box_and_ball>);
  pairs.set(box, box, collide_box_box, collide_box_box);
  pairs.set(segment, segment, collide_capsules, collide_capsules);
  pairs.set(segment, box, collide_capsule_and_box<true>, collide_capsule_and_box<false>);
  return pairs;
}();

}  // namespace

void collide(const PosedConvex& a, const PosedConvex& b, double contact_margin, int max_points,
             Manifold& manifold) {
  kPairs(a.shape, b.shape)(a, b, contact_margin, max_points, manifold);
}

void collide(const PosedConvex& a, const HalfSpace& b, double contact_margin, int max_points,
             Manifold& manifold) {
  Scratch& work = scratch();
  const Vec3& n = b.normal;
  const double radius = core_radius(a.shape) + a.shape.rounding_radius;
  work.points.start(a.X_WS.p, {}, a.shape.rounding_radius, 0, contact_margin, radius, radius);
  const double height = dot(n, a.X_WS.p) - b.offset;
  const Mat3& R = a.X_WS.R;
  const auto add = [&](const Vec3& x, std::uint32_t id) {
    const double gap = dot(n, x) + height;
    work.points.add(gap, n, x, x - gap * n, id, 0);
  };
  if (const Polytope* core = core_polytope(a.shape)) {
    for (int v = 0; v < static_cast<int>(core->vertices.size()); ++v)
      add(R * core->vertices[v], vertex_id(v));
  } else {
    if (core_ops(a.shape).facing_patch) {
      facing_patch(a.shape, {R, {}}, -n, work.incident);
      for (const Patch::Corner& corner : work.incident.corners) add(corner.x, corner.id);
      if (work.incident.round) work.points.drop_points_of_tilted_rim();
    }
    const Vec3 lowest = R * support(a.shape, transpose(R) * -n).point;
    if (!work.points.has_gap_at_most(dot(n, lowest) + height - a.shape.rounding_radius))
      add(lowest, kNearestId);
  }
  work.points.reduce(n, max_points, false, manifold);
}

}  // namespace pawl
