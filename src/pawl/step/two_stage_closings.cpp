#include <pawl/step/two_stage_step.h>

// Contacts and limits that close during a step.

#include <algorithm>
#include <cmath>

#include <pawl/step/step_tolerances.h>

namespace pawl::internal {
namespace {

constexpr double kLocated = 1e-6;        // accuracy of a located impact, relative to the touch gap
constexpr int kMaxRootIterations = 60;   // of the search for the time of an impact
constexpr double kTimeRounding = 1e-15;  // relative to a step
constexpr double kMaxFollowed = 1e-2;    // overlap at q of what closes later, relative to the smaller body

}  // namespace

/// The deepest contact or limit at q⁺ that was not in the step, if it overlaps by more than this fraction of
/// the touch gap.
TwoStageStep::FirstClosing TwoStageStep::find_closing(double accuracy) {
  FirstClosing closing;
  closing_.clear();
  const auto consider = [&](double gap, double rate, double tolerance) {
    if (closing.any && gap >= closing.gap) return;
    closing = {true, gap, rate, tolerance};
  };
  Kinematics& end = positions_.end_kinematics();
  for (const Contact& contact : found_) {
    if (is_in_step(contact.id)) continue;
    double tolerance = std::max(accuracy * touch(contact), gap_rounding(end, contact));
    // What leaves may overlap a little at first.
    const auto first = std::ranges::lower_bound(touching_, contact.id, {}, &Contact::id);
    if (first != touching_.end() && first->id == contact.id) tolerance += std::max(0.0, -first->gap);
    if (contact.gap >= -tolerance) continue;
    closing_.push_back(contact);
    consider(contact.gap, gap_rate(end, contact), tolerance);
  }
  for (std::size_t b = 0; b < start_.blocks.size(); ++b) {
    if (!limit_closes(b)) continue;
    const ConstraintBlock& block = positions_.end_blocks()[b];
    consider(block.error[0], row_velocities(block, end, positions_.v_end())[0], kLimitRounding);
  }
  return closing;
}

/// Adds closing contacts that touch at q already, as another feature of the same place, to the step, and
/// those that may enter during it. Returns false if there was none.
bool TwoStageStep::add_missed_contacts(Closing mode, TwoStageTrial& trial) {
  follow_contacts(model_, positions_.end_kinematics(), start_.dynamics.kinematics, contact_points_, closing_,
                  followed_);
  bool any = false;
  for (const Contact& contact : followed_) {
    // While a pair is parted, its contacts change; there is no impact to locate.
    const bool parted = std::ranges::any_of(contacts_, [&](const StepContact& c) {
      return c.overlaps && c.contact.id.shape_a == contact.id.shape_a &&
             c.contact.id.shape_b == contact.id.shape_b;
    });
    // Features that overlap at q where the pair does not, face each other only later.
    const bool touches = contact.gap <= touch(contact) &&
                         (parted || contact.gap >= -kMaxFollowed * size_of(contact)) &&
                         !std::ranges::binary_search(leaving_, contact.id);
    const bool enters = mode == Closing::inelastic || parted ||
                        (mode == Closing::lazy && !(restitution_policy_.restitution(contact) > 0));
    if (!touches && !enters) continue;
    if (touches && !parted && !enters && gap_rate(start_.dynamics.kinematics, contact) < -rest_speed_) {
      const auto place = std::ranges::lower_bound(touching_, contact.id, {}, &Contact::id);
      if (place == touching_.end() || place->id != contact.id) {
        touching_.insert(place, contact);
        trial.impact_first = true;
        continue;
      }
    }
    StepContact& added = add_contact(contact);
    added.enters = !touches;
    any = true;
  }
  for (std::size_t b = 0; mode != Closing::located && b < start_.blocks.size(); ++b) {
    if (!limit_closes(b) || (mode == Closing::lazy && start_.blocks[b].restitution > 0)) continue;
    limit_active_[b] = 1;
    row_target_[b] = {};
    any = true;
  }
  return any && !trial.impact_first;
}

/// Shortens the step to the instant at which the first contact closes: by the secant method, within a bracket
/// that shrinks at least by half in three iterations.
bool TwoStageStep::locate_impact(double h, FirstClosing closing, TwoStageTrial& trial) {
  double low = 0, high = h;  // s: before and after the impact
  double last_time = 0, last_gap = 0, width = h;
  for (int i = 0; i < kMaxRootIterations; ++i) {
    const double slope = i == 0 ? closing.rate : (closing.gap - last_gap) / (trial.h - last_time);
    double next = slope < 0 ? trial.h - closing.gap / slope : low;
    if (i % 3 == 2) {
      if (high - low > 0.5 * width) next = low;
      width = high - low;
    }
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (!(high - low > kTimeRounding * h) || next == trial.h) break;
    last_time = trial.h;
    last_gap = closing.gap;
    watched_ = closing_;
    if (!solve_positions(next, trial)) return false;
    // The least gap among the contacts that closed before and those that close now.
    const FirstClosing now = find_closing(kLocated);
    if (now.any) {
      high = next;
      closing = now;
      continue;
    }
    closing = {};
    for (const Contact& contact : found_) {
      if (is_in_step(contact.id)) continue;
      const bool was = std::ranges::any_of(watched_, [&](const Contact& c) { return c.id == contact.id; });
      if (!was || (closing.any && contact.gap >= closing.gap)) continue;
      closing = {true, contact.gap, gap_rate(positions_.end_kinematics(), contact),
                 std::max(kLocated * touch(contact), gap_rounding(positions_.end_kinematics(), contact))};
    }
    for (std::size_t b = 0; b < start_.blocks.size(); ++b) {
      const ConstraintBlock& block = positions_.end_blocks()[b];
      if (block.law != RowLaw::limited || limit_active_[b]) continue;
      if (closing.any && block.error[0] >= closing.gap) continue;
      closing = {true, block.error[0],
                 row_velocities(block, positions_.end_kinematics(), positions_.v_end())[0], kLimitRounding};
    }
    closing_ = watched_;
    // What leaves now strikes later.
    if (closing.any && closing.gap <= closing.tolerance && closing.rate <= 0) break;
    low = next;
  }
  trial.cut = true;
  return true;
}

}  // namespace pawl::internal
