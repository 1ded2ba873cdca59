#include <pawl/collision/narrow_phase.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace pawl {
namespace {

/// A ball swept along a segment: a sphere is one of length 0.
struct Swept {
  Vec3 center;
  Vec3 half;  // from the centre to the end
  double radius;
};

Swept swept(const Shape& shape, const Pose& X_WB) {
  return {X_WB * shape.position_B, shape.half_length * (X_WB.R * shape.axis_B), shape.radius};
}

Contact make_contact(const Vec3& on_a, double radius_a, const Vec3& on_b, double radius_b, const Vec3& normal,
                     double core_distance, int feature) {
  Contact contact;
  contact.id.feature = feature;
  contact.gap = core_distance - radius_a - radius_b;
  contact.normal = normal;
  contact.point_a = on_a - radius_a * normal;
  contact.point_b = on_b + radius_b * normal;
  return contact;
}

/// Out of the line of a segment, when nothing else says which way: in the plane, or as near to z as it goes.
Vec3 any_normal(const Vec3& along, bool planar) {
  const double length = norm(along);
  if (planar) return length > 0 ? Vec3{-along.y, along.x, 0} / length : Vec3{0, 1, 0};
  if (length == 0) return {0, 0, 1};
  const Vec3 d = along / length;
  const Vec3 out = Vec3{0, 0, 1} - d.z * d;
  return norm(out) > 1e-3 ? normalized(out) : normalized(Vec3{1, 0, 0} - d.x * d);
}

void swept_half_space(const Swept& a, const Shape& plane, const Pose& X_WB, std::vector<Contact>& out) {
  const Vec3 n = X_WB.R * plane.axis_B, origin = X_WB * plane.position_B;
  const bool point = dot(a.half, a.half) == 0;
  for (int end = 0; end < (point ? 1 : 2); ++end) {
    const Vec3 center = end == 0 ? a.center + a.half : a.center - a.half;
    const double height = dot(n, center - origin);
    out.push_back(make_contact(center, a.radius, center - height * n, 0, n, height, end));
  }
}

/// Nearest parameters s, t in [-1, 1] of two segments center ± half. The determinant of the two lines is
/// taken as |a × b|²: as aa bb - ab ab it would be rounding alone below 1e-8 rad, and s with it.
std::pair<double, double> nearest(const Swept& a, const Swept& b) {
  const Vec3 r = a.center - b.center;
  const double aa = dot(a.half, a.half), bb = dot(b.half, b.half), ab = dot(a.half, b.half);
  const double ar = dot(a.half, r), br = dot(b.half, r);
  const auto unit = [](double x) { return std::clamp(x, -1.0, 1.0); };
  if (aa == 0 && bb == 0) return {0, 0};
  if (aa == 0) return {0, unit(br / bb)};
  if (bb == 0) return {unit(-ar / aa), 0};
  const Vec3 turn = cross(a.half, b.half);
  const double det = dot(turn, turn);
  double s = det > 0 ? unit(dot(turn, cross(b.half, r)) / det) : 0;
  const double t = unit((ab * s + br) / bb);
  s = unit((ab * t - ar) / aa);
  return {s, t};
}

/// From a point of b's core to one of a's. Not by way of the two points, which a place far out rounds.
Vec3 core_offset(const Swept& a, const Swept& b, double s, double t) {
  return (a.center - b.center) + s * a.half - t * b.half;
}

/// Whether an offset of two cores is zero but for rounding, so that its direction says nothing.
bool cores_meet(const Swept& a, const Swept& b, const Vec3& offset) {
  const Vec3 r = a.center - b.center;
  return dot(offset, offset) <= 1e-28 * (dot(r, r) + dot(a.half, a.half) + dot(b.half, b.half));
}

void add_core_contact(const Swept& a, const Swept& b, double s, double t, int feature, const Vec3& fallback,
                      std::vector<Contact>& out) {
  const Vec3 d = core_offset(a, b, s, t);
  const double distance = norm(d);
  out.push_back(make_contact(a.center + s * a.half, a.radius, b.center + t * b.half, b.radius,
                             cores_meet(a, b, d) ? fallback : d / distance, distance, feature));
}

/// Segments that meet in the plane: the shortest way out moves an end of one over the line of the other.
void add_crossing_contact(const Swept& a, const Swept& b, std::vector<Contact>& out) {
  double least = std::numeric_limits<double>::infinity();
  Contact best;
  for (int side = 0; side < 2; ++side) {
    const Swept& line = side == 0 ? b : a;
    const Swept& other = side == 0 ? a : b;
    const Vec3 n = normalized(Vec3{-line.half.y, line.half.x, 0});
    for (const double end : {-1.0, 1.0}) {
      const Vec3 tip = other.center + end * other.half;
      const double height = dot(n, (other.center - line.center) + end * other.half);
      if (std::abs(height) >= least) continue;
      least = std::abs(height);
      const Vec3 foot = tip - height * n;
      // Out of `line` the tip goes back the way it came in: to the side of its other end.
      const Vec3 out_of_line = end * dot(n, other.half) > 0 ? -n : n;
      best = side == 0 ? make_contact(tip, a.radius, foot, b.radius, out_of_line, -least, 0)
                       : make_contact(foot, a.radius, tip, b.radius, -out_of_line, -least, 0);
    }
  }
  out.push_back(best);
}

/// Two capsules touch where an end of one meets the side of the other (features 1, 2: ends of a; 3, 4: ends
/// of b), where two ends meet that are each other's nearest (a's feature), or where their sides cross (0).
/// Each of these gaps, of a ball and a capsule, is smooth by itself, and together they carry a rest at every
/// angle, side by side included. Sides that cross in the plane have gone through each other.
void swept_swept(const Swept& a, const Swept& b, bool planar, std::vector<Contact>& out) {
  const double aa = dot(a.half, a.half), bb = dot(b.half, b.half);
  const Vec3 turn = cross(a.half, b.half);
  const bool parallel = dot(turn, turn) <= 1e-16 * aa * bb;
  const Vec3 fallback = parallel ? any_normal(aa > 0 ? a.half : b.half, planar) : normalized(turn);
  const auto [s, t] = nearest(a, b);
  if (aa == 0 || bb == 0) {
    add_core_contact(a, b, s, t, 0, fallback, out);
    return;
  }
  if (planar && !parallel && cores_meet(a, b, core_offset(a, b, s, t))) {
    add_crossing_contact(a, b, out);
    return;
  }
  const auto inside = [](double x) { return std::abs(x) < 1; };
  if (!planar && !parallel && inside(s) && inside(t)) add_core_contact(a, b, s, t, 0, fallback, out);
  const Vec3 r = a.center - b.center;
  const auto foot_on_a = [&](double end) { return dot(a.half, end * b.half - r) / aa; };
  const auto foot_on_b = [&](double end) { return dot(b.half, end * a.half + r) / bb; };
  int feature = 1;
  for (const double end : {1.0, -1.0}) {
    const double foot = std::clamp(foot_on_b(end), -1.0, 1.0);
    if (inside(foot) || foot_on_a(foot) * end >= 1) add_core_contact(a, b, end, foot, feature, fallback, out);
    ++feature;
  }
  for (const double end : {1.0, -1.0}) {
    if (inside(foot_on_a(end))) add_core_contact(a, b, foot_on_a(end), end, feature, fallback, out);
    ++feature;
  }
}

/// The innermost of the bodies that welds hold together with this one; 0 where they hold it to the world.
int weld_root(const Model& model, int body) {
  while (body != 0 && model.bodies[body].joint == JointKind::weld) body = model.bodies[body].parent;
  return body;
}

}  // namespace

Vec3 tangent(const Vec3& normal, bool planar) {
  if (planar) return {normal.y, -normal.x, 0};
  const Vec3 level{-normal.y, normal.x, 0};  // z × n
  const double length = norm(level);
  return length > 1e-6 ? level / length : normalized(Vec3{1, 0, 0} - normal.x * normal);
}

std::vector<ShapePair> candidate_pairs(const Model& model) {
  std::vector<ShapePair> pairs;
  const int n = static_cast<int>(model.shapes.size());
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      const int body_i = model.shapes[i].body, body_j = model.shapes[j].body;
      const Body& bi = model.bodies[body_i];
      const Body& bj = model.bodies[body_j];
      const bool rigid = weld_root(model, body_i) == weld_root(model, body_j);
      const bool joined = bi.parent == body_j || bj.parent == body_i;
      const bool half_spaces =
          model.shapes[i].kind == ShapeKind::half_space && model.shapes[j].kind == ShapeKind::half_space;
      if (rigid || joined || half_spaces) continue;
      pairs.push_back(bi.tree < 0 ? ShapePair{j, i} : ShapePair{i, j});
    }
  }
  std::ranges::sort(pairs, {}, [](const ShapePair& p) { return std::pair(p.a, p.b); });
  return pairs;
}

void gap(const Model& model, const Kinematics& placed, const ShapePair& pair,
         std::vector<Contact>& contacts) {
  const Shape& a = model.shapes[pair.a];
  const Shape& b = model.shapes[pair.b];
  const std::size_t first = contacts.size();
  if (b.kind == ShapeKind::half_space) {
    swept_half_space(swept(a, placed.X_WB[a.body]), b, placed.X_WB[b.body], contacts);
  } else {
    swept_swept(swept(a, placed.X_WB[a.body]), swept(b, placed.X_WB[b.body]), model.planar(), contacts);
  }
  for (std::size_t i = first; i < contacts.size(); ++i) {
    contacts[i].id.shape_a = pair.a;
    contacts[i].id.shape_b = pair.b;
    contacts[i].body_a = a.body;
    contacts[i].body_b = b.body;
  }
}

double find_contacts(const Model& model, const Kinematics& placed, std::span<const ShapePair> pairs,
                     std::span<const ContactId> keep, std::vector<Contact>& contacts) {
  contacts.clear();
  double least = std::numeric_limits<double>::infinity();
  std::size_t kept = 0;
  for (const ShapePair& pair : pairs) {
    const std::size_t first = contacts.size();
    gap(model, placed, pair, contacts);
    std::size_t end = first;
    for (std::size_t i = first; i < contacts.size(); ++i) {
      while (kept < keep.size() && keep[kept] < contacts[i].id) ++kept;
      least = std::min(least, contacts[i].gap);
      const bool wanted = contacts[i].gap <= 0 || (kept < keep.size() && keep[kept] == contacts[i].id);
      if (wanted) contacts[end++] = contacts[i];
    }
    contacts.resize(end);
  }
  return least;
}

}  // namespace pawl
