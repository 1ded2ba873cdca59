#include <pawl/step/simulation.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/problem_file/problem_file.h>
#include <pawl/step/energy.h>
#include <pawl/step/stepper.h>

namespace pawl {
namespace {

constexpr int kMostHalvings = 4;
constexpr double kStickingShare = 1e-8;  // of the velocities that met in the contact: slower than this sticks

RunOptions checked(const RunOptions& options) {
  if (!(options.step > 0) || !std::isfinite(options.step)) {
    throw Error(fmt::format("step is {}: it must be a finite number > 0 (s)", options.step));
  }
  if (!(options.tolerance > 0) || !(options.tolerance < 1)) {
    throw Error(fmt::format("tolerance is {}: it must be between 0 and 1", options.tolerance));
  }
  return options;
}

/// A coefficient that would be ignored is refused: silence would be a wrong answer.
void refuse_restitution(const Model& model, const Method& method) {
  for (const ContactLaw& law : model.laws) {
    if (law.restitution > 0) {
      throw Error(
          fmt::format("a pair of materials has restitution {}, which method '{}' does not have: its impacts "
                      "are inelastic; write restitution: 0",
                      law.restitution, method.name));
    }
  }
}

}  // namespace

struct Simulation::Impl {
  Impl(const Model& model_, const RunOptions& options_)
      : model(model_),
        options(checked(options_)),
        method(find_method(options.method)),
        stepper(model, options) {
    refuse_restitution(model, method);
    reset(initial_state(model));
  }

  void reset(const State& start);
  StepReport step();
  void record_contacts();
  double step_size() const { return std::ldexp(options.step, -halvings); }

  const Model& model;
  RunOptions options;
  const Method& method;
  Stepper stepper;
  State state;
  // The time is grid_start + options.step · (cell + part / 2^halvings): nominal steps are cells of a grid,
  // and a cell in which a step was not certified is finished in equal parts.
  double grid_start = 0;  // s: time of the last reset
  std::int64_t cell = 0;
  int part = 0;
  int halvings = 0;
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
  cell = part = halvings = 0;
  stepper.forget();
  contacts.clear();
  Kinematics placed;
  place_bodies(model, state.q, placed);
  move_bodies(model, state.v, placed);
  energy = {};
  energy.kinetic = kinetic_energy(model, placed);
  energy.potential = potential_energy(model, placed);
}

StepReport Simulation::Impl::step() {
  if (part == 0) halvings = 0;
  Attempt attempt = stepper.attempt(state.q, state.v, {state.time, step_size()});
  int answered = attempt.status == Status::refused ? -1 : halvings;  // where the last answer was found
  while (attempt.status != Status::certified && halvings < kMostHalvings) {
    ++halvings;
    part *= 2;
    attempt = stepper.attempt(state.q, state.v, {state.time, step_size()});
    if (attempt.status != Status::refused) answered = halvings;
  }
  if (attempt.status == Status::refused && answered >= 0) {  // a flagged answer is better than none
    part >>= halvings - answered;
    halvings = answered;
    attempt = stepper.attempt(state.q, state.v, {state.time, step_size()});
  }
  const double h = step_size();
  if (attempt.status != Status::refused) {
    stepper.accept();
    record_contacts();
    energy = account(model, stepper, state.v, h, energy);
    std::ranges::copy(stepper.q_next(), state.q.begin());
    std::ranges::copy(stepper.v_next(), state.v.begin());
    if (++part == 1 << halvings) {
      ++cell;
      part = 0;
    }
    state.time = grid_start + options.step * static_cast<double>(cell) + h * part;
  }

  StepReport report;
  report.time = state.time;
  report.step = h;
  report.status = attempt.status;
  report.method = method.name;
  report.solver = to_string(attempt.method);
  report.reason = attempt.reason;
  report.contacts = static_cast<std::int32_t>(stepper.contacts().size());
  report.problem_size = attempt.problem_size;
  report.solves = attempt.solves;
  report.iterations = attempt.iterations;
  report.passes = attempt.passes;
  report.halvings = halvings;
  report.residual = attempt.residual;
  report.gap_violation = std::max(0.0, -attempt.least_gap);
  report.joint_violation = attempt.joint_error;
  report.fixed_point_error = attempt.fixed_point_error;
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
    ContactRecord record;
    record.body_a = source.body_a;
    record.body_b = source.body_b;
    record.shape_a = source.id.shape_a;
    record.shape_b = source.id.shape_b;
    record.feature = source.id.feature;
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
    contacts.push_back(record);
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
