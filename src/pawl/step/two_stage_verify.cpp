#include <pawl/step/two_stage_step.h>

// The measurement of a step at its end.

#include <algorithm>
#include <cmath>
#include <tuple>

#include <pawl/step/motion_bounds.h>
#include <pawl/step/named_bodies.h>
#include <pawl/step/stage_timer.h>
#include <pawl/step/step_tolerances.h>

namespace pawl::internal {
namespace {

constexpr double kShortStep = 0.01;  // relative to the nominal step

}  // namespace

/// The bodies of the first contact or joint of the island with the largest residual.
void TwoStageStep::name_bodies(const Stage& stage, TwoStageTrial& trial) const {
  const Island* island = stage.worst_island();
  if (island == nullptr) return;
  const NamedBodies named = bodies_of(model_, *island, stage.contacts(), start_.blocks);
  trial.body_a = named.a;
  trial.body_b = named.b;
}

void TwoStageStep::name_bodies(const ConstraintBlock& block, TwoStageTrial& trial) const {
  std::tie(trial.body_a, trial.body_b) = bodies_of(model_, block);
}

/// Measures the motion at its end. A step that gains energy or overlaps is not accepted.
void TwoStageStep::verify(TwoStageTrial& trial) {
  const StageTimer timer(times_.verify);
  const double h = trial.h;
  trial.answered = true;
  end_.X_WB = positions_.end_kinematics().X_WB;
  end_.dofs = positions_.end_kinematics().dofs;
  velocity_kinematics(model_, velocities_.v_end(), end_);
  end_kinetic_ = kinetic_energy(model_, end_);
  end_potential_ = potential_energy(model_, end_);
  trial.end_energy = end_kinetic_ + end_potential_;
  trial.work = step_work(model_, start_, contacts_, positions_, velocities_, p1_, p_);
  trial.joint_error = max_joint_error(positions_.end_blocks());
  trial.min_gap = finder_.min_gap(end_, found_);
  const auto fail = [&](std::string_view reason, const NamedBodies& named) {
    trial.status = std::max(trial.status, Status::approximate);
    trial.reason = reason;
    trial.body_a = named.a;
    trial.body_b = named.b;
  };
  const auto changed = [&] { return most_changed_body(model_, start_.dynamics.kinematics, end_); };
  if (!std::isfinite(end_kinetic_ + end_potential_)) {
    trial.status = Status::refused;
    trial.reason = "not finite";
    trial.body_a = trial.body_b = changed().a;
    return;
  }
  // In the nominal step, by this step's share of it: short steps need not be more exact than long ones.
  const double fall = nominal_fall_ * (h / nominal_step_);
  const double error = end_kinetic_ + end_potential_ - start_.kinetic - start_.potential - trial.work.total();
  // Friction takes no more than there is. Where it jams, its work has any size, of either stage, and says
  // nothing about the motion.
  const double supplied = std::abs(trial.work.motors) + std::abs(trial.work.applied);
  const double exchanged =
      supplied + std::min(std::abs(trial.work.friction), start_.kinetic + fall + supplied + least_energy_);
  double pressed = 0;  // J: of the contact forces over the touch gaps; impulses of short steps are no forces
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    pressed += p_.contact[c][0] / std::max(h, kShortStep * nominal_step_) * touch(contacts_[c].contact);
  double lift = 0;  // m: of small overlaps
  for (const StepContact& each : contacts_) lift = std::max(lift, each.target - each.contact.gap);
  const double lifted = weight_ * lift;
  const double scale = std::max({start_.kinetic, end_kinetic_, fall, exchanged, pressed, least_energy_});
  const double allowed = accuracy_ * scale;
  if (overlaps()) {
    // Parting the bodies takes work, but leaves no speed behind.
    trial.work.stabilisation += error;
    const double sunk = std::max(0.0, start_.potential - end_potential_);
    const double motors = std::max(0.0, trial.work.motors);
    if (end_kinetic_ > start_.kinetic + sunk + motors + fall + parting_energy_ + allowed)
      fail("energy", changed());
  } else {
    // A loss up to what the strikes of a step did is normal work. And single contacts may take more than all
    // together, since friction at one may give back what another took: only their sum must not be a gain.
    const double struck = trial.work.struck;
    const double taken = struck > 0 ? std::max(0.0, -trial.work.normal - trial.work.friction) : 0.0;
    const double of_strikes = std::clamp(error, -struck, taken);
    const double rest = error - of_strikes;
    const double unexplained =
        rest > 0 ? std::max(0.0, rest - lifted) : std::min(0.0, rest + trial.work.spring_loss);
    trial.energy_error = std::abs(unexplained) / scale;
    if (trial.energy_error > accuracy_) {
      fail("energy", changed());
    } else {
      trial.work.normal += of_strikes;
    }
  }
  if (finder_.passes_through(found_)) fail("passes through", deepest_pair(found_));
  double start_overlap = 0, deepest = 0;
  for (const Contact& contact : touching_) start_overlap = std::max(start_overlap, -contact.gap);
  for (const Contact& contact : found_) {
    if (contact.gap >= -std::max(kMaxOverlap * size_of(contact), start_overlap + kClosed * touch(contact)))
      continue;
    if (contact.gap >= deepest) continue;
    deepest = contact.gap;
    fail("overlap", {contact.body_a, contact.body_b});
  }
  trial.accepted = trial.status == Status::certified;
}

}  // namespace pawl::internal
