// Whole runs in memory: simulated, read and written.

#include <pawl/analysis.h>

#include "py_simulation.h"
#include "report_rows.h"

namespace pawl::python {
namespace {

void add_state(Trajectory& run, const Simulation& simulation, const RunOptions& options, bool with_contacts) {
  const State& state = simulation.state();
  run.time.push_back(state.time);
  run.q.insert(run.q.end(), state.q.begin(), state.q.end());
  run.v.insert(run.v.end(), state.v.begin(), state.v.end());
  run.energy.push_back(simulation.energy());
  if (with_contacts) {
    run.contacts.insert(run.contacts.end(), simulation.contacts().begin(), simulation.contacts().end());
  }
  run.contact_offset.push_back(run.contacts.size());
  if (!options.record_forces) return;
  const std::vector<JointForces> joints = simulation.joint_forces();
  run.joints.insert(run.joints.end(), joints.begin(), joints.end());
}

/// Runs to the end. Before each step calls `before_step` unless it is None; it ends the run by returning
/// False.
std::shared_ptr<Trajectory> simulate(PySimulation& driven, const py::object& before_step) {
  Simulation& simulation = driven.simulation();
  const RunOptions& options = driven.options();
  auto run = std::make_shared<Trajectory>();
  Scene described = driven.compiled().scene;
  described.run = options;
  run->info = describe_run(described, driven.model());
  run->info.start_overlap = deepest_overlap(driven.compiled().model, simulation.state());
  run->pawl_version = kVersion;
  run->contact_offset = {0};
  const bool calls = !before_step.is_none();
  const py::gil_scoped_release release;
  Interrupts interrupts;
  add_state(*run, simulation, options, false);
  int unrecorded = 0;
  while (!simulation.at_end()) {
    interrupts.poll();
    StepReport report;
    if (calls) {
      const py::gil_scoped_acquire gil;
      const py::object go_on = before_step();
      if (go_on.is(py::bool_(false))) break;
      report = driven.advance();
    } else {
      report = simulation.step();
    }
    run->steps.push_back(report);
    if (++unrecorded >= options.record_every) {
      add_state(*run, simulation, options, options.record_contacts);
      unrecorded = 0;
    }
    if (report.status >= Status::refused) break;
    if (!report.certified() && options.on_uncertified == OnUncertified::stop) break;
  }
  if (unrecorded > 0) add_state(*run, simulation, options, options.record_contacts);
  run->finished = simulation.at_end();
  return run;
}

void save(const Trajectory& run, const std::string& path) {
  TrajectoryWriter writer(path, run.info);
  const std::size_t nq = run.info.q_columns.size(), nv = run.info.v_columns.size();
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    writer.append_state(
        run.time[i], std::span(run.q).subspan(i * nq, nq), std::span(run.v).subspan(i * nv, nv),
        run.energy[i],
        std::span(run.contacts)
            .subspan(run.contact_offset[i], run.contact_offset[i + 1] - run.contact_offset[i]));
  }
  for (const StepReport& step : run.steps) writer.append_step(step);
  writer.append_joints(run.joints);
  writer.finish(run.finished);
}

}  // namespace

void bind_trajectory(py::module_& m) {
  const auto size = [](std::size_t n) { return static_cast<py::ssize_t>(n); };
  py::class_<Trajectory, std::shared_ptr<Trajectory>>(m, "_Trajectory")
      .def_property_readonly("time",
                             [=](const py::object& self) {
                               const auto& run = self.cast<const Trajectory&>();
                               return view(run.time.data(), {size(run.time.size())}, self);
                             })
      .def_property_readonly(
          "q",
          [=](const py::object& self) {
            const auto& run = self.cast<const Trajectory&>();
            return view(run.q.data(), {size(run.time.size()), size(run.info.q_columns.size())}, self);
          })
      .def_property_readonly(
          "v",
          [=](const py::object& self) {
            const auto& run = self.cast<const Trajectory&>();
            return view(run.v.data(), {size(run.time.size()), size(run.info.v_columns.size())}, self);
          })
      .def_property_readonly("energy", [](const Trajectory& self) { return energy_array(self.energy); })
      .def_property_readonly("steps", [](const Trajectory& self) { return step_array(self.steps); })
      .def_property_readonly("reasons",
                             [](const Trajectory& self) {
                               std::vector<std::string> reasons;
                               for (const StepReport& step : self.steps) reasons.emplace_back(step.reason);
                               return reasons;
                             })
      .def("contacts",
           [](const Trajectory& self, std::size_t i) {
             if (i >= self.time.size()) throw py::index_error("there is no such state");
             return contact_array(
                 std::span(self.contacts)
                     .subspan(self.contact_offset[i], self.contact_offset[i + 1] - self.contact_offset[i]));
           })
      .def_property_readonly("joints",
                             [](const Trajectory& self) {
                               const std::size_t states = std::max<std::size_t>(1, self.time.size());
                               py::array all = joint_array(self.joints);
                               return all.reshape({static_cast<py::ssize_t>(states),
                                                   static_cast<py::ssize_t>(self.joints.size() / states)});
                             })
      .def("save", &save, py::call_guard<py::gil_scoped_release>())
      .def_readonly("finished", &Trajectory::finished)
      .def_property_readonly("q_names", [](const Trajectory& self) { return self.info.q_columns; })
      .def_property_readonly("v_names", [](const Trajectory& self) { return self.info.v_columns; })
      .def_property_readonly("bodies", [](const Trajectory& self) { return self.info.bodies; })
      .def_property_readonly("name", [](const Trajectory& self) { return self.info.scene_name; })
      .def_property_readonly("method", [](const Trajectory& self) { return self.info.method; })
      .def_property_readonly("step", [](const Trajectory& self) { return self.info.step; })
      .def_property_readonly("scene_text", [](const Trajectory& self) { return self.info.scene_text; });
  m.def("_simulate", &simulate, py::arg("simulation"), py::arg("before_step"));
  m.def("_read_trajectory",
        [](const std::string& path) { return std::make_shared<Trajectory>(read_trajectory(path)); });
}

}  // namespace pawl::python
