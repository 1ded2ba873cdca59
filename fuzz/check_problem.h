#pragma once
// Invariants of every problem that a reader accepts.

#include <cmath>
#include <cstdlib>
#include <span>

#include <pawl/error.h>
#include <pawl/problem_file.h>

namespace pawl::internal::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void check_finite(std::span<const double> x) {
  for (const double value : x) require(std::isfinite(value));
}

inline void check(const StoredContactProblem& stored) {
  const ContactProblem& problem = stored.problem;
  const std::size_t rows = problem.rows(), contacts = problem.contacts;
  require(problem.contacts <= problem.blocks());
  require(problem.b.size() == rows && problem.zeta.size() == contacts && problem.friction.size() == contacts);
  for (const FrictionSet& set : problem.friction) require(set.mu >= 0 && std::isfinite(set.mu));
  if (problem.primal()) return;
  check_finite(problem.b);
  check_finite(problem.W.values);
  require(problem.W.begin == problem.begin);
  for (int i = 0; i < problem.W.blocks(); ++i) require(problem.W.find(i, i) != nullptr);
}

inline void check(const Lcp& lcp) {
  const std::size_t n = lcp.n;
  require(n > 0 && lcp.M.size() == n * n && lcp.q.size() == n);
  check_finite(lcp.q);
}

inline void check(const MixedLcp& lcp) {
  const std::size_t n = lcp.n;
  require(n > 0 && lcp.M.size() == n * n && lcp.q.size() == n && lcp.free.size() == n);
  check_finite(lcp.q);
}

/// Reads the bytes: the result is a consistent problem or an Error.
inline void read(std::string_view bytes, std::optional<ProblemKind> kind = std::nullopt) {
  try {
    std::visit([](const auto& problem) { check(problem); }, parse_problem(bytes, "fuzz", kind));
  } catch (const Error&) {
  }
}

}  // namespace pawl::internal::fuzz
