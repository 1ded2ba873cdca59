#include <pawl/step/two_stage_step.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/assemble/joint_rank.h>
#include <pawl/collision/shapes/bounds.h>

namespace pawl::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTouch = 1e-6;       // gap of touching shapes, relative to the thickness of the thinner
constexpr double kThinTouch = 1e-9;   // the same, relative to the size of a body, however thin
constexpr double kLimitTouch = 1e-9;  // m or rad: a joint this close to a limit is at the limit
constexpr double kCreep = 1e-7;       // motion in a step, relative to a body's size, without energy to judge
constexpr double kLimitRounding = 1e-14;   // m or rad: accuracy of a located limit
constexpr double kClosed = 1e-3;           // overlap that counts as closing, relative to the touch gap
constexpr double kLocated = 1e-6;          // accuracy of a located impact, relative to the touch gap
constexpr double kMaxTurn = 0.4;           // rad: of a touching body in one step
constexpr double kRestFraction = 1e-3;     // rest speed relative to h |g|
constexpr double kSpeedRounding = 1e-12;   // rest speed relative to the fastest body
constexpr double kPressedFraction = 1e-6;  // rest speed of a pressed contact relative to h F/m
constexpr double kSoftness = 1e-9;         // compliance of joints if some of their rows are redundant
constexpr double kAimFraction = 1e-6;      // target residual relative to the tolerance
constexpr double kMaxLiftSpeed = 1;        // m/s or rad/s: at which overlaps are parted
constexpr int kMaxRootIterations = 60;     // of the search for the time of an impact
constexpr int kMaxContactRounds = 20;      // of adding contacts that the step had missed
constexpr double kTimeRounding = 1e-15;    // relative to a step
constexpr double kEnergyError = 1e-4;      // energy error of a step relative to its kinetic energy
constexpr double kMinRemembered = 1e-6;    // of a step: shorter ones have no forces to start the next from
constexpr double kDeepOverlap = 1e-4;      // relative to the smaller body
constexpr double kMaxOverlap = 1e-7;       // relative to the smaller body

SolveOptions options_of(double tolerance) {
  SolveOptions solve;
  solve.tolerance = tolerance;
  solve.target_residual = kAimFraction * tolerance;
  solve.least_norm = true;
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
      rate_stage_(model, friction_, softness_) {
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (body.tree < 0 || !(body.mass > 0)) continue;
    parting_energy_ += 0.5 * body.mass * kMaxLiftSpeed * kMaxLiftSpeed;
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
    if (!is_static_only(shape.kind)) max_touch_ = std::max(max_touch_, shape_touch_.back());
  }
}

double TwoStageStep::size_of(const Contact& contact) const {
  // The world and bodies with only fixed surfaces have radius 0.
  const double a = body_radius_[contact.body_a], b = body_radius_[contact.body_b];
  return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
}

double TwoStageStep::touch(const Contact& contact) const {
  const double least = std::min(shape_touch_[contact.id.shape_a], shape_touch_[contact.id.shape_b]);
  return std::max(least, 4 * gap_rounding(start_.dynamics.kinematics, contact));
}

/// The speed up to which a contact does not leave: what carried a force in the last step, without gravity
/// too, must not leave by rounding.
double TwoStageStep::leaving_speed(const Contact& contact) const {
  const auto found = std::ranges::lower_bound(memory_.contacts, contact.id, {}, &StepMemory::OfContact::id);
  if (found == memory_.contacts.end() || found->id != contact.id) return rest_speed_;
  double lightest = kInfinity;
  for (const int b : {contact.body_a, contact.body_b}) {
    if (model_.bodies[b].tree >= 0) lightest = std::min(lightest, model_.bodies[b].mass);
  }
  return rest_speed_ + kPressedFraction * nominal_step_ * found->total[0] / lightest;
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
  history.transfer(memory_.contacts, [&](StepMemory::OfContact& contact) {
    history.transfer(contact.id);
    history.transfer(contact.first);
    history.transfer(contact.total);
    history.transfer(contact.first_basis);
    history.transfer(contact.total_basis);
  });
  history.transfer(memory_.first);
  history.transfer(memory_.total);
  history.transfer(memory_.first_basis);
  history.transfer(memory_.total_basis);
  history.transfer(touching_);
  const auto fits = [&](const Contact& contact) {
    const auto within = [](int i, std::size_t count) {
      return i >= 0 && static_cast<std::size_t>(i) < count;
    };
    return within(contact.id.shape_a, model_.shapes.size()) &&
           within(contact.id.shape_b, model_.shapes.size()) && within(contact.body_a, model_.bodies.size()) &&
           within(contact.body_b, model_.bodies.size());
  };
  const std::size_t blocks = memory_.first.size();
  if (!std::ranges::all_of(touching_, fits) || memory_.total.size() != blocks ||
      memory_.first_basis.size() != blocks || memory_.total_basis.size() != blocks) {
    touching_.clear();
    memory_.clear();
    history.fail();
  }
}

void TwoStageStep::evaluate_start() {
  start_.q = q_;
  start_.v = v_;
  Kinematics& k = start_.dynamics.kinematics;
  position_kinematics(model_, q_, k);
  velocity_kinematics(model_, v_, k);
  start_.kinetic = kinetic_energy(model_, k);
  start_.potential = potential_energy(model_, k);
  double fastest = 0;
  for (std::size_t b = 1; b < k.c.size(); ++b)
    fastest = std::max(fastest, norm(k.c[b]) + norm(k.w[b]) * body_radius_[b]);
  rest_speed_ = kRestFraction * nominal_step_ * norm(model_.gravity) + kSpeedRounding * fastest;
}

double TwoStageStep::max_step() const {
  double fastest = 0;
  for (const Contact& contact : touching_) {
    for (const int body : {contact.body_a, contact.body_b})
      fastest = std::max(fastest, norm(start_.dynamics.kinematics.w[body]));
  }
  return fastest > 0 ? kMaxTurn / fastest : kInfinity;
}

TwoStageTrial TwoStageStep::try_step(double h, Closing mode) {
  TwoStageTrial trial;
  select_contacts(h, mode);
  for (int round = 0;; ++round) {
    if (!solve_positions(h, trial)) return trial;
    const FirstClosing closing = find_closing(kClosed);
    if (!closing.any) break;
    if (round == kMaxContactRounds) {
      trial.status = Status::approximate;
      trial.reason = "too many contacts close";
      return trial;
    }
    if (add_missed_contacts(mode, trial)) continue;
    if (trial.impact_first) return trial;
    if (!locate_impact(h, closing, trial)) return trial;
    break;
  }
  solve_velocities(trial);
  if (trial.status == Status::refused) return trial;
  verify(trial);
  return trial;
}

/// The contacts that touch now and do not separate, and the limits that are reached.
void TwoStageStep::select_contacts(double h, Closing mode) {
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
  constraint_blocks(model_, start_.dynamics.kinematics, q_, time_, start_.blocks);
  limit_active_.assign(start_.blocks.size(), 0);
  limit_target_.assign(start_.blocks.size(), 0.0);
  for (std::size_t b = 0; b < start_.blocks.size(); ++b) {
    const ConstraintBlock& block = start_.blocks[b];
    if (block.law != RowLaw::limited || block.error[0] > kLimitTouch) continue;
    const double rate = row_velocities(block, start_.dynamics.kinematics, v_)[0];
    limit_active_[b] = inelastic || block.error[0] < -kLimitTouch || rate <= rest_speed_;
    limit_target_[b] = std::min(block.error[0] < 0 ? block.error[0] + kMaxLiftSpeed * h : block.error[0],
                                std::max(block.error[0], 0.0));
  }
}

/// Adds a contact, given at q, to the step.
StepContact& TwoStageStep::add_contact(const Contact& contact) {
  const auto place =
      std::ranges::lower_bound(contacts_, contact.id, {}, [](const StepContact& c) { return c.contact.id; });
  if (place != contacts_.end() && place->contact.id == contact.id) return *place;
  return *contacts_.insert(place, {contact, contact_tangent(model_, start_.dynamics.kinematics, contact), 0,
                                   contact.gap < -std::max(touch(contact), kMaxOverlap * size_of(contact)),
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
      contacts_[c].target = contacts_[c].enters ? 0
                            : gap < 0           ? std::min(0.0, gap + kMaxLiftSpeed * h)
                                                : gap - least;
      contacts_[c].moves = std::abs(gap - contacts_[c].target) > kClosed * touch(contacts_[c].contact);
    }
  }
}

/// The warm start: the impulses of the last step, scaled to this one's length.
void TwoStageStep::recall(double h) {
  p1_.assign(contacts_.size(), start_.blocks.size());
  p_.assign(contacts_.size(), start_.blocks.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const auto found =
        std::ranges::lower_bound(memory_.contacts, contacts_[c].contact.id, {}, &StepMemory::OfContact::id);
    if (found == memory_.contacts.end() || found->id != contacts_[c].contact.id) continue;
    for (int r = 0; r < kContactRows; ++r) {
      p1_.contact[c][r] = h * found->first[r];
      p_.contact[c][r] = h * found->total[r];
    }
    p1_.contact_basis[c] = found->first_basis;
    p_.contact_basis[c] = found->total_basis;
  }
  if (memory_.first.size() != start_.blocks.size()) return;
  for (std::size_t b = 0; b < start_.blocks.size(); ++b) {
    for (int r = 0; r < 3; ++r) {
      p1_.block[b][r] = h * memory_.first[b][r];
      p_.block[b][r] = h * memory_.total[b][r];
    }
    p1_.block_basis[b] = memory_.first_basis[b];
    p_.block_basis[b] = memory_.total_basis[b];
  }
}

bool TwoStageStep::solve_positions(double h, TwoStageTrial& trial) {
  start_.clock = {time_, h, nominal_step_};
  if (!evaluate_dynamics(model_, start_.clock, start_.dynamics)) {
    trial.status = Status::refused;
    trial.reason = "mass matrix";
    return false;
  }
  recall(h);
  set_targets(h);
  const PositionStage::Outcome outcome =
      positions_.solve(start_, contacts_, limit_active_, limit_target_, solve_options_, p1_);
  add_to(trial, outcome);
  trial.h = h;
  trial.passes += outcome.passes;
  trial.residual = outcome.residual;
  trial.contacts = static_cast<int>(contacts_.size());
  if (!outcome.converged) {
    trial.status = std::max(outcome.status, Status::approximate);
    trial.reason =
        motor_meets_limit(start_.blocks, positions_.active()) ? kMotorAgainstLimit : outcome.reason;
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
  finder_.find({positions_.end_kinematics(), &start_.dynamics.kinematics, max_touch_, keep_}, found_);
  return true;
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
    const bool touches = contact.gap <= touch(contact) && !std::ranges::binary_search(leaving_, contact.id);
    // While a pair is parted, its contacts change; there is no impact to locate.
    const bool parted = std::ranges::any_of(contacts_, [&](const StepContact& c) {
      return c.overlaps && c.contact.id.shape_a == contact.id.shape_a &&
             c.contact.id.shape_b == contact.id.shape_b;
    });
    const bool enters = mode == Closing::inelastic || parted ||
                        (mode == Closing::lazy && !(restitution_policy_.restitution(contact) > 0));
    if (!touches && !enters) continue;
    if (touches && !parted && mode != Closing::inelastic &&
        gap_rate(start_.dynamics.kinematics, contact) < -rest_speed_) {
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
    limit_target_[b] = 0;
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

void TwoStageStep::solve_velocities(TwoStageTrial& trial) {
  included_.assign(contacts_.size(), 0);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Contact& end = positions_.end_contacts()[c];
    included_[c] = p1_.contact[c][0] > 0 || end.gap <= contacts_[c].target + kClosed * touch(end);
  }
  const StageOutcome outcome = velocities_.solve(start_, positions_, included_, p1_, solve_options_, p_);
  add_to(trial, outcome);
  trial.residual = worst(trial.residual, outcome.residual);
  if (outcome.status > trial.status) {
    trial.status = outcome.status;
    trial.reason = outcome.reason;
  }
}

/// Measures the motion at its end. A step that gains energy or overlaps is not accepted.
void TwoStageStep::verify(TwoStageTrial& trial) {
  const double h = trial.h;
  trial.answered = true;
  end_.X_WB = positions_.end_kinematics().X_WB;
  end_.dofs = positions_.end_kinematics().dofs;
  velocity_kinematics(model_, velocities_.v_end(), end_);
  end_kinetic_ = kinetic_energy(model_, end_);
  end_potential_ = potential_energy(model_, end_);
  trial.work = step_work(model_, start_, contacts_, positions_, velocities_, p1_, p_);
  trial.joint_error = max_joint_error(positions_.end_blocks());
  trial.min_gap = finder_.min_gap(end_, found_);
  const auto fail = [&](std::string_view reason) {
    trial.status = std::max(trial.status, Status::approximate);
    trial.reason = reason;
  };
  if (!std::isfinite(end_kinetic_ + end_potential_)) {
    trial.status = Status::refused;
    trial.reason = "not finite";
    return;
  }
  double fall = 0;  // J: kinetic energy that gravity gives in this time
  const double g = norm(model_.gravity);
  for (const Body& body : model_.bodies) fall += body.tree >= 0 ? 0.5 * body.mass * g * g * h * h : 0;
  const double error = end_kinetic_ + end_potential_ - start_.kinetic - start_.potential - trial.work.total();
  const double exchanged =
      std::abs(trial.work.motors) + std::abs(trial.work.applied) + std::abs(trial.work.friction);
  double pressed = 0;  // J: of the contact forces over the touch gaps
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    pressed += p_.contact[c][0] / h * touch(contacts_[c].contact);
  double lift = 0, weight = 0;  // of small overlaps, m; of all bodies, N
  for (const StepContact& each : contacts_) lift = std::max(lift, each.target - each.contact.gap);
  for (const Body& body : model_.bodies) weight += body.tree >= 0 ? body.mass * g : 0;
  const double lifted = weight * lift;
  const double allowed =
      kEnergyError * std::max({start_.kinetic, end_kinetic_, fall, exchanged, pressed, least_energy_});
  // Implicit springs and dampers lose energy by design.
  bool has_implicit_springs = false;
  for (std::size_t b = 0; b < start_.blocks.size(); ++b)
    has_implicit_springs |= start_.blocks[b].law == RowLaw::compliant && positions_.active()[b];
  bool parts_overlap = std::ranges::any_of(contacts_, &StepContact::overlaps);
  for (std::size_t b = 0; b < start_.blocks.size(); ++b)
    parts_overlap |= limit_active_[b] && start_.blocks[b].error[0] < -kLimitTouch;
  if (parts_overlap) {
    // Parting the bodies takes work, but leaves no speed behind.
    trial.work.stabilisation += error;
    const double sunk = std::max(0.0, start_.potential - end_potential_);
    const double motors = std::max(0.0, trial.work.motors);
    if (end_kinetic_ > start_.kinetic + sunk + motors + fall + parting_energy_ + allowed) fail("energy");
  } else if (error > allowed + lifted || (error < -allowed - trial.work.struck && !has_implicit_springs)) {
    fail("energy");
  } else if (error < 0) {
    trial.work.normal += std::max(error, -trial.work.struck);  // what a strike lost
  }
  if (finder_.passes_through(found_)) fail("passes through");
  double start_overlap = 0;
  for (const Contact& contact : touching_) start_overlap = std::max(start_overlap, -contact.gap);
  for (const Contact& contact : found_) {
    if (contact.gap < -std::max(kMaxOverlap * size_of(contact), start_overlap)) fail("overlap");
  }
  trial.accepted = trial.status == Status::certified;
}

void TwoStageStep::accept(const TwoStageTrial& trial) {
  const double h = trial.h;
  if (h < kMinRemembered * nominal_step_) {
    advance(h);
    return;
  }
  memory_.contacts.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (!included_[c]) continue;
    StepMemory::OfContact& memory = memory_.contacts.emplace_back();
    memory.id = positions_.end_contacts()[c].id;
    for (int r = 0; r < kContactRows; ++r) {
      memory.first[r] = p1_.contact[c][r] / h;
      memory.total[r] = p_.contact[c][r] / h;
    }
    memory.first_basis = p1_.contact_basis[c];
    memory.total_basis = p_.contact_basis[c];
  }
  std::ranges::sort(memory_.contacts, {}, &StepMemory::OfContact::id);
  memory_.first = p1_.block;
  memory_.total = p_.block;
  memory_.first_basis = p1_.block_basis;
  memory_.total_basis = p_.block_basis;
  for (auto* values : {&memory_.first, &memory_.total}) {
    for (BlockValues& block : *values) {
      for (double& x : block) x /= h;
    }
  }
  advance(h);
}

/// Moves the start to the end of the trial.
void TwoStageStep::advance(double h) {
  time_ += h;
  q_.assign(positions_.q_end().begin(), positions_.q_end().end());
  v_.assign(velocities_.v_end().begin(), velocities_.v_end().end());
  evaluate_start();
  touching_.clear();
  for (const Contact& contact : found_) {
    if (contact.gap <= touch(contact)) touching_.push_back(contact);
  }
  closing_.clear();
}

double TwoStageStep::make_joint_rates_consistent() {
  start_.clock = {time_, nominal_step_};
  constraint_blocks(model_, start_.dynamics.kinematics, q_, time_, start_.blocks);
  limit_active_.assign(start_.blocks.size(), 0);
  rate_shift_.assign(start_.blocks.size(), {});
  bool broken = false;
  for (std::size_t b = 0; b < start_.blocks.size(); ++b) {
    const ConstraintBlock& block = start_.blocks[b];
    if (block.law != RowLaw::equality) continue;
    limit_active_[b] = 1;
    const BlockValues rate = row_velocities(block, start_.dynamics.kinematics, v_);
    const double allowed = solve_options_.tolerance * velocity_scale(block, start_.dynamics.kinematics, v_);
    for (int r = 0; r < block.rows; ++r) broken |= std::abs(rate[r]) > allowed;
  }
  if (!broken || !evaluate_dynamics(model_, start_.clock, start_.dynamics)) return 0;
  start_.dynamics.motion.v_free = v_;
  rate_stage_.assemble({start_.dynamics.kinematics,
                        {},
                        {},
                        start_.blocks,
                        limit_active_,
                        start_.dynamics.motion,
                        nominal_step_});
  rate_stage_.set_shifts({}, rate_shift_);
  p_.assign(0, start_.blocks.size());
  v_consistent_.resize(model_.nv);
  if (rate_stage_.solve(solve_options_, 0, true, p_, v_consistent_).status != Status::certified) return 0;
  const double before = start_.kinetic;
  v_ = v_consistent_;
  evaluate_start();
  return start_.kinetic - before;
}

TwoStageTrial TwoStageStep::take_robust_step(double h) {
  TwoStageTrial trial;
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
  if (!std::isfinite(kinetic_energy(model_, end_) + potential_energy(model_, end_))) {
    trial.status = Status::refused;
    trial.reason = "not finite";
    return trial;
  }
  trial.answered = true;
  memory_.clear();
  const double before = start_.kinetic + start_.potential;
  begin(time_ + h, robust_.q_end(), robust_.v_end());
  end_kinetic_ = start_.kinetic;
  end_potential_ = start_.potential;
  trial.min_gap = finder_.min_gap(start_.dynamics.kinematics, touching_);
  trial.work.stabilisation = end_kinetic_ + end_potential_ - before;
  return trial;
}

ImpactOutcome TwoStageStep::resolve_impact() {
  // Residual velocities of contacts that the step has met are not an impact.
  double rest = rest_speed_;
  for (const Contact& contact : touching_) {
    if (std::ranges::binary_search(memory_.contacts, contact.id, {}, &StepMemory::OfContact::id))
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
