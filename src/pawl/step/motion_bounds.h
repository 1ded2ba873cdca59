#pragma once
// The bounds of the certificate that the motion of a step must keep (docs/certificate.md).

#include <span>
#include <string_view>
#include <vector>

#include <pawl/collision/contact.h>
#include <pawl/model.h>
#include <pawl/report.h>
#include <pawl/step/history.h>
#include <pawl/step/named_bodies.h>

namespace pawl::internal {

inline constexpr double kMaxOverlap = 1e-7;      // relative to the smaller body
inline constexpr double kMaxEnergyError = 1e-4;  // of a step, relative to its kinetic energy
inline constexpr double kMaxJointError = 1e-8;   // m or rad

/// What the motion of a step lacks; nothing if `what` is empty.
struct MotionDefect {
  std::string_view what;
  NamedBodies named;
  bool gross = false;  // so large that the step is not to be trusted
};

/// Measures the motion of the first-order methods, whose steps are certified for their own problem.
class MotionMeter {
 public:
  explicit MotionMeter(const Model& model);
  /// Forgets the last step.
  void reset(const EnergyLedger& energy);
  void continue_ledger(const EnergyLedger& energy) { energy_ = energy; }
  /// After a step of length h, with all contacts at its end. A defect of joints names `joint`, one of energy
  /// `changed`.
  MotionDefect measure(std::span<const Contact> contacts, double joint_error, double h,
                       const EnergyLedger& energy, NamedBodies joint, NamedBodies changed);
  void transfer(History& history) {
    history.transfer(overlap_);
    history.transfer(joint_error_);
  }
  /// Energy error of the last step, relative to its kinetic energy.
  double energy_error() const { return energy_error_; }

 private:
  const Model& model_;
  std::vector<double> body_radius_;
  double overlap_ = 0,
         joint_error_ = 0;  // at the start of the step: what is there already is no error of the step
  EnergyLedger energy_;
  double energy_error_ = 0;
};

/// J: kinetic energy that gravity gives to resting bodies in time h.
double fall_energy(const Model& model, double h);

}  // namespace pawl::internal
