// Forces and accelerations of a state, and whether they exist and are unique.

#include <pawl/analysis.h>

#include "bindings.h"

namespace pawl::python {
namespace {

py::array array_of(const std::vector<double>& values) {
  return copied(values, {static_cast<py::ssize_t>(values.size())});
}

py::dict theorem_dict(const Theorem1& t) {
  py::dict made;
  made["rows"] = t.rows;
  made["rank"] = t.rank;
  made["least_eigenvalue"] = t.least_eigenvalue;
  made["positive_definite"] = t.positive_definite();
  made["friction"] = t.friction;
  made["sliding_friction"] = t.sliding_friction;
  made["existence_bound"] = t.existence_bound;
  made["uniqueness_bound"] = t.uniqueness_bound;
  made["exists_by_A"] = t.exists_by_A();
  made["unique_by_A"] = t.unique_by_A();
  made["all_rolling"] = t.all_rolling;
  made["condition_B"] = to_string(t.condition_B);
  made["exists_by_B"] = t.exists_by_B();
  return made;
}

py::list transition_names(const std::vector<ContactTransition>& transitions) {
  py::list names;
  for (const ContactTransition each : transitions) names.append(to_string(each));
  return names;
}

py::dict island_dict(const AccelerationProblem& problem, const std::vector<int>& contacts,
                     const AccelerationAnalysis& analysis) {
  py::dict made;
  made["contacts"] = contacts;
  made["begin"] = problem.begin;
  made["A"] = copied(acceleration_matrix(problem), {problem.rows(), problem.rows()});
  made["b"] = array_of(problem.b);
  made["status"] = to_string(analysis.status);
  made["method"] = analysis.method;
  made["residual"] = analysis.residual;
  made["exists"] = to_string(analysis.exists());
  made["unique_motion"] = to_string(analysis.unique_motion());
  made["unique_forces"] = to_string(analysis.unique_forces());
  made["forces"] = array_of(analysis.solution.c);
  made["accelerations"] = array_of(analysis.solution.a);
  made["then"] = transition_names(analysis.solution.transitions);
  made["theorem_1"] = theorem_dict(analysis.theorem);
  made["count"] = to_string(analysis.counted.count);
  made["count_reason"] = analysis.counted.reason;
  py::list solutions;
  for (const CountedSolution& each : analysis.counted.solutions) {
    py::dict one;
    one["forces"] = array_of(each.solution.c);
    one["accelerations"] = array_of(each.solution.a);
    one["then"] = transition_names(each.solution.transitions);
    one["forces_vary"] = each.forces_vary;
    one["motion_varies"] = each.motion_varies;
    solutions.append(one);
  }
  made["solutions"] = solutions;
  return made;
}

py::dict contact_dict(const Model& model, const InstantContact& at) {
  py::dict made;
  made["body_a"] = model.body_names[model.shapes[at.contact.id.shape_a].body];
  made["body_b"] = model.body_names[model.shapes[at.contact.id.shape_b].body];
  made["gap"] = at.contact.gap;
  made["point"] = 0.5 * (at.contact.point_a + at.contact.point_b);
  made["normal"] = at.contact.normal;
  made["tangent"] = at.tangent;
  made["velocity"] = array_of({at.velocity.begin(), at.velocity.begin() + at.rows});
  made["motion"] = to_string(at.motion);
  made["kinked"] = at.kinked;
  made["island"] = at.island >= 0 ? py::object(py::int_(at.island)) : py::none();
  return made;
}

/// Copies everything: nothing refers to the model or the friction table afterwards.
py::tuple analyse_state(const CompiledModel& compiled, const State& state, std::optional<double> touching,
                        double velocity_tolerance, double step) {
  const RunOptions& run = compiled.scene.run;
  if (touching && !(*touching >= 0)) throw py::value_error("touching must be at least 0, in m");
  if (!(velocity_tolerance >= 0)) throw py::value_error("velocity_tolerance must be at least 0");
  if (static_cast<int>(state.q.size()) != compiled.model.nq ||
      static_cast<int>(state.v.size()) != compiled.model.nv) {
    throw py::value_error("the state is of another model");
  }
  const Instant instant = instant_of(compiled.model, state,
                                     {.touching = touching,
                                      .velocity_tolerance = velocity_tolerance,
                                      .step = step,
                                      .contact_points = run.contact_points,
                                      .friction = run.friction.value_or(FrictionForm::exact),
                                      .friction_directions = run.friction_directions});
  py::list contacts, islands;
  for (const InstantContact& each : instant.contacts) contacts.append(contact_dict(compiled.model, each));
  for (std::size_t i = 0; i < instant.islands.size(); ++i) {
    islands.append(island_dict(instant.islands[i], instant.island_contacts[i],
                               analyse(instant.islands[i], run.tolerance)));
  }
  return py::make_tuple(contacts, islands);
}

}  // namespace

void bind_analysis(py::module_& m) {
  m.def("_analyse", &analyse_state);
}

}  // namespace pawl::python
