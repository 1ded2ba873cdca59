#include <pawl/step/bounce_rule.h>

#include <algorithm>

#include <pawl/geometry/bounds.h>

namespace pawl {
namespace {

constexpr double kTouchShare = 1e-4;      // of the smaller body: gap up to which two touch
constexpr double kRestShare = 1e-3;       // of a step's fall: what is slower is at rest
constexpr double kSpeedRounding = 1e-12;  // of the fastest body: likewise, where nothing falls
constexpr double kPlaceRounding = 1e-15;  // of a place: what gaps are known to

}  // namespace

std::vector<double> radii_of_bodies(const Model& model) {
  std::vector<double> radii(model.bodies.size(), 0.0);
  for (const Shape& shape : model.shapes) {
    if (only_fixed(shape.kind)) continue;
    double& radius = radii[shape.body];
    radius = std::max(radius, norm(shape.X_BS.p) + bounding_radius(shape.solid));
  }
  return radii;
}

double gap_rate(const Kinematics& moved, const Contact& contact) {
  return dot(contact.normal, point_velocity(moved, contact.body_a, contact.point_a) -
                                 point_velocity(moved, contact.body_b, contact.point_b));
}

BounceRule::BounceRule(const Model& model, const RunOptions& options)
    : model_(model),
      touch_(options.impacts.touch),
      fall_(kRestShare * options.step * norm(model.gravity)),
      body_radius_(radii_of_bodies(model)) {
  for (const ContactLaw& law : model.laws) any_ |= law.restitution > 0;
  for (const double radius : body_radius_) largest_touch_ = std::max(largest_touch_, kTouchShare * radius);
  if (touch_) largest_touch_ = *touch_;
}

double BounceRule::restitution(const Contact& contact) const {
  return model_.law(model_.shapes[contact.id.shape_a], model_.shapes[contact.id.shape_b]).restitution;
}

double BounceRule::touch(const Contact& contact) const {
  if (touch_) return *touch_;
  // The world, and bodies that are nothing but fixed surfaces, have no size.
  const double a = body_radius_[contact.body_a], b = body_radius_[contact.body_b];
  return kTouchShare * (a > 0 && b > 0 ? std::min(a, b) : std::max(a, b));
}

double BounceRule::rounding(const Contact& contact) const {
  return 4 * kPlaceRounding * (norm(contact.point_a) + touch(contact) / kTouchShare);
}

double BounceRule::rest_speed(const Kinematics& moved) const {
  double fastest = 0;
  for (std::size_t b = 1; b < moved.c.size(); ++b) {
    fastest = std::max(fastest, norm(moved.c[b]) + norm(moved.w[b]) * body_radius_[b]);
  }
  return fall_ + kSpeedRounding * fastest;
}

}  // namespace pawl
