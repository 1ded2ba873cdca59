#pragma once
// Decides which contacts with restitution are at rest and which are ballistic.

#include <optional>
#include <vector>

#include <pawl/collision/contact.h>
#include <pawl/model/kinematics.h>

namespace pawl::internal {

/// Rounding error of gaps and joint errors relative to positions.
inline constexpr double kPositionRounding = 1e-15;

/// Contacts with restitution are either at rest or ballistic. Ballistic contacts are excluded from the step;
/// when they close, an impact is resolved.
class RestitutionPolicy {
 public:
  RestitutionPolicy(const Model& model, const RunOptions& options);
  /// True if any pair of materials has restitution.
  bool any() const { return any_; }
  double restitution(const Contact& contact) const;
  /// m: max gap at which two bodies count as touching.
  double contact_tolerance(const Contact& contact) const;
  /// m: rounding error of the gap.
  double rounding(const Contact& contact) const;
  double max_contact_tolerance() const { return max_contact_tolerance_; }
  /// m/s: slower contacts are at rest. A bounce at this speed would end within a small fraction of a step.
  double rest_speed(const Kinematics& kinematics) const;

 private:
  const Model& model_;
  bool any_ = false;
  std::optional<double> contact_tolerance_;
  double max_contact_tolerance_ = 0;
  double gravity_speed_;             // m/s: kRestFraction h |g|
  std::vector<double> body_radius_;  // [bodies] m
};

/// The rate of change of a contact's gap, m/s.
double gap_rate(const Kinematics& kinematics, const Contact& contact);

/// The radius of each body about its centre of mass, m; fixed surfaces are excluded.
std::vector<double> body_radii(const Model& model);
/// m: radius of the smaller body of a contact. The world and bodies with only fixed surfaces have radius 0
/// and do not count.
double size_of(const Contact& contact, std::span<const double> body_radius);

}  // namespace pawl::internal
