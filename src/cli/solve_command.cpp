#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <pawl/base/atomic_write.h>
#include <pawl/error.h>
#include <pawl/json/json.h>
#include <pawl/problem_file/fclib.h>

#include "commands.h"
#include "output_path.h"
#include "print.h"
#include "problem_methods.h"
#include "problem_output.h"
#include "solve_result.h"
#include "table.h"

namespace pawl::internal::cli {
namespace {

struct SolveArguments {
  std::string file;
  std::string method = "cascade";
  std::optional<double> tolerance;
  std::string kind;  // empty: as in the file
  std::string output;
  bool least_norm = false;
  bool json = false;
};

int finish(const SolveArguments& arguments, const SolveResult& result) {
  if (!arguments.output.empty() && !is_fclib_path(arguments.output)) {
    write_text(resolve_output_path(arguments.output, arguments.file),
               json_text(to_json(arguments.file, arguments.method, result)));
  }
  if (arguments.json) {
    print_stdout("{}", json_text(to_json(arguments.file, arguments.method, result)));
  } else {
    print_stdout("{}", to_text(arguments.file, arguments.method, result));
  }
  return result.status == Status::certified ? 0 : kExitUncertified;
}

template <class Solve>
double measure_seconds(Solve solve) {
  const auto start = std::chrono::steady_clock::now();
  solve();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Json values_or_null(const SolveResult& result, const std::vector<double>& values) {
  return result.has_solution() ? Json(values) : Json();
}

int solve_problem(const SolveArguments& arguments, const StoredContactProblem& stored) {
  const ContactProblem& problem = stored.problem;
  SolveOptions options = contact_options(arguments.method, arguments.tolerance, stored);
  options.least_norm = arguments.least_norm;
  ContactSolver solver;
  Solution solution;
  const double seconds = measure_seconds([&] { solver.solve(problem, options, {}, solution); });

  SolveResult result{ProblemKind::contact, solution.status,   to_string(solution.method),
                     solution.reason,      options.tolerance, seconds};
  result.size =
      fmt::format("{}, {}", pluralize(problem.contacts, "contact"), pluralize(problem.rows(), "row"));
  result.work = fmt::format("{} in {}", pluralize(solution.iterations, "iteration"),
                            pluralize(solution.solves, "solve"));
  result.residuals = residuals(solution.residual, problem);
  if (arguments.least_norm) result.impulses = to_string(solution.impulses);
  result.details = {{"contacts", problem.contacts},
                    {"rows", problem.rows()},
                    {"iterations", solution.iterations},
                    {"solves", solution.solves},
                    {"impulses", to_string(solution.impulses)},
                    {"p", values_or_null(result, solution.p)},
                    {"u", values_or_null(result, solution.u)}};
  if (problem.primal()) result.details["v"] = values_or_null(result, solution.v_next);

  if (is_fclib_path(arguments.output) && !result.has_solution()) {
    print_stderr("pawl: {} is not written, as there is no answer\n", arguments.output);
  } else if (is_fclib_path(arguments.output)) {
    const std::string output = resolve_output_path(arguments.output, arguments.file);
    const bool copy = is_fclib(arguments.file);
    if (!copy) write_fclib(output, problem, native_form(problem), arguments.file);
    write_fclib_solution(output, problem, solution.p, solution.u, solution.v_next,
                         copy ? arguments.file : output);
  }
  return finish(arguments, result);
}

std::string proof_text(const LcpSolution& solution, const MixedLcp& lcp) {
  if (solution.status != Status::no_solution) return {};
  if (solution.certificate.empty()) {
    return fmt::format("none of the {} complementary bases has a solution",
                       1LL << std::ranges::count(lcp.free, 0));
  }
  std::vector<double> y = solution.certificate;
  for (double& entry : y) entry += 0.0;  // -0 becomes 0
  const bool mixed = std::ranges::count(lcp.free, 1) > 0;
  const std::string text =
      fmt::format("y with yᵀ M ≤ 0{}, y ≥ 0{} and yᵀ q = {:.3g} < 0: no z makes w = M z + q what it must be",
                  mixed ? " (0 in free columns)" : "", mixed ? " (of any sign in free rows)" : "",
                  std::inner_product(y.begin(), y.end(), lcp.q.begin(), 0.0));
  constexpr std::size_t kMaxPrinted = 8;
  if (y.size() <= kMaxPrinted) return fmt::format("{}; y = ({:.6g})", text, fmt::join(y, ", "));
  return text + "; --json prints y";
}

int solve_problem(const SolveArguments& arguments, const MixedLcp& lcp, ProblemKind kind) {
  if (is_fclib_path(arguments.output)) {
    throw Error(fmt::format("{}: FCLIB holds contact problems only, and {} is of kind {}; end it in .json",
                            arguments.output, arguments.file, to_string(kind)));
  }
  const LcpOptions options = lcp_options(arguments.method, arguments.tolerance);
  LcpSolver solver;
  LcpSolution solution;
  const double seconds = measure_seconds([&] { solver.solve(lcp, options, {}, solution); });

  SolveResult result{kind, solution.status, solution.solver, solution.reason, options.tolerance, seconds};
  result.size = kind == ProblemKind::lcp ? pluralize(lcp.n, "row")
                                         : fmt::format("{}, {} of them equations", pluralize(lcp.n, "row"),
                                                       std::ranges::count(lcp.free, 1));
  result.work = pluralize(solution.pivots, "pivot");
  result.residuals = residuals(solution.residual, lcp);
  result.proof = proof_text(solution, lcp);
  result.details = {{"rows", lcp.n},
                    {"pivots", solution.pivots},
                    {"z", values_or_null(result, solution.z)},
                    {"w", values_or_null(result, solution.w)}};
  if (!result.proof.empty()) result.details["proof"] = result.proof;
  if (!solution.certificate.empty()) result.details["certificate"] = solution.certificate;
  return finish(arguments, result);
}

int solve(const SolveArguments& arguments) {
  if (!arguments.output.empty())
    resolve_output_path(arguments.output, arguments.file);  // checked before the solve
  std::optional<ProblemKind> wanted;
  for (const ProblemKind kind : {ProblemKind::contact, ProblemKind::lcp, ProblemKind::mixed_lcp}) {
    if (arguments.kind == to_string(kind)) wanted = kind;
  }
  if (arguments.kind == "mlcp") wanted = ProblemKind::mixed_lcp;
  const Problem problem = read_problem(arguments.file, wanted);
  const ProblemKind kind = kind_of(problem);
  if (const std::string reason = unsupported_reason(arguments.method, kind); !reason.empty()) {
    throw Error(fmt::format("{}: {}", arguments.file, reason));
  }
  if (kind == ProblemKind::contact) return solve_problem(arguments, std::get<StoredContactProblem>(problem));
  if (kind == ProblemKind::mixed_lcp) return solve_problem(arguments, std::get<MixedLcp>(problem), kind);
  const Lcp& lcp = std::get<Lcp>(problem);
  return solve_problem(arguments, MixedLcp{lcp.n, lcp.M, lcp.q, std::vector<char>(lcp.n, 0)}, kind);
}

}  // namespace

void add_solve_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<SolveArguments>();
  Command command =
      line.add_command("solve", "Solve a problem from a file and print the residuals of its laws");
  command
      .add_option("FILE", arguments->file,
                  "Contact problem, LCP or mixed LCP: JSON of `pawl run`, FCLIB's HDF5 or Siconos's text")
      .required();
  command.add_option("--method", arguments->method, "Solver; LCPs support lemke, enumerate and cascade only")
      .capture_default_str()
      .is_member(all_methods());
  command
      .add_option("--tolerance", arguments->tolerance,
                  "Tolerance of the residual (default: that of the run that wrote the problem, else 1e-8; "
                  "LCPs 1e-12)")
      .check(check_tolerance);
  command.add_option("--kind", arguments->kind, "Require this kind of problem")
      .is_member({"contact", "lcp", "mixed-lcp", "mlcp"});
  command
      .add_option(
          "-o,--output", arguments->output,
          "Write the solution: to .hdf5 or .h5 as a copy of the problem with it (FCLIB), else as JSON")
      .check([](const std::string& path) { return path.empty() ? "needs a file name" : ""; });
  command.add_flag("--least-norm", arguments->least_norm,
                   "If several impulses give the same motion, find those of least norm, and say so");
  command.add_flag("--json", arguments->json, "Print the solution and its residuals as JSON");
  command.footer(
      "Exit code 0 if the solution is certified, 1 if not or if it is proven that none exists.\n"
      "Examples:\n  pawl solve four_balls.problem.json --tolerance 1e-10\n"
      "  pawl solve Capsules.hdf5 --method newton -o solved.hdf5");
  command.callback([arguments, &exit_code] { exit_code = solve(*arguments); });
}

}  // namespace pawl::internal::cli
