#pragma once
// What `pawl solve` and `pawl judge` print of an answer.

#include <string>
#include <string_view>
#include <vector>

#include <pawl/json/json.h>
#include <pawl/lcp.h>
#include <pawl/problem_file.h>
#include <pawl/residual.h>
#include <pawl/status.h>

namespace pawl::internal::cli {

struct ResidualEntry {
  const char* name;  // for text output; JSON keys have _ for each space
  double value;
  const char* unit;
};

/// Only the residuals of laws that the problem contains.
std::vector<ResidualEntry> residuals(const Residual& r, const ContactProblem& problem);
std::vector<ResidualEntry> residuals(const LcpResidual& r, const MixedLcp& lcp);

/// The results common to all kinds of problems.
struct SolveResult {
  ProblemKind kind;
  Status status;
  std::string_view found_by, reason;
  double tolerance;
  double seconds;
  std::string size = {};  // "3 contacts, 9 rows"
  std::string work = {};  // "20 iterations in 1 solve"
  std::vector<ResidualEntry> residuals = {};
  std::string proof = {};     // proof that there is no solution
  std::string impulses = {};  // uniqueness of the impulses
  Json details = {};          // further entries of the JSON output

  /// True if there is a solution to print.
  bool has_solution() const { return status == Status::certified || status == Status::approximate; }
};

/// `method` is empty if the answer is anybody's.
Json to_json(const std::string& file, const std::string& method, const SolveResult& result);
std::string to_text(const std::string& file, const std::string& method, const SolveResult& result);

}  // namespace pawl::internal::cli
