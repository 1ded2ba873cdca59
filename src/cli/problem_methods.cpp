#include "problem_methods.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace pawl::internal::cli {
namespace {

constexpr const char* kLemke = "lemke";
constexpr const char* kEnumerate = "enumerate";
constexpr const char* kCascade = "cascade";
constexpr int kMaxEnumerated = 20;  // complementary rows: 2²⁰ bases

}  // namespace

std::vector<std::string> methods_for(ProblemKind kind) {
  if (kind != ProblemKind::contact) return {kLemke, kEnumerate, kCascade};
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(SolveMethod::cascade); ++i) {
    const std::string name(to_string(static_cast<SolveMethod>(i)));
    if (solve_method(name)) names.push_back(name);  // the others cannot be selected by name
  }
  return names;
}

std::vector<std::string> all_methods() {
  std::vector<std::string> names = methods_for(ProblemKind::contact);
  for (const std::string& name : methods_for(ProblemKind::lcp)) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string unsupported_reason(const std::string& method, ProblemKind kind) {
  const std::vector<std::string> names = methods_for(kind);
  if (std::ranges::find(names, method) != names.end()) return {};
  return fmt::format("method {} is not for problems of kind {}, but {} are", method, to_string(kind),
                     fmt::join(names, ", "));
}

SolveOptions contact_options(const std::string& method, std::optional<double> tolerance,
                             const StoredContactProblem& stored) {
  SolveOptions options;
  options.method = solve_method(method).value();
  options.tolerance = tolerance.value_or(stored.tolerance);
  return options;
}

LcpOptions lcp_options(const std::string& method, std::optional<double> tolerance) {
  LcpOptions options;
  if (tolerance) options.tolerance = *tolerance;
  if (method == kLemke) options.max_proved_rows = options.max_enumerated_rows = 0;
  if (method == kEnumerate) {
    options.covers = options.restarts = options.max_proved_rows = 0;
    options.max_enumerated_rows = kMaxEnumerated;
  }
  return options;
}

std::string check_tolerance(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool number = end != text.c_str() && *end == '\0';
  return number && value >= 1e-16 && value <= 1 ? "" : fmt::format("{} is not between 1e-16 and 1", text);
}

std::string found_by_text(const std::string& method, std::string_view found_by, Status status) {
  if (status != Status::certified && status != Status::approximate) return {};
  if (found_by == to_string(SolveMethod::none)) return ", without impulse";
  if (method != kCascade) return {};
  return fmt::format(", found by {}", found_by);
}

}  // namespace pawl::internal::cli
