#include <pawl/step/restitution_policy.h>

#include <algorithm>

#include <pawl/collision/shapes/bounds.h>

namespace pawl::internal {
namespace {

constexpr double kContactToleranceFraction = 1e-4;  // contact tolerance relative to the smaller body
constexpr double kRestFraction = 1e-3;              // rest speed relative to h |g|
constexpr double kSpeedRounding = 1e-12;            // rest speed relative to the fastest body, for g = 0

}  // namespace

std::vector<double> body_radii(const Model& model) {
  std::vector<double> radii(model.bodies.size(), 0.0);
  for (const Shape& shape : model.shapes) {
    if (is_static_only(shape.kind)) continue;
    double& radius = radii[shape.body];
    radius = std::max(radius, norm(shape.X_BS.p) + bounding_radius(shape.solid));
  }
  return radii;
}

double size_of(const Contact& contact, std::span<const double> body_radius) {
  const double a = body_radius[contact.body_a], b = body_radius[contact.body_b];
  return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
}

double gap_rate(const Kinematics& kinematics, const Contact& contact) {
  return dot(contact.normal, point_velocity(kinematics, contact.body_a, contact.point_a) -
                                 point_velocity(kinematics, contact.body_b, contact.point_b));
}

RestitutionPolicy::RestitutionPolicy(const Model& model, const RunOptions& options)
    : model_(model),
      contact_tolerance_(options.impacts.contact_tolerance),
      gravity_speed_(kRestFraction * options.step * norm(model.gravity)),
      body_radius_(body_radii(model)) {
  for (const ContactLaw& law : model.laws) any_ |= law.restitution > 0;
  for (const double radius : body_radius_)
    max_contact_tolerance_ = std::max(max_contact_tolerance_, kContactToleranceFraction * radius);
  if (contact_tolerance_) max_contact_tolerance_ = *contact_tolerance_;
}

double RestitutionPolicy::restitution(const Contact& contact) const {
  return model_.law(model_.shapes[contact.id.shape_a], model_.shapes[contact.id.shape_b]).restitution;
}

double RestitutionPolicy::contact_tolerance(const Contact& contact) const {
  if (contact_tolerance_) return *contact_tolerance_;
  return kContactToleranceFraction * size_of(contact, body_radius_);
}

double RestitutionPolicy::rounding(const Contact& contact) const {
  return 4 * kPositionRounding *
         (norm(contact.point_a) + contact_tolerance(contact) / kContactToleranceFraction);
}

double RestitutionPolicy::rest_speed(const Kinematics& kinematics) const {
  double fastest = 0;
  for (std::size_t b = 1; b < kinematics.c.size(); ++b) {
    fastest = std::max(fastest, norm(kinematics.c[b]) + norm(kinematics.w[b]) * body_radius_[b]);
  }
  return gravity_speed_ + kSpeedRounding * fastest;
}

}  // namespace pawl::internal
