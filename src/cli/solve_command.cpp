#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <pawl/problem/problem_file.h>
#include <pawl/solve/solve.h>

#include "commands.h"
#include "table.h"

namespace pawl::cli {
namespace {

struct SolveArguments {
  std::string file;
  std::optional<double> tolerance;
  bool json = false;
};

int solve(const SolveArguments& arguments) {
  const StoredProblem stored = read_problem(arguments.file);
  ContactSolver solver;
  Solution solution;
  SolveOptions options;
  options.tolerance = arguments.tolerance.value_or(stored.tolerance);
  const auto start = std::chrono::steady_clock::now();
  solver.solve(stored.problem, options, {}, solution);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Residual& r = solution.residual;
  if (arguments.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"file", arguments.file},
                                              {"status", to_string(solution.status)},
                                              {"reason", solution.reason},
                                              {"solver", solution.solver},
                                              {"contacts", stored.problem.contacts},
                                              {"size", solution.size},
                                              {"pivots", solution.pivots},
                                              {"seconds", seconds},
                                              {"residual",
                                               {{"natural_map", r.natural_map},
                                                {"penetration_rate", r.penetration_rate},
                                                {"tension", r.tension},
                                                {"complementarity", r.complementarity},
                                                {"friction_excess", r.friction_excess},
                                                {"work_defect", r.work_defect},
                                                {"energy_gain", r.energy_gain}}},
                                              {"p", solution.p},
                                              {"u", solution.u}}
                           .dump(2));
  } else {
    Table table;
    table.add({"status", fmt::format("{}{}{}", to_string(solution.status),
                                     solution.reason.empty() ? "" : ": ", solution.reason)});
    table.add({"problem", fmt::format("{} contacts, {} rows", stored.problem.contacts, solution.size)});
    table.add(
        {"solver", fmt::format("{}, {} pivots, {:.3g} µs", solution.solver, solution.pivots, seconds * 1e6)});
    table.add({"natural map", fmt::format("{:.2e}  (tolerance {:.0e})", r.natural_map, options.tolerance)});
    table.add({"penetration rate", fmt::format("{:.2e} m/s", r.penetration_rate)});
    table.add({"tension", fmt::format("{:.2e} N s", r.tension)});
    table.add({"complementarity", fmt::format("{:.2e} J", r.complementarity)});
    table.add({"friction excess", fmt::format("{:.2e} N s", r.friction_excess)});
    table.add({"energy gain", fmt::format("{:.2e} J", r.energy_gain)});
    table.add({"work defect", fmt::format("{:.2e} J", r.work_defect)});
    fmt::print("{}\n{}", arguments.file, table.text());
  }
  return solution.status == Status::certified ? 0 : kExitUncertified;
}

}  // namespace

void add_solve_command(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<SolveArguments>();
  CLI::App* command = app.add_subcommand("solve", "Solve one contact problem from a file, as a run dumps it");
  command->add_option("FILE", arguments->file, "Problem (.problem.json)")->required();
  command
      ->add_option("--tolerance", arguments->tolerance,
                   "Of the judged residual (default: that of the run it comes from)")
      ->check(CLI::Range(1e-16, 1.0));
  command->add_flag("--json", arguments->json, "Print the answer and its residuals as JSON");
  command->footer("Example:\n  pawl solve four_balls.problem.json --tolerance 1e-10");
  command->callback([arguments, &exit_code] { exit_code = solve(*arguments); });
}

}  // namespace pawl::cli
