#include <pawl/simulation.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <pawl/assemble/method.h>
#include <pawl/step/run.h>

namespace pawl {
namespace {

RunOptions checked(const RunOptions& options) {
  if (!(options.step > 0) || !std::isfinite(options.step)) {
    throw Error(fmt::format("step is {}: it must be a finite number > 0 (s)", options.step));
  }
  if (!(options.tolerance > 0) || !(options.tolerance < 1)) {
    throw Error(fmt::format("tolerance is {}: it must be between 0 and 1", options.tolerance));
  }
  if (options.contact_points < 1 || options.contact_points > kMaxContactPoints) {
    throw Error(fmt::format("contact_points is {}: it must be from 1 to {}", options.contact_points,
                            kMaxContactPoints));
  }
  return options;
}

}  // namespace

struct Simulation::Impl {
  Impl(const Model& model_, const RunOptions& options_)
      : model(model_),
        names(control_names(model)),
        control(names.size(), std::numeric_limits<double>::quiet_NaN()),
        applied(control),
        options(checked(options_)),
        run(internal::find_method(options.method).two_stage ? internal::make_two_stage_run(model, options)
                                                            : internal::make_linearised_run(model, options)) {
    for (const JointDrive& drive : model.drives) {
      if (is_ideal_motor(drive.law)) own.push_back(drive.law.target);
    }
    for (const ForceElement& force : model.forces) {
      if (force.kind == ForceKind::wrench || force.servo) own.push_back(force.scale);
    }
    reset(initial_state(model));
  }

  void reset(const State& start) {
    if (start.q.size() != model.q_start.size() || start.v.size() != model.v_start.size()) {
      throw Error(fmt::format("the state has {} coordinates and {} rates, the model {} and {}",
                              start.q.size(), start.v.size(), model.nq, model.nv));
    }
    run->reset(start);
    grid_start = run->grid_start();
  }

  /// Writes the inputs into the model.
  void apply_inputs() {
    std::size_t i = 0;
    const auto set = [&](Signal& target) {
      const bool same = control[i] == applied[i] || (std::isnan(control[i]) && std::isnan(applied[i]));
      if (!same && std::isnan(control[i])) {
        target = own[i];
      } else if (!same) {
        target = Signal{.constant = control[i]};
      }
      applied[i] = control[i];
      ++i;
    };
    for (JointDrive& drive : model.drives) {
      if (is_ideal_motor(drive.law)) set(drive.law.target);
    }
    for (ForceElement& force : model.forces) {
      if (force.kind == ForceKind::wrench || force.servo) set(force.scale);
    }
  }

  void check_body(int body) const {
    if (body >= 0 && body < static_cast<int>(model.bodies.size())) return;
    throw Error(
        fmt::format("there is no body {}: the model has {}, the world included", body, model.bodies.size()));
  }

  Model model;
  std::vector<std::string> names;        // of the inputs
  std::vector<double> control, applied;  // as set, and as in the model
  std::vector<Signal> own;               // the scene's
  std::function<void(Simulation&)> callback;
  RunOptions options;
  double grid_start = 0;  // s
  std::unique_ptr<internal::Run> run;
};

Simulation::Simulation(const Model& model, const RunOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
StepReport Simulation::step() {
  if (impl_->callback) impl_->callback(*this);
  impl_->apply_inputs();
  return impl_->run->step();
}
std::span<double> Simulation::control() {
  return impl_->control;
}
int Simulation::control_index(std::string_view name) const {
  const auto found = std::ranges::find(impl_->names, name);
  if (found != impl_->names.end()) return static_cast<int>(found - impl_->names.begin());
  throw Error(fmt::format("no input is called '{}': there are {}", name,
                          impl_->names.empty() ? "none" : fmt::format("{}", fmt::join(impl_->names, ", "))));
}
void Simulation::apply_wrench(int body, const Wrench& wrench, const Vec3& point) {
  impl_->check_body(body);
  if (!is_finite(wrench.force) || !is_finite(wrench.torque) || !is_finite(point)) {
    throw Error(fmt::format("the wrench on body '{}' is not finite", impl_->model.body_names[body]));
  }
  impl_->model.applied_wrenches.push_back(
      {body, wrench.force, wrench.torque, point + impl_->model.bodies[body].frame_origin_B});
}
void Simulation::clear_wrenches() {
  impl_->model.applied_wrenches.clear();
}
void Simulation::copy_inputs(const Simulation& other) {
  if (impl_->control.size() != other.impl_->control.size()) {
    throw Error(fmt::format("the other simulation has {} inputs, this one {}", other.impl_->control.size(),
                            impl_->control.size()));
  }
  impl_->control = other.impl_->control;
  impl_->model.applied_wrenches = other.impl_->model.applied_wrenches;
}
void Simulation::before_step(std::function<void(Simulation&)> callback) {
  impl_->callback = std::move(callback);
}
const Model& Simulation::model() {
  impl_->apply_inputs();
  return impl_->model;
}
std::vector<JointForces> Simulation::joint_forces() const {
  return internal::joint_forces(impl_->model, impl_->run->forces(), state(), contacts());
}
Wrench Simulation::contact_wrench(int body, int other) const {
  impl_->check_body(body);
  if (other != -1) impl_->check_body(other);
  return internal::contact_wrench(impl_->model, impl_->run->forces(), state(), contacts(), body, other);
}
double Simulation::time() const {
  return state().time;
}
bool Simulation::at_end() const {
  // The first step of the grid at or after `until`. The margin absorbs rounding.
  const double h = impl_->options.step,
               cells = std::ceil((impl_->options.until - impl_->grid_start) / h - 1e-6);
  return !(time() < impl_->grid_start + (cells - 1e-6) * h);
}
const State& Simulation::state() const {
  return impl_->run->state();
}
std::span<const ContactRecord> Simulation::contacts() const {
  return impl_->run->contacts();
}
std::span<const ImpactRecord> Simulation::impacts() const {
  return impl_->run->impacts();
}
const EnergyLedger& Simulation::energy() const {
  return impl_->run->energy();
}
void Simulation::reset(const State& state) {
  impl_->reset(state);
}
void Simulation::reset(const State& state, const EnergyLedger& energy) {
  impl_->reset(state);
  impl_->run->continue_ledger(energy);
}
const ContactProblem* Simulation::worst_problem() const {
  return impl_->run->worst_problem();
}

}  // namespace pawl
