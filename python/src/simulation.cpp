// Simulations: state, step, contacts, dynamics.

#include <algorithm>

#include "held_problem.h"
#include "py_simulation.h"

namespace pawl::python {
namespace {

const State& state_of(const PySimulation& self) {
  self.check_idle();
  return self.simulation().state();
}

void set_state(PySimulation& self, const py::object& q, const py::object& v, const py::object& time) {
  State state{state_of(self).time, self.q, self.v};
  if (!q.is_none()) state.q = finite_numbers(q, "q", self.model().nq);
  if (!v.is_none()) state.v = finite_numbers(v, "v", self.model().nv);
  if (!time.is_none()) state.time = time.cast<double>();
  if (!std::isfinite(state.time)) throw py::value_error("time must be finite");
  self.restore(state);
}

int body_index(const Model& model, const py::object& body) {
  if (!py::isinstance<py::str>(body)) return body.cast<int>();
  const auto name = body.cast<std::string>();
  const auto found = std::find(model.body_names.begin(), model.body_names.end(), name);
  if (found == model.body_names.end()) throw py::key_error("there is no body " + name);
  return static_cast<int>(found - model.body_names.begin());
}

py::array view_of(const py::object& self, std::vector<double> PySimulation::*member) {
  const auto& values = self.cast<PySimulation&>().*member;
  return view(values.data(), {static_cast<py::ssize_t>(values.size())}, self);
}

std::unique_ptr<PySimulation> copy_of(const PySimulation& self) {
  auto made = std::make_unique<PySimulation>(self.shared(), self.options());
  made->restore(state_of(self));
  made->simulation().copy_inputs(self.simulation());
  return made;
}

void bind_forces(py::class_<PySimulation>& type) {
  type.def(
          "apply_wrench",
          [](PySimulation& self, const py::object& body, const Vec3& force, const Vec3& torque,
             const Vec3& point) {
            self.check_idle();
            self.simulation().apply_wrench(body_index(self.model(), body), {force, torque}, point);
          },
          py::arg("body"), py::arg("force") = Vec3{}, py::arg("torque") = Vec3{}, py::arg("point") = Vec3{},
          "Adds a wrench (N, N m, world axes) at a point of the body's frame, in all steps until "
          "clear_wrenches().")
      .def_property_readonly(
          "_wrenches",
          [](PySimulation& self) {
            self.check_idle();
            std::vector<std::tuple<int, Vec3, Vec3, Vec3>> wrenches;
            for (const AppliedWrench& w : self.simulation().model().applied_wrenches) {
              wrenches.emplace_back(w.body, w.force, w.torque,
                                    w.point_B - self.model().bodies[w.body].frame_origin_B);
            }
            return wrenches;
          },
          "arguments of apply_wrench()")
      .def(
          "copy_inputs",
          [](PySimulation& self, const PySimulation& other) {
            self.check_idle();
            other.check_idle();
            self.simulation().copy_inputs(other.simulation());
          },
          py::arg("other"), "Takes over control and the wrenches of apply_wrench().")
      .def(
          "clear_wrenches",
          [](PySimulation& self) {
            self.check_idle();
            self.simulation().clear_wrenches();
          },
          "Removes the wrenches of apply_wrench().")
      .def_property_readonly(
          "joint_forces",
          [](const PySimulation& self) {
            self.check_idle();
            return joint_array(self.simulation().joint_forces());
          },
          "Forces in the joints, averaged over the last step: a structured array. force and torque: what the "
          "joint "
          "transmits to body_a, about the origin of its frame, in the world. motor, limit, friction, spring, "
          "damper, "
          "coupling: along its coordinate. joint: number of a constraint joint, -1 for that of body_a to its "
          "parent. "
          "NaN where the last step has no forces.")
      .def(
          "contact_wrench",
          [](const PySimulation& self, const py::object& body, const py::object& other) {
            self.check_idle();
            const Wrench w = self.simulation().contact_wrench(
                body_index(self.model(), body), other.is_none() ? -1 : body_index(self.model(), other));
            return py::make_tuple(copied({w.force.x, w.force.y, w.force.z}, {3}),
                                  copied({w.torque.x, w.torque.y, w.torque.z}, {3}));
          },
          py::arg("body"), py::arg("other") = py::none(),
          "Force [3] and torque [3] of all contacts of the body, or of those with one other body, averaged "
          "over "
          "the last step, about the origin of the body's frame, in the world.");
}

void bind_dynamics(py::class_<PySimulation>& type) {
  type.def(
          "mass_matrix",
          [](PySimulation& self) {
            return copied(mass_matrix(self.model(), state_of(self)), {self.model().nv, self.model().nv});
          },
          "M(q) [nv, nv]: without contacts, M dv/dt + bias() = 0.")
      .def(
          "bias",
          [](PySimulation& self) {
            return copied(bias(self.simulation().model(), state_of(self)), {self.model().nv});
          },
          "[nv] Coriolis and gyroscopic terms, minus gravity, springs, dampers and wrenches.")
      .def(
          "jacobian",
          [](PySimulation& self, const py::object& body, const Vec3& point) {
            return copied(jacobian(self.model(), state_of(self), body_index(self.model(), body), point),
                          {6, self.model().nv});
          },
          py::arg("body"), py::arg("point") = Vec3{},
          "[6, nv]: times v the velocity of a point of the body (m/s) and its angular velocity (rad/s), in "
          "the world. "
          "The point is in the body's frame; the body is a name or an index.")
      .def(
          "pose",
          [](PySimulation& self, const py::object& body) {
            const Pose X = body_pose(self.model(), state_of(self), body_index(self.model(), body));
            py::array_t<double> R({3, 3});
            for (int i = 0; i < 3; ++i) {
              for (int j = 0; j < 3; ++j) R.mutable_at(i, j) = X.R(i, j);
            }
            return py::make_tuple(copied({X.p.x, X.p.y, X.p.z}, {3}), R);
          },
          py::arg("body"), "Position [3] (m) and rotation matrix [3, 3] of the body's frame in the world.")
      .def(
          "problem",
          [](const py::object& self) {
            const auto& simulation = self.cast<const PySimulation&>();
            simulation.check_idle();
            const ContactProblem* problem = simulation.simulation().worst_problem();
            if (problem == nullptr) return std::shared_ptr<HeldProblem>();
            auto held = std::make_shared<HeldProblem>();
            held->problem = *problem;
            held->tolerance = simulation.options().tolerance;
            held->owner = self;  // its friction sets refer to polyhedra of the simulation
            return held;
          },
          "The contact problem of the last step with the largest residual, or None.");
}

}  // namespace

void bind_simulation(py::module_& m) {
  py::class_<PySimulation> type(
      m, "Simulation",
      "A model in motion. q and v are read-only views that follow the simulation; copy() what "
      "you keep. Assign to q, v or time, or call set_state(), to change the state.");
  type.def(py::init([](std::shared_ptr<CompiledModel> model, const py::object& options) {
             return std::make_unique<PySimulation>(
                 model, options.is_none() ? model->scene.run : options.cast<const RunOptions&>());
           }),
           py::arg("model"), py::arg("options") = py::none())
      .def("step", &PySimulation::advance,
           "Advances to the next multiple of the step, or less if the step was halved. Numerics never raise: "
           "read the "
           "report's status.")
      .def_property_readonly(
          "model",
          [](const PySimulation& self) { return std::const_pointer_cast<CompiledModel>(self.shared()); })
      .def_property_readonly(
          "options", [](const PySimulation& self) { return self.options(); }, "a copy")
      .def_property(
          "time", [](const PySimulation& self) { return state_of(self).time; },
          [](PySimulation& self, const py::object& time) { set_state(self, py::none(), py::none(), time); },
          "s")
      .def_property(
          "q", [](const py::object& self) { return view_of(self, &PySimulation::q); },
          [](PySimulation& self, const py::object& q) { set_state(self, q, py::none(), py::none()); },
          "[nq] read-only view; assign an array to set it")
      .def_property(
          "v", [](const py::object& self) { return view_of(self, &PySimulation::v); },
          [](PySimulation& self, const py::object& v) { set_state(self, py::none(), v, py::none()); },
          "[nv] read-only view; assign an array to set it")
      .def_property(
          "control",
          [](const py::object& self) {
            const auto control = self.cast<PySimulation&>().control();
            return py::array_t<double>(static_cast<py::ssize_t>(control.size()), control.data(), self);
          },
          [](PySimulation& self, const py::object& values) {
            self.check_idle();
            const auto given = numbers(values, "control", static_cast<py::ssize_t>(self.control().size()));
            std::ranges::copy(given, self.control().begin());
          },
          "[inputs] writable view: targets of the motors (rad/s, m/s, rad or m), then factors of the "
          "wrenches, in the "
          "order of model.control_names. NaN: as the scene says.")
      .def("set_state", &set_state, py::arg("q") = py::none(), py::arg("v") = py::none(),
           py::arg("time") = py::none(),
           "Continues from this state and starts the energy ledger anew. What is None stays as it is.")
      .def_property_readonly(
          "at_end",
          [](const PySimulation& self) {
            self.check_idle();
            return self.simulation().at_end();
          },
          "True once options.until is reached")
      .def_property_readonly(
          "contacts",
          [](const PySimulation& self) {
            self.check_idle();
            return contact_array(self.simulation().contacts());
          },
          "Contacts of the last step: a structured array (a copy), in a stable order.")
      .def_property_readonly(
          "energy",
          [](const PySimulation& self) {
            self.check_idle();
            return self.simulation().energy();
          },
          "EnergyLedger: energies now, work since the start")
      .def(
          "save", [](const PySimulation& self) { return State(state_of(self)); },
          "The State, to restore() later.")
      .def("restore", &PySimulation::restore, py::arg("state"),
           "Continues from a State of this model, bit for bit, and starts the energy ledger anew.")
      .def("__copy__", &copy_of)
      .def(
          "__deepcopy__", [](const PySimulation& self, const py::dict&) { return copy_of(self); },
          py::arg("memo"))
      .def("__repr__", [](const PySimulation& self) {
        return py::str("<pawl.Simulation {}, t = {} s>")
            .format(self.compiled().scene.name, state_of(self).time);
      });
  bind_dynamics(type);
  bind_forces(type);
}

}  // namespace pawl::python
