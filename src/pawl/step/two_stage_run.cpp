#include <algorithm>
#include <cmath>

#include <pawl/error.h>
#include <pawl/step/history.h>
#include <pawl/step/run.h>
#include <pawl/step/two_stage_step.h>

namespace pawl::internal {
namespace {

constexpr std::uint64_t kHistoryOfTwoStages = 0x5041574c'00000205;
constexpr int kMaxHalvings = 12;
constexpr int kLessHalvings = 2;  // after each of several last resorts in a row: where all steps fail, the
                                  // run goes on at its own pace
constexpr double kMinStepFactor = 0.1, kSafety = 0.9;  // of a step after one that was not accurate enough
constexpr double kHopelessEnergy = 1e200;              // J: no shorter step will do
constexpr int kMaxImpactsAtStart = 20;                 // of contacts that were not found before the step
constexpr int kMaxTouchingLocated =
    24;  // contacts: in larger scenes, impacts without restitution are not located
// Steps of a cell that contacts may cut before those without restitution enter the steps at once: then, as
// where a nearly flat body rolls on its rim, they close one after the other without end. After such a cell,
// fewer.
constexpr int kMaxCuts = 16, kMaxCutsAgain = 2;
constexpr int kMaxCutsAtAll = 64;           // then those with restitution, too
constexpr double kMinStepFraction = 1e-9;   // relative to a step: shorter remainders are skipped
constexpr double kStickingFraction = 1e-8;  // relative to the speeds of the bodies: slower contacts stick

class TwoStageRun : public Run {
 public:
  TwoStageRun(const Model& model, const RunOptions& options)
      : model_(model), options_(options), step_(model, options) {}

  void reset(const State& start) override;
  StepReport step() override;
  double grid_start() const override { return grid_start_; }
  const ContactProblem* worst_problem() const override { return step_.worst_problem(); }

 private:
  TwoStageTrial take_step(StepReport& report);
  TwoStageTrial halve_until_accepted(StepReport& report);
  double step_factor(const TwoStageTrial& trial) const;
  void resolve_impact(StepReport& report);
  void advance_time(double h);
  void record_contacts();
  void record_rows();
  void transfer(History& history);

  const Model& model_;
  RunOptions options_;
  TwoStageStep step_;
  // Nominal steps are the cells of a grid; impacts and halvings divide a cell. The time is
  // grid_start_ + options_.step · cell_ + offset_.
  double grid_start_ = 0;
  std::int64_t cell_ = 0;
  double offset_ = 0;          // s
  double suggested_step_ = 0;  // s: upper bound of the next trial
  int impact_count_ = 0;       // in the cell
  int cuts_ = 0;               // in the cell: steps that end where a contact closes
  int max_cuts_ = kMaxCuts;
  bool fresh_ = true;       // no step since the reset
  bool robust_ = false;     // the last step was the last resort
  int robust_steps_ = 0;    // last resorts in a row
  double good_energy_ = 0;  // J: at the start of the last step that was accepted
  std::vector<ContactRecord> impact_records_;
};

void TwoStageRun::reset(const State& start) {
  state_ = start;
  grid_start_ = start.time;
  cell_ = 0;
  offset_ = 0;
  suggested_step_ = options_.step;
  impact_count_ = 0;
  cuts_ = 0;
  max_cuts_ = kMaxCuts;
  robust_steps_ = 0;
  step_.hold_overlaps(false);
  fresh_ = true;
  contacts_.clear();
  events_.clear();
  forces_.known = false;
  step_.forget();
  step_.begin(start.time, start.q, start.v);
  step_.meet_overlaps();
  energy_ = {};
  energy_.kinetic = step_.kinetic();
  energy_.potential = step_.potential();
  good_energy_ = energy_.kinetic + energy_.potential;
  if (start.history.empty()) return;
  History history = History::reader(start.history);
  transfer(history);
  if (!history.complete()) throw Error(kForeignHistory);
  fresh_ = false;
}

/// What makes the next step the same, bit for bit.
void TwoStageRun::transfer(History& history) {
  history.expect(kHistoryOfTwoStages);
  history.expect(model_);
  history.expect(options_);
  history.transfer(grid_start_);
  history.transfer(cell_);
  history.transfer(offset_);
  history.transfer(suggested_step_);
  history.transfer(impact_count_);
  history.transfer(cuts_);
  history.transfer(max_cuts_);
  history.transfer(robust_steps_);
  history.transfer(good_energy_);
  step_.transfer(history);
}

/// Takes a step. Overlaps that cannot be parted, because limits or other bodies are in the way, are held
/// instead.
TwoStageTrial TwoStageRun::take_step(StepReport& report) {
  TwoStageTrial trial = halve_until_accepted(report);
  const bool stuck = !trial.accepted && !robust_ && step_.overlaps();
  if (stuck && !step_.holds_overlaps()) {
    step_.hold_overlaps(true);
    report.halvings = 0;
    trial = halve_until_accepted(report);
  }
  if (!step_.holds_overlaps()) return trial;
  if (!step_.overlaps()) {
    step_.hold_overlaps(false);
  } else if (trial.status < Status::approximate) {
    trial.status = Status::approximate;
    trial.reason = "overlap that cannot part";
    step_.name_overlap(trial);
  }
  return trial;
}

/// Halves the step until it is accepted; after that, the last resort.
TwoStageTrial TwoStageRun::halve_until_accepted(StepReport& report) {
  const double remaining = options_.step - offset_;
  double h = remaining / std::ceil(remaining / std::min({remaining, step_.max_step(), suggested_step_}));
  const bool inelastic = impact_count_ >= options_.impacts.max_per_step || cuts_ >= kMaxCutsAtAll;
  const bool many = step_.touching() > kMaxTouchingLocated || cuts_ >= max_cuts_;
  const Closing closing = inelastic ? Closing::inelastic : many ? Closing::lazy : Closing::located;
  TwoStageTrial trial;
  for (int impacts = 0;;) {
    trial = step_.try_step(h, closing);
    if (trial.accepted) break;
    if (trial.impact_first && impacts++ < kMaxImpactsAtStart) {
      resolve_impact(report);
      continue;
    }
    if (report.halvings >= kMaxHalvings - kLessHalvings * robust_steps_ ||
        h < kMinStepFraction * options_.step || step_.kinetic() > kHopelessEnergy)
      break;
    ++report.halvings;
    h *= std::clamp(step_factor(trial), kMinStepFactor, 0.5);
  }
  // The next step may be twice as long: what made this one short passes.
  suggested_step_ = std::min(2.0, step_factor(trial)) * h;
  report.inelastic = inelastic ? 1 : 0;
  if (!trial.accepted && trial.reason != kMotorAgainstLimit && !(step_.kinetic() > kHopelessEnergy)) {
    TwoStageTrial robust = step_.take_robust_step(h, good_energy_);
    if (robust.status == Status::refused &&
        (robust.reason == kMotorAgainstJoint || robust.reason == kExplosion ||
         step_.explodes(trial.end_energy, good_energy_))) {
      trial = robust;
    } else if (robust.answered) {
      robust.body_a = trial.body_a;
      robust.body_b = trial.body_b;
      trial = robust;
      robust_ = true;
    }
  }
  robust_steps_ = robust_ ? robust_steps_ + 1 : 0;
  if (trial.accepted) good_energy_ = step_.kinetic() + step_.potential();
  return trial;
}

/// By which a step may grow so that its energy error, of third order in h, stays within the accuracy.
double TwoStageRun::step_factor(const TwoStageTrial& trial) const {
  if (!options_.accuracy || !(trial.energy_error > 0)) return trial.accepted ? 2 : 0.5;
  return kSafety * std::cbrt(step_.accuracy() / trial.energy_error);
}

void TwoStageRun::resolve_impact(StepReport& report) {
  const ImpactOutcome outcome = step_.resolve_impact();
  if (outcome.impacts == 0) return;
  // What no inelastic impact resolves either ends the run.
  const bool hopeless = outcome.reason == kMotorAgainstLimit;
  const Status status = outcome.status == Status::refused && !hopeless ? Status::approximate : outcome.status;
  if (status > report.status) {
    report.status = status;
    report.reason = outcome.reason;
    report.body_a = outcome.named.a;
    report.body_b = outcome.named.b;
  }
  if (outcome.status == Status::refused) {  // inelastic for the rest of the cell
    impact_count_ = options_.impacts.max_per_step;
    return;
  }
  impact_count_ += outcome.impacts;
  record_events(step_.impacts(), state_.time, report.impacts, events_);
  count_impact(outcome, report, energy_);
  record_impact(step_.impacts(), impact_records_);
}

void TwoStageRun::advance_time(double h) {
  offset_ += h;
  if (!(options_.step - offset_ > kMinStepFraction * options_.step)) {
    ++cell_;
    offset_ = 0;
    impact_count_ = 0;
    max_cuts_ = cuts_ >= max_cuts_ ? kMaxCutsAgain : kMaxCuts;
    cuts_ = 0;
  }
  state_.time = grid_start_ + options_.step * static_cast<double>(cell_) + offset_;
}

StepReport TwoStageRun::step() {
  StepReport report;
  impact_records_.clear();
  events_.clear();
  forces_.begin(state_);
  if (fresh_) {
    const double change = step_.make_joint_rates_consistent();
    energy_.joints += change;
    energy_.kinetic += change;
    resolve_impact(report);
  }
  fresh_ = false;
  robust_ = false;
  const TwoStageTrial trial = take_step(report);
  if (trial.status > report.status) {
    report.status = trial.status;
    report.reason = trial.reason;
    report.body_a = trial.body_a;
    report.body_b = trial.body_b;
  }
  if (trial.status < Status::refused && trial.answered) {
    contacts_.clear();
    double before = step_.kinetic() + step_.potential() - trial.work.total();
    if (!robust_) {
      record_contacts();
      record_rows();
      before = step_.kinetic() + step_.potential();
      step_.accept(trial);
    }
    energy_.kinetic = step_.kinetic();
    energy_.potential = step_.potential();
    energy_.normal += trial.work.normal;
    energy_.friction += trial.work.friction;
    energy_.stabilisation += trial.work.stabilisation;
    energy_.limits += trial.work.limits;
    energy_.motors += trial.work.motors;
    energy_.applied += trial.work.applied;
    energy_.discretisation += energy_.kinetic + energy_.potential - before - trial.work.total();
    if (trial.cut) ++cuts_;
    advance_time(trial.h);
    step_.set_time(state_.time);
    resolve_impact(report);
    for (const ContactRecord& impact : impact_records_) add_impact_record(impact, contacts_);
    state_.q.assign(step_.q().begin(), step_.q().end());
    state_.v.assign(step_.v().begin(), step_.v().end());
    History history = History::writer(state_.history);
    transfer(history);
  } else {
    report.status = Status::refused;
  }
  report.time = state_.time;
  report.step = trial.h;
  forces_.h = trial.h;
  report.method = options_.method;
  report.solver = to_string(trial.method);
  report.contacts = trial.contacts;
  report.problem_size = std::max(report.problem_size, trial.problem_size);
  report.solves += trial.solves;
  report.iterations += trial.iterations;
  report.passes = trial.passes;
  report.residual = worst(report.residual, trial.residual);
  report.gap_violation = std::max(0.0, -trial.min_gap);
  report.joint_violation = trial.joint_error;
  report.local_error = trial.energy_error;
  report.slack = trial.slack;
  report.ambiguous = trial.ambiguous ? 1 : 0;
  report.motion = report.reason;
  report.energy = energy_;
  report.times = step_.take_times();
  return report;
}

/// The impulse of a contact is p₁ in its frame at q and p − p₁ in its frame at q⁺. The record has their sum
/// in the frame at q⁺.
void TwoStageRun::record_contacts() {
  contacts_.clear();
  PositionStage& positions = step_.positions();
  for (std::size_t c = 0; c < step_.contacts().size(); ++c) {
    const StepContact& start = step_.contacts()[c];
    const Contact& end = positions.end_contacts()[c];
    const Vec3 &n = end.normal, &t = positions.end_tangents()[c], o = cross(n, t);
    const ContactValues &p1 = step_.first_impulses().contact[c], &p = step_.total_impulses().contact[c];
    const Vec3 at_start = p1[0] * start.contact.normal + p1[1] * start.tangent +
                          p1[2] * cross(start.contact.normal, start.tangent);
    const Vec3 at_end = (p[0] - p1[0]) * n + (p[1] - p1[1]) * t + (p[2] - p1[2]) * o;
    const Vec3 impulse = at_start + at_end;
    const ContactValues& u = step_.velocities().velocities()[c];
    ContactRecord& record = contacts_.emplace_back(record_of(start.contact));
    record.point = 0.5 * (end.point_a + end.point_b);
    record.normal = n;
    record.tangent = t;
    record.gap = end.gap;
    record.impulse = {dot(n, impulse), dot(t, impulse), dot(o, impulse), p[3]};
    record.velocity = u;
    const double slip = std::hypot(positions.slip()[c][1], positions.slip()[c][2]);
    const Kinematics& k = step_.velocities().dynamics().kinematics;
    double size = 0;  // m/s: of the bodies, and of what the impulse changes
    for (const int b : {end.body_a, end.body_b}) {
      size += norm(k.c[b]) + norm(k.w[b]) * norm(record.point - k.X_WB[b].p);
      if (model_.bodies[b].tree >= 0 && model_.bodies[b].mass > 0) size += p[0] / model_.bodies[b].mass;
    }
    record.state = !(p[0] > 0)                        ? ContactState::separating
                   : slip <= kStickingFraction * size ? ContactState::sticking
                                                      : ContactState::sliding;
  }
}

void TwoStageRun::record_rows() {
  const RowImpulses &p1 = step_.first_impulses(), &p = step_.total_impulses();
  const auto start = step_.start_blocks(), end = step_.positions().end_blocks();
  forces_.rows.reserve(start.size());
  for (std::size_t b = 0; b < start.size(); ++b) {
    BlockValues rest;
    for (std::size_t r = 0; r < rest.size(); ++r) rest[r] = p.block[b][r] - p1.block[b][r];
    forces_.add(start[b], p1.block[b], end[b], rest);
  }
  forces_.known = true;
}

}  // namespace

std::unique_ptr<Run> make_two_stage_run(const Model& model, const RunOptions& options) {
  return std::make_unique<TwoStageRun>(model, options);
}

}  // namespace pawl::internal
