#include <pawl/step/two_stage_step.h>

// The contacts and limits that take part in a step.

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/step/motion_bounds.h>
#include <pawl/step/stage_timer.h>
#include <pawl/step/step_tolerances.h>

namespace pawl::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMaxTurn = 0.4;           // rad: of a touching body in one step
constexpr double kPressedFraction = 1e-6;  // rest speed of a pressed contact relative to h F/m
constexpr double kShortFlight = 1e-3;      // of a step: what falls back within it does not leave
constexpr double kSpeedChange = 0.1;       // by impulses, relative to the speeds of the bodies
constexpr double kDeepOverlap = 1e-4;      // relative to the smaller body
constexpr double kKeptOverlap = 1e-6;      // the same: scenes do not mean overlaps this small
constexpr double kOpenJoint = 1e-7;        // m or rad: steps leave smaller errors

/// m or rad: the error of a joint.
double open_by(const ConstraintBlock& block) {
  return std::hypot(block.error[0], block.error[1], block.error[2]);
}

/// True for a joint that does not hold, as at the start of some scenes.
bool is_open(const ConstraintBlock& block) {
  return block.law == RowLaw::equality && !block.velocity_only && open_by(block) > kOpenJoint;
}

}  // namespace

double TwoStageStep::size_of(const Contact& contact) const {
  return internal::size_of(contact, body_radius_);
}

double TwoStageStep::touch(const Contact& contact) const {
  const double least = std::min(shape_touch_[contact.id.shape_a], shape_touch_[contact.id.shape_b]);
  return std::max(least, 4 * gap_rounding(start_.dynamics.kinematics, contact));
}

/// The speed up to which a contact does not leave: what carried a force in the last step, without gravity
/// too, must not leave by rounding; and what gravity brings back at once rests, or bodies would rock from
/// one point to another in ever shorter steps.
double TwoStageStep::leaving_speed(const Contact& contact) const {
  const double falls_back = 0.5 * kShortFlight * nominal_step_ * norm(model_.gravity);
  const WarmStart::OfContact* found = memory_.find(contact);
  if (found == nullptr) return rest_speed_ + falls_back;
  double lightest = kInfinity;
  for (const int b : {contact.body_a, contact.body_b}) {
    if (model_.bodies[b].tree >= 0) lightest = std::min(lightest, model_.bodies[b].mass);
  }
  return rest_speed_ + falls_back + kPressedFraction * nominal_step_ * found->total[0] / lightest;
}

double TwoStageStep::max_step() const {
  double fastest = 0;
  for (const Contact& contact : touching_) {
    for (const int body : {contact.body_a, contact.body_b})
      fastest = std::max(fastest, norm(start_.dynamics.kinematics.w[body]));
  }
  return fastest > 0 ? kMaxTurn / fastest : kInfinity;
}

/// The contacts that touch now and do not separate, and the limits that are reached.
void TwoStageStep::select_contacts(double h, Closing mode) {
  const StageTimer timer(times_.select);
  const bool inelastic = mode == Closing::inelastic;
  contacts_.clear();
  leaving_.clear();
  start_.clock = {time_, h, nominal_step_};
  for (const Contact& contact : touching_) {
    const bool overlaps = contact.gap < -kClosed * touch(contact);
    if (!inelastic && !overlaps && gap_rate(start_.dynamics.kinematics, contact) > leaving_speed(contact)) {
      leaving_.push_back(contact.id);
    } else {
      add_contact(contact);
    }
  }
  const double lift = holds_overlaps_ ? 0 : kMaxPartingSpeed * h;
  if (slack_ > 0) add_near_contacts(h);
  constraint_blocks(model_, start_.dynamics.kinematics, q_, time_, start_.blocks);
  limit_active_.assign(start_.blocks.size(), 0);
  row_target_.assign(start_.blocks.size(), {});
  for (std::size_t b = 0; b < start_.blocks.size(); ++b) {
    const ConstraintBlock& block = start_.blocks[b];
    if (is_open(block)) {
      const double left = std::max(0.0, 1 - lift / open_by(block));
      for (int r = 0; r < block.rows; ++r) row_target_[b][r] = left * block.error[r];
    }
    if (block.law != RowLaw::limited || block.error[0] > kLimitTouch) continue;
    const double rate = row_velocities(block, start_.dynamics.kinematics, v_)[0];
    limit_active_[b] = inelastic || block.error[0] < -kLimitTouch || rate <= rest_speed_;
    row_target_[b][0] =
        std::min(block.error[0] < 0 ? block.error[0] + lift : block.error[0], std::max(block.error[0], 0.0));
  }
}

/// Adds the contacts without restitution that the present velocities would close within the step, so that
/// they need not be found one after the other. Impulses change the velocities by up to a fraction of the
/// speeds.
void TwoStageStep::add_near_contacts(double h) {
  const Kinematics& k = start_.dynamics.kinematics;
  const double fall = h * norm(model_.gravity);
  const auto speed = [&](int b) { return norm(k.c[b]) + norm(k.w[b]) * body_radius_[b]; };
  double fastest = 0;
  for (std::size_t b = 1; b < model_.bodies.size(); ++b)
    fastest = std::max(fastest, speed(static_cast<int>(b)));
  finder_.find({k, nullptr, std::max(max_touch_, 2 * h * (fastest + fall))}, near_);
  for (const Contact& contact : near_) {
    if (contact.gap <= touch(contact) || restitution_policy_.restitution(contact) > 0) continue;
    const double change = fall + kSpeedChange * (speed(contact.body_a) + speed(contact.body_b));
    if (contact.gap + h * (gap_rate(k, contact) - change) > 0) continue;
    StepContact& added = add_contact(contact);
    added.enters = true;
  }
}

bool TwoStageStep::overlaps_deeply() const {
  return std::ranges::any_of(touching_, [&](const Contact& c) { return c.gap < -kDeepOverlap * size_of(c); });
}

void TwoStageStep::meet_overlaps() {
  parts_gently_ = overlaps_deeply();
  kept_overlap_ = 0;
  double deepest = 0;
  for (const Contact& contact : touching_) {
    if (contact.gap < -kKeptOverlap * size_of(contact)) return;
    if (contact.gap < -kClosed * touch(contact)) deepest = std::max(deepest, -contact.gap);
  }
  kept_overlap_ = deepest;
}

/// True for an overlap no larger than those that the scene started with by the rounding of its numbers. To
/// part them would take energy.
bool TwoStageStep::stays(const Contact& contact) const {
  return contact.gap < 0 && contact.gap >= -kept_overlap_ - kClosed * touch(contact) && kept_overlap_ > 0;
}

/// Adds a contact, given at q, to the step.
StepContact& TwoStageStep::add_contact(const Contact& contact) {
  const auto place =
      std::ranges::lower_bound(contacts_, contact.id, {}, [](const StepContact& c) { return c.contact.id; });
  if (place != contacts_.end() && place->contact.id == contact.id) return *place;
  return *contacts_.insert(
      place, {contact, contact_tangent(model_, start_.dynamics.kinematics, contact), 0,
              !stays(contact) && contact.gap < -std::max(touch(contact), kMaxOverlap * size_of(contact)),
              contact.gap < -kDeepOverlap * size_of(contact)});
}

/// The least gaps at the end of the step. Overlaps are parted at a bounded speed. The contacts of a pair keep
/// the differences of their gaps, which are within touch, so that all points of a patch carry; the least gap
/// of the pair closes.
void TwoStageStep::set_targets(double h) {
  for (std::size_t first = 0, last = 0; first < contacts_.size(); first = last) {
    const ContactId& id = contacts_[first].contact.id;
    double least = kInfinity;
    for (last = first; last < contacts_.size() && contacts_[last].contact.id.shape_a == id.shape_a &&
                       contacts_[last].contact.id.shape_b == id.shape_b;
         ++last) {
      if (!contacts_[last].enters) least = std::min(least, std::max(0.0, contacts_[last].contact.gap));
    }
    for (std::size_t c = first; c < last; ++c) {
      const double gap = contacts_[c].contact.gap;
      const double speed = parts_gently_ && contacts_[c].deep ? kMaxDeepPartingSpeed : kMaxPartingSpeed;
      const double lift = holds_overlaps_ ? 0 : speed * h;
      contacts_[c].target = contacts_[c].enters           ? 0
                            : stays(contacts_[c].contact) ? gap
                            : gap < 0                     ? std::min(0.0, gap + lift)
                                                          : gap - least;
      contacts_[c].moves = std::abs(gap - contacts_[c].target) > kClosed * touch(contacts_[c].contact);
    }
  }
}

/// True if a contact found at q⁺ is one of the step's contacts there.
bool TwoStageStep::is_in_step(const ContactId& id) const {
  return std::ranges::binary_search(step_ids_, id);
}

/// True if a limit that is not in the step is violated at q⁺. What leaves may violate it a little at first.
bool TwoStageStep::limit_closes(std::size_t b) const {
  const ConstraintBlock& block = positions_.end_blocks()[b];
  const double tolerance = kLimitRounding + std::max(0.0, -start_.blocks[b].error[0]);
  return block.law == RowLaw::limited && !limit_active_[b] && block.error[0] < -tolerance;
}

bool TwoStageStep::overlaps() const {
  if (std::ranges::any_of(contacts_, &StepContact::overlaps)) return true;
  for (std::size_t b = 0; b < start_.blocks.size(); ++b) {
    if (is_open(start_.blocks[b])) return true;
    if (limit_active_[b] && start_.blocks[b].law == RowLaw::limited &&
        start_.blocks[b].error[0] < -kLimitTouch)
      return true;
  }
  return false;
}

void TwoStageStep::name_overlap(TwoStageTrial& trial) const {
  double deepest = 0;
  for (const StepContact& each : contacts_) {
    if (each.contact.gap >= deepest) continue;
    deepest = each.contact.gap;
    trial.body_a = each.contact.body_a;
    trial.body_b = each.contact.body_b;
  }
  for (const ConstraintBlock& block : start_.blocks) {
    if (!is_open(block) || -open_by(block) >= deepest) continue;
    deepest = -open_by(block);
    name_bodies(block, trial);
  }
}

}  // namespace pawl::internal
