#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <pawl/base/error.h>
#include <pawl/base/write_aside.h>
#include <pawl/problem_file/fclib.h>

#include "commands.h"
#include "output_path.h"
#include "problem_methods.h"
#include "problem_output.h"
#include "table.h"
#include "tell.h"

namespace pawl::cli {
namespace {

using Json = nlohmann::ordered_json;

struct SolveArguments {
  std::string file;
  std::string method = "cascade";
  std::optional<double> tolerance;
  std::string kind;  // empty: as the file says
  std::string output;
  bool least_norm = false;
  bool json = false;
};

struct Figure {
  const char* name;  // for people; programs get _ for each space
  double value;
  const char* unit;
};

/// Only those whose law the problem has.
std::vector<Figure> figures(const Residual& r, const ContactProblem& problem) {
  bool friction = false, cones = false;
  for (int c = 0; c < problem.contacts; ++c) {
    const FrictionSet& set = problem.friction[c];
    const bool has_friction = !set.frictionless() && problem.friction_rows(c) > 0;
    friction = friction || has_friction;
    cones = cones || !has_friction || set.kind == FrictionKind::ellipsoid;
  }
  std::vector<Figure> out{{"natural map", r.natural_map, ""}};
  if (cones) out.push_back({"cone map", r.cone_map, ""});
  if (problem.factored()) out.push_back({"momentum", r.momentum, ""});
  if (problem.blocks() > problem.contacts) out.push_back({"bilateral", r.bilateral, ""});
  if (problem.contacts > 0) {
    out.push_back({"penetration rate", r.penetration_rate, " m/s"});
    out.push_back({"tension", r.tension, " N s"});
    out.push_back({"complementarity", r.complementarity, " J"});
  }
  if (friction) {
    out.push_back({"friction excess", r.friction_excess, " N s"});
    out.push_back({"work defect", r.work_defect, " J"});
    out.push_back({"energy gain", r.energy_gain, " J"});
  }
  return out;
}

std::vector<Figure> figures(const LcpResidual& r, const MixedLcp& lcp) {
  std::vector<Figure> out;
  if (std::ranges::count(lcp.free, 0) > 0) out.push_back({"natural map", r.natural_map, ""});
  if (std::ranges::count(lcp.free, 1) > 0) out.push_back({"equations", r.equation, ""});
  return out;
}

/// What is said of every answer.
struct Answer {
  ProblemKind kind;
  Status status;
  std::string_view found_by, reason;
  double tolerance;
  double seconds;
  std::string size = {};  // "3 contacts, 9 rows"
  std::string work = {};  // "20 iterations in 1 solve"
  std::vector<Figure> figures = {};
  std::string proof = {};     // that there is no solution
  std::string impulses = {};  // whether there are others
  Json details = {};          // the rest, for programs

  /// There are numbers to look at.
  bool has_numbers() const { return status == Status::certified || status == Status::approximate; }
};

Json to_json(const SolveArguments& arguments, const Answer& answer) {
  Json out{{"format", "pawl-solution"},          {"version", 1},
           {"problem", arguments.file},          {"kind", to_string(answer.kind)},
           {"method", arguments.method},         {"tolerance", answer.tolerance},
           {"status", to_string(answer.status)}, {"reason", answer.reason},
           {"found_by", answer.found_by},        {"seconds", answer.seconds}};
  Json residual = Json::object();
  for (const Figure& figure : answer.figures) {
    std::string name = figure.name;
    std::ranges::replace(name, ' ', '_');
    residual[name] = answer.has_numbers() ? Json(figure.value) : Json();
  }
  out["residual"] = std::move(residual);
  out.update(answer.details);
  return out;
}

std::string to_text(const SolveArguments& arguments, const Answer& answer) {
  Table table;
  table.add({"status", fmt::format("{}{}{}", to_string(answer.status), answer.reason.empty() ? "" : ": ",
                                   answer.reason)});
  table.add({"problem", fmt::format("{}: {}", to_string(answer.kind), answer.size)});
  table.add({"method", arguments.method + found_by_text(arguments.method, answer.found_by, answer.status)});
  table.add({"work", fmt::format("{}, {}", answer.work, duration_text(answer.seconds))});
  if (!answer.proof.empty()) table.add({"proof", answer.proof});
  if (!answer.impulses.empty()) table.add({"impulses", answer.impulses});
  if (answer.has_numbers()) {
    std::string tolerance = fmt::format("  (tolerance {:g})", answer.tolerance);
    for (const Figure& figure : answer.figures) {
      table.add({figure.name, fmt::format("{:.2e}{}{}", figure.value, figure.unit, tolerance)});
      tolerance.clear();
    }
  }
  return fmt::format("{}\n{}", arguments.file, table.text());
}

int finish(const SolveArguments& arguments, const Answer& answer) {
  if (!arguments.output.empty() && !names_fclib(arguments.output)) {
    write_text(checked_output(arguments.output, arguments.file), json_text(to_json(arguments, answer)));
  }
  if (arguments.json) {
    fmt::print("{}", json_text(to_json(arguments, answer)));
  } else {
    fmt::print("{}", to_text(arguments, answer));
  }
  return answer.status == Status::certified ? 0 : kExitUncertified;
}

template <class Solve>
double timed(Solve solve) {
  const auto start = std::chrono::steady_clock::now();
  solve();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Json numbers(const Answer& answer, const std::vector<double>& values) {
  return answer.has_numbers() ? Json(values) : Json();
}

int solve_problem(const SolveArguments& arguments, const StoredContactProblem& stored) {
  const ContactProblem& problem = stored.problem;
  SolveOptions options = contact_options(arguments.method, arguments.tolerance, stored);
  options.least_norm = arguments.least_norm;
  ContactSolver solver;
  Solution solution;
  const double seconds = timed([&] { solver.solve(problem, options, {}, solution); });

  Answer answer{ProblemKind::contact, solution.status,   to_string(solution.method),
                solution.reason,      options.tolerance, seconds};
  answer.size = fmt::format("{}, {}", counted(problem.contacts, "contact"), counted(problem.rows(), "row"));
  answer.work =
      fmt::format("{} in {}", counted(solution.iterations, "iteration"), counted(solution.solves, "solve"));
  answer.figures = figures(solution.residual, problem);
  if (arguments.least_norm) answer.impulses = to_string(solution.impulses);
  answer.details = {{"contacts", problem.contacts},
                    {"rows", problem.rows()},
                    {"iterations", solution.iterations},
                    {"solves", solution.solves},
                    {"impulses", to_string(solution.impulses)},
                    {"p", numbers(answer, solution.p)},
                    {"u", numbers(answer, solution.u)}};
  if (problem.factored()) answer.details["v"] = numbers(answer, solution.v_next);

  if (names_fclib(arguments.output) && !answer.has_numbers()) {
    tell("pawl: {} is not written, as there is no answer\n", arguments.output);
  } else if (names_fclib(arguments.output)) {
    const std::string output = checked_output(arguments.output, arguments.file);
    const bool copy = is_fclib(arguments.file);
    if (!copy) write_fclib(output, problem, own_form(problem), arguments.file);
    write_fclib_solution(output, problem, solution.p, solution.u, solution.v_next,
                         copy ? arguments.file : output);
  }
  return finish(arguments, answer);
}

std::string proof_text(const LcpSolution& solution, const MixedLcp& lcp) {
  if (solution.status != Status::no_solution) return {};
  if (solution.certificate.empty()) {
    return fmt::format("none of the {} complementary bases has a solution",
                       1LL << std::ranges::count(lcp.free, 0));
  }
  std::vector<double> y = solution.certificate;
  for (double& entry : y) entry += 0.0;  // -0 is 0
  const bool mixed = std::ranges::count(lcp.free, 1) > 0;
  const std::string text =
      fmt::format("y with yᵀ M ≤ 0{}, y ≥ 0{} and yᵀ q = {:.3g} < 0: no z makes w = M z + q what it must be",
                  mixed ? " (0 in free columns)" : "", mixed ? " (of any sign in free rows)" : "",
                  std::inner_product(y.begin(), y.end(), lcp.q.begin(), 0.0));
  constexpr std::size_t kFew = 8;
  if (y.size() <= kFew) return fmt::format("{}; y = ({:.6g})", text, fmt::join(y, ", "));
  return text + "; --json prints y";
}

int solve_problem(const SolveArguments& arguments, const MixedLcp& lcp, ProblemKind kind) {
  if (names_fclib(arguments.output)) {
    throw Error(fmt::format("{}: FCLIB holds contact problems only, and {} is of kind {}; end it in .json",
                            arguments.output, arguments.file, to_string(kind)));
  }
  const LcpOptions options = lcp_options(arguments.method, arguments.tolerance);
  LcpSolver solver;
  LcpSolution solution;
  const double seconds = timed([&] { solver.solve(lcp, options, {}, solution); });

  Answer answer{kind, solution.status, solution.solver, solution.reason, options.tolerance, seconds};
  answer.size = kind == ProblemKind::lcp ? counted(lcp.n, "row")
                                         : fmt::format("{}, {} of them equations", counted(lcp.n, "row"),
                                                       std::ranges::count(lcp.free, 1));
  answer.work = counted(solution.pivots, "pivot");
  answer.figures = figures(solution.residual, lcp);
  answer.proof = proof_text(solution, lcp);
  answer.details = {{"rows", lcp.n},
                    {"pivots", solution.pivots},
                    {"z", numbers(answer, solution.z)},
                    {"w", numbers(answer, solution.w)}};
  if (!answer.proof.empty()) answer.details["proof"] = answer.proof;
  if (!solution.certificate.empty()) answer.details["certificate"] = solution.certificate;
  return finish(arguments, answer);
}

int solve(const SolveArguments& arguments) {
  if (!arguments.output.empty()) checked_output(arguments.output, arguments.file);  // before the work
  std::optional<ProblemKind> wanted;
  for (const ProblemKind kind : {ProblemKind::contact, ProblemKind::lcp, ProblemKind::mixed_lcp}) {
    if (arguments.kind == to_string(kind)) wanted = kind;
  }
  if (arguments.kind == "mlcp") wanted = ProblemKind::mixed_lcp;
  const Problem problem = read_problem(arguments.file, wanted);
  const ProblemKind kind = kind_of(problem);
  if (const std::string obstacle = why_not(arguments.method, kind); !obstacle.empty()) {
    throw Error(fmt::format("{}: {}", arguments.file, obstacle));
  }
  if (kind == ProblemKind::contact) return solve_problem(arguments, std::get<StoredContactProblem>(problem));
  if (kind == ProblemKind::mixed_lcp) return solve_problem(arguments, std::get<MixedLcp>(problem), kind);
  const Lcp& lcp = std::get<Lcp>(problem);
  return solve_problem(arguments, MixedLcp{lcp.n, lcp.M, lcp.q, std::vector<char>(lcp.n, 0)}, kind);
}

}  // namespace

void add_solve_command(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<SolveArguments>();
  CLI::App* command =
      app.add_subcommand("solve", "Solve a problem from a file and say how well the laws hold");
  command
      ->add_option("FILE", arguments->file,
                   "Contact problem, LCP or mixed LCP: JSON as a run dumps it, FCLIB's HDF5, text of Siconos")
      ->required();
  command->add_option("--method", arguments->method, "How; LCPs by lemke, enumerate or cascade only")
      ->capture_default_str()
      ->check(CLI::IsMember(all_methods()));
  command
      ->add_option("--tolerance", arguments->tolerance,
                   "Of the judged residual (default: that of the run it comes from, else 1e-8; LCPs 1e-12)")
      ->check(tolerance_range);
  command->add_option("--kind", arguments->kind, "What the file must hold")
      ->check(CLI::IsMember({"contact", "lcp", "mixed-lcp", "mlcp"}));
  command
      ->add_option("-o,--output", arguments->output,
                   "Write the answer: .hdf5 or .h5 a copy of the problem with it (FCLIB), else JSON")
      ->check([](const std::string& path) { return path.empty() ? "needs a file name" : ""; });
  command->add_flag("--least-norm", arguments->least_norm,
                    "Where other impulses give the same motion, find those of least norm, and say so");
  command->add_flag("--json", arguments->json, "Print the answer and its residuals as JSON");
  command->footer(
      "Exit code 0 when the answer is certified, 1 when not, or when it is proven that there is none.\n"
      "Examples:\n  pawl solve four_balls.problem.json --tolerance 1e-10\n"
      "  pawl solve Capsules.hdf5 --method newton -o solved.hdf5");
  command->callback([arguments, &exit_code] { exit_code = solve(*arguments); });
}

}  // namespace pawl::cli
