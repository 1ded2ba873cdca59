#include <pawl/collision/sweep.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/signed_distance.h>
#include <pawl/collision/shapes/bounds.h>

namespace pawl::internal {
namespace {

constexpr double kClose = tolerances::kRough;  // gap at impact, as a fraction of the sum of inner radii
constexpr int kMaxAdvances = 100;
constexpr int kMaxSlidingAdvances = 1000;  // along a surface, half a thickness each
constexpr double kNoImpact = 2;

/// The rotation vector of R, angle in [0, π], via an unnormalised quaternion. The quaternion is built from
/// its largest entry, which loses no digits at any angle.
Vec3 rotation_vector(const Mat3& R) {
  int i = 0;
  for (const int k : {1, 2}) {
    if (R(k, k) > R(i, i)) i = k;
  }
  double w = 1 + trace(R);
  Vec3 v{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  if (R(i, i) > trace(R)) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    w = v[i];
    v[i] = 1 + R(i, i) - R(j, j) - R(k, k);
    v[j] = R(i, j) + R(j, i);
    v[k] = R(i, k) + R(k, i);
  }
  const double length = norm(v);
  if (length == 0) return {};
  return (2 * std::atan2(length, std::abs(w)) / (w < 0 ? -length : length)) * v;
}

/// Upper bound of the distance from the body's centre of mass to a point of the shape, m.
double max_radius(const Shape& shape) {
  return norm(shape.X_BS.p) + bounding_radius(shape.solid);
}

double thickness(const Shape& shape) {
  return shape.surface >= 0 ? 0 : inner_radius(shape.solid);
}

struct Approach {
  double gap;      // m
  double closing;  // m per whole motion: upper bound of the closing speed of any two points
};

/// A surface never moves. Its nearest piece may change during the motion, so no normal bounds the gap.
Approach approach(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b,
                  double fraction) {
  const Shape &shape_a = model.shapes[pair.a], &shape_b = model.shapes[pair.b];
  const double turning = norm(a.rotation) * max_radius(shape_a);
  if (shape_b.surface >= 0) {
    return {pair_gap(model, pair, a.at(fraction), b.at(fraction)),
            norm(a.translation - b.translation) + turning};
  }
  const Separation now = separation({shape_a.solid, a.at(fraction) * shape_a.X_BS},
                                    {shape_b.solid, b.at(fraction) * shape_b.X_BS});
  return {now.gap,
          dot(now.normal, b.translation - a.translation) + turning + norm(b.rotation) * max_radius(shape_b)};
}

/// Upper bound of the displacement of any point of one shape relative to the other, m.
double max_relative_displacement(const Model& model, const ShapePair& pair, const BodyMotion& a,
                                 const BodyMotion& b) {
  const Shape &shape_a = model.shapes[pair.a], &shape_b = model.shapes[pair.b];
  const double displacement = norm(a.translation - b.translation) + norm(a.rotation) * max_radius(shape_a);
  return shape_b.surface < 0 ? displacement + norm(b.rotation) * max_radius(shape_b) : displacement;
}

double half_thickness(const Model& model, const ShapePair& pair) {
  return 0.5 * (thickness(model.shapes[pair.a]) + thickness(model.shapes[pair.b]));
}

double touch_distance(const Model& model, const ShapePair& pair) {
  return 2 * kClose * half_thickness(model, pair);
}

Vec3 velocity(const BodyMotion& motion, const Pose& now, const Vec3& point) {
  return motion.translation + cross(motion.rotation, point - now.p);
}

}  // namespace

Pose BodyMotion::at(double fraction) const {
  return {to_matrix(quat_exp(fraction * rotation)) * from.R, from.p + fraction * translation};
}

BodyMotion motion_between(const Pose& from, const Pose& to) {
  return {from, to.p - from.p, rotation_vector(to.R * transpose(from.R))};
}

bool exceeds_half_thickness(const Shape& shape, const BodyMotion& motion) {
  return shape.surface < 0 &&
         norm(motion.translation) + norm(motion.rotation) * max_radius(shape) > 0.5 * thickness(shape);
}

bool needs_ccd(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b) {
  const Shape &shape_a = model.shapes[pair.a], &shape_b = model.shapes[pair.b];
  if (shape_b.kind == ShapeKind::half_space) return false;
  return max_relative_displacement(model, pair, a, b) > thickness(shape_a) + thickness(shape_b);
}

Aabb swept_aabb(const Aabb& start, const Aabb& end, const Shape& shape, const BodyMotion& motion) {
  const double angle = norm(motion.rotation);
  return expand(merge(start, end), max_radius(shape) * angle * angle / 8);
}

bool is_deep(const Model& model, const Contact& contact) {
  return model.shapes[contact.id.shape_b].kind != ShapeKind::half_space &&
         contact.gap < -half_thickness(model, {contact.id.shape_a, contact.id.shape_b});
}

bool penetrates_deeply(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b) {
  const double allowed = half_thickness(model, pair);
  double fraction = 0;
  Approach now = approach(model, pair, a, b, fraction);
  const double floor = std::min(now.gap, 0.0) - allowed;
  for (int i = 0; i < kMaxSlidingAdvances && now.gap > floor + 0.1 * allowed; ++i) {
    fraction += (now.gap - floor) / now.closing;
    if (now.closing <= 0 || fraction > 1) return false;
    now = approach(model, pair, a, b, fraction);
  }
  return true;
}

double time_of_impact(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b,
                      double from) {
  assert(from >= 0);
  const double close = touch_distance(model, pair);
  double fraction = from;
  for (int i = 0; i < kMaxAdvances; ++i) {
    if (fraction > 1) return kNoImpact;
    const Approach now = approach(model, pair, a, b, fraction);
    if (!(now.gap > close)) return fraction;
    if (now.closing <= 0) return kNoImpact;
    fraction += (now.gap - 0.5 * close) / now.closing;
  }
  return fraction;
}

bool swept_contacts(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b,
                    int max_points, std::vector<Contact>& contacts) {
  const std::size_t first = contacts.size();
  const double close = touch_distance(model, pair);
  const double min_advance = 0.5 * close / max_relative_displacement(model, pair, a, b);
  double fraction = time_of_impact(model, pair, a, b, 0);
  for (int i = 0; fraction <= 1; ++i) {
    const Pose X_WA = a.at(fraction), X_WB = b.at(fraction);
    contacts.resize(first);
    pair_contacts(model, pair, X_WA, X_WB, 2 * close, max_points, contacts);
    bool closes = false;
    for (Contact& contact : std::span(contacts).subspan(first)) {
      const Vec3 opening = velocity(a, X_WA, contact.point_a) - velocity(b, X_WB, contact.point_b);
      closes |= dot(contact.normal, opening) < 0;
      contact.gap += (1 - fraction) * dot(contact.normal, opening);
      contact.point_a += (1 - fraction) * a.translation;
      contact.point_b += (1 - fraction) * b.translation;
    }
    if (closes || i == kMaxAdvances) break;
    fraction = time_of_impact(model, pair, a, b, fraction + min_advance);
  }
  return contacts.size() > first;
}

}  // namespace pawl::internal
