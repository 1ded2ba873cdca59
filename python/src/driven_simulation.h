#pragma once
// A simulation with inputs: it owns its copy of the model, whose motors and wrenches the inputs set before
// each step.

#include <cmath>
#include <limits>

#include "bindings.h"

namespace pawl::python {

class DrivenSimulation {
 public:
  DrivenSimulation(std::shared_ptr<const CompiledModel> compiled, const RunOptions& options)
      : compiled_(std::move(compiled)),
        model_(compiled_->model),
        simulation_(model_, options),
        options_(options),
        control(compiled_->control_names.size(), std::numeric_limits<double>::quiet_NaN()) {}
  DrivenSimulation(const DrivenSimulation&) = delete;
  DrivenSimulation& operator=(const DrivenSimulation&) = delete;

  StepReport step() {
    apply_control();
    return simulation_.step();
  }
  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }
  const CompiledModel& compiled() const { return *compiled_; }
  std::shared_ptr<const CompiledModel> shared() const { return compiled_; }
  const Model& model() const { return model_; }
  const RunOptions& options() const { return options_; }

  /// The model with the inputs set.
  const Model& driven_model() {
    apply_control();
    return model_;
  }

 private:
  void apply_control() {
    if (control.empty()) return;
    std::size_t i = 0;
    for (std::size_t d = 0; d < model_.drives.size(); ++d) {
      const SceneDrive& own = compiled_->model.drives[d].law;
      if (is_ideal_motor(own)) set(control[i++], own.target, model_.drives[d].law.target);
    }
    for (std::size_t f = 0; f < model_.forces.size(); ++f) {
      const ForceElement& own = compiled_->model.forces[f];
      if (own.kind == ForceKind::wrench || own.servo) set(control[i++], own.scale, model_.forces[f].scale);
    }
  }
  static void set(double value, const Signal& own, Signal& signal) {
    if (std::isnan(value)) {
      signal = own;
    } else {
      signal = Signal{.constant = value};
    }
  }

  std::shared_ptr<const CompiledModel> compiled_;
  Model model_;
  Simulation simulation_;
  RunOptions options_;

 public:
  std::vector<double> control;  // [inputs] motor targets and factors of wrenches; NaN: as the scene says
};

}  // namespace pawl::python
