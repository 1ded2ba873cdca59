#pragma once
// Names and options of the solution methods for problem files.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/lcp.h>
#include <pawl/problem_file.h>
#include <pawl/solver.h>

namespace pawl::internal::cli {

std::vector<std::string> methods_for(ProblemKind kind);
/// Methods of all kinds of problems, each once.
std::vector<std::string> all_methods();

/// "method nsgs is not for problems of kind lcp, but lemke, enumerate, cascade are"; empty if supported.
std::string unsupported_reason(const std::string& method, ProblemKind kind);

/// Without a tolerance, uses that of the problem, which comes from the run that wrote it.
SolveOptions contact_options(const std::string& method, std::optional<double> tolerance,
                             const StoredContactProblem& stored);
LcpOptions lcp_options(const std::string& method, std::optional<double> tolerance);

/// A TextCheck of options; Option::range would accept NaN.
std::string check_tolerance(const std::string& text);

/// The method that ended a cascade: ", found by newton".
std::string found_by_text(const std::string& method, std::string_view found_by, Status status);

}  // namespace pawl::internal::cli
