#include <pawl/collision/manifold/patch_clipper.h>

#include <algorithm>
#include <utility>

namespace pawl::internal {
namespace {

constexpr Vec3 kUp{0, 0, 1};

/// Distance from x to a rim along u (unit, in its plane).
double distance_to_rim(const Vec3& from_center, double radius, const Vec3& u) {
  const double along = dot(from_center, u), inside = radius * radius - dot(from_center, from_center);
  return inside > 0 ? std::sqrt(along * along + inside) - along : 0;
}
double distance_to_rim(const Patch& disc, const Vec3& x, const Vec3& u) {
  const Vec3 d = x - disc.center;
  return distance_to_rim(d - dot(disc.normal, d) * disc.normal, disc.radius, u);
}
double distance_to_rim(const Reference& disc, const Vec3& x, const Vec3& u) {
  return distance_to_rim({x.x, x.y, 0}, disc.radius, u);
}

/// Two rims whose chords cross at x: moves x outward from the midpoint of both centres to the nearer rim.
Vec3 project_to_rims(const Reference& reference, const Patch& incident, const Vec3& x) {
  Vec3 u = x - 0.5 * incident.center;
  u -= dot(incident.normal, u) * incident.normal;
  const double length = norm(u);
  if (length == 0) return x;
  u = u / length;
  return x + std::min(distance_to_rim(reference, x, u), distance_to_rim(incident, x, u)) * u;
}

/// A rim whose chord crosses a straight side at x. Moves x outward along the side to the rim, at most to the
/// end of the side. `u` is the direction of the side, projected along z into the plane of the disc.
template <class Disc>
Vec3 project_to_rim(const Disc& disc, const Vec3& center, const Vec3& from, const Vec3& along, Vec3 u,
                    const Vec3& x) {
  u = normalized(u);
  const bool forward = dot(x - center, u) >= 0;
  if (!forward) u = -u;
  const double available = dot(u, from - x) + (forward ? dot(u, along) : 0);
  return x + std::min(distance_to_rim(disc, x, u), std::max(available, 0.0)) * u;
}

Vec3 side_along(const Patch& patch, int i) {
  const std::size_t next = static_cast<std::size_t>(i) + 1;
  return patch.corners[next < patch.corners.size() ? next : 0].x - patch.corners[i].x;
}

/// The side r of a reference and the side i of a patch cross at x; at least one is a chord of a rim. Returns
/// the point on the rims themselves.
Vec3 point_on_rims(const Reference& reference, int r, const Patch& incident, int i, const Vec3& x) {
  if (reference.round && incident.round) return project_to_rims(reference, incident, x);
  if (reference.round) {
    const Vec3 along = side_along(incident, i);
    return project_to_rim(reference, {}, incident.corners[i].x, along, along, x);
  }
  const Polytope::Side &from = reference.side(r), &to = reference.side(reference.next(r));
  const Vec3 along{to.u - from.u, to.v - from.v, 0};
  // Projected along z into the plane of the disc.
  const Vec3 lifted = along - (dot(incident.normal, along) / incident.normal.z) * kUp;
  return project_to_rim(incident, incident.center, {from.u, from.v, 0}, along, lifted, x);
}

}  // namespace

void PatchClipper::add_vertex(const Reference& reference, const Patch::Corner& corner) {
  clip_points_.push_back(
      {corner.x.z, kUp, {corner.x.x, corner.x.y, 0}, corner.x, corner.x, reference.id, corner.id});
}

/// Steep faces will not come to rest on each other soon, and the projection of the vertex may be off the
/// face.
void PatchClipper::add_vertex_below(const Reference& reference, int k, const Patch& incident) {
  if (incident.normal.z > -0.99) return;
  const Vec3 corner{reference.side(k).u, reference.side(k).v, 0};
  const double gap = dot(incident.normal, corner - incident.corners[0].x);
  const Vec3 above = corner - (gap / incident.normal.z) * kUp;
  clip_points_.push_back({gap, -incident.normal, corner, corner - gap * incident.normal, above,
                          reference.corner_id(k), incident.id});
}

/// The sides of the two patches cross at x as seen along z.
void PatchClipper::add_crossing_sides(const Reference& reference, int r, const Patch& incident, int i,
                                      const Vec3& x) {
  const std::uint32_t id_r = reference.side_id(r), id_i = incident.corners[i].side;
  if (reference.round || incident.round) {
    const Vec3 point = point_on_rims(reference, r, incident, i, x);
    clip_points_.push_back({point.z, kUp, {point.x, point.y, 0}, point, point, id_r, id_i});
    return;
  }
  const Vec3 d = side_along(incident, i);
  const Polytope::Side& side = reference.side(r);
  const auto crossing = crossing_edges(d, side.in_u * d.x + side.in_v * d.y, x.z);
  if (!crossing) return;
  const Vec3 normal{crossing->m_e * side.in_u, crossing->m_e * side.in_v, crossing->m_z};
  const Vec3 point_i = x + crossing->t * d;
  clip_points_.push_back({crossing->gap, normal, point_i - crossing->gap * normal, point_i, x, id_r, id_i});
}

void PatchClipper::add_clip_point(const Reference& reference, const Patch& incident, const Side& before,
                                  const Corner& corner) {
  const Side& after = corner.next;
  if (before.of_reference && after.of_reference) {
    // The corner between the two sides. As seen from the reference, the incident patch is traversed
    // clockwise.
    const bool forward = reference.next(before.index) == after.index;
    add_vertex_below(reference, forward ? after.index : before.index, incident);
  } else if (before.of_reference) {
    add_crossing_sides(reference, before.index, incident, after.index, corner.x);
  } else if (after.of_reference) {
    add_crossing_sides(reference, after.index, incident, before.index, corner.x);
  } else {
    add_vertex(reference, incident.corners[after.index]);
  }
}

/// Sutherland and Hodgman (1974): clips the incident polygon by every side of the reference.
void PatchClipper::add_polygon(const Reference& reference, const Patch& incident, double tolerance) {
  int count = static_cast<int>(incident.corners.size());
  // Each cut adds at most one corner; one more is written but not kept.
  const std::size_t capacity = incident.corners.size() + static_cast<std::size_t>(reference.count()) + 1;
  if (polygon_.size() < capacity) polygon_.resize(capacity), clipped_.resize(capacity);
  Corner* polygon = polygon_.data();
  Corner* clipped = clipped_.data();
  for (int i = 0; i < count; ++i) polygon[i] = {incident.corners[i].x, {i, false}, 0};
  for (int k = 0; k < reference.count(); ++k) {
    const Polytope::Side side = reference.side(k);  // a copy, since heights are written
    if (incident.round && distance_inside(side, incident.center) - incident.radius >= -tolerance) continue;
    int inside = 0;
    for (int i = 0; i < count; ++i) {
      polygon[i].height = distance_inside(side, polygon[i].x);
      inside += polygon[i].height >= -tolerance ? 1 : 0;
    }
    if (inside == count) continue;
    int clipped_count = 0;
    const Corner* corner = &polygon[count - 1];
    bool is_inside = corner->height >= -tolerance;
    for (const Corner* next = polygon; next != polygon + count; ++next) {
      const bool next_inside = next->height >= -tolerance;
      if (is_inside != next_inside) {
        const double t = std::clamp(corner->height / (corner->height - next->height), 0.0, 1.0);
        clipped[clipped_count++] = {corner->x + t * (next->x - corner->x),
                                    is_inside ? Side{k, true} : corner->next, 0};
      }
      // Written even if it is not kept: a mispredicted branch would cost more.
      clipped[clipped_count] = *next;
      clipped_count += next_inside ? 1 : 0;
      corner = next;
      is_inside = next_inside;
    }
    std::swap(polygon, clipped);
    count = clipped_count;
  }
  for (int i = 0; i < count; ++i) {
    add_clip_point(reference, incident, polygon[i == 0 ? count - 1 : i - 1].next, polygon[i]);
  }
}

/// A line, or a point as a line of zero length.
void PatchClipper::add_line(const Reference& reference, const Patch& incident, double tolerance) {
  const bool planar = reference.count() == 2;
  const Vec3 start = incident.corners.front().x, end = incident.corners.back().x;
  double low = 0, high = 1;
  int cut_low = -1, cut_high = -1;
  for (int k = 0; k < reference.count(); ++k) {
    const double from = reference.height(k, start), to = reference.height(k, end);
    if (from < -tolerance && to < -tolerance) return;
    if (from >= -tolerance && to >= -tolerance) continue;
    const double t = std::clamp(from / (from - to), 0.0, 1.0);
    if (from < to && t > low) low = t, cut_low = k;
    if (from > to && t < high) high = t, cut_high = k;
  }
  if (low > high) return;
  const auto add = [&](double t, int cut_by, const Patch::Corner& corner) {
    if (cut_by < 0) {
      add_vertex(reference, corner);
    } else if (planar) {
      add_vertex_below(reference, cut_by, incident);
    } else {
      add_crossing_sides(reference, cut_by, incident, 0, start + t * (end - start));
    }
  };
  add(low, cut_low, incident.corners.front());
  if (incident.corners.size() > 1) add(high, cut_high, incident.corners.back());
}

const std::vector<ClipPoint>& PatchClipper::clip(const Reference& reference, const Patch& incident,
                                                 double tolerance) {
  clip_points_.clear();
  if (incident.corners.size() > 2) {
    add_polygon(reference, incident, tolerance);
  } else {
    add_line(reference, incident, tolerance);
  }
  return clip_points_;
}

}  // namespace pawl::internal
