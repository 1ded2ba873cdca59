#include <pawl/collision/manifold/capsule_box_contacts.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/box_sat.h>
#include <pawl/collision/distance/closed_form_distance.h>
#include <pawl/collision/manifold/manifold_builder.h>
#include <pawl/collision/manifold/patch_clipper.h>

namespace pawl::internal {
namespace {

/// The axis of the capsule in the frame of the box: the points center + s half, |s| ≤ 1.
struct Line {
  Vec4d center, half;  // m; the last lane is 0
};

/// A face normal of the box, sign e_k, or the normal of an edge along e_k, sign d × e_k normalised; out of
/// the box.
struct Axis {
  double value;  // separation along the axis, m
  int k;
  double sign;
};

/// The six axes of a box and a segment: |c_k| - |d_k| - h_k along e_k, and along d × e_k, three at once.
struct DeepestAxes {
  DeepestAxes(const Line& line, Vec4d half, double tie) {
    const Vec4d c = line.center, d = line.half;
    const Vec4d s = abs(c) - (abs(d) + half);
    const int k = index_of_largest(s);
    // Built from scalars: a vector load right after scalar stores would stall on store forwarding.
    const double value = s[k], sign = c[k] >= 0 ? 1 : -1;
    face = {value, k, sign};
    best = {value, k, sign};
    const Vec4d c1 = yzx(c), c2 = zxy(c), d1 = yzx(d), d2 = zxy(d);
    const Vec4d along = c1 * d2 - c2 * d1;  // c · (d × e_k)
    const Vec4d apart = abs(along) - (yzx(half) * abs(d2) + zxy(half) * abs(d1));
    const Vec4d length2 = d1 * d1 + d2 * d2;
    const double least = signed_square(face.value + tie);
    const Vec4d parallel2 = tolerances::kParallel2 * (length2 + yzx(length2) + zxy(length2));
    unsigned open = bits((apart * abs(apart) > least * length2) & (length2 > parallel2));
    for (; open != 0; open &= open - 1) {
      const int edge = std::countr_zero(open);
      const double beyond = apart[edge] / std::sqrt(length2[edge]);
      if (beyond <= best.value + tie) continue;
      best = {beyond, edge, along[edge] < 0 ? -1. : 1.};
      is_edge_axis = true;
    }
  }
  Axis best, face;
  bool is_edge_axis = false;  // the best axis is that of an edge
};

/// A contact of the line with the box.
struct LineContact {
  double s = 0, gap = 0;  // parameter on the line; gap of the cores, m
  Vec4d normal;           // world, unit, out of the box
  std::uint32_t line_id = 0, box_id = 0;
};

const std::uint32_t kSide = edge_id(0, 1);

/// The edge of the box with the best axis, and where the line passes it.
class LineOnEdge {
 public:
  LineOnEdge(const Line& line, Vec4d half, const Axis& axis)
      : k_(axis.k), k1_(kNextAxis[k_]), k2_(kPreviousAxis[k_]), value_(axis.value) {
    const double d1 = line.half[k1_], d2 = line.half[k2_], length2 = d1 * d1 + d2 * d2;
    const double scale = axis.sign / std::sqrt(length2);
    n1_ = scale * d2, n2_ = -scale * d1;
    const double q1 = n1_ > 0 ? half[k1_] : -half[k1_], q2 = n2_ > 0 ? half[k2_] : -half[k2_];
    s_ = ((q1 - line.center[k1_]) * d1 + (q2 - line.center[k2_]) * d2) / length2;
    on_edge_ = (line.center[k_] + s_ * line.half[k_]) / half[k_];
  }
  /// Cosine of the angle between its axis and a face normal.
  double cosine(const Axis& face) const {
    return face.k == k1_ ? face.sign * n1_ : face.k == k2_ ? face.sign * n2_ : 0;
  }
  bool meets() const { return std::max(std::abs(s_), std::abs(on_edge_)) <= 1 + 2 * tolerances::kOnEdge; }
  LineContact contact(const Mat3& R) const {
    const int from = (n1_ > 0 ? 1 << k1_ : 0) | (n2_ > 0 ? 1 << k2_ : 0);
    return {std::clamp(s_, -1., 1.), value_, n1_ * load_column(R, k1_) + n2_ * load_column(R, k2_), kSide,
            edge_id(from, from | 1 << k_)};
  }

 private:
  int k_, k1_, k2_;
  double value_, n1_, n2_, s_, on_edge_;
};

/// The part of the line over a face of the box with the axes x, y and z, where z points out of the face.
class LineOnFace {
 public:
  LineOnFace(const Line& line, Vec4d half, const Axis& face, double tolerance)
      : z_(face.k),
        x_(kNextAxis[z_]),
        y_(kPreviousAxis[z_]),
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

  /// Adds the start and the end of that part if their gaps are in [from, to]. Each is an end of the line or a
  /// crossing with a side of the face. Returns the number of contacts added.
  int add_contacts(const Mat3& R, double from, double to, std::array<LineContact, 3>& contacts) const {
    if (beyond_) return 0;
    const Vec4d out = up_ * load_column(R, z_);
    int count = 0;
    for (int end = 0; end < 2; ++end) {
      LineContact& contact = contacts[count];
      const double s = end == 1 ? high_ : low_, height = height_ + s * rise_;
      const int side = end == 1 ? last_ : first_;
      if (side < 0) {
        if (height < from || height > to) continue;
        contact = {s, height, out, vertex_id(end), face_id(Obb::face(z_, up_))};
        ++count;
        continue;
      }
      const int axis = side / 2, along = axis == 1 ? x_ : y_, across = axis == 1 ? y_ : x_;
      const double inward = side % 2 == 1 ? -1 : 1;
      const auto crossing = crossing_edges({d_[0], d_[1], rise_}, inward * d_[axis], height);
      if (!crossing || crossing->gap < from || crossing->gap > to) continue;
      const int corner = (up_ > 0 ? 1 << z_ : 0) | (inward < 0 ? 1 << across : 0);
      contact = {s + crossing->t, crossing->gap,
                 crossing->m_z * out + (inward * crossing->m_e) * load_column(R, across), kSide,
                 edge_id(corner, corner | 1 << along)};
      ++count;
    }
    return count;
  }

 private:
  /// As PatchClipper::add_line, but along each axis in the direction of the line.
  void cut(double tolerance) {
    for (int axis = 0; axis < 2; ++axis) {
      const bool back = d_[axis] < 0;
      const double middle = back ? -c_[axis] : c_[axis], half_length = std::abs(d_[axis]);
      const double half = half_[axis], out = half + tolerance;
      const int enters = 2 * axis + (back ? 1 : 0), leaves = 2 * axis + (back ? 0 : 1);
      beyond_ |= middle + half_length < -out || middle - half_length > out;
      if (middle - half_length < -out) {
        const double s = std::clamp((-half - middle) / half_length, -1.0, 1.0);
        if (s > low_) low_ = s, first_ = enters;
      }
      if (middle + half_length > out) {
        const double s = std::clamp((half - middle) / half_length, -1.0, 1.0);
        if (s < high_) high_ = s, last_ = leaves;
      }
    }
    beyond_ |= low_ > high_;
  }

  int z_, x_, y_;  // axes of the box
  double up_;
  std::array<double, 2> half_, c_, d_;  // of the face and the line, in x and y, m
  double height_, rise_;  // height of the line's centre over the face, and rise from there to its end, m
  double low_ = -1, high_ = 1;
  int first_ = -1, last_ = -1;  // sides that clip: x ≥ -half, x ≤ half, y ≥ -half, y ≤ half; -1: none
  bool beyond_ = false;
};

/// The closest points, if the line and the box are farther apart than `clear`.
std::optional<LineContact> nearest_contact(const Line& line, const PosedConvex& box, double clear) {
  const Segment segment{to_vec3(line.center), to_vec3(line.half)};
  const double s = closest_parameter_to_box(segment, box.shape.half);
  const SignedDistance height =
      signed_distance_to_box(segment.center + s * segment.half, box.shape.half, false);
  if (height.s <= clear) return {};
  return LineContact{s, height.s, to_vec4d(box.X_WS.R * height.n), kNearestId, kNearestId};
}

}  // namespace

bool collide_capsule_box(const PosedConvex& capsule, const PosedConvex& box, double contact_margin,
                         int max_points, bool capsule_first, Manifold& manifold) {
  const Mat3& R = box.X_WS.R;
  const Vec3 apart = capsule.X_WS.p - box.X_WS.p;
  const double length = capsule.shape.half.z, radius = box.shape.polytope->outer_radius;
  const Vec4d along = length * load_column(capsule.X_WS.R, 2), half = to_vec4d(box.shape.half);
  const Vec4d x = to_vec4d(R.row[0]), y = to_vec4d(R.row[1]), z = to_vec4d(R.row[2]);
  const Line line{apart.x * x + apart.y * y + apart.z * z, along[0] * x + along[1] * y + along[2] * z};
  const DeepestAxes axes(line, half, kSeparationTie * (radius + length));
  const double rounding_radius = capsule.shape.rounding_radius,
               rounding_radii = rounding_radius + box.shape.rounding_radius,
               max_separation = contact_margin + rounding_radii;
  double least = axes.best.value;
  manifold.count = 0;
  if (least > max_separation) return true;

  const double radius_box = radius + box.shape.rounding_radius, size = radius_box + length + rounding_radius;
  const double rounding = kGapRounding * size;
  std::array<LineContact, 3> contacts;
  int count = 0;
  std::optional<LineOnEdge> on_edge;
  if (axes.is_edge_axis) on_edge.emplace(line, half, axes.best);
  const bool meet = !on_edge || least <= 0 || on_edge->meets();
  if (!on_edge || on_edge->cosine(axes.face) >= kNearlyParallel) {
    const LineOnFace on_face(line, half, axes.face, kRimTolerance * size);
    count = on_face.add_contacts(R, least - rounding, max_separation, contacts);
  }
  const auto any_at_min_gap = [&] {
    return std::any_of(contacts.begin(), contacts.begin() + count,
                       [&](const LineContact& contact) { return contact.gap <= least + rounding; });
  };
  if (on_edge && meet && !any_at_min_gap()) {
    contacts[count++] = on_edge->contact(R);
  } else if (!meet || !any_at_min_gap()) {
    if (least <= 0) return false;
    const auto nearest = nearest_contact(line, box, tolerances::kRough * (radius + length));
    if (!nearest) return false;
    least = nearest->gap;
    const auto is_below = [&](const LineContact& contact) { return contact.gap < least - rounding; };
    count = static_cast<int>(std::remove_if(contacts.begin(), contacts.begin() + count, is_below) -
                             contacts.begin());
    if (!any_at_min_gap() && least <= max_separation) contacts[count++] = *nearest;
  }
  const double same = kMergeDistance * std::min(radius_box, length + rounding_radius);
  for (int i = 1; i < count; ++i) {
    for (int j = 0; j < i; ++j) {
      if (length * std::abs(contacts[i].s - contacts[j].s) <= same) return false;
    }
  }
  if (count > max_points) return false;

  const auto feature = [&](const LineContact& t) {
    return capsule_first ? feature_pair_id(t.line_id, t.box_id) : feature_pair_id(t.box_id, t.line_id);
  };
  for (int i = 1; i < count; ++i) {
    for (int j = i; j > 0 && feature(contacts[j]) < feature(contacts[j - 1]); --j) {
      std::swap(contacts[j], contacts[j - 1]);
    }
  }
  const Vec4d origin = to_vec4d(capsule.X_WS.p);
  for (int i = 0; i < count; ++i) {
    const LineContact& contact = contacts[i];
    const double gap = contact.gap - rounding_radii;
    const Vec4d on_capsule = origin + (contact.s * along - rounding_radius * contact.normal);
    const Vec4d on_box = on_capsule - gap * contact.normal;
    ManifoldPoint& point = manifold.points[i];
    point.gap = gap;
    point.normal = to_vec3(capsule_first ? contact.normal : -contact.normal);
    point.point_a = to_vec3(capsule_first ? on_capsule : on_box);
    point.point_b = to_vec3(capsule_first ? on_box : on_capsule);
    point.feature = feature(contact);
  }
  manifold.count = count;
  return true;
}

}  // namespace pawl::internal
