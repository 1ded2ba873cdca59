#include <pawl/step/simulation.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/problem_file/problem_file.h>
#include <pawl/step/energy.h>
#include <pawl/step/impact_stage.h>
#include <pawl/step/stepper.h>

namespace pawl {
namespace {

constexpr int kMostHalvings = 4;
constexpr int kMostHalvingsOfPassing = 12;  // of steps in which shapes pass into each other
constexpr int kMostCuts = 60;               // attempts to find the instant at which contacts meet
constexpr double kTimeRounding = 1e-15;     // of a step
constexpr double kStartShare = 1e-9;        // of a step: what is shorter is none
constexpr double kGainRounding = 1e-12;     // of the kinetic energy: a gain is more than that
constexpr double kStickingShare = 1e-8;  // of the velocities that met in the contact: slower than this sticks

RunOptions checked(const RunOptions& options) {
  if (!(options.step > 0) || !std::isfinite(options.step)) {
    throw Error(fmt::format("step is {}: it must be a finite number > 0 (s)", options.step));
  }
  if (!(options.tolerance > 0) || !(options.tolerance < 1)) {
    throw Error(fmt::format("tolerance is {}: it must be between 0 and 1", options.tolerance));
  }
  if (options.contact_points < 1 || options.contact_points > kMostContactPoints) {
    throw Error(fmt::format("contact_points is {}: it must be from 1 to {}", options.contact_points,
                            kMostContactPoints));
  }
  return options;
}

/// A coefficient that would be ignored is refused: silence would be a wrong answer.
void refuse_restitution(const Model& model, const Method& method) {
  // Contacts on their way must be left out of a step until they meet, and bodies fly as the forces at the
  // start of a step say.
  if (method.entry == Entry::violated && method.dynamics == Linearisation::start) return;
  for (const ContactLaw& law : model.laws) {
    if (law.restitution > 0) {
      throw Error(
          fmt::format("a pair of materials has restitution {}, which method '{}' does not have: its impacts "
                      "are inelastic; write restitution: 0, or method: pawl",
                      law.restitution, method.name));
    }
  }
}

/// The record of a contact, as far as that says who it is.
ContactRecord record_of(const Contact& contact) {
  ContactRecord record;
  record.body_a = contact.body_a;
  record.body_b = contact.body_b;
  record.shape_a = contact.id.shape_a;
  record.shape_b = contact.id.shape_b;
  record.feature = contact.id.feature;
  return record;
}

/// Adds the impulses of a blow to the record of its contact, or the blow to the records.
void add_blow(const ContactRecord& blow, std::vector<ContactRecord>& records) {
  const auto same = std::ranges::find_if(records, [&](const ContactRecord& record) {
    return record.shape_a == blow.shape_a && record.shape_b == blow.shape_b && record.feature == blow.feature;
  });
  if (same == records.end()) {
    records.push_back(blow);
    return;
  }
  for (std::size_t r = 0; r < blow.impulse.size(); ++r) same->impulse[r] += blow.impulse[r];
  same->velocity = blow.velocity;
  same->state = blow.state;
}

}  // namespace

struct Simulation::Impl {
  Impl(const Model& model_, const RunOptions& options_)
      : model(model_),
        options(checked(options_)),
        method(find_method(options.method)),
        stepper(model, options),
        impacts(model, options, stepper) {
    refuse_restitution(model, method);
    reset(initial_state(model));
  }

  void reset(const State& start);
  StepReport step();
  void record_contacts();
  void record_impact();
  double step_size() const { return std::ldexp(segment, -halvings); }
  Attempt attempt();
  Attempt halve_until_certified();
  bool cut_where_contacts_meet(Attempt& attempt);
  double first_meeting() const;
  void resolve_impacts(std::span<const Contact> meeting, StepReport& report);
  void part_overlaps();
  void advance(StepReport& report);

  const Model& model;
  RunOptions options;
  const Method& method;
  Stepper stepper;
  ImpactStage impacts;
  State state;
  // Nominal steps are cells of a grid, cut into segments by impacts; a segment in which a step was not
  // certified is finished in equal parts: the time is
  // grid_start + options.step · cell + segment_begin + segment · part / 2^halvings.
  double grid_start = 0;  // s: time of the last reset
  std::int64_t cell = 0;
  double segment_begin = 0;  // s, in the cell
  double segment = 0;        // s, to the end of the cell
  int part = 0;
  int halvings = 0;
  double taken = 0;     // s: length of the last attempt, shorter than step_size() where contacts met
  int impacts_met = 0;  // in the cell
  Kinematics placed;
  bool may_strike = false;                  // contacts may close at the state
  std::vector<ContactRecord> struck;        // by the impacts of a step
  SolveMethod hardest = SolveMethod::none;  // of the impacts of a step
  EnergyLedger energy;
  std::vector<ContactRecord> contacts;
};

void Simulation::Impl::reset(const State& start) {
  if (start.q.size() != model.q_start.size() || start.v.size() != model.v_start.size()) {
    throw Error(fmt::format("the state has {} coordinates and {} rates, the model {} and {}", start.q.size(),
                            start.v.size(), model.nq, model.nv));
  }
  state = start;
  grid_start = start.time;
  cell = part = halvings = impacts_met = 0;
  segment_begin = 0;
  segment = options.step;
  may_strike = stepper.bounces().any();
  stepper.forget();
  contacts.clear();
  place_bodies(model, state.q, placed);
  move_bodies(model, state.v, placed);
  energy = {};
  energy.kinetic = kinetic_energy(model, placed);
  energy.potential = potential_energy(model, placed);
}

/// One attempt from the state, of the size that is due; past the impacts that a step may have, without
/// restitution.
Attempt Simulation::Impl::attempt() {
  taken = step_size();
  stepper.forget_hits();
  return stepper.attempt(state.q, state.v, {state.time, taken}, impacts_met >= options.impacts.most);
}

/// A step that is not certified is tried again at half its length, and half of that …
Attempt Simulation::Impl::halve_until_certified() {
  if (part == 0) halvings = 0;
  Attempt last = attempt();
  int answered = last.status == Status::refused ? -1 : halvings;  // where the last answer was found
  while (last.status != Status::certified &&
         halvings < (last.passes_through ? kMostHalvingsOfPassing : kMostHalvings)) {
    ++halvings;
    part *= 2;
    last = attempt();
    if (last.status != Status::refused) answered = halvings;
  }
  if (last.status == Status::refused && answered >= 0) {  // a flagged answer is better than none
    part >>= halvings - answered;
    halvings = answered;
    last = attempt();
  }
  return last;
}

/// Shortens the last attempt to the instant at which the first of the contacts that met in it does. False
/// where that instant is the start of the step.
bool Simulation::Impl::cut_where_contacts_meet(Attempt& attempt) {
  double low = 0, high = taken;  // s: none has met, one has
  double next = first_meeting();
  for (int i = 0; i < kMostCuts; ++i) {
    if (next <= kStartShare * step_size()) return false;
    taken = next;
    attempt = stepper.attempt(state.q, state.v, {state.time, taken});
    if (attempt.status != Status::certified) break;
    const auto hits = stepper.hits();
    const auto first = std::ranges::min_element(hits, {}, &Contact::gap);
    double by_newton = low;
    if (first == hits.end()) {
      low = taken;
    } else {
      const double rate = gap_rate(stepper.end_placement(), *first);
      if (std::abs(first->gap) <= stepper.bounces().rounding(*first)) break;
      (first->gap < 0 ? high : low) = taken;
      if (rate < 0) by_newton = taken - first->gap / rate;
    }
    next = by_newton > low && by_newton < high ? by_newton : 0.5 * (low + high);
    if (!(high - low > kTimeRounding * high) || next == taken) break;
  }
  return true;
}

/// When the first of the contacts that met in the last attempt does, were their gaps parabolas over time.
double Simulation::Impl::first_meeting() const {
  double first = taken;
  for (std::size_t c = 0; c < stepper.hits().size(); ++c) {
    const Contact& start = stepper.hits_at_start()[c];
    const double gap = std::max(0.0, start.gap), rate = gap_rate(stepper.start_placement(), start);
    // gap + rate t - bend t² = 0, its larger root where it opens at first
    const double bend = (gap + rate * taken - stepper.hits()[c].gap) / (taken * taken);
    const double root = std::sqrt(std::max(0.0, rate * rate + 4 * bend * gap));
    const double time = rate > 0 ? (rate + root) / (2 * bend) : 2 * gap / (root - rate);
    if (time > 0 && time < first) first = time;
  }
  return first;
}

/// Resolves what closes at the state, the given contacts whether they touch or not, and enters it in report
/// and ledger.
void Simulation::Impl::resolve_impacts(std::span<const Contact> meeting, StepReport& report) {
  const ImpactOutcome outcome = impacts.resolve(state.time, state.q, meeting, stepper.resting(), state.v);
  // An impact without an answer is left to the step, which has contacts that do not bounce.
  const Status status = outcome.status == Status::refused ? Status::approximate : outcome.status;
  if (status > report.status) {
    report.status = status;
    report.reason = outcome.reason;
  }
  if (outcome.status == Status::refused) impacts_met = options.impacts.most;
  if (outcome.status == Status::refused || outcome.impacts == 0) return;
  impacts_met += outcome.impacts;
  report.impacts += outcome.impacts;
  report.solves += outcome.solves;
  report.iterations += outcome.iterations;
  report.problem_size = std::max(report.problem_size, outcome.problem_size);
  report.residual = worst(report.residual, outcome.residual);
  hardest = std::max(hardest, outcome.method);
  energy.stored += outcome.work.stored;
  energy.returned += outcome.work.returned;
  energy.normal += outcome.work.returned - outcome.work.stored;
  energy.friction += outcome.work.friction;
  energy.joints += outcome.work.joints;
  energy.imbalance += outcome.kinetic_change - outcome.work.total();
  if (outcome.kinetic_change > kGainRounding * outcome.kinetic) report.impact_gain += outcome.kinetic_change;
  energy.kinetic = outcome.kinetic;
  for (std::size_t c = 0; c < impacts.contacts().size(); ++c) {
    if (impacts.took_part()[c]) stepper.strike(impacts.contacts()[c].id);
  }
  record_impact();
}

/// Contacts with restitution do not push overlaps apart as they act: that is done here, and not to
/// velocities.
void Simulation::Impl::part_overlaps() {
  if (!impacts.part_overlaps(state.time, state.q)) return;
  place_bodies(model, state.q, placed);
  move_bodies(model, state.v, placed);
  const double kinetic = kinetic_energy(model, placed), potential = potential_energy(model, placed);
  energy.stabilisation += kinetic + potential - energy.kinetic - energy.potential;
  energy.kinetic = kinetic;
  energy.potential = potential;
}

/// Takes the last attempt.
void Simulation::Impl::advance(StepReport& report) {
  stepper.accept();
  energy = account(model, stepper, state.v, taken, energy);
  std::ranges::copy(stepper.q_next(), state.q.begin());
  std::ranges::copy(stepper.v_next(), state.v.begin());
  may_strike = false;
  for (const Contact& contact : stepper.end_contacts()) {
    may_strike |= stepper.bounces().restitution(contact) > 0 &&
                  gap_rate(stepper.end_placement(), contact) < 0 &&
                  !std::ranges::binary_search(stepper.resting(), contact.id);
  }
  report.inelastic = impacts_met >= options.impacts.most ? 1 : 0;
  if (taken < step_size()) {
    segment_begin += step_size() * part + taken;
    segment = options.step - segment_begin;
    part = halvings = 0;
  } else {
    ++part;
  }
  if (part == 1 << halvings || !(segment > kStartShare * options.step)) {
    ++cell;
    part = impacts_met = 0;
    segment_begin = 0;
    segment = options.step;
  }
  state.time = grid_start + options.step * static_cast<double>(cell) + (segment_begin + step_size() * part);
}

StepReport Simulation::Impl::step() {
  StepReport report;
  hardest = SolveMethod::none;
  Attempt last;
  bool cut = false;
  struck.clear();
  if (may_strike) resolve_impacts({}, report);
  while (true) {
    last = halve_until_certified();
    if (last.status == Status::refused || stepper.hits().empty()) break;
    cut = options.impacts.timing == ImpactTiming::located && cut_where_contacts_meet(last);
    if (cut) break;
    const int before = impacts_met;
    resolve_impacts(stepper.hits_at_start(), report);
    if (impacts_met == before)
      impacts_met = options.impacts.most;  // they meet, and do not close: let them be
  }
  report.step = taken;
  report.halvings = halvings;
  if (last.status != Status::refused) {
    advance(report);
    if (cut) resolve_impacts(stepper.hits(), report);
    if (last.least_gap < 0 && stepper.bounces().any()) part_overlaps();
    record_contacts();
  }
  report.time = state.time;
  if (last.status > report.status) {
    report.status = last.status;
    report.reason = last.reason;
  }
  report.method = method.name;
  report.solver = to_string(std::max(hardest, last.method));
  report.contacts = static_cast<std::int32_t>(stepper.contacts().size());
  report.problem_size = std::max(report.problem_size, last.problem_size);
  report.solves += last.solves;
  report.iterations += last.iterations;
  report.passes = last.passes;
  report.residual = worst(report.residual, last.residual);
  report.gap_violation = std::max(0.0, -last.least_gap);
  report.joint_violation = last.joint_error;
  report.fixed_point_error = last.fixed_point_error;
  report.energy = energy;
  return report;
}

void Simulation::Impl::record_contacts() {
  contacts.clear();
  for (std::size_t c = 0; c < stepper.contacts().size(); ++c) {
    const Contact& source = stepper.contacts()[c];
    const auto at_end = std::ranges::lower_bound(stepper.end_contacts(), source.id, {}, &Contact::id);
    const bool still_there = at_end != stepper.end_contacts().end() && at_end->id == source.id;
    const double* p = stepper.impulses().data() + c * kContactRows;
    const double* u = stepper.velocities().data() + c * kContactRows;
    ContactRecord& record = contacts.emplace_back(record_of(source));
    const Contact& shown = still_there ? *at_end : source;  // an end may have slid off a side
    record.point = 0.5 * (shown.point_a + shown.point_b);
    record.normal = source.normal;
    record.tangent = stepper.assembly().tangents[c];
    record.gap = still_there ? shown.gap : std::nan("");
    std::copy_n(p, kContactRows, record.impulse.begin());
    std::copy_n(u, kContactRows, record.velocity.begin());
    record.state = !(p[0] > 0)                            ? ContactState::separating
                   : stepper.slips()[c] <= kStickingShare ? ContactState::sticking
                                                          : ContactState::sliding;
  }
  for (const ContactRecord& blow : struck) add_blow(blow, contacts);
}

/// Adds the contacts of the last impact to those struck in the step.
void Simulation::Impl::record_impact() {
  for (std::size_t c = 0; c < impacts.contacts().size(); ++c) {
    const Contact& source = impacts.contacts()[c];
    const auto &p = impacts.impulses()[c], &u = impacts.velocities()[c];
    if (!(p[0] > 0)) continue;
    ContactRecord record = record_of(source);
    record.point = 0.5 * (source.point_a + source.point_b);
    record.normal = source.normal;
    record.tangent = impacts.tangents()[c];
    record.gap = source.gap;
    record.impulse = p;
    record.velocity = u;
    const double slip = std::hypot(u[1], u[2]), size = std::max(slip, std::abs(u[0]));
    record.state = u[0] > kStickingShare * size    ? ContactState::separating
                   : slip <= kStickingShare * size ? ContactState::sticking
                                                   : ContactState::sliding;
    add_blow(record, struck);
  }
}

Simulation::Simulation(const Model& model, const RunOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
StepReport Simulation::step() {
  return impl_->step();
}
double Simulation::time() const {
  return impl_->state.time;
}
bool Simulation::at_end() const {
  const RunOptions& options = impl_->options;
  return !(impl_->state.time <
           options.until - 1e-6 * options.step);  // less than that is rounding of the grid
}
const State& Simulation::state() const {
  return impl_->state;
}
std::span<const ContactRecord> Simulation::contacts() const {
  return impl_->contacts;
}
const EnergyLedger& Simulation::energy() const {
  return impl_->energy;
}
void Simulation::reset(const State& state) {
  impl_->reset(state);
}

bool Simulation::dump_problem(const std::string& path) const {
  const ContactProblem* problem = impl_->stepper.worst_problem();
  if (problem != nullptr) write_problem(path, *problem, impl_->options.tolerance);
  return problem != nullptr;
}

}  // namespace pawl
