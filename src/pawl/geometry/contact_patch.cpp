#include <pawl/geometry/contact_patch.h>

#include <algorithm>
#include <array>
#include <utility>

namespace pawl {
namespace {

Vec3 side_along(const Patch& patch, int k) {
  const std::size_t next = static_cast<std::size_t>(k) + 1;
  return patch.corners[next < patch.corners.size() ? next : 0].x - patch.corners[k].x;
}

/// Through a side of the reference, square to its plane; of a line in the plane, through one of its ends.
struct CutPlane {
  Vec3 inward;
  double offset = 0;

  CutPlane(const Patch& reference, int k)
      : inward(reference.R * reference.inward[k]), offset(dot(inward, reference.corners[k].x)) {}
  double height(const Vec3& x) const { return dot(inward, x) - offset; }
};

// ---- gaps of features -----------------------------------------------------------------------------------

Touch vertex_over_reference(const Patch& reference, const Patch::Corner& corner) {
  const double gap = dot(reference.normal, corner.x - reference.corners[0].x);
  return {gap, reference.normal, corner.x - gap * reference.normal, corner.x, reference.name, corner.name};
}

/// How far from x along u (unit) the rim of a round patch is.
double way_to_rim(const Patch& patch, const Vec3& x, const Vec3& u) {
  const Vec3 from_center = x - patch.center;
  const Vec3 d = from_center - dot(patch.normal, from_center) * patch.normal;
  const double along = dot(d, u), inside = patch.radius * patch.radius - dot(d, d);
  return inside > 0 ? std::sqrt(along * along + inside) - along : 0;
}

/// Two rims: from where their chords cross at x out to the nearer rim, away from the middle of both.
Vec3 out_to_rims(const Patch& reference, const Patch& incident, const Vec3& x) {
  Vec3 u = x - 0.5 * (reference.center + incident.center);
  u -= dot(incident.normal, u) * incident.normal;
  const double length = norm(u);
  if (length == 0) return x;
  u = u / length;
  return x + std::min(way_to_rim(reference, x, u), way_to_rim(incident, x, u)) * u;
}

/// A direction moved along `up` into the plane with this normal.
Vec3 lifted(const Vec3& direction, const Vec3& up, const Vec3& normal) {
  return direction - (dot(normal, direction) / dot(normal, up)) * up;
}

/// A rim and a straight side: from where its chord crosses the side at x out to the rim, along the side as
/// far as that goes. `u` is the direction of the side in the disc's plane, above or below it.
Vec3 out_to_rim(const Patch& disc, const Vec3& from, const Vec3& along, Vec3 u, const Vec3& x) {
  u = normalized(u);
  const bool forward = dot(x - disc.center, u) >= 0;
  if (!forward) u = -u;
  const double room = dot(u, from - x) + (forward ? dot(u, along) : 0);
  return x + std::min(way_to_rim(disc, x, u), std::max(room, 0.0)) * u;
}

// ---- patches of shapes ----------------------------------------------------------------------------------

int aligned_face(const Polytope& polytope, const Vec3& direction) {
  int best = -1;
  double most = -2;
  for (int f = 0; f < static_cast<int>(polytope.faces.size()); ++f) {
    const double along = dot(polytope.faces[f].normal, direction);
    if (along > most) most = along, best = f;
  }
  return best;
}

/// Rims are told by eight points that turn with the shape, so that a standing cylinder rests on the same
/// points of its rim from step to step: counter-clockwise from above, and from below.
constexpr double kHalf = 0.70710678118654752440;
constexpr std::array<Vec3, 8> kRim{{{1, 0, 0},
                                    {kHalf, kHalf, 0},
                                    {0, 1, 0},
                                    {-kHalf, kHalf, 0},
                                    {-1, 0, 0},
                                    {-kHalf, -kHalf, 0},
                                    {0, -1, 0},
                                    {kHalf, -kHalf, 0}}};

/// From the chords between them to the middle.
constexpr std::array<Vec3, 8> chords_inward(bool up) {
  constexpr double c = 0.92387953251128675613, s = 0.38268343236508977173;  // cos, sin of 22.5°
  constexpr std::array<Vec3, 8> above{
      {{-c, -s, 0}, {-s, -c, 0}, {s, -c, 0}, {c, -s, 0}, {c, s, 0}, {s, c, 0}, {-s, c, 0}, {-c, s, 0}}};
  if (up) return above;
  std::array<Vec3, 8> below;
  for (int i = 0; i < 8; ++i) below[i] = above[(14 - i) % 8];
  return below;
}
constexpr std::array<Vec3, 8> kInwardAbove = chords_inward(true), kInwardBelow = chords_inward(false);

void cap_patch(double radius, double height, bool up, const Pose& X, Patch& patch) {
  const int cap = up ? 1 : 0;
  for (int i = 0; i < 8; ++i) {
    const int k = up ? i : 7 - i;
    const int side = up ? k : (k + 7) % 8;  // between rim points `side` and `side` + 1
    patch.corners.push_back({X * (radius * kRim[k] + Vec3{0, 0, height}), curve_name(64 + 8 * cap + k),
                             curve_name(96 + 8 * cap + side)});
  }
  patch.normal = X.R * Vec3{0, 0, up ? 1.0 : -1.0};
  patch.name = curve_name(cap);
  patch.flat = patch.round = true;
  patch.center = X * Vec3{0, 0, height};
  patch.radius = radius;
  patch.inward = up ? kInwardAbove.data() : kInwardBelow.data();
  patch.R = X.R;
}

/// The straight line of the side that faces a direction (shape frame): from the lower rim up. Of a cone it
/// ends at the apex, and its normal leans by the slope.
void side_patch(const Convex& shape, const Vec3& outward, const Pose& X, Patch& patch) {
  const auto [radius, unused, h] = shape.half;
  const bool cone = shape.core == CoreKind::cone;
  const Vec3 top = (cone ? 0 : radius) * outward + Vec3{0, 0, h};
  patch.corners.push_back({X * (radius * outward - Vec3{0, 0, h}), curve_name(2), curve_name(4)});
  patch.corners.push_back({X * top, curve_name(3), curve_name(4)});
  patch.normal = X.R * normalized(cone ? 2 * h * outward + Vec3{0, 0, radius} : outward);
  patch.name = curve_name(4);
  patch.flat = true;
  patch.round = false;
}

void curved_patch(const Convex& shape, const Pose& X, const Vec3& direction, Patch& patch) {
  const Vec3 d = transpose(X.R) * direction;
  const double across = std::sqrt(d.x * d.x + d.y * d.y);
  const Vec3 outward = across > 0 ? Vec3{d.x / across, d.y / across, 0} : Vec3{1, 0, 0};
  const auto [radius, unused, h] = shape.half;
  if (shape.core == CoreKind::cylinder) {
    if (std::abs(d.z) < across) return side_patch(shape, outward, X, patch);
    return cap_patch(radius, d.z > 0 ? h : -h, d.z > 0, X, patch);
  }
  const double slant = std::sqrt(4 * h * h + radius * radius);
  const bool on_side = (2 * h * across + radius * d.z) / slant > -d.z;
  on_side ? side_patch(shape, outward, X, patch) : cap_patch(radius, -h, false, X, patch);
}

}  // namespace

void face_patch(const Polytope& polytope, const Pose& X, int face, Patch& patch) {
  patch.flat = face >= 0;
  patch.round = false;
  if (!patch.flat) {  // a segment or a point is its own patch
    patch.corners.clear();
    const std::uint32_t side = edge_name(0, 1);
    for (int v = 0; v < static_cast<int>(polytope.vertices.size()); ++v) {
      patch.corners.push_back({X * polytope.vertices[v], vertex_name(v), side});
    }
    patch.name = side;
    return;
  }
  const auto& [normal, offset, begin, end] = polytope.faces[face];
  patch.corners.resize(end - begin);
  for (int i = begin; i < end; ++i) {
    const int v = polytope.loops[i], next = polytope.loops[i + 1 < end ? i + 1 : begin];
    Patch::Corner& corner = patch.corners[i - begin];
    corner.x = X * polytope.vertices[v];
    corner.name = vertex_name(v);
    corner.side = edge_name(v, next);
  }
  patch.normal = X.R * normal;
  patch.name = face_name(face);
  patch.inward = &polytope.inward[begin];
  patch.R = X.R;
}

void facing_patch(const Convex& shape, const Pose& X, const Vec3& direction, Patch& patch) {
  if (shape.polytope) {
    return face_patch(*shape.polytope, X, aligned_face(*shape.polytope, transpose(X.R) * direction), patch);
  }
  patch.corners.clear();
  curved_patch(shape, X, direction, patch);
}

bool lies_over(const Patch& patch, const Vec3& x, double tolerance) {
  for (int k = 0; k < static_cast<int>(patch.corners.size()); ++k) {
    if (CutPlane(patch, k).height(x) < -tolerance) return false;
  }
  return true;
}

Touch crossing_lines(const Vec3& start_r, const Vec3& along_r, const Vec3& start_i, const Vec3& along_i,
                     const Vec3& m) {
  const Vec3 w = start_i - start_r, turn = cross(along_r, along_i);
  const double turn2 = dot(turn, turn), gap = dot(m, w);
  const double t = turn2 > 0 ? dot(cross(w, along_i), turn) / turn2 : 0.5;
  const Vec3 on_r = start_r + t * along_r;
  return {gap, m, on_r, on_r + gap * m, 0, 0};
}

// ---- clipping -------------------------------------------------------------------------------------------

/// Faces that are steep to each other will not come to lie on each other soon, and the vertex's foot may be
/// off the face.
void PatchClipper::add_vertex_under_incident(const Patch& reference, const Patch& incident,
                                             const Patch::Corner& corner) {
  if (dot(reference.normal, incident.normal) > -0.99) return;
  const double gap = dot(incident.normal, corner.x - incident.corners[0].x);
  touches_.push_back(
      {gap, -incident.normal, corner.x, corner.x - gap * incident.normal, corner.name, incident.name});
}

/// The sides of the two patches cross at x, seen along the reference's normal n. A level edge keeps n
/// exactly; otherwise the gap of two edges is along their common normal. That must be near to n, the more so
/// for edges at a small angle, whose crossing runs away as they turn and whose common normal is soon noise;
/// and the nearest points of their lines must be near to x.
void PatchClipper::add_crossing_sides(const Patch& reference, const Patch& incident, int r, int i,
                                      const Vec3& x) {
  const Patch::Corner& from_r = reference.corners[r];
  const Patch::Corner& from_i = incident.corners[i];
  const Vec3 along_r = side_along(reference, r), along_i = side_along(incident, i);
  const double ii = dot(along_i, along_i), slope = dot(reference.normal, along_i);
  const bool rim = reference.round || incident.round;
  if (rim || slope * slope <= 1e-26 * ii) {
    Vec3 place = x;
    if (reference.round && incident.round) {
      place = out_to_rims(reference, incident, x);
    } else if (rim) {
      const Vec3& n = reference.normal;
      place = incident.round ? out_to_rim(incident, from_r.x, along_r, lifted(along_r, n, incident.normal), x)
                             : out_to_rim(reference, from_i.x, along_i, along_i, x);
    }
    const double gap = dot(reference.normal, place - reference.corners[0].x);
    touches_.push_back(
        {gap, reference.normal, place - gap * reference.normal, place, from_r.side, from_i.side});
    return;
  }
  const Vec3 turn = cross(along_r, along_i);
  const double turn2 = dot(turn, turn), along_n = dot(turn, reference.normal);
  const bool small_angle = turn2 <= 0.01 * dot(along_r, along_r) * ii;
  if (along_n * along_n <= (small_angle ? 0.9999 : 0.98) * turn2) return;
  const Vec3 m = ((along_n > 0 ? 1 : -1) / std::sqrt(turn2)) * turn;
  Touch touch = crossing_lines(from_r.x, along_r, from_i.x, along_i, m);
  const Vec3 aside = touch.point_i - x;
  if (dot(aside, aside) > 0.04 * touch.gap * touch.gap + 1e-18 * ii) return;
  touch.name_r = from_r.side;
  touch.name_i = from_i.side;
  touches_.push_back(touch);
}

/// Sutherland and Hodgman (1974): what is left of the incident polygon on the inner side of every plane.
void PatchClipper::clip(const Patch& reference, const Patch& incident, double tolerance) {
  const int sides = static_cast<int>(reference.corners.size());
  int count = static_cast<int>(incident.corners.size());
  const std::size_t most = reference.corners.size() + incident.corners.size();  // each plane adds at most one
  if (polygon_.size() < most) polygon_.resize(most), left_.resize(most);
  Corner* polygon = polygon_.data();
  Corner* left = left_.data();
  for (int i = 0; i < count; ++i) polygon[i] = {incident.corners[i].x, {i, false}, 0};
  for (int k = 0; k < sides; ++k) {
    const CutPlane plane(reference, k);
    bool all_inside = true;
    for (int i = 0; i < count; ++i) {
      polygon[i].height = plane.height(polygon[i].x);
      all_inside = all_inside && polygon[i].height >= -tolerance;
    }
    if (all_inside) continue;
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      const Corner& corner = polygon[i];
      const Corner& next = polygon[i + 1 < count ? i + 1 : 0];
      const bool inside = corner.height >= -tolerance, next_inside = next.height >= -tolerance;
      if (inside) left[kept++] = corner;
      if (inside == next_inside) continue;
      const double t = std::clamp(corner.height / (corner.height - next.height), 0.0, 1.0);
      left[kept++] = {corner.x + t * (next.x - corner.x), inside ? Side{k, true} : corner.next, 0};
    }
    std::swap(polygon, left);
    count = kept;
  }
  for (int i = 0; i < count; ++i) {
    add_touch_at(reference, incident, polygon[i == 0 ? count - 1 : i - 1].next, polygon[i]);
  }
}

void PatchClipper::add_touch_at(const Patch& reference, const Patch& incident, const Side& before,
                                const Corner& corner) {
  const Side& after = corner.next;
  if (before.of_reference && after.of_reference) {
    // The corner between the two sides. Seen from the reference, the incident patch is walked around
    // clockwise.
    const bool forward = (before.number + 1) % static_cast<int>(reference.corners.size()) == after.number;
    add_vertex_under_incident(reference, incident,
                              reference.corners[forward ? after.number : before.number]);
  } else if (before.of_reference || after.of_reference) {
    const Side& r = before.of_reference ? before : after;
    const Side& i = before.of_reference ? after : before;
    add_crossing_sides(reference, incident, r.number, i.number, corner.x);
  } else {
    touches_.push_back(vertex_over_reference(reference, incident.corners[after.number]));
  }
}

/// A line, or a point as one without length.
void PatchClipper::add_line(const Patch& reference, const Patch& incident, double tolerance) {
  const bool planar = reference.corners.size() == 2;
  const Vec3 start = incident.corners.front().x, along = incident.corners.back().x - start;
  double low = 0, high = 1;
  int cut_low = -1, cut_high = -1;
  for (int k = 0; k < static_cast<int>(reference.corners.size()); ++k) {
    const CutPlane plane(reference, k);
    const double from = plane.height(start), to = plane.height(incident.corners.back().x);
    if (from < -tolerance && to < -tolerance) return;
    if (from >= -tolerance && to >= -tolerance) continue;
    const double t = std::clamp(from / (from - to), 0.0, 1.0);
    if (from < to && t > low) low = t, cut_low = k;
    if (from > to && t < high) high = t, cut_high = k;
  }
  if (low > high) return;
  const auto add = [&](double t, int cut_by, const Patch::Corner& corner) {
    if (cut_by < 0) {
      touches_.push_back(vertex_over_reference(reference, corner));
    } else if (planar) {
      add_vertex_under_incident(reference, incident, reference.corners[cut_by]);
    } else {
      add_crossing_sides(reference, incident, cut_by, 0, start + t * along);
    }
  };
  add(low, cut_low, incident.corners.front());
  if (incident.corners.size() > 1) add(high, cut_high, incident.corners.back());
}

const std::vector<Touch>& PatchClipper::touching_corners(const Patch& reference, const Patch& incident,
                                                         double tolerance) {
  touches_.clear();
  if (incident.corners.size() > 2) {
    clip(reference, incident, tolerance);
  } else {
    add_line(reference, incident, tolerance);
  }
  return touches_;
}

}  // namespace pawl
