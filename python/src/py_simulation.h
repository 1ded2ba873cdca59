#pragma once
// A simulation as Python sees it.

#include <algorithm>
#include <cmath>

#include "bindings.h"

namespace pawl::python {

/// The simulation moves its state while it steps; q and v here stay in place, so that arrays can view them.
class PySimulation {
 public:
  PySimulation(std::shared_ptr<const CompiledModel> compiled, const RunOptions& options)
      : compiled_(std::move(compiled)),
        options_(options),
        simulation_(compiled_->model, options),
        q(model().nq),
        v(model().nv) {
    follow();
  }
  PySimulation(const PySimulation&) = delete;
  PySimulation& operator=(const PySimulation&) = delete;

  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }
  const CompiledModel& compiled() const { return *compiled_; }
  std::shared_ptr<const CompiledModel> shared() const { return compiled_; }
  const Model& model() const { return compiled_->model; }
  const RunOptions& options() const { return options_; }
  std::span<double> control() { return simulation_.control(); }

  StepReport advance() {
    const Busy busy(*this);
    const py::gil_scoped_release release;
    const StepReport report = simulation_.step();
    follow();
    return report;
  }
  void restore(const State& state) {
    const Busy busy(*this);
    for (const auto* values : {&state.q, &state.v}) {
      if (!std::all_of(values->begin(), values->end(), [](double x) { return std::isfinite(x); })) {
        throw py::value_error("the state is not finite");
      }
    }
    if (!std::isfinite(state.time)) throw py::value_error("the state is not finite");
    simulation().reset(state);
    follow();
  }
  void check_idle() const {
    if (busy_) throw std::runtime_error("the simulation is in use by another thread");
  }

 private:
  /// One thread at a time. The flag changes only while the GIL is held.
  struct Busy {
    explicit Busy(PySimulation& s) : simulation(s) {
      s.check_idle();
      s.busy_ = true;
    }
    ~Busy() { simulation.busy_ = false; }
    PySimulation& simulation;
  };

  void follow() {
    std::copy(simulation().state().q.begin(), simulation().state().q.end(), q.begin());
    std::copy(simulation().state().v.begin(), simulation().state().v.end(), v.begin());
  }

  std::shared_ptr<const CompiledModel> compiled_;
  RunOptions options_;
  Simulation simulation_;
  bool busy_ = false;

 public:
  std::vector<double> q, v;
};

}  // namespace pawl::python
