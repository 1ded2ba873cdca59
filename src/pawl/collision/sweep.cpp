#include <pawl/collision/sweep.h>

#include <algorithm>
#include <cmath>

#include <pawl/geometry/bounds.h>

namespace pawl {
namespace {

constexpr double kClose = 1e-2;  // gap of a touch, of the two shapes' inner radii
constexpr int kMostAdvances = 100;
constexpr int kMostOfSliding = 1000;  // along a surface, half a thickness at a time
constexpr double kApart = 2;

/// The rotation vector of a matrix, angle in [0, π], by way of its quaternion. That is taken from the largest
/// of its entries, which loses no digits at any angle; its length does not matter.
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

/// From the body's centre of mass to the farthest point of a shape.
double farthest(const Shape& shape) {
  return norm(shape.X_BS.p) + bounding_radius(shape.solid);
}

double thickness(const Shape& shape) {
  return shape.surface >= 0 ? 0 : inner_radius(shape.solid);
}

struct Approach {
  double gap;      // m
  double closing;  // m a whole way: no point comes nearer faster
};

/// A surface never moves; which of its pieces is the nearest may change on the way, so that no normal helps.
Approach approach(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b,
                  double share) {
  const Shape &shape_a = model.shapes[pair.a], &shape_b = model.shapes[pair.b];
  const double turning = norm(a.turned) * farthest(shape_a);
  if (shape_b.surface >= 0) {
    return {pair_gap(model, pair, a.at(share), b.at(share)), norm(a.moved - b.moved) + turning};
  }
  const Separation now =
      separation({shape_a.solid, a.at(share) * shape_a.X_BS}, {shape_b.solid, b.at(share) * shape_b.X_BS});
  return {now.gap, dot(now.normal, b.moved - a.moved) + turning + norm(b.turned) * farthest(shape_b)};
}

/// No point of one goes farther against the other.
double relative_way(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b) {
  const Shape &shape_a = model.shapes[pair.a], &shape_b = model.shapes[pair.b];
  const double way = norm(a.moved - b.moved) + norm(a.turned) * farthest(shape_a);
  return shape_b.surface < 0 ? way + norm(b.turned) * farthest(shape_b) : way;
}

double half_thickness(const Model& model, const ShapePair& pair) {
  return 0.5 * (thickness(model.shapes[pair.a]) + thickness(model.shapes[pair.b]));
}

double close_to(const Model& model, const ShapePair& pair) {
  return 2 * kClose * half_thickness(model, pair);
}

Vec3 velocity(const BodyMotion& motion, const Pose& now, const Vec3& point) {
  return motion.moved + cross(motion.turned, point - now.p);
}

}  // namespace

Pose BodyMotion::at(double share) const {
  return {to_matrix(quat_exp(share * turned)) * from.R, from.p + share * moved};
}

BodyMotion motion_between(const Pose& from, const Pose& to) {
  return {from, to.p - from.p, rotation_vector(to.R * transpose(from.R))};
}

bool outruns_itself(const Shape& shape, const BodyMotion& motion) {
  return shape.surface < 0 &&
         norm(motion.moved) + norm(motion.turned) * farthest(shape) > 0.5 * thickness(shape);
}

bool moves_far(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b) {
  const Shape &shape_a = model.shapes[pair.a], &shape_b = model.shapes[pair.b];
  if (shape_b.kind == ShapeKind::half_space) return false;
  return relative_way(model, pair, a, b) > thickness(shape_a) + thickness(shape_b);
}

Box swept_box(const Box& start, const Box& end, const Shape& shape, const BodyMotion& motion) {
  const double angle = norm(motion.turned);
  return grown(united(start, end), farthest(shape) * angle * angle / 8);
}

bool is_deep(const Model& model, const Contact& contact) {
  return model.shapes[contact.id.shape_b].kind != ShapeKind::half_space &&
         contact.gap < -half_thickness(model, {contact.id.shape_a, contact.id.shape_b});
}

bool sinks_in(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b) {
  const double allowed = half_thickness(model, pair);
  double share = 0;
  Approach now = approach(model, pair, a, b, share);
  const double floor = std::min(now.gap, 0.0) - allowed;
  for (int i = 0; i < kMostOfSliding && now.gap > floor + 0.1 * allowed; ++i) {
    share += (now.gap - floor) / now.closing;
    if (now.closing <= 0 || share > 1) return false;
    now = approach(model, pair, a, b, share);
  }
  return true;
}

double first_touch(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b,
                   double from) {
  const double close = close_to(model, pair);
  double share = from;
  for (int i = 0; i < kMostAdvances; ++i) {
    if (share > 1) return kApart;
    const Approach now = approach(model, pair, a, b, share);
    if (!(now.gap > close)) return share;
    if (now.closing <= 0) return kApart;
    share += (now.gap - 0.5 * close) / now.closing;
  }
  return share;
}

bool swept_contacts(const Model& model, const ShapePair& pair, const BodyMotion& a, const BodyMotion& b,
                    int most, std::vector<Contact>& contacts) {
  const std::size_t first = contacts.size();
  const double close = close_to(model, pair);
  const double hop = 0.5 * close / relative_way(model, pair, a, b);
  double share = first_touch(model, pair, a, b, 0);
  for (int i = 0; share <= 1; ++i) {
    const Pose X_WA = a.at(share), X_WB = b.at(share);
    contacts.resize(first);
    pair_contacts(model, pair, X_WA, X_WB, 2 * close, most, contacts);
    bool closes = false;
    for (Contact& contact : std::span(contacts).subspan(first)) {
      const Vec3 opening = velocity(a, X_WA, contact.point_a) - velocity(b, X_WB, contact.point_b);
      closes |= dot(contact.normal, opening) < 0;
      contact.gap += (1 - share) * dot(contact.normal, opening);
      contact.point_a += (1 - share) * a.moved;
      contact.point_b += (1 - share) * b.moved;
    }
    if (closes || i == kMostAdvances) break;
    share = first_touch(model, pair, a, b, share + hop);
  }
  return contacts.size() > first;
}

}  // namespace pawl
