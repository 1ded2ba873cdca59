#pragma once
// Which contacts with restitution are at rest, and which are on their way to an impact.

#include <optional>
#include <vector>

#include <pawl/collision/contact.h>
#include <pawl/model/kinematics.h>

namespace pawl::internal {

/// Where contacts with restitution are at rest, and where they are on their way: then they are left out of
/// the step, and what they do once they meet is an impact.
class RestitutionPolicy {
 public:
  RestitutionPolicy(const Model& model, const RunOptions& options);
  /// Whether any two materials have restitution at all.
  bool any() const { return any_; }
  double restitution(const Contact& contact) const;
  /// m: gap up to which bodies touch.
  double contact_tolerance(const Contact& contact) const;
  /// m: how well its gap is known.
  double rounding(const Contact& contact) const;
  double max_contact_tolerance() const { return max_contact_tolerance_; }
  /// m/s: what is slower is at rest. A bounce with it would be over in a small part of a step.
  double rest_speed(const Kinematics& kinematics) const;

 private:
  const Model& model_;
  bool any_ = false;
  std::optional<double> contact_tolerance_;
  double max_contact_tolerance_ = 0;
  double gravity_speed_;             // m/s: what gravity does in a small part of a step
  std::vector<double> body_radius_;  // [bodies] m
};

/// The rate of change of a contact's gap.
double gap_rate(const Kinematics& kinematics, const Contact& contact);

/// How far each body reaches from its centre of mass, m; fixed surfaces left out.
std::vector<double> body_radii(const Model& model);

}  // namespace pawl::internal
