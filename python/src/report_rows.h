#pragma once
// A step as a row of a NumPy array.

#include "bindings.h"

namespace pawl::python {

struct StepRow {
  double time, step;
  std::uint8_t status;  // 0 to 3: certified, approximate, refused, no-solution
  std::int32_t contacts, problem_size, solves, iterations, passes, halvings, impacts, inelastic, ambiguous;
  double impact_gain, natural_map, cone_map, momentum, bilateral, penetration_rate, tension, complementarity,
      friction_excess, work_defect, energy_gain, gap_violation, joint_violation, fixed_point_error,
      local_error;
};

py::array step_array(std::span<const StepReport> steps);

}  // namespace pawl::python
