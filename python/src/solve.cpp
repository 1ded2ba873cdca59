// Solvers and judges of contact problems and LCPs.

#include <algorithm>
#include <cmath>

#include "held_problem.h"

namespace pawl::python {
namespace {

py::array array_of(const std::vector<double>& values) {
  return copied(values, {static_cast<py::ssize_t>(values.size())});
}

Solution solve_contacts(const HeldProblem& held, const std::string& method,
                        const std::optional<double>& tolerance) {
  SolveOptions options;
  options.tolerance = tolerance.value_or(held.tolerance);
  const auto found = solve_method(method);
  if (!found) {
    std::string names;
    for (int i = 0; i <= static_cast<int>(SolveMethod::cascade); ++i) {
      names += " " + std::string(to_string(static_cast<SolveMethod>(i)));
    }
    throw py::value_error("method " + method + ": it must be one of" + names);
  }
  options.method = *found;
  if (const std::string_view fault = validate(options); !fault.empty()) throw Error(std::string(fault));
  const py::gil_scoped_release release;
  return solve(held.problem, options);
}

/// The answer of a solver written in Python, judged as any other.
Solution judged(const HeldProblem& held, const py::object& answer, const std::optional<double>& tolerance) {
  const ContactProblem& problem = held.problem;
  Solution made;
  made.p = numbers(answer, "p", problem.rows());
  made.u.resize(problem.rows());
  made.v_next.resize(problem.motion.v_free.size());
  if (!std::all_of(made.p.begin(), made.p.end(), [](double x) { return std::isfinite(x); })) {
    made.reason = "the answer is not finite";
    return made;
  }
  JudgeScratch scratch;
  made.residual = judge(problem, made.p, made.u, made.v_next, scratch);
  const bool certified = made.residual.within(tolerance.value_or(held.tolerance));
  made.status = certified ? Status::certified : Status::approximate;
  if (!certified) made.reason = "the residual is above the tolerance";
  return made;
}

template <class Problem>
LcpSolution solve_lcp(const Problem& lcp, const std::optional<double>& tolerance) {
  LcpOptions options;
  if (tolerance) options.tolerance = *tolerance;
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw py::value_error("tolerance must be between 0 and 1");
  const py::gil_scoped_release release;
  LcpSolver solver;
  LcpSolution solution;
  solver.solve(lcp, options, {}, solution);
  return solution;
}

template <class Problem>
LcpResidual judge_lcp(const Problem& lcp, const py::object& z) {
  const std::vector<double> given = numbers(z, "z", lcp.n);
  std::vector<double> w(lcp.n);
  return judge(lcp, given, w);
}

template <class Problem>
Problem checked(Problem lcp) {
  if (!well_formed(lcp)) throw Error("M must be n x n, q of n entries, all finite");
  return lcp;
}

void bind_lcp(py::module_& m) {
  py::class_<LcpResidual>(m, "LcpResidual", "Worst violations of an LCP, dimensionless.")
      .def_readonly("natural_map", &LcpResidual::natural_map, "dimensionless: min(z, w)")
      .def_readonly("equation", &LcpResidual::equation, "dimensionless: w = M z + q")
      .def_property_readonly("worst", &LcpResidual::worst, "the larger of the two")
      .def("within", &LcpResidual::within, py::arg("tolerance"));
  py::class_<Lcp>(m, "Lcp", "Find z >= 0 with w = M z + q >= 0 and z . w = 0. Make it with pawl.lcp().")
      .def_readonly("n", &Lcp::n, "number of unknowns");
  py::class_<MixedLcp>(m, "MixedLcp",
                       "An LCP with free rows, where w_i = 0. Make it with pawl.lcp(M, q, free).")
      .def_readonly("n", &MixedLcp::n, "number of unknowns");
  py::class_<LcpSolution>(m, "LcpSolution", "z, w and how well they satisfy the laws.")
      .def_property_readonly(
          "status", [](const LcpSolution& s) { return to_string(s.status); },
          "certified, approximate, refused or no-solution")
      .def_property_readonly(
          "certified", [](const LcpSolution& s) { return s.status == Status::certified; },
          "every law holds to the tolerance, as judged")
      .def_readonly("solver", &LcpSolution::solver, "that found the answer")
      .def_readonly("reason", &LcpSolution::reason, "why it is not certified; empty if it is")
      .def_property_readonly(
          "z", [](const LcpSolution& s) { return array_of(s.z); }, "[n], a copy")
      .def_property_readonly(
          "w", [](const LcpSolution& s) { return array_of(s.w); }, "[n] M z + q, a copy")
      .def_property_readonly(
          "certificate", [](const LcpSolution& s) { return array_of(s.certificate); },
          "y of a proof that there is no solution; empty otherwise")
      .def_readonly("residual", &LcpSolution::residual, "as judged")
      .def_readonly("pivots", &LcpSolution::pivots, "pivots of Lemke's method");
  m.def("_lcp",
        [](std::vector<double> M, std::vector<double> q,
           const std::optional<std::vector<bool>>& free) -> py::object {
          const int n = static_cast<int>(q.size());
          if (!free) return py::cast(checked(Lcp{n, std::move(M), std::move(q)}));
          return py::cast(checked(MixedLcp{n, std::move(M), std::move(q), {free->begin(), free->end()}}));
        });
  m.def("_solve",
        [](const Lcp& lcp, const std::string&, std::optional<double> t) { return solve_lcp(lcp, t); });
  m.def("_solve",
        [](const MixedLcp& lcp, const std::string&, std::optional<double> t) { return solve_lcp(lcp, t); });
  m.def("_judge", &judge_lcp<Lcp>);
  m.def("_judge", &judge_lcp<MixedLcp>);
}

}  // namespace

void bind_solve(py::module_& m) {
  py::class_<Solution>(m, "Solution", "Impulses of a contact problem and how well they satisfy its laws.")
      .def_property_readonly(
          "status", [](const Solution& s) { return to_string(s.status); },
          "certified, approximate, refused or no-solution")
      .def_property_readonly(
          "certified", [](const Solution& s) { return s.status == Status::certified; },
          "every law holds to the tolerance, as judged")
      .def_property_readonly(
          "method", [](const Solution& s) { return to_string(s.method); }, "that found the answer")
      .def_readonly("reason", &Solution::reason, "why it is not certified; empty if it is")
      .def_property_readonly(
          "p", [](const Solution& s) { return array_of(s.p); }, "[rows] impulses, N s")
      .def_property_readonly(
          "u", [](const Solution& s) { return array_of(s.u); }, "[rows] velocities, m/s")
      .def_property_readonly(
          "v_next", [](const Solution& s) { return array_of(s.v_next); }, "[nv]; given M and J")
      .def_property_readonly(
          "impulses", [](const Solution& s) { return to_string(s.impulses); }, "unique or not")
      .def_readonly("residual", &Solution::residual, "as judged")
      .def_readonly("iterations", &Solution::iterations, "of all methods tried")
      .def("__repr__", [](const Solution& s) {
        return py::str("<pawl.Solution {} by {}, worst residual {:.3g}>")
            .format(to_string(s.status), to_string(s.method), s.residual.worst());
      });
  bind_lcp(m);
  m.def("_solve", &solve_contacts);
  m.def("_judged", &judged);
  m.def("_judge", [](const HeldProblem& held, const py::object& p) {
    return judge(held.problem, numbers(p, "p", held.problem.rows()));
  });
}

}  // namespace pawl::python
