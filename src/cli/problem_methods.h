#pragma once
// The methods that commands on problems offer, by name.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/lcp.h>
#include <pawl/problem_file.h>
#include <pawl/solver.h>

namespace pawl::internal::cli {

std::vector<std::string> methods_for(ProblemKind kind);
/// Of all kinds, each once.
std::vector<std::string> all_methods();

/// "method nsgs is not for problems of kind lcp, but lemke, enumerate, cascade are"; empty where it is.
std::string unsupported_reason(const std::string& method, ProblemKind kind);

/// Without a tolerance it is the problem's own, which is that of the run it comes from.
SolveOptions contact_options(const std::string& method, std::optional<double> tolerance,
                             const StoredContactProblem& stored);
LcpOptions lcp_options(const std::string& method, std::optional<double> tolerance);

/// For CLI11: what is wrong with a tolerance. Its own range lets nan pass.
std::string check_tolerance(const std::string& text);

/// Of a cascade, which method ended it: ", found by newton".
std::string found_by_text(const std::string& method, std::string_view found_by, Status status);

}  // namespace pawl::internal::cli
