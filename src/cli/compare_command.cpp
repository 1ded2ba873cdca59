#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <pawl/base/atomic_write.h>
#include <pawl/error.h>
#include <pawl/json/json.h>
#include <pawl/record/csv.h>
#include <pawl/study/performance_profile.h>

#include "commands.h"
#include "output_path.h"
#include "print.h"
#include "problem_methods.h"
#include "profile_plot.h"
#include "progress.h"
#include "table.h"

namespace pawl::internal::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> files;
  std::vector<std::string> methods = methods_for(ProblemKind::contact);  // each may be a comma-separated list
  std::optional<double> tolerance;
  int repeats = 1000;
  std::string csv, profile, plot;
  bool json = false;
};

/// Result of one method on one problem.
struct Run {
  Status status = Status::refused;
  std::string found_by, reason;
  int iterations = 0;
  double residual = 0;
  double seconds = 0;
  int repeats = 0;  // number of solves in the median time

  bool solved() const { return status == Status::certified; }
};

struct ComparedProblem {
  std::string file;
  ProblemKind kind = ProblemKind::contact;
  int contacts = 0;
  int rows = 0;
  std::vector<Run> runs;  // [methods]

  /// Index of the fastest method that solved the problem, or the number of methods if none did.
  std::size_t best() const {
    std::size_t best = runs.size();
    for (std::size_t m = 0; m < runs.size(); ++m) {
      if (runs[m].solved() && (best == runs.size() || runs[m].seconds < runs[best].seconds)) best = m;
    }
    return best;
  }
};

struct Remark {
  std::string file, text;
};

struct Comparison {
  std::vector<std::string> methods;
  std::vector<ComparedProblem> problems;
  std::vector<Remark> skipped, errors;
  PerformanceProfile profile;
};

/// Processor time of this thread, so that other processes do not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Solves repeatedly and takes the median time. The first solve is a warm-up and counts only if it is the
/// only one.
template <class Solve>
void measure(int repeats, Solve solve, Run& run) {
  constexpr double kTimeBudget = 0.05;  // s in total
  std::vector<double> seconds;
  double sum = 0;
  do {
    const double start = processor_seconds();
    solve();
    seconds.push_back(std::max(processor_seconds() - start, 1e-9));
    sum += seconds.back();
  } while (static_cast<int>(seconds.size()) < repeats && sum < kTimeBudget && !interrupted());
  if (seconds.size() > 1) seconds.erase(seconds.begin());
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  run.seconds = *middle;
  run.repeats = static_cast<int>(seconds.size());
}

Run run_method(const CompareArguments& arguments, const std::string& method,
               const StoredContactProblem& stored) {
  const SolveOptions options = contact_options(method, arguments.tolerance, stored);
  ContactSolver solver;
  Solution solution;
  Run run;
  measure(
      arguments.repeats, [&] { solver.solve(stored.problem, options, {}, solution); }, run);
  run.status = solution.status;
  run.found_by = to_string(solution.method);
  run.reason = solution.reason;
  run.iterations = solution.iterations;
  run.residual = solution.residual.worst();
  return run;
}

template <class AnyLcp>
Run run_method(const CompareArguments& arguments, const std::string& method, const AnyLcp& lcp) {
  const LcpOptions options = lcp_options(method, arguments.tolerance);
  LcpSolver solver;
  LcpSolution solution;
  Run run;
  measure(
      arguments.repeats, [&] { solver.solve(lcp, options, {}, solution); }, run);
  run.status = solution.status;
  run.found_by = solution.solver;
  run.reason = solution.reason;
  run.iterations = solution.pivots;
  run.residual = solution.residual.worst();
  return run;
}

void set_size(const StoredContactProblem& stored, ComparedProblem& out) {
  out.contacts = stored.problem.contacts;
  out.rows = stored.problem.rows();
}

template <class AnyLcp>
void set_size(const AnyLcp& lcp, ComparedProblem& out) {
  out.rows = lcp.n;
}

/// Splits at commas; names may be empty.
std::vector<std::string> split_commas(const std::string& list) {
  std::vector<std::string> names{""};
  for (const char letter : list) {
    if (letter == ',') {
      names.emplace_back();
    } else {
      names.back() += letter;
    }
  }
  return names;
}

std::string check_methods(const std::string& list) {
  const std::vector<std::string> known = all_methods();
  for (const std::string& name : split_commas(list)) {
    if (std::ranges::find(known, name) == known.end()) {
      return fmt::format("'{}' is none of {}", name, fmt::join(known, ", "));
    }
  }
  return {};
}

/// Problems with missing runs after an interrupt are left out.
Comparison compare_all(const CompareArguments& arguments) {
  Comparison comparison;
  for (const std::string& list : arguments.methods) {
    for (const std::string& method : split_commas(list)) {
      const auto& known = comparison.methods;
      if (std::ranges::find(known, method) == known.end()) comparison.methods.push_back(method);
    }
  }
  StatusLine line(false);
  for (std::size_t k = 0; k < arguments.files.size() && !interrupted(); ++k) {
    ComparedProblem compared;
    compared.file = arguments.files[k];
    Problem problem;
    try {
      problem = read_problem(compared.file);
    } catch (const Error& error) {
      comparison.errors.push_back({compared.file, error.what()});
      continue;
    }
    compared.kind = kind_of(problem);
    std::string reason;
    for (const std::string& method : comparison.methods) {
      if (reason.empty()) reason = unsupported_reason(method, compared.kind);
    }
    if (!reason.empty()) {
      comparison.skipped.push_back({compared.file, reason});
      continue;
    }
    std::visit([&](const auto& posed) { set_size(posed, compared); }, problem);
    for (const std::string& method : comparison.methods) {
      if (interrupted()) break;
      line.show(fmt::format("{} of {}: {}, {}", k + 1, arguments.files.size(), compared.file, method));
      compared.runs.push_back(
          std::visit([&](const auto& posed) { return run_method(arguments, method, posed); }, problem));
    }
    if (compared.runs.size() == comparison.methods.size()) comparison.problems.push_back(std::move(compared));
  }
  std::vector<std::vector<double>> seconds;
  for (const ComparedProblem& problem : comparison.problems) {
    std::vector<double>& row = seconds.emplace_back();
    for (const Run& run : problem.runs) {
      row.push_back(run.solved() ? run.seconds : std::numeric_limits<double>::infinity());
    }
  }
  comparison.profile = performance_profile(seconds);
  return comparison;
}

/// Number of problems that a method solves within τ times the best time.
long solved_within(const Comparison& comparison, std::size_t method, double tau) {
  const auto& all = comparison.profile.tau;
  const auto k = std::ranges::upper_bound(all, tau) - all.begin();
  return std::lround(comparison.profile.fraction[method][k - 1] *
                     static_cast<double>(comparison.problems.size()));
}

/// Length of the folder prefix common to all file names.
std::size_t common_folder(const std::vector<ComparedProblem>& problems) {
  std::string shared = problems.front().file;
  for (const ComparedProblem& problem : problems) {
    shared.erase(std::ranges::mismatch(shared, problem.file).in1, shared.end());
  }
  return shared.rfind('/') + 1;  // npos + 1 is 0
}

std::string to_text(const Comparison& comparison) {
  const std::size_t folder = common_folder(comparison.problems);
  Table runs(true);
  runs.add({"file", "contacts", "method", "", "time", "iterations", "residual", "status"});
  for (const ComparedProblem& problem : comparison.problems) {
    for (std::size_t m = 0; m < problem.runs.size(); ++m) {
      const Run& run = problem.runs[m];
      const bool first = m == 0, contact = problem.kind == ProblemKind::contact;
      const std::string size =
          contact ? fmt::format("{}", problem.contacts) : fmt::format("{} rows", problem.rows);
      runs.add({first ? problem.file.substr(folder) : "", first ? size : "", comparison.methods[m],
                m == problem.best() ? "*" : "", run.solved() ? duration_text(run.seconds) : "—",
                fmt::format("{}", run.iterations),
                run.status <= Status::approximate ? fmt::format("{:.1e}", run.residual) : "—",
                fmt::format("{}{}{}", to_string(run.status),
                            found_by_text(comparison.methods[m], run.found_by, run.status),
                            run.reason.empty() ? "" : ": " + run.reason)});
    }
  }
  Table summary(true);
  summary.add({"method", "fastest *", "within 2×", "within 10×", "solved"});
  for (std::size_t m = 0; m < comparison.methods.size(); ++m) {
    std::vector<std::string> cells{comparison.methods[m]};
    for (const double tau : {1.0, 2.0, 10.0, std::numeric_limits<double>::infinity()}) {
      cells.push_back(fmt::format("{}", solved_within(comparison, m, tau)));
    }
    summary.add(cells);
  }
  return fmt::format("{}\nOf {}, solved by each method within a multiple of the best time:\n{}", runs.text(),
                     pluralize(static_cast<long long>(comparison.problems.size()), "problem"),
                     summary.text());
}

Json to_json(const std::vector<Remark>& remarks) {
  Json out = Json::array();
  for (const Remark& remark : remarks) out.push_back({{"file", remark.file}, {"reason", remark.text}});
  return out;
}

Json to_json(const Comparison& comparison) {
  Json problems = Json::array(), fractions = Json::object();
  for (const ComparedProblem& problem : comparison.problems) {
    Json runs = Json::array();
    for (std::size_t m = 0; m < problem.runs.size(); ++m) {
      const Run& run = problem.runs[m];
      runs.push_back({{"method", comparison.methods[m]},
                      {"status", to_string(run.status)},
                      {"reason", run.reason},
                      {"found_by", run.found_by},
                      {"seconds", run.seconds},
                      {"repeats", run.repeats},
                      {"iterations", run.iterations},
                      {"residual", run.residual}});
    }
    problems.push_back({{"file", problem.file},
                        {"kind", to_string(problem.kind)},
                        {"contacts", problem.contacts},
                        {"rows", problem.rows},
                        {"runs", std::move(runs)}});
  }
  for (std::size_t m = 0; m < comparison.profile.fraction.size(); ++m) {
    fractions[comparison.methods[m]] = comparison.profile.fraction[m];
  }
  return {{"methods", comparison.methods},
          {"problems", std::move(problems)},
          {"profile", {{"tau", comparison.profile.tau}, {"share", std::move(fractions)}}},
          {"skipped", to_json(comparison.skipped)},
          {"errors", to_json(comparison.errors)},
          {"interrupted", interrupted()}};
}

std::string runs_csv(const Comparison& comparison) {
  std::string out =
      "file,kind,contacts,rows,method,status,reason,found_by,seconds,repeats,iterations,residual\n";
  for (const ComparedProblem& problem : comparison.problems) {
    for (std::size_t m = 0; m < problem.runs.size(); ++m) {
      const Run& run = problem.runs[m];
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_escape(problem.file),
                         to_string(problem.kind), problem.contacts, problem.rows, comparison.methods[m],
                         to_string(run.status), csv_escape(run.reason), run.found_by, run.seconds,
                         run.repeats, run.iterations, run.residual);
    }
  }
  return out;
}

std::string profile_csv(const Comparison& comparison) {
  std::string out = "tau";
  for (const std::string& method : comparison.methods) out += "," + method;
  out += '\n';
  for (std::size_t k = 0; k < comparison.profile.tau.size(); ++k) {
    out += fmt::format("{}", comparison.profile.tau[k]);
    for (const auto& fraction : comparison.profile.fraction) out += fmt::format(",{}", fraction[k]);
    out += '\n';
  }
  return out;
}

/// Resolves an output path that must differ from all inputs and `others`. An empty path stays empty.
std::string resolve_distinct_output(const std::string& path, const std::vector<std::string>& inputs,
                                    const std::vector<std::string>& others) {
  std::string output;
  if (path.empty()) return output;
  for (const std::string& input : inputs) output = resolve_output_path(path, input);
  for (const std::string& other : others) {
    if (!other.empty()) output = resolve_output_path(path, other, "the other output");
  }
  return output;
}

int compare(const CompareArguments& arguments) {
  const std::string csv =
      resolve_distinct_output(arguments.csv, arguments.files, {arguments.profile, arguments.plot});
  const std::string profile =
      resolve_distinct_output(arguments.profile, arguments.files, {arguments.csv, arguments.plot});
  const std::string plot =
      resolve_distinct_output(arguments.plot, arguments.files, {arguments.csv, arguments.profile});
  if (!plot.empty()) check_figure_path(plot);
  catch_interrupts();
  const Comparison comparison = compare_all(arguments);
  const bool any = !comparison.problems.empty();
  if (any && !csv.empty()) write_text(csv, runs_csv(comparison));
  if (any && !profile.empty()) write_text(profile, profile_csv(comparison));
  if (any && !plot.empty()) {
    draw_figure(profile_figure(comparison.profile, comparison.methods, comparison.problems.size()), plot);
  }
  if (arguments.json) {
    print_stdout("{}", json_text(to_json(comparison)));
  } else if (any) {
    print_stdout("{}", to_text(comparison));
  }
  std::fflush(stdout);  // before stderr, so that the messages below come last on a terminal
  if (!arguments.json) {
    for (const Remark& skipped : comparison.skipped)
      print_stderr("note: {} is skipped: {}\n", skipped.file, skipped.text);
  }
  for (const Remark& error : comparison.errors) print_stderr("pawl: {}\n", error.text);
  if (interrupted()) {
    print_stderr("pawl: interrupted after {} of {} files\n", comparison.problems.size(),
                 arguments.files.size());
    return interrupt_exit_code();
  }
  if (!comparison.errors.empty()) return kExitBadInput;
  if (!any) throw Error("there is nothing to compare");
  const bool unsolved = std::ranges::any_of(comparison.problems, [](const ComparedProblem& problem) {
    return problem.best() == problem.runs.size();
  });
  return unsolved ? kExitUncertified : 0;
}

}  // namespace

void add_compare_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<CompareArguments>();
  Command command =
      line.add_command("compare", "Solve many problems with several methods and compare their times");
  const auto check_not_empty = [](const std::string& path) {
    return path.empty() ? "needs a file name" : "";
  };
  command.add_option("FILES", arguments->files, "Problems in any format that `pawl solve` reads").required();
  command
      .add_option("--methods", arguments->methods,
                  "Comma-separated list (default: all for contact problems)")
      .disallow_extra_args()  // further arguments are files
      .check(check_methods);
  command
      .add_option("--tolerance", arguments->tolerance,
                  "Tolerance of the residual (default: as in `pawl solve`)")
      .check(check_tolerance);
  command
      .add_option("--repeats", arguments->repeats,
                  "Max. number of solves per problem and method, at most 50 ms in total; the median counts")
      .capture_default_str()
      .range(1, 1000000);
  command.add_option("--csv", arguments->csv, "Write one line per problem and method").check(check_not_empty);
  command.add_option("--profile", arguments->profile, "Write the performance profile (CSV)")
      .check(check_not_empty);
  command
      .add_option("--plot", arguments->plot, "Write the performance profile as an image (.svg, .pdf, .png)")
      .check(check_not_empty);
  command.add_flag("--json", arguments->json, "Print as JSON");
  command.footer(
      "Every solve starts cold; times are processor times. The performance profile gives, for each τ, the\n"
      "fraction of problems that a method solves within τ times the time of the fastest method. Problems\n"
      "whose kind is not supported by all methods are skipped.\n"
      "Exit code 0 if every problem was solved by at least one method, 1 if not, 2 if a file can't be read.\n"
      "Example:\n  pawl compare problems/*.hdf5 --methods nsgs,newton,cascade --plot profile.svg");
  command.callback([arguments, &exit_code] { exit_code = compare(*arguments); });
}

}  // namespace pawl::internal::cli
