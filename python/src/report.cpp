// Reports of steps: residuals, energies, contacts.

#include <sstream>

#include "bindings.h"
#include "report_rows.h"

namespace pawl::python {
namespace {

/// A contact as a row of a NumPy array.
struct ContactRow {
  std::int32_t body_a, body_b, shape_a, shape_b;
  std::uint64_t feature;
  std::uint8_t state;
  std::array<double, 3> point, normal, tangent;
  double gap;
  std::array<double, 4> impulse, velocity;
};

/// The forces in a joint likewise.
struct JointRow {
  double time;
  std::int32_t body_a, body_b, joint;
  std::array<double, 3> force, torque;
  double motor, limit, friction, spring, damper, coupling;
};

std::array<double, 3> entries(const Vec3& x) {
  return {x.x, x.y, x.z};
}

}  // namespace

py::array contact_array(std::span<const ContactRecord> contacts) {
  py::array_t<ContactRow> rows(static_cast<py::ssize_t>(contacts.size()));
  ContactRow* row = rows.mutable_data();
  for (const ContactRecord& c : contacts) {
    *row++ = {c.body_a,           c.body_b,
              c.shape_a,          c.shape_b,
              c.feature,          static_cast<std::uint8_t>(c.state),
              entries(c.point),   entries(c.normal),
              entries(c.tangent), c.gap,
              c.impulse,          c.velocity};
  }
  return rows;
}

py::array joint_array(std::span<const JointForces> joints) {
  py::array_t<JointRow> rows(static_cast<py::ssize_t>(joints.size()));
  JointRow* row = rows.mutable_data();
  for (const JointForces& j : joints) {
    *row++ = {j.time,
              j.body_a,
              j.body_b,
              j.joint,
              entries(j.reaction.force),
              entries(j.reaction.torque),
              j.motor,
              j.limit,
              j.friction,
              j.spring,
              j.damper,
              j.coupling};
  }
  return rows;
}

py::array energy_array(std::span<const EnergyLedger> energies) {
  return py::array_t<EnergyLedger>(static_cast<py::ssize_t>(energies.size()), energies.data());
}

py::array step_array(std::span<const StepReport> steps) {
  py::array_t<StepRow> rows(static_cast<py::ssize_t>(steps.size()));
  StepRow* row = rows.mutable_data();
  for (const StepReport& s : steps) {
    *row++ = {s.time,
              s.step,
              static_cast<std::uint8_t>(s.status),
              s.contacts,
              s.problem_size,
              s.solves,
              s.iterations,
              s.passes,
              s.halvings,
              s.impacts,
              s.inelastic,
              s.ambiguous,
              s.impact_gain,
              s.residual.natural_map,
              s.residual.cone_map,
              s.residual.momentum,
              s.residual.bilateral,
              s.residual.penetration_rate,
              s.residual.tension,
              s.residual.complementarity,
              s.residual.friction_excess,
              s.residual.work_defect,
              s.residual.energy_gain,
              s.gap_violation,
              s.joint_violation,
              s.fixed_point_error,
              s.local_error};
  }
  return rows;
}

void bind_report(py::module_& m) {
  PYBIND11_NUMPY_DTYPE(ContactRow, body_a, body_b, shape_a, shape_b, feature, state, point, normal, tangent,
                       gap, impulse, velocity);
  PYBIND11_NUMPY_DTYPE(JointRow, time, body_a, body_b, joint, force, torque, motor, limit, friction, spring,
                       damper, coupling);
  PYBIND11_NUMPY_DTYPE(EnergyLedger, kinetic, potential, normal, stabilisation, friction, joints, limits,
                       motors, applied, discretisation, imbalance, stored, returned);
  PYBIND11_NUMPY_DTYPE(StepRow, time, step, status, contacts, problem_size, solves, iterations, passes,
                       halvings, impacts, inelastic, ambiguous, impact_gain, natural_map, cone_map, momentum,
                       bilateral, penetration_rate, tension, complementarity, friction_excess, work_defect,
                       energy_gain, gap_violation, joint_violation, fixed_point_error, local_error);

  py::class_<Residual>(m, "Residual",
                       "How far an answer is from each law, as judged; 0 where it holds exactly.")
      .def_readonly("natural_map", &Residual::natural_map, "dimensionless; decides the status")
      .def_readonly("cone_map", &Residual::cone_map, "dimensionless")
      .def_readonly("momentum", &Residual::momentum, "dimensionless")
      .def_readonly("bilateral", &Residual::bilateral, "dimensionless")
      .def_readonly("penetration_rate", &Residual::penetration_rate, "m/s")
      .def_readonly("tension", &Residual::tension, "N s")
      .def_readonly("complementarity", &Residual::complementarity, "J")
      .def_readonly("friction_excess", &Residual::friction_excess, "N s")
      .def_readonly("work_defect", &Residual::work_defect, "J")
      .def_readonly("energy_gain", &Residual::energy_gain, "J")
      .def_property_readonly(
          "worst", [](const Residual& self) { return self.worst(); }, "largest of those that decide")
      .def("within", &Residual::within, py::arg("tolerance"), "True if every law holds to the tolerance.")
      .def("__repr__", [](const Residual& self) {
        return py::str("<pawl.Residual worst = {:.3g}>").format(self.worst());
      });

  py::class_<EnergyLedger>(m, "EnergyLedger", "Energies, and the work since the start of the run, J.")
      .def_readonly("kinetic", &EnergyLedger::kinetic, "J")
      .def_readonly("potential", &EnergyLedger::potential, "J; gravity and springs")
      .def_readonly("normal", &EnergyLedger::normal,
                    "J; work of normal impulses on the velocity before the step")
      .def_readonly("stabilisation", &EnergyLedger::stabilisation, "J; work by which overlaps are corrected")
      .def_readonly("friction", &EnergyLedger::friction, "J; work of friction, that of joints included")
      .def_readonly("joints", &EnergyLedger::joints, "J; work of constraint joints")
      .def_readonly("limits", &EnergyLedger::limits, "J; work of joint limits")
      .def_readonly("motors", &EnergyLedger::motors, "J; work of motors")
      .def_readonly("applied", &EnergyLedger::applied, "J; work of wrenches and dampers")
      .def_readonly("discretisation", &EnergyLedger::discretisation,
                    "J; energy error of the integration rule")
      .def_readonly("imbalance", &EnergyLedger::imbalance, "J; remainder: rounding")
      .def_readonly("stored", &EnergyLedger::stored, "J; normal work stored in compression by impacts")
      .def_readonly("returned", &EnergyLedger::returned, "J; of it, returned in expansion");

  py::class_<StageTimes>(m, "StageTimes", "Wall times of the stages of a step, s.")
      .def_readonly("select", &StageTimes::select, "contacts that take part")
      .def_readonly("positions", &StageTimes::positions, "the first stage and the location of impacts")
      .def_readonly("velocities", &StageTimes::velocities, "the second stage")
      .def_readonly("verify", &StageTimes::verify, "the motion, measured at its end")
      .def_readonly("impacts", &StageTimes::impacts, "impacts");

  py::class_<StepReport>(m, "StepReport", "What a step did, and how well its laws hold.")
      .def_readonly("time", &StepReport::time, "s, at the end of the step")
      .def_readonly("step", &StepReport::step, "h that was used, s")
      .def_property_readonly(
          "status", [](const StepReport& self) { return to_string(self.status); },
          "certified, approximate, refused or no-solution")
      .def_property_readonly("certified", &StepReport::certified,
                             "every law holds to the tolerance, as judged")
      .def_readonly("method", &StepReport::method, "row of the method table")
      .def_readonly("solver", &StepReport::solver, "the last that was needed: none, warm, lemke, ...")
      .def_readonly("reason", &StepReport::reason, "why it is not certified; empty if it is")
      .def_readonly("motion", &StepReport::motion, "what the motion lacks; empty if nothing")
      .def_readonly("body_a", &StepReport::body_a,
                    "index of the body that reason or motion is about; 0 if none")
      .def_readonly("body_b", &StepReport::body_b, "its partner")
      .def_readonly("contacts", &StepReport::contacts, "in the last problem solved")
      .def_readonly("problem_size", &StepReport::problem_size, "rows of the last problem")
      .def_readonly("solves", &StepReport::solves, "problems solved in the last trial step")
      .def_readonly("iterations", &StepReport::iterations, "pivots, sweeps and Newton steps")
      .def_readonly("passes", &StepReport::passes, "linearisations")
      .def_readonly("halvings", &StepReport::halvings, "of h before this step was accepted")
      .def_readonly("impacts", &StepReport::impacts, "resolved in this step")
      .def_property_readonly(
          "inelastic", [](const StepReport& self) { return self.inelastic != 0; },
          "too many impacts: the last ones were inelastic")
      .def_property_readonly(
          "ambiguous", [](const StepReport& self) { return self.ambiguous != 0; },
          "the motion may not be the only one that obeys the laws")
      .def_readonly("impact_gain", &StepReport::impact_gain, "J")
      .def_readonly("residual", &StepReport::residual, "of the problems of the step, as judged")
      .def_readonly("gap_violation", &StepReport::gap_violation, "m")
      .def_readonly("joint_violation", &StepReport::joint_violation, "m or rad")
      .def_readonly("fixed_point_error", &StepReport::fixed_point_error,
                    "dimensionless: last change of v in an iterated method")
      .def_readonly("local_error", &StepReport::local_error,
                    "dimensionless: energy error relative to the kinetic energy")
      .def_readonly("energy", &StepReport::energy, "EnergyLedger at the end of the step")
      .def_readonly("times", &StepReport::times, "StageTimes")
      .def("__repr__", [](const StepReport& self) {
        std::ostringstream text;
        text << self;
        return "<pawl.StepReport " + text.str() + ">";
      });
}

}  // namespace pawl::python
