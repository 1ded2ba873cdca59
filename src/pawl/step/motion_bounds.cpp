#include <pawl/step/motion_bounds.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/step/restitution_policy.h>

namespace pawl::internal {
namespace {

constexpr double kGrossEnergy = 1;  // gained in a step, relative to what it had

}  // namespace

double fall_energy(const Model& model, double h) {
  const double g = norm(model.gravity);
  double sum = 0;
  for (const Body& body : model.bodies) sum += body.tree >= 0 ? 0.5 * body.mass * g * g * h * h : 0;
  return sum;
}

MotionMeter::MotionMeter(const Model& model) : model_(model), body_radius_(body_radii(model)) {}

void MotionMeter::reset(const EnergyLedger& energy) {
  overlap_ = joint_error_ = std::numeric_limits<double>::infinity();
  energy_ = energy;
  energy_error_ = 0;
}

MotionDefect MotionMeter::measure(std::span<const Contact> contacts, double joint_error, double h,
                                  const EnergyLedger& energy, NamedBodies joint, NamedBodies changed) {
  MotionDefect defect;
  const double gain = energy.discretisation + energy.imbalance - energy_.discretisation - energy_.imbalance;
  const double exchanged =
      std::abs(energy.motors - energy_.motors) + std::abs(energy.applied - energy_.applied) +
      std::abs(energy.friction - energy_.friction) + std::abs(energy.normal - energy_.normal) +
      std::abs(energy.potential - energy_.potential);
  const double before = std::max({energy_.kinetic, fall_energy(model_, h), exchanged});
  const double scale = std::max(before, energy.kinetic);
  energy_error_ = scale > 0 ? std::abs(gain) / scale : 0;
  if (energy_error_ > kMaxEnergyError) defect = {"energy", changed, gain > kGrossEnergy * before};
  if (joint_error > std::max(kMaxJointError, joint_error_)) defect = {"joint error", joint, defect.gross};
  double deepest = 0;
  for (const Contact& contact : contacts) {
    const double size = size_of(contact, body_radius_);
    if (contact.gap >= -std::max(kMaxOverlap * size, overlap_) || contact.gap >= -deepest) continue;
    deepest = -contact.gap;
    defect = {"overlap", {contact.body_a, contact.body_b}, defect.gross};
  }
  overlap_ = 0;
  for (const Contact& contact : contacts) overlap_ = std::max(overlap_, -contact.gap);
  joint_error_ = joint_error;
  energy_ = energy;
  return defect;
}

}  // namespace pawl::internal
