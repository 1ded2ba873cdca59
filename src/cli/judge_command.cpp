#include <cmath>
#include <memory>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include <pawl/base/read_bytes.h>
#include <pawl/error.h>

#include "commands.h"
#include "print.h"
#include "problem_methods.h"
#include "solve_result.h"
#include "table.h"

namespace pawl::internal::cli {
namespace {

struct JudgeArguments {
  std::string problem, answer;
  std::optional<double> tolerance;
  bool json = false;
};

/// The numbers of an answer: a JSON array, the member `key` of a JSON object, or numbers between blanks.
std::vector<double> read_answer(const std::string& path, const char* key) {
  const std::string text = read_bytes(path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  std::vector<double> values;
  if (first != std::string::npos && (text[first] == '{' || text[first] == '[')) {
    const std::optional<Json> read = Json::parse(text);
    if (!read) throw Error(fmt::format("{}: is not valid JSON", path));
    const Json& list = read->is_object() ? (*read)[key] : *read;
    if (!list.is_array()) throw Error(fmt::format("{}: has no list of numbers '{}'", path, key));
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].is_number()) {
        throw Error(fmt::format("{}: {}[{}] is {}; it must be a number", path, key, i, list[i].dump()));
      }
      values.push_back(list[i].number());
    }
    return values;
  }
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    char* end = nullptr;
    values.push_back(std::strtod(word.c_str(), &end));
    if (*end != '\0')
      throw Error(fmt::format("{}: number {} is '{}'; it must be a number", path, values.size(), word));
  }
  return values;
}

void check_values(const JudgeArguments& arguments, const std::vector<double>& values, int rows) {
  if (static_cast<int>(values.size()) != rows) {
    throw Error(fmt::format("{}: has {}; the problem has {}", arguments.answer,
                            pluralize(static_cast<long long>(values.size()), "number"),
                            pluralize(rows, "row")));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw Error(fmt::format("{}: number {} is {}; it must be finite", arguments.answer, i + 1, values[i]));
  }
}

SolveResult judged(ProblemKind kind, bool within, double tolerance) {
  SolveResult result{kind, within ? Status::certified : Status::approximate, "", "", tolerance, 0};
  if (!within) result.reason = "the residual is above the tolerance";
  return result;
}

SolveResult judge_contacts(const JudgeArguments& arguments, const StoredContactProblem& stored) {
  const ContactProblem& problem = stored.problem;
  const std::vector<double> p = read_answer(arguments.answer, "p");
  check_values(arguments, p, problem.rows());
  std::vector<double> u(problem.rows()), v(problem.motion.v_free.size());
  JudgeScratch scratch;
  const Residual residual = judge(problem, p, u, v, scratch);
  const double tolerance = arguments.tolerance.value_or(stored.tolerance);
  SolveResult result = judged(ProblemKind::contact, residual.within(tolerance), tolerance);
  result.size =
      fmt::format("{}, {}", pluralize(problem.contacts, "contact"), pluralize(problem.rows(), "row"));
  result.residuals = residuals(residual, problem);
  result.details = {{"p", p}, {"u", u}};
  return result;
}

SolveResult judge_lcp(const JudgeArguments& arguments, const MixedLcp& lcp, ProblemKind kind) {
  const std::vector<double> z = read_answer(arguments.answer, "z");
  check_values(arguments, z, lcp.n);
  std::vector<double> w(lcp.n);
  const LcpResidual residual = judge(lcp, z, w);
  const double tolerance = lcp_options("cascade", arguments.tolerance).tolerance;
  SolveResult result = judged(kind, residual.within(tolerance), tolerance);
  result.size = pluralize(lcp.n, "row");
  result.residuals = residuals(residual, lcp);
  result.details = {{"z", z}, {"w", w}};
  return result;
}

int judge_answer(const JudgeArguments& arguments) {
  const Problem problem = read_problem(arguments.problem);
  const ProblemKind kind = kind_of(problem);
  SolveResult result{kind, Status::refused, "", "", 0, 0};
  if (kind == ProblemKind::contact) {
    result = judge_contacts(arguments, std::get<StoredContactProblem>(problem));
  } else if (kind == ProblemKind::mixed_lcp) {
    result = judge_lcp(arguments, std::get<MixedLcp>(problem), kind);
  } else {
    const Lcp& lcp = std::get<Lcp>(problem);
    result = judge_lcp(arguments, MixedLcp{lcp.n, lcp.M, lcp.q, std::vector<char>(lcp.n, 0)}, kind);
  }
  if (arguments.json) {
    Json out = to_json(arguments.problem, "", result);
    out["format"] = "pawl-judgement";
    out["answer"] = arguments.answer;
    print_stdout("{}", json_text(out));
  } else {
    print_stdout("{}", to_text(arguments.answer, "", result));
  }
  return result.status == Status::certified ? 0 : kExitUncertified;
}

}  // namespace

void add_judge_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<JudgeArguments>();
  Command command = line.add_command("judge", "Judge anybody's answer to a problem by the laws");
  command.add_option("PROBLEM", arguments->problem, "Contact problem, LCP or mixed LCP, as for `pawl solve`")
      .required();
  command
      .add_option("ANSWER", arguments->answer,
                  "Impulses p, or z of an LCP: JSON of `pawl solve`, a JSON list, or numbers as text")
      .required();
  command.add_option("--tolerance", arguments->tolerance, "Tolerance of the residual, as for `pawl solve`")
      .check(check_tolerance);
  command.add_flag("--json", arguments->json, "Print the residuals and velocities as JSON");
  command.footer(
      "Exit code 0 if every law holds to the tolerance, 1 if not.\n"
      "Example:\n  pawl solve problem.json -o answer.json; pawl judge problem.json answer.json");
  command.callback([arguments, &exit_code] { exit_code = judge_answer(*arguments); });
}

}  // namespace pawl::internal::cli
