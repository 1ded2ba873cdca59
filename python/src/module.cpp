// The module pawl._pawl: the public headers of Pawl in Python. It holds no physics.

#include "bindings.h"

PYBIND11_MODULE(_pawl, module) {
  using namespace pawl::python;
  module.doc() = "The compiled part of pawl.";
  module.attr("__version__") = pawl::kVersion;
  bind_errors(module);
  bind_run_options(module);
  bind_scene_parts(module);
  bind_model(module);
  bind_scene(module);
  bind_report(module);
  bind_problem(module);
  bind_simulation(module);
  bind_rollout(module);
  bind_trajectory(module);
  bind_solve(module);
  bind_analysis(module);
}
