#include <pawl/step/two_stage_step.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/assemble/joint_rank.h>
#include <pawl/collision/shapes/bounds.h>
#include <pawl/step/motion_bounds.h>
#include <pawl/step/stage_timer.h>
#include <pawl/step/step_tolerances.h>

namespace pawl::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTouch = 1e-6;      // gap of touching shapes, relative to the thickness of the thinner
constexpr double kThinTouch = 1e-9;  // the same, relative to the size of a body, however thin
// Steps at rest have no slack. After a few in a row that Newton's method could not solve, the next ones have
// it.
constexpr int kHardSteps = 3, kSoftSteps = 1000;
constexpr double kSlack = 0.02;        // touch gap
constexpr double kSamePlace = 10;      // touch gaps: contacts of a pair this close are the same
constexpr double kCreep = 1e-7;        // motion in a step, relative to a body's size, without energy to judge
constexpr double kSoftness = 1e-9;     // compliance of joints if some of their rows are redundant
constexpr int kLeastNormSteps = 10;    // where they do not suffice, bodies move, and none would
constexpr double kAimFraction = 1e-6;  // target residual relative to the tolerance
constexpr double kMaxRobustGain =
    10;  // energy gained in a last resort, of what the bodies had and may be given
constexpr int kMaxContactRounds = 20;    // of adding contacts that the step had missed
constexpr double kMinRemembered = 1e-6;  // of a step: shorter ones have no forces to start the next from

SolveOptions options_of(double tolerance) {
  SolveOptions solve;
  solve.tolerance = tolerance;
  solve.target_residual = kAimFraction * tolerance;
  solve.least_norm = true;
  solve.least_norm_steps = kLeastNormSteps;
  solve.check_uniqueness = false;
  return solve;
}

void add_to(TwoStageTrial& trial, const StageOutcome& stage) {
  trial.solves += stage.solves;
  trial.iterations += stage.iterations;
  trial.problem_size = std::max(trial.problem_size, stage.problem_size);
  trial.method = std::max(trial.method, stage.method);
}

}  // namespace

TwoStageStep::TwoStageStep(const Model& model, const RunOptions& options)
    : model_(model),
      nominal_step_(options.step),
      nominal_fall_(fall_energy(model, options.step)),
      accuracy_(options.accuracy.value_or(kMaxEnergyError)),
      friction_(model, options.friction.value_or(FrictionForm::exact), options.friction_directions),
      solve_options_(options_of(options.tolerance)),
      softness_(joint_rank(model, initial_state(model)).redundant > 0 ? kSoftness : 0),
      contact_points_(options.contact_points),
      restitution_policy_(model, options),
      touch_(options.impacts.contact_tolerance),
      body_radius_(body_radii(model)),
      finder_(model, options.contact_points),
      impacts_(model, options, restitution_policy_, friction_, solve_options_, softness_),
      positions_(model, friction_, softness_, options.contact_points),
      velocities_(model, friction_, softness_),
      robust_(model, friction_, softness_),
      rate_stage_(model, friction_, softness_),
      memory_(0),
      round_(0) {
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (body.tree < 0 || !(body.mass > 0)) continue;
    weight_ += body.mass * norm(model.gravity);
    parting_energy_ += 0.5 * body.mass * kMaxPartingSpeed * kMaxPartingSpeed;
    const double size = std::max(body_radius_[b], std::sqrt(trace(body.inertia_B) / body.mass));
    const double creep = kCreep * size / options.step;
    least_energy_ += body.mass * (kTouch * norm(model.gravity) * size + 0.5 * creep * creep);
  }
  for (const Shape& shape : model.shapes) {
    // Relative to the thinnest part: the two rims of a thin disc must not touch at once.
    const double least = kThinTouch * body_radius_[shape.body];
    shape_touch_.push_back(is_static_only(shape.kind)
                               ? kInfinity
                               : touch_.value_or(std::max(kTouch * inner_radius(shape.solid), least)));
    if (is_static_only(shape.kind)) continue;
    max_touch_ = std::max(max_touch_, shape_touch_.back());
    min_touch_ = min_touch_ > 0 ? std::min(min_touch_, shape_touch_.back()) : shape_touch_.back();
  }
  memory_ = round_ = WarmStart(kSamePlace * max_touch_);
}

void TwoStageStep::begin(double time, std::span<const double> q, std::span<const double> v) {
  time_ = time;
  q_.assign(q.begin(), q.end());
  v_.assign(v.begin(), v.end());
  evaluate_start();
  finder_.find({start_.dynamics.kinematics, nullptr, max_touch_}, touching_);
  std::erase_if(touching_, [&](const Contact& contact) { return contact.gap > touch(contact); });
}

void TwoStageStep::transfer(History& history) {
  const bool whole = memory_.transfer(history);
  history.transfer(touching_);
  history.transfer(holds_overlaps_);
  history.transfer(parts_gently_);
  history.transfer(soft_steps_);
  history.transfer(hard_steps_);
  positions_.stage().transfer(history);
  velocities_.stage().transfer(history);
  history.transfer(kept_overlap_);
  const auto fits = [&](const Contact& contact) {
    const auto within = [](int i, std::size_t count) {
      return i >= 0 && static_cast<std::size_t>(i) < count;
    };
    return within(contact.id.shape_a, model_.shapes.size()) &&
           within(contact.id.shape_b, model_.shapes.size()) && within(contact.body_a, model_.bodies.size()) &&
           within(contact.body_b, model_.bodies.size());
  };
  if (whole && std::ranges::all_of(touching_, fits)) return;
  touching_.clear();
  memory_.clear();
  history.fail();
}

void TwoStageStep::evaluate_start() {
  start_.q = q_;
  start_.v = v_;
  Kinematics& k = start_.dynamics.kinematics;
  position_kinematics(model_, q_, k);
  velocity_kinematics(model_, v_, k);
  start_.kinetic = kinetic_energy(model_, k);
  start_.potential = potential_energy(model_, k);
  rest_speed_ = restitution_policy_.rest_speed(k);
}

TwoStageTrial TwoStageStep::try_step(double h, Closing mode) {
  TwoStageTrial trial;
  const bool many = mode == Closing::lazy, at_rest = start_.kinetic <= nominal_fall_;
  slack_ = many && (!at_rest || soft_steps_ > 0) ? kSlack * min_touch_ : 0;
  select_contacts(h, mode);
  if (solve_positions_and_closings(h, mode, trial)) {
    solve_velocities(trial);
    if (trial.status != Status::refused) verify(trial);
  }
  if (many && slack_ == 0) {
    hard_steps_ = trial.method > SolveMethod::newton ? hard_steps_ + 1 : 0;
    if (!trial.accepted || hard_steps_ >= kHardSteps) soft_steps_ = kSoftSteps;
  }
  return trial;
}

/// Stage 1, with contacts that were missed, up to the first impact. Returns false if the trial has ended.
bool TwoStageStep::solve_positions_and_closings(double h, Closing mode, TwoStageTrial& trial) {
  const StageTimer timer(times_.positions);
  round_.clear();
  for (int round = 0;; ++round) {
    if (!solve_positions(h, trial)) return false;
    const FirstClosing closing = find_closing(kClosed);
    if (!closing.any) return true;
    if (round == kMaxContactRounds) {
      trial.status = Status::approximate;
      trial.reason = "too many contacts close";
      return false;
    }
    if (mode != Closing::located) keep_impulses(h);
    if (add_missed_contacts(mode, trial)) continue;
    return !trial.impact_first && locate_impact(h, closing, trial);
  }
}

/// The next round starts from the impulses of this one.
void TwoStageStep::keep_impulses(double h) {
  included_.assign(contacts_.size(), kIncluded);
  round_.store(h, positions_.stage().contacts(), included_, p1_, p_);
}

bool TwoStageStep::solve_positions(double h, TwoStageTrial& trial) {
  start_.clock = {time_, h, nominal_step_};
  if (!evaluate_dynamics(model_, start_.clock, start_.dynamics)) {
    trial.status = Status::refused;
    trial.reason = "mass matrix";
    return false;
  }
  (round_.empty() ? memory_ : round_).recall(h, contacts_, start_.blocks.size(), p1_, p_);
  set_targets(h);
  const PositionStage::Outcome outcome =
      positions_.solve(start_, contacts_, limit_active_, row_target_, solve_options_, slack_, p1_);
  add_to(trial, outcome);
  trial.h = h;
  trial.passes += outcome.passes;
  trial.slack = outcome.slack;
  trial.residual = outcome.residual;
  trial.contacts = static_cast<int>(contacts_.size());
  if (!outcome.converged) {
    trial.status = std::max(outcome.status, Status::approximate);
    trial.reason = outcome.reason;
    name_bodies(positions_.stage(), trial);
    if (const ConstraintBlock* motor = motor_at_limit(start_.blocks, positions_.active())) {
      trial.reason = kMotorAgainstLimit;
      name_bodies(*motor, trial);
    }
    return false;
  }
  step_ids_.clear();
  for (const StepContact& each : contacts_) step_ids_.push_back(each.contact.id);
  for (const Contact& each : positions_.end_contacts()) step_ids_.push_back(each.id);
  std::ranges::sort(step_ids_);
  // All contacts at q⁺, from a fresh query.
  keep_.clear();
  for (const StepContact& each : contacts_) keep_.push_back(each.contact.id);
  for (const Contact& each : closing_) keep_.push_back(each.id);
  std::ranges::sort(keep_);
  keep_.erase(std::unique(keep_.begin(), keep_.end()), keep_.end());
  finder_.find({positions_.end_kinematics(), &start_.dynamics.kinematics, max_touch_, keep_, true}, found_);
  return true;
}

void TwoStageStep::solve_velocities(TwoStageTrial& trial) {
  const StageTimer timer(times_.velocities);
  included_.assign(contacts_.size(), 0);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Contact& end = positions_.end_contacts()[c];
    const bool acts = p1_.contact[c][0] > 0 || end.gap <= contacts_[c].target + kClosed * touch(end);
    included_[c] = acts ? kIncluded : 0;
  }
  StageOutcome outcome =
      velocities_.solve(start_, positions_, included_, p1_, solve_options_, trial.slack, p_);
  add_to(trial, outcome);
  if (outcome.status < Status::refused && release_contacts()) {
    outcome = velocities_.solve(start_, positions_, included_, p1_, solve_options_, trial.slack, p_);
    add_to(trial, outcome);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      if (included_[c] == kReleased) p_.contact[c] = p1_.contact[c];
    }
  }
  trial.residual = worst(trial.residual, outcome.residual);
  if (outcome.status > trial.status) {
    trial.status = outcome.status;
    trial.reason = outcome.reason;
    name_bodies(velocities_.stage(), trial);
  }
  trial.ambiguous = positions_.may_jam();
}

/// A contact that leaves during the step has pressed in stage 1 only. To take its impulse back at q⁺, as a
/// total of 0 would, is to apply it at another place: a torque without a force. Returns false if no contact
/// leaves.
bool TwoStageStep::release_contacts() {
  // What parts an overlap must leave no speed behind: its impulse is taken back.
  if (std::ranges::any_of(contacts_, [](const StepContact& c) { return c.overlaps || c.moves; }))
    return false;
  bool any = false;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const bool leaves = included_[c] && p1_.contact[c][0] > 0 && !(p_.contact[c][0] > 0) &&
                        velocities_.velocities()[c][0] > rest_speed_;
    if (leaves) included_[c] = kReleased;
    any |= leaves;
  }
  return any;
}

void TwoStageStep::accept(const TwoStageTrial& trial) {
  const double h = trial.h;
  if (h < kMinRemembered * nominal_step_) {
    advance(h);
    return;
  }
  memory_.store(h, positions_.end_contacts(), included_, p1_, p_);
  soft_steps_ = std::max(0, soft_steps_ - 1);
  advance(h);
}

/// Moves the start to the end of the trial.
void TwoStageStep::advance(double h) {
  time_ += h;
  q_.assign(positions_.q_end().begin(), positions_.q_end().end());
  v_.assign(velocities_.v_end().begin(), velocities_.v_end().end());
  evaluate_start();
  if (finder_.extrapolated()) finder_.find({start_.dynamics.kinematics, nullptr, max_touch_, keep_}, found_);
  touching_.clear();
  for (const Contact& contact : found_) {
    if (contact.gap <= touch(contact)) touching_.push_back(contact);
  }
  parts_gently_ = parts_gently_ && overlaps_deeply();
  if (std::ranges::none_of(touching_, [&](const Contact& c) { return c.gap < -kClosed * touch(c); }))
    kept_overlap_ = 0;
  closing_.clear();
}

bool TwoStageStep::explodes(double energy, double good_energy) const {
  const double had = std::max(0.0, good_energy - start_.potential) + nominal_fall_ + parting_energy_;
  return !(energy - good_energy <= kMaxRobustGain * had);
}

TwoStageTrial TwoStageStep::take_robust_step(double h, double good_energy) {
  TwoStageTrial trial;
  if (const ConstraintBlock* motor = impossible_motor()) {
    trial.status = Status::refused;
    trial.reason = kMotorAgainstJoint;
    name_bodies(*motor, trial);
    return trial;
  }
  select_contacts(h, Closing::inelastic);
  if (!evaluate_dynamics(model_, start_.clock, start_.dynamics)) {
    trial.status = Status::refused;
    trial.reason = "mass matrix";
    return trial;
  }
  const StageOutcome outcome = robust_.solve(start_, contacts_, limit_active_, solve_options_, p_);
  add_to(trial, outcome);
  trial.h = h;
  trial.residual = outcome.residual;
  trial.contacts = static_cast<int>(contacts_.size());
  trial.status = std::max(outcome.status, Status::approximate);
  trial.reason = outcome.status > Status::certified ? outcome.reason : "last resort";
  if (outcome.status >= Status::refused) return trial;
  position_kinematics(model_, robust_.q_end(), end_);
  velocity_kinematics(model_, robust_.v_end(), end_);
  const double before = start_.kinetic + start_.potential;
  if (explodes(kinetic_energy(model_, end_) + potential_energy(model_, end_), good_energy)) {
    trial.status = Status::refused;
    trial.reason = kExplosion;
    name_bodies(robust_.stage(), trial);
    return trial;
  }
  trial.answered = true;
  memory_.clear();
  begin(time_ + h, robust_.q_end(), robust_.v_end());
  end_kinetic_ = start_.kinetic;
  end_potential_ = start_.potential;
  trial.min_gap = finder_.min_gap(start_.dynamics.kinematics, touching_);
  trial.work.stabilisation = end_kinetic_ + end_potential_ - before;
  return trial;
}

ImpactOutcome TwoStageStep::resolve_impact() {
  const StageTimer timer(times_.impacts);
  // Residual velocities of contacts that the step has met are not an impact.
  double rest = rest_speed_;
  for (const Contact& contact : touching_) {
    if (memory_.find(contact) != nullptr)
      rest = std::max(rest, std::min(-gap_rate(start_.dynamics.kinematics, contact), leaving_speed(contact)));
  }
  const ImpactOutcome outcome = impacts_.resolve_touching(time_, q_, touching_, rest, 2 * kLimitTouch, v_);
  if (outcome.impacts > 0 && outcome.status != Status::refused) evaluate_start();
  return outcome;
}

const ContactProblem* TwoStageStep::worst_problem() const {
  const ContactProblem *first = positions_.stage().worst_problem(),
                       *second = velocities_.stage().worst_problem();
  return second != nullptr ? second : first;
}

}  // namespace pawl::internal
