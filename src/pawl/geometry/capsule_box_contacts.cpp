#include <pawl/geometry/capsule_box_contacts.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include <pawl/geometry/brick_axes.h>
#include <pawl/geometry/contact_points.h>
#include <pawl/geometry/patch_clipper.h>
#include <pawl/geometry/simple_pairs.h>

namespace pawl {
namespace {

/// The line of the capsule in the frame of the box: the points center + s half, |s| ≤ 1.
struct Line {
  Lanes center, half;  // m; the last lane is 0
};

/// A face of the box, sign e_k, or the axis of an edge along e_k, sign d × e_k over its length; out of the
/// box.
struct Axis {
  double value;  // the separation along it, m
  int k;
  double sign;
};

/// The six axes of a box and a segment: |c_k| - |d_k| - h_k, and along d × e_k, all three at once.
struct DeepestAxes {
  DeepestAxes(const Line& line, Lanes half, double tie) {
    const Lanes c = line.center, d = line.half;
    const Lanes s = abs(c) - (abs(d) + half);
    const int k = index_of_largest(s);
    // Each from its numbers: a copy of what was just written would wait for it.
    const double value = s[k], sign = c[k] >= 0 ? 1 : -1;
    face = {value, k, sign};
    best = {value, k, sign};
    const Lanes c1 = turned_once(c), c2 = turned_twice(c), d1 = turned_once(d), d2 = turned_twice(d);
    const Lanes along = c1 * d2 - c2 * d1;  // c · (d × e_k)
    const Lanes apart = abs(along) - (turned_once(half) * abs(d2) + turned_twice(half) * abs(d1));
    const Lanes length2 = d1 * d1 + d2 * d2;
    const double least = signed_square(face.value + tie);
    const Lanes parallel2 = 1e-30 * (length2 + turned_once(length2) + turned_twice(length2));
    unsigned open = bits((apart * abs(apart) > least * length2) & (length2 > parallel2));
    for (; open != 0; open &= open - 1) {
      const int edge = std::countr_zero(open);
      const double beyond = apart[edge] / std::sqrt(length2[edge]);
      if (beyond <= best.value + tie) continue;
      best = {beyond, edge, along[edge] < 0 ? -1. : 1.};
      is_of_edge = true;
    }
  }
  Axis best, face;
  bool is_of_edge = false;  // the best is
};

/// Where the line meets the box: its point there, the gap of the cores and its normal out of the box in the
/// world, and the names of both features.
struct LineTouch {
  double s = 0, gap = 0;
  Lanes normal;
  std::uint32_t name_of_line = 0, name_of_box = 0;
};

const std::uint32_t kSide = edge_name(0, 1);

/// An edge of the box whose axis is the deepest, and where the line passes it.
class LineOnEdge {
 public:
  LineOnEdge(const Line& line, Lanes half, const Axis& axis)
      : k_(axis.k), k1_(kNext[k_]), k2_(kAfter[k_]), value_(axis.value) {
    const double d1 = line.half[k1_], d2 = line.half[k2_], length2 = d1 * d1 + d2 * d2;
    const double scale = axis.sign / std::sqrt(length2);
    n1_ = scale * d2, n2_ = -scale * d1;
    const double q1 = n1_ > 0 ? half[k1_] : -half[k1_], q2 = n2_ > 0 ? half[k2_] : -half[k2_];
    s_ = ((q1 - line.center[k1_]) * d1 + (q2 - line.center[k2_]) * d2) / length2;
    on_edge_ = (line.center[k_] + s_ * line.half[k_]) / half[k_];
  }
  /// The cosine of its axis and a face's normal.
  double cosine(const Axis& face) const {
    return face.k == k1_ ? face.sign * n1_ : face.k == k2_ ? face.sign * n2_ : 0;
  }
  bool meets() const { return std::max(std::abs(s_), std::abs(on_edge_)) <= 1 + 2e-12; }
  LineTouch touch(const Mat3& R) const {
    const int from = (n1_ > 0 ? 1 << k1_ : 0) | (n2_ > 0 ? 1 << k2_ : 0);
    return {std::clamp(s_, -1., 1.), value_, n1_ * column_lanes(R, k1_) + n2_ * column_lanes(R, k2_), kSide,
            edge_name(from, from | 1 << k_)};
  }

 private:
  int k_, k1_, k2_;
  double value_, n1_, n2_, s_, on_edge_;
};

/// The part of the line over a face of the box, whose axes are x, y and, out of it, z.
class LineOnFace {
 public:
  LineOnFace(const Line& line, Lanes half, const Axis& face, double tolerance)
      : z_(face.k),
        x_(kNext[z_]),
        y_(kAfter[z_]),
        up_(face.sign),
        half_{half[x_], half[y_]},
        c_{line.center[x_], line.center[y_]},
        d_{line.half[x_], line.half[y_]},
        height_(up_ * line.center[z_] - half[z_]),
        rise_(up_ * line.half[z_]) {
    if (std::abs(c_[0]) + std::abs(d_[0]) > half_[0] + tolerance ||
        std::abs(c_[1]) + std::abs(d_[1]) > half_[1] + tolerance) {
      cut(tolerance);
    }
  }

  /// Adds where it begins and ends, at an end of the line or over a side of the face, if the gap is within a
  /// range. How many there are then.
  int add_touches(const Mat3& R, double from, double to, std::array<LineTouch, 3>& touches) const {
    if (beyond_) return 0;
    const Lanes out = up_ * column_lanes(R, z_);
    int count = 0;
    for (int end = 0; end < 2; ++end) {
      LineTouch& touch = touches[count];
      const double s = end == 1 ? high_ : low_, height = height_ + s * rise_;
      const int side = end == 1 ? last_ : first_;
      if (side < 0) {
        if (height < from || height > to) continue;
        touch = {s, height, out, vertex_name(end), face_name(Brick::face(z_, up_))};
        ++count;
        continue;
      }
      const int axis = side / 2, along = axis == 1 ? x_ : y_, across = axis == 1 ? y_ : x_;
      const double inward = side % 2 == 1 ? -1 : 1;
      const auto crossing = crossing_edges({d_[0], d_[1], rise_}, inward * d_[axis], height);
      if (!crossing || crossing->gap < from || crossing->gap > to) continue;
      const int corner = (up_ > 0 ? 1 << z_ : 0) | (inward < 0 ? 1 << across : 0);
      touch = {s + crossing->t, crossing->gap,
               crossing->m_z * out + (inward * crossing->m_e) * column_lanes(R, across), kSide,
               edge_name(corner, corner | 1 << along)};
      ++count;
    }
    return count;
  }

 private:
  /// As PatchClipper::add_line, but for each axis in the direction in which the line goes.
  void cut(double tolerance) {
    for (int axis = 0; axis < 2; ++axis) {
      const bool back = d_[axis] < 0;
      const double middle = back ? -c_[axis] : c_[axis], way = std::abs(d_[axis]);
      const double half = half_[axis], out = half + tolerance;
      const int enters = 2 * axis + (back ? 1 : 0), leaves = 2 * axis + (back ? 0 : 1);
      beyond_ |= middle + way < -out || middle - way > out;
      if (middle - way < -out) {
        const double s = std::clamp((-half - middle) / way, -1.0, 1.0);
        if (s > low_) low_ = s, first_ = enters;
      }
      if (middle + way > out) {
        const double s = std::clamp((half - middle) / way, -1.0, 1.0);
        if (s < high_) high_ = s, last_ = leaves;
      }
    }
    beyond_ |= low_ > high_;
  }

  int z_, x_, y_;  // axes of the box
  double up_;
  std::array<double, 2> half_, c_, d_;  // of the face and the line, in x and y, m
  double height_, rise_;                // of the line's middle over the face, and from there to its end, m
  double low_ = -1, high_ = 1;
  int first_ = -1, last_ = -1;  // sides that cut: x ≥ -half, x ≤ half, y ≥ -half, y ≤ half; -1: none
  bool beyond_ = false;
};

/// Where the two are nearest, if they are well clear of each other.
std::optional<LineTouch> nearest_touch(const Line& line, const PlacedConvex& box, double clear) {
  const Segment segment{first_three(line.center), first_three(line.half)};
  const double s = nearest_to_box(segment, box.shape.half);
  const Height height = height_over_box(segment.center + s * segment.half, box.shape.half, false);
  if (height.s <= clear) return {};
  return LineTouch{s, height.s, lanes_of(box.X_WS.R * height.n), kNearestName, kNearestName};
}

}  // namespace

bool contacts_of_capsule_and_box(const PlacedConvex& capsule, const PlacedConvex& box, double reach, int most,
                                 bool capsule_first, ContactSet& set) {
  const Mat3& R = box.X_WS.R;
  const Vec3 apart = capsule.X_WS.p - box.X_WS.p;
  const double length = capsule.shape.half.z, radius = box.shape.polytope->outer_radius;
  const Lanes along = length * column_lanes(capsule.X_WS.R, 2), half = lanes_of(box.shape.half);
  const Lanes x = lanes_of(R.row[0]), y = lanes_of(R.row[1]), z = lanes_of(R.row[2]);
  const Line line{apart.x * x + apart.y * y + apart.z * z, along[0] * x + along[1] * y + along[2] * z};
  const DeepestAxes axes(line, half, kSeparationTie * (radius + length));
  const double margin = capsule.shape.margin, margins = margin + box.shape.margin, enough = reach + margins;
  double least = axes.best.value;
  set.count = 0;
  if (least > enough) return true;

  const double radius_box = radius + box.shape.margin, size = radius_box + length + margin;
  const double rounding = kGapRounding * size;
  std::array<LineTouch, 3> touches;
  int count = 0;
  std::optional<LineOnEdge> on_edge;
  if (axes.is_of_edge) on_edge.emplace(line, half, axes.best);
  const bool meet = !on_edge || least <= 0 || on_edge->meets();
  if (!on_edge || on_edge->cosine(axes.face) >= kNearlyParallel) {
    const LineOnFace on_face(line, half, axes.face, kOnTheRim * size);
    count = on_face.add_touches(R, least - rounding, enough, touches);
  }
  const auto some_are_deep = [&] {
    return std::any_of(touches.begin(), touches.begin() + count,
                       [&](const LineTouch& touch) { return touch.gap <= least + rounding; });
  };
  if (on_edge && meet && !some_are_deep()) {
    touches[count++] = on_edge->touch(R);
  } else if (!meet || !some_are_deep()) {
    if (least <= 0) return false;
    const auto nearest = nearest_touch(line, box, 1e-2 * (radius + length));
    if (!nearest) return false;
    least = nearest->gap;
    const auto is_below = [&](const LineTouch& touch) { return touch.gap < least - rounding; };
    count = static_cast<int>(std::remove_if(touches.begin(), touches.begin() + count, is_below) -
                             touches.begin());
    if (!some_are_deep() && least <= enough) touches[count++] = *nearest;
  }
  const double same = kSamePlace * std::min(radius_box, length + margin);
  for (int i = 1; i < count; ++i) {
    for (int j = 0; j < i; ++j) {
      if (length * std::abs(touches[i].s - touches[j].s) <= same) return false;
    }
  }
  if (count > most) return false;

  const auto feature = [&](const LineTouch& t) {
    return capsule_first ? feature_of(t.name_of_line, t.name_of_box)
                         : feature_of(t.name_of_box, t.name_of_line);
  };
  for (int i = 1; i < count; ++i) {
    for (int j = i; j > 0 && feature(touches[j]) < feature(touches[j - 1]); --j) {
      std::swap(touches[j], touches[j - 1]);
    }
  }
  const Lanes origin = lanes_of(capsule.X_WS.p);
  for (int i = 0; i < count; ++i) {
    const LineTouch& touch = touches[i];
    const double gap = touch.gap - margins;
    const Lanes on_capsule = origin + (touch.s * along - margin * touch.normal);
    const Lanes on_box = on_capsule - gap * touch.normal;
    ContactPoint& point = set.points[i];
    point.gap = gap;
    point.normal = first_three(capsule_first ? touch.normal : -touch.normal);
    point.point_a = first_three(capsule_first ? on_capsule : on_box);
    point.point_b = first_three(capsule_first ? on_box : on_capsule);
    point.feature = feature(touch);
  }
  set.count = count;
  return true;
}

}  // namespace pawl
