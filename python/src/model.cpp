// Compiled scenes and states.

#include "bindings.h"

namespace pawl::python {
namespace {

State make_state(const CompiledModel& model, const py::object& q, const py::object& v, double time) {
  State state = initial_state(model.model);
  if (!q.is_none()) state.q = finite_numbers(q, "q", model.model.nq);
  if (!v.is_none()) state.v = finite_numbers(v, "v", model.model.nv);
  if (!std::isfinite(time)) throw py::value_error("time must be finite");
  state.time = time;
  return state;
}

}  // namespace

void bind_model(py::module_& m) {
  py::class_<State>(
      m, "State",
      "A saved state: time, q, v, and what the last step left for the next. It can be copied and pickled; "
      "a run restored from it continues bit for bit.")
      .def_readonly("time", &State::time, "s")
      .def_property_readonly(
          "q",
          [](const py::object& self) {
            const auto& q = self.cast<const State&>().q;
            return view(q.data(), {static_cast<py::ssize_t>(q.size())}, self);
          },
          "[nq], read-only")
      .def_property_readonly(
          "v",
          [](const py::object& self) {
            const auto& v = self.cast<const State&>().v;
            return view(v.data(), {static_cast<py::ssize_t>(v.size())}, self);
          },
          "[nv], read-only")
      .def("__copy__", [](const State& self) { return State(self); })
      .def(
          "__deepcopy__", [](const State& self, const py::dict&) { return State(self); }, py::arg("memo"))
      .def(
          "__eq__",
          [](const State& self, const State& other) {
            return self.time == other.time && self.q == other.q && self.v == other.v &&
                   self.history == other.history;
          },
          py::is_operator())
      .def(py::pickle(
          [](const State& self) { return py::make_tuple(self.time, self.q, self.v, self.history); },
          [](const py::tuple& t) {
            if (t.size() != 4) throw py::value_error("not a state of pawl");
            return State{t[0].cast<double>(), t[1].cast<std::vector<double>>(),
                         t[2].cast<std::vector<double>>(), t[3].cast<std::vector<std::uint64_t>>()};
          }))
      .def("__repr__", [](const State& self) {
        return py::str("<pawl.State t = {} s, nq = {}, nv = {}>")
            .format(self.time, self.q.size(), self.v.size());
      });

  py::class_<CompiledModel, std::shared_ptr<CompiledModel>>(
      m, "Model", "A compiled scene: constant, shared by any number of simulations and threads.")
      .def_property_readonly(
          "nq", [](const CompiledModel& self) { return self.model.nq; }, "length of q")
      .def_property_readonly(
          "nv", [](const CompiledModel& self) { return self.model.nv; }, "length of v")
      .def_property_readonly(
          "planar", [](const CompiledModel& self) { return self.model.planar(); },
          "a world of two dimensions")
      .def_property_readonly(
          "run", [](const CompiledModel& self) { return self.scene.run; }, "a copy of its RunOptions")
      .def_property_readonly(
          "bodies", [](const CompiledModel& self) { return self.model.body_names; },
          "names by body index; 0 is the world")
      .def_property_readonly(
          "q_names", [](const CompiledModel& self) { return q_columns(self.model); },
          "names of the entries of q: ball1.x, arm.q, ...")
      .def_property_readonly(
          "v_names", [](const CompiledModel& self) { return v_columns(self.model); },
          "names of the entries of v: ball1.vx, arm.v, ...")
      .def_readonly("control_names", &CompiledModel::control_names,
                    "inputs: the motors, by body, then the wrenches, by name")
      .def("state", &make_state, py::arg("q") = py::none(), py::arg("v") = py::none(), py::arg("time") = 0.0,
           "A State; q and v are the scene's unless given.")
      .def("__repr__", [](const CompiledModel& self) {
        return py::str("<pawl.Model {}: {} bodies, nq = {}, nv = {}>")
            .format(self.scene.name, self.model.bodies.size() - 1, self.model.nq, self.model.nv);
      });

  m.def(
      "_save_state",
      [](const std::string& path, const State& state, const CompiledModel& model) {
        save_state(path, state, model.model);
      },
      py::arg("path"), py::arg("state"), py::arg("model"));
  m.def(
      "_load_state",
      [](const std::string& path, const CompiledModel& model) { return load_state(path, model.model); },
      py::arg("path"), py::arg("model"));
}

}  // namespace pawl::python
