#include <pawl/simulation.h>

#include <cmath>

#include <fmt/format.h>

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
        options(checked(options_)),
        run(internal::find_method(options.method).two_stage ? internal::make_two_stage_run(model, options)
                                                            : internal::make_linearised_run(model, options)) {
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

  const Model& model;
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
  return impl_->run->step();
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
