#include <pawl/step/run.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/step/energy.h>
#include <pawl/step/history.h>
#include <pawl/step/impact_stage.h>
#include <pawl/step/motion_bounds.h>
#include <pawl/step/stepper.h>

namespace pawl::internal {
namespace {

constexpr std::uint64_t kHistoryOfLinearised = 0x5041574c'00000103;
constexpr int kMaxHalvings = 4;
constexpr int kMaxHalvingsOfTunnelling = 12;  // for steps in which shapes pass through each other
constexpr int kMaxRootIterations = 60;        // of the search for the time of impact
constexpr double kTimeRounding = 1e-15;       // relative to a step
constexpr double kMinStepFraction = 1e-9;     // relative to a step: shorter steps are skipped
// Relative to the velocities at the contact: slower contacts stick.
constexpr double kStickingFraction = 1e-8;

/// A coefficient of restitution that the method would ignore is an error.
void refuse_restitution(const Model& model, const Method& method) {
  // Restitution needs contacts that can be excluded from a step until they close, and forces at the start of
  // the step for ballistic motion.
  if (method.activation != Activation::touching && method.dynamics == Linearisation::start) return;
  for (const ContactLaw& law : model.laws) {
    if (law.restitution > 0) {
      throw Error(
          fmt::format("a pair of materials has restitution {}, which method '{}' does not have: its impacts "
                      "are inelastic; write restitution: 0, or method: pawl",
                      law.restitution, method.name));
    }
  }
}

class LinearisedRun : public Run {
 public:
  LinearisedRun(const Model& model_, const RunOptions& options_)
      : model(model_),
        options(options_),
        method(find_method(options.method)),
        stepper(model, options),
        impacts(model, options, stepper.restitution_policy(), stepper.friction(), stepper.solve_options(),
                stepper.softness()),
        motion(model) {
    refuse_restitution(model, method);
    if (options.accuracy) {
      throw Error(fmt::format("accuracy {} needs method pawl; '{}' takes all steps as long as `step` says",
                              *options.accuracy, method.name));
    }
  }

  void reset(const State& start) override;
  void continue_ledger(const EnergyLedger& energy) override {
    energy_ = energy;
    motion.continue_ledger(energy);
  }
  StepReport step() override;
  double grid_start() const override { return grid_start_; }
  const ContactProblem* worst_problem() const override { return stepper.worst_problem(); }

 private:
  void record_contacts();
  double step_size() const { return std::ldexp(segment, -halvings); }
  TrialStep try_step();
  TrialStep halve_until_certified();
  bool shorten_to_first_impact(TrialStep& trial);
  double first_impact_time() const;
  void resolve_impacts(std::span<const Contact> closing_contacts, StepReport& report);
  void project_positions();
  void advance(StepReport& report);
  void transfer(History& history);

  const Model& model;
  RunOptions options;
  const Method& method;
  Stepper stepper;
  ImpactStage impacts;
  MotionMeter motion;
  // Nominal steps are cells of a grid. Impacts cut a cell into segments. A segment with an uncertified step
  // is divided into equal substeps. The time is
  //   grid_start_ + options.step · cell + segment_begin + segment · substep / 2^halvings.
  double grid_start_ = 0;  // s: time of the last reset
  std::int64_t cell = 0;
  double segment_begin = 0;  // s, relative to the start of the cell
  double segment = 0;        // s, to the end of the cell
  int substep = 0;
  int halvings = 0;
  double h_trial = 0;    // s: length of the last trial; shorter than step_size() if it ends at an impact
  int impact_count = 0;  // in the cell
  Kinematics kinematics;
  bool impact_possible = false;               // contacts may be closing at the current state
  std::vector<ContactRecord> impact_records;  // of the impacts of a step
  SolveMethod hardest = SolveMethod::none;    // of the impacts of a step
};

void LinearisedRun::reset(const State& start) {
  state_ = start;
  grid_start_ = start.time;
  cell = substep = halvings = impact_count = 0;
  segment_begin = 0;
  segment = options.step;
  impact_possible = stepper.restitution_policy().any();
  stepper.clear_history();
  contacts_.clear();
  events_.clear();
  forces_.known = false;
  position_kinematics(model, state_.q, kinematics);
  velocity_kinematics(model, state_.v, kinematics);
  energy_ = {};
  energy_.kinetic = kinetic_energy(model, kinematics);
  energy_.potential = potential_energy(model, kinematics);
  motion.reset(energy_);
  if (start.history.empty()) return;
  History history = History::reader(start.history);
  transfer(history);
  if (!history.complete()) throw Error(kForeignHistory);
}

/// What makes the next step the same, bit for bit.
void LinearisedRun::transfer(History& history) {
  history.expect(kHistoryOfLinearised);
  history.expect(model);
  history.expect(options);
  history.transfer(grid_start_);
  history.transfer(cell);
  history.transfer(segment_begin);
  history.transfer(segment);
  history.transfer(substep);
  history.transfer(halvings);
  history.transfer(impact_count);
  history.transfer(impact_possible);
  stepper.transfer(history);
  motion.transfer(history);
}

/// One trial step of the current size; without restitution if the cell has had max_per_step impacts.
TrialStep LinearisedRun::try_step() {
  h_trial = step_size();
  stepper.forget_impact_contacts();
  return stepper.try_step(state_.q, state_.v, {state_.time, h_trial},
                          impact_count >= options.impacts.max_per_step);
}

/// Halves the step until it is certified, up to the max number of halvings.
TrialStep LinearisedRun::halve_until_certified() {
  if (substep == 0) halvings = 0;
  TrialStep last = try_step();
  // Halvings of the last trial that was not refused.
  int answered = last.status == Status::refused ? -1 : halvings;
  while (last.status != Status::certified &&
         halvings < (last.passes_through ? kMaxHalvingsOfTunnelling : kMaxHalvings)) {
    ++halvings;
    substep *= 2;
    last = try_step();
    if (last.status != Status::refused) answered = halvings;
  }
  if (last.status == Status::refused && answered >= 0) {  // an uncertified solution is better than none
    substep >>= halvings - answered;
    halvings = answered;
    last = try_step();
  }
  return last;
}

/// Shortens the last trial to the time of its first impact. Returns false if that is the start of the step.
bool LinearisedRun::shorten_to_first_impact(TrialStep& trial) {
  double low = 0, high = h_trial;  // s: before and after the first impact
  double next = first_impact_time();
  for (int i = 0; i < kMaxRootIterations; ++i) {
    if (next <= kMinStepFraction * step_size()) return false;
    h_trial = next;
    trial = stepper.try_step(state_.q, state_.v, {state_.time, h_trial});
    if (trial.status != Status::certified) break;
    const auto impact_contacts = stepper.impact_contacts();
    const auto first = std::ranges::min_element(impact_contacts, {}, &Contact::gap);
    double by_newton = low;
    if (first == impact_contacts.end()) {
      low = h_trial;
    } else {
      const double rate = gap_rate(stepper.end_kinematics(), *first);
      if (std::abs(first->gap) <= stepper.restitution_policy().rounding(*first)) break;
      (first->gap < 0 ? high : low) = h_trial;
      if (rate < 0) by_newton = h_trial - first->gap / rate;
    }
    next = by_newton > low && by_newton < high ? by_newton : 0.5 * (low + high);
    if (!(high - low > kTimeRounding * high) || next == h_trial) break;
  }
  return true;
}

/// The time of the first impact in the last trial, with gaps approximated by parabolas in time.
double LinearisedRun::first_impact_time() const {
  double first = h_trial;
  for (std::size_t c = 0; c < stepper.impact_contacts().size(); ++c) {
    const Contact& start = stepper.impact_contacts_at_start()[c];
    const double gap = std::max(0.0, start.gap), rate = gap_rate(stepper.start_kinematics(), start);
    // gap + rate t − curvature t² = 0; the larger root if the gap opens at first.
    const double curvature = (gap + rate * h_trial - stepper.impact_contacts()[c].gap) / (h_trial * h_trial);
    const double root = std::sqrt(std::max(0.0, rate * rate + 4 * curvature * gap));
    const double time = rate > 0 ? (rate + root) / (2 * curvature) : 2 * gap / (root - rate);
    if (time > 0 && time < first) first = time;
  }
  return first;
}

/// Resolves the impact at the current state, in which `closing_contacts` take part even if they do not touch.
/// Updates report and ledger.
void LinearisedRun::resolve_impacts(std::span<const Contact> closing_contacts, StepReport& report) {
  const ImpactOutcome outcome =
      impacts.resolve(state_.time, state_.q, closing_contacts, stepper.resting(), state_.v);
  // If an impact is refused, the step treats its contacts as inelastic.
  const Status status = outcome.status == Status::refused ? Status::approximate : outcome.status;
  if (status > report.status) {
    report.status = status;
    report.reason = outcome.reason;
    report.body_a = outcome.named.a;
    report.body_b = outcome.named.b;
  }
  if (outcome.status == Status::refused) impact_count = options.impacts.max_per_step;
  if (outcome.status == Status::refused || outcome.impacts == 0) return;
  impact_count += outcome.impacts;
  hardest = std::max(hardest, outcome.method);
  record_events(impacts, state_.time, report.impacts, events_);
  count_impact(outcome, report, energy_);
  for (std::size_t c = 0; c < impacts.contacts().size(); ++c) {
    if (impacts.participated()[c]) stepper.remove_resting(impacts.contacts()[c].id);
  }
  record_impact(impacts, impact_records);
}

/// Contacts with restitution do not correct penetrations through velocities; this corrects the positions.
void LinearisedRun::project_positions() {
  if (!impacts.project_positions(state_.time, state_.q)) return;
  position_kinematics(model, state_.q, kinematics);
  velocity_kinematics(model, state_.v, kinematics);
  const double kinetic = kinetic_energy(model, kinematics), potential = potential_energy(model, kinematics);
  energy_.stabilisation += kinetic + potential - energy_.kinetic - energy_.potential;
  energy_.kinetic = kinetic;
  energy_.potential = potential;
}

/// Accepts the last trial.
void LinearisedRun::advance(StepReport& report) {
  stepper.accept();
  energy_ = advance_ledger(model, stepper, state_.v, h_trial, energy_);
  std::ranges::copy(stepper.q_next(), state_.q.begin());
  std::ranges::copy(stepper.v_next(), state_.v.begin());
  impact_possible = false;
  for (const Contact& contact : stepper.end_contacts()) {
    impact_possible |= stepper.restitution_policy().restitution(contact) > 0 &&
                       gap_rate(stepper.end_kinematics(), contact) < 0 &&
                       !std::ranges::binary_search(stepper.resting(), contact.id);
  }
  report.inelastic = impact_count >= options.impacts.max_per_step ? 1 : 0;
  if (h_trial < step_size()) {
    segment_begin += step_size() * substep + h_trial;
    segment = options.step - segment_begin;
    substep = halvings = 0;
  } else {
    ++substep;
  }
  if (substep == 1 << halvings || !(segment > kMinStepFraction * options.step)) {
    ++cell;
    substep = impact_count = 0;
    segment_begin = 0;
    segment = options.step;
  }
  state_.time =
      grid_start_ + options.step * static_cast<double>(cell) + (segment_begin + step_size() * substep);
}

StepReport LinearisedRun::step() {
  StepReport report;
  hardest = SolveMethod::none;
  TrialStep last;
  bool cut = false;
  impact_records.clear();
  events_.clear();
  forces_.begin(state_);
  if (impact_possible) resolve_impacts({}, report);
  while (true) {
    last = halve_until_certified();
    if (last.status == Status::refused || stepper.impact_contacts().empty()) break;
    cut = options.impacts.timing == ImpactTiming::located && shorten_to_first_impact(last);
    if (cut) break;
    const int before = impact_count;
    resolve_impacts(stepper.impact_contacts_at_start(), report);
    if (impact_count == before)
      // Touching but not approaching: inelastic for the rest of this step.
      impact_count = options.impacts.max_per_step;
  }
  report.step = h_trial;
  report.halvings = halvings;
  MotionDefect defect;
  if (last.status != Status::refused) {
    advance(report);
    if (cut) resolve_impacts(stepper.impact_contacts(), report);
    if (last.min_gap < 0 && stepper.restitution_policy().any()) project_positions();
    record_contacts();
    forces_.rows.reserve(stepper.blocks().size());
    for (std::size_t b = 0; b < stepper.blocks().size(); ++b) {
      forces_.add(stepper.blocks()[b], stepper.block_impulses()[b], stepper.blocks()[b], {});
    }
    forces_.h = report.step;
    forces_.known = true;
    defect = motion.measure(stepper.end_contacts(), last.joint_error, report.step, energy_, last.worst_joint,
                            last.changed);
    History history = History::writer(state_.history);
    transfer(history);
  }
  report.time = state_.time;
  if (last.status > report.status) {
    report.status = last.status;
    report.reason = last.reason;
    report.body_a = last.named.a;
    report.body_b = last.named.b;
  }
  report.method = method.name;
  report.solver = to_string(std::max(hardest, last.method));
  report.contacts = static_cast<std::int32_t>(stepper.contacts().size());
  report.problem_size = std::max(report.problem_size, last.problem_size);
  report.solves += last.solves;
  report.iterations += last.iterations;
  report.passes = last.passes;
  report.residual = worst(report.residual, last.residual);
  report.gap_violation = std::max(0.0, -last.min_gap);
  report.joint_violation = last.joint_error;
  report.fixed_point_error = last.fixed_point_error;
  report.energy = energy_;
  if (last.status != Status::refused) {
    report.motion = defect.what;
    report.local_error = motion.energy_error();
    // A reason of the step has precedence over what its motion lacks.
    if (report.status == Status::certified || (report.body_a == 0 && report.body_b == 0)) {
      report.body_a = defect.named.a;
      report.body_b = defect.named.b;
    }
    if (defect.gross && report.status == Status::certified) {
      report.status = Status::approximate;
      report.reason = defect.what;
    }
  }
  return report;
}

void LinearisedRun::record_contacts() {
  contacts_.clear();
  for (std::size_t c = 0; c < stepper.contacts().size(); ++c) {
    const Contact& source = stepper.contacts()[c];
    const auto at_end = std::ranges::lower_bound(stepper.end_contacts(), source.id, {}, &Contact::id);
    const bool still_there = at_end != stepper.end_contacts().end() && at_end->id == source.id;
    const double* p = stepper.impulses().data() + c * kContactRows;
    const double* u = stepper.velocities().data() + c * kContactRows;
    ContactRecord& record = contacts_.emplace_back(record_of(source));
    const Contact& shown = still_there ? *at_end : source;  // the contact point may have left the face
    record.point = 0.5 * (shown.point_a + shown.point_b);
    record.normal = source.normal;
    record.tangent = stepper.assembly().tangents[c];
    record.gap = still_there ? shown.gap : std::nan("");
    std::copy_n(p, kContactRows, record.impulse.begin());
    std::copy_n(u, kContactRows, record.velocity.begin());
    record.state = !(p[0] > 0)                               ? ContactState::separating
                   : stepper.slips()[c] <= kStickingFraction ? ContactState::sticking
                                                             : ContactState::sliding;
  }
  for (const ContactRecord& impact : impact_records) add_impact_record(impact, contacts_);
}

}  // namespace

std::unique_ptr<Run> make_linearised_run(const Model& model, const RunOptions& options) {
  return std::make_unique<LinearisedRun>(model, options);
}

}  // namespace pawl::internal
