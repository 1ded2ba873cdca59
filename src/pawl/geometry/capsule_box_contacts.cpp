#include <pawl/geometry/capsule_box_contacts.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include <pawl/geometry/brick_axes.h>
#include <pawl/geometry/contact_points.h>
#include <pawl/geometry/patch_clipper.h>

namespace pawl {
namespace {

/// The line of the capsule in the frame of the box: the points center + s half, |s| ≤ 1.
struct Line {
  Lanes center, half;  // m; the last lane is 0
};

/// The deepest of a box's faces and its edges' axes against a line, out of the box.
struct Axis {
  double value;  // the separation along it, m
  int k;         // the axis of the box: its face's, or that of its edge
  bool is_of_edge;
  Vec3 normal;  // unit
};

/// (y, z, x) of (x, y, z), and (z, x, y).
Lanes turned_once(Lanes v) {
  return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}
Lanes turned_twice(Lanes v) {
  return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}

/// The six axes of a box and a segment: |c_k| - |d_k| - h_k, and along e_k × d, all three at once.
struct Axes {
  Axes(const Line& line, Lanes half, double tie) {
    const Lanes c = line.center, d = line.half;
    const Lanes s = abs(c) - (abs(d) + half);
    const int k = s[0] >= s[1] ? (s[0] >= s[2] ? 0 : 2) : s[1] >= s[2] ? 1 : 2;
    face = {s[k], k, false, {}};
    face.normal[k] = c[k] >= 0 ? 1 : -1;
    best = face;
    const Lanes c1 = turned_once(c), c2 = turned_twice(c), d1 = turned_once(d), d2 = turned_twice(d);
    const Lanes along = c1 * d2 - c2 * d1;
    const Lanes apart = abs(along) - (turned_once(half) * abs(d2) + turned_twice(half) * abs(d1));
    const Lanes length2 = d1 * d1 + d2 * d2;
    const double least = (face.value + tie) * std::abs(face.value + tie);
    const double parallel2 = 1e-30 * (length2[0] + length2[1] + length2[2]);
    unsigned open = bits((apart * abs(apart) > least * length2) & (length2 > parallel2));
    for (; open != 0; open &= open - 1) {
      const int edge = std::countr_zero(open), e1 = edge < 2 ? edge + 1 : 0, e2 = edge > 0 ? edge - 1 : 2;
      const double length = std::sqrt(length2[edge]), value = apart[edge] / length;
      if (value <= best.value + tie) continue;
      best = {value, edge, true, {}};
      const double scale = (along[edge] < 0 ? -1 : 1) / length;
      best.normal[e1] = scale * d[e2];
      best.normal[e2] = -scale * d[e1];
    }
  }
  Axis best, face;
};

/// Where the line meets the box: its point there, the gap of the cores, and the box's feature.
struct LineTouch {
  double s, gap;
  Vec3 normal;  // in the frame of the box
  std::uint32_t name, name_of_line;
};

/// The edge of the box that an axis is square to, and where the line passes it.
struct Edge {
  double on_line, on_edge;  // s, and the part of half the edge's length; within ±1
  std::uint32_t name;

  Edge(const Line& line, Lanes half, const Axis& axis) {
    const int k = axis.k, k1 = k < 2 ? k + 1 : 0, k2 = k > 0 ? k - 1 : 2;
    const bool above1 = axis.normal[k1] > 0, above2 = axis.normal[k2] > 0;
    const double q1 = above1 ? half[k1] : -half[k1], q2 = above2 ? half[k2] : -half[k2];
    const double d1 = line.half[k1], d2 = line.half[k2];
    on_line = ((q1 - line.center[k1]) * d1 + (q2 - line.center[k2]) * d2) / (d1 * d1 + d2 * d2);
    on_edge = (line.center[k] + on_line * line.half[k]) / half[k];
    const int from = (above1 ? 1 << k1 : 0) | (above2 ? 1 << k2 : 0);
    name = edge_name(from, from | 1 << k);
  }
  bool meets() const { return std::max(std::abs(on_line), std::abs(on_edge)) <= 1 + 2e-12; }
};

const std::uint32_t kSide = edge_name(0, 1);

/// The part of the line over a face of the box.
class LineOnFace {
 public:
  LineOnFace(const Line& line, Lanes half, const Axis& face, double tolerance)
      : z_(face.k),
        x_(z_ < 2 ? z_ + 1 : 0),
        y_(z_ > 0 ? z_ - 1 : 2),
        up_(face.normal[z_]),
        half_{half[x_], half[y_]},
        c_{line.center[x_], line.center[y_], up_ * line.center[z_] - half[z_]},
        d_{line.half[x_], line.half[y_], up_ * line.half[z_]} {
    const auto is_out = [&](double x, double y) {
      return std::abs(x) > half_[0] + tolerance || std::abs(y) > half_[1] + tolerance;
    };
    if (is_out(c_.x - d_.x, c_.y - d_.y) || is_out(c_.x + d_.x, c_.y + d_.y)) cut(tolerance);
  }

  /// Whether none of it is over the face.
  bool is_beyond() const { return beyond_; }

  /// Where it begins or, `end`, ends: at an end of the line, or over a side of the face.
  std::optional<LineTouch> touch(bool end) const {
    const int side = end ? last_ : first_;
    const double s = end ? high_ : low_, height = c_.z + s * d_.z;
    LineTouch touch{s, height, {}, face_name(Brick::face(z_, up_)), vertex_name(end ? 1 : 0)};
    touch.normal[z_] = up_;
    if (side < 0) return touch;
    const bool on_y = side >= 2, above = side % 2 == 1;
    const double d_e = (above ? -1 : 1) * (on_y ? d_.y : d_.x);
    const auto crossing = crossing_edges(d_, d_e, height);
    if (!crossing) return {};
    touch.s += crossing->t;
    touch.gap = crossing->gap;
    touch.normal[z_] = up_ * crossing->m_z;
    touch.normal[on_y ? y_ : x_] = (above ? -1 : 1) * crossing->m_e;
    const int along = on_y ? x_ : y_;
    const int from = (up_ > 0 ? 1 << z_ : 0) | (above ? 1 << (on_y ? y_ : x_) : 0);
    touch.name = edge_name(from, from | 1 << along);
    touch.name_of_line = kSide;
    return touch;
  }

 private:
  /// As PatchClipper::add_line.
  void cut(double tolerance) {
    for (int side = 0; side < 4; ++side) {
      const int axis = side / 2;
      const double sign = side % 2 == 1 ? -1 : 1;
      const double middle = half_[axis] + sign * c_[axis], way = sign * d_[axis];  // height over the side
      const double from = middle - way, to = middle + way;
      if (from < -tolerance && to < -tolerance) beyond_ = true;
      if ((from >= -tolerance) == (to >= -tolerance)) continue;
      const double s = std::clamp(-middle / way, -1.0, 1.0);
      if (from < to && s > low_) low_ = s, first_ = side;
      if (from > to && s < high_) high_ = s, last_ = side;
    }
    beyond_ |= low_ > high_;
  }

  int z_, x_, y_;  // axes of the box
  double up_;
  std::array<double, 2> half_;  // of the face, m
  Vec3 c_, d_;                  // the line over the face
  double low_ = -1, high_ = 1;
  int first_ = -1, last_ = -1;  // sides that cut: x ≥ -half, x ≤ half, y ≥ -half, y ≤ half; -1: none
  bool beyond_ = false;
};

}  // namespace

bool contacts_of_capsule_and_box(const PlacedConvex& capsule, const PlacedConvex& box, double reach, int most,
                                 bool capsule_first, ContactSet& set) {
  const Mat3 &R = box.X_WS.R, &R_c = capsule.X_WS.R;
  const Vec3 apart = capsule.X_WS.p - box.X_WS.p;
  const Vec3 along = capsule.shape.half.z * Vec3{R_c(0, 2), R_c(1, 2), R_c(2, 2)};
  const Lanes x = lanes_of(R.row[0]), y = lanes_of(R.row[1]), z = lanes_of(R.row[2]);
  const Line line{apart.x * x + apart.y * y + apart.z * z, along.x * x + along.y * y + along.z * z};
  const Lanes half = lanes_of(box.shape.half);
  const double radius = box.shape.polytope->outer_radius, length = capsule.shape.half.z;
  const Axes axes(line, half, kSeparationTie * (radius + length));
  const double value = axes.best.value, margins = capsule.shape.margin + box.shape.margin;
  const double enough = reach + margins;
  set.count = 0;
  if (value > enough) return true;

  const double radius_box = radius + box.shape.margin, radius_capsule = length + capsule.shape.margin;
  const double size = radius_box + radius_capsule, rounding = kGapRounding * size;
  std::array<LineTouch, 2> touches;
  int count = 0;
  const bool aside = axes.best.is_of_edge && dot(axes.best.normal, axes.face.normal) < kNearlyParallel;
  if (axes.best.is_of_edge && (aside || value > 0)) {
    const Edge edge(line, half, axes.best);
    if (value > 0 && !edge.meets()) return false;
    if (aside)
      touches[count++] = {std::clamp(edge.on_line, -1., 1.), value, axes.best.normal, edge.name, kSide};
  }
  if (!aside) {
    const LineOnFace over(line, half, axes.face, kOnTheRim * size);
    if (over.is_beyond()) return false;
    for (const bool end : {false, true}) {
      const auto touch = over.touch(end);
      if (touch && touch->gap >= value - rounding && touch->gap <= enough) touches[count++] = *touch;
    }
    const double same = kSamePlace * std::min(radius_box, radius_capsule);
    const bool are_same = count == 2 && length * std::abs(touches[1].s - touches[0].s) <= same;
    if (are_same || count > most) return false;
    if (count == 0 || std::min(touches[0].gap, touches[count - 1].gap) > value + rounding) return false;
  }

  const auto feature = [&](const LineTouch& t) {
    return capsule_first ? feature_of(t.name_of_line, t.name) : feature_of(t.name, t.name_of_line);
  };
  if (count == 2 && feature(touches[1]) < feature(touches[0])) std::swap(touches[0], touches[1]);
  for (int i = 0; i < count; ++i) {
    const LineTouch& touch = touches[i];
    const Vec3 normal = R * touch.normal;
    const double gap = touch.gap - margins;
    const Vec3 on_capsule = capsule.X_WS.p + (touch.s * along - capsule.shape.margin * normal);
    const Vec3 on_box = on_capsule - gap * normal;
    set.points[i] = capsule_first ? ContactPoint{gap, normal, on_capsule, on_box, feature(touch)}
                                  : ContactPoint{gap, -normal, on_box, on_capsule, feature(touch)};
  }
  set.count = count;
  return true;
}

}  // namespace pawl
