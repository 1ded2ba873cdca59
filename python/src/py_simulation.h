#pragma once
// A simulation with inputs, as Python sees it.

#include <algorithm>

#include "driven_simulation.h"

namespace pawl::python {

/// The simulation moves its state while it steps; q and v here stay in place, so that arrays can view them.
class PySimulation : public DrivenSimulation {
 public:
  PySimulation(std::shared_ptr<const CompiledModel> compiled, const RunOptions& options)
      : DrivenSimulation(std::move(compiled), options), q(model().nq), v(model().nv) {
    follow();
  }

  StepReport advance() {
    const Busy busy(*this);
    const py::gil_scoped_release release;
    const StepReport report = step();
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

  std::vector<double> q, v;

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

  bool busy_ = false;
};

}  // namespace pawl::python
