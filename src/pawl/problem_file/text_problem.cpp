#include "text_problem.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "text_matrix.h"
#include "text_scanner.h"

#include <pawl/problem/delassus.h>

namespace pawl::internal {
namespace {

constexpr int kMaxContacts = std::numeric_limits<int>::max() / 3;
constexpr int kMaxDenseRows = 20000;  // an Lcp stores a dense matrix: 3 GB

std::vector<double> read_vector(TextScanner& in, const char* name, int size) {
  in.check_remaining(size, {name});
  std::vector<double> x;
  for (int i = 0; i < size; ++i) x.push_back(in.number({name, i}));
  return x;
}

/// n, M, q.
Lcp read_lcp(TextScanner& in) {
  Lcp lcp;
  lcp.n = static_cast<int>(in.integer({"n"}, 1, kMaxDenseRows));
  const MatrixEntries M = read_text_matrix(in, "M", lcp.n, lcp.n);
  lcp.q = read_vector(in, "q", lcp.n);
  lcp.M = to_dense(M);
  return lcp;
}

/// M form: ends of the runs of rows, a flag per run (complementary or free), M, q.
void read_m_form(TextScanner& in, int n, int m, MixedLcp& lcp) {
  std::vector<long long> ends{in.integer({"block ends", 0}, 0, 0)};
  while (ends.back() != lcp.n) {
    ends.push_back(in.integer({"block ends", static_cast<long long>(ends.size())}, ends.back() + 1, lcp.n));
  }
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    const bool complementary =
        in.integer({"complementarity of a block", static_cast<long long>(k)}, 0, 1) != 0;
    lcp.free.insert(lcp.free.end(), ends[k + 1] - ends[k], complementary ? 0 : 1);
  }
  const auto count = std::ranges::count(lcp.free, 0);
  if (count != m) {
    in.fail({"complementarity of blocks"},
            fmt::format("makes {} rows complementary; they must be {}", count, m));
  }
  const MatrixEntries M = read_text_matrix(in, "M", n + m, n + m);
  lcp.q = read_vector(in, "q", n + m);
  lcp.M = to_dense(M);
}

/// ABCD form: A (n × n), B (m × m), C (n × m), D (m × n) row by row, a, b. M = [A C; D B] with the free rows
/// first.
void read_abcd_form(TextScanner& in, int n, int m, MixedLcp& lcp) {
  lcp.free.assign(n, 1);
  lcp.free.resize(n + m, 0);
  in.check_remaining(static_cast<long long>(n + m) * (n + m), {"A, B, C, D"});
  lcp.M.assign(static_cast<std::size_t>(n + m) * (n + m), 0.0);
  const auto read_block = [&](const char* name, int row, int column, int rows, int columns) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        lcp.M[static_cast<std::size_t>(row + i) * (n + m) + column + j] = in.number({name, i, j});
      }
    }
  };
  read_block("A", 0, 0, n, n);
  read_block("B", n, n, m, m);
  read_block("C", 0, n, n, m);
  read_block("D", n, 0, m, n);
  lcp.q = read_vector(in, "a", n);
  const std::vector<double> b = read_vector(in, "b", m);
  lcp.q.insert(lcp.q.end(), b.begin(), b.end());
}

/// Flags of the available forms, n, m, the forms.
MixedLcp read_mixed_lcp(TextScanner& in) {
  const bool m_form = in.integer({"flag of the M form"}, 0, 1) != 0;
  const bool abcd_form = in.integer({"flag of the ABCD form"}, m_form ? 0 : 1, 1) != 0;
  const int n = static_cast<int>(in.integer({"n"}, 0, kMaxDenseRows));
  const int m = static_cast<int>(in.integer({"m"}, n > 0 ? 0 : 1, kMaxDenseRows - n));
  MixedLcp lcp, other;
  lcp.n = n + m;
  if (m_form) read_m_form(in, n, m, lcp);
  // If both forms are given, the first is used. The second is parsed to check that the file is complete.
  if (abcd_form) read_abcd_form(in, n, m, m_form ? other : lcp);
  return lcp;
}

/// d, contacts, W, q, μ.
StoredContactProblem read_contacts(TextScanner& in) {
  StoredContactProblem stored;
  ContactProblem& problem = stored.problem;
  const int d = static_cast<int>(in.integer({"dimension"}, 2, 3));
  problem.contacts = static_cast<int>(in.integer({"count of contacts"}, 1, kMaxContacts));
  const MatrixEntries W = read_text_matrix(in, "W", d * problem.contacts, d * problem.contacts);
  problem.b = read_vector(in, "q", d * problem.contacts);
  for (int c = 0; c < problem.contacts; ++c) {
    const double mu = in.number({"mu", c});
    if (mu < 0) in.fail({"mu", c}, fmt::format("must be at least 0, not {}", mu));
    problem.friction.push_back({FrictionKind::ellipsoid, mu, {1, 1, 1}, nullptr});
    problem.begin.push_back(d * (c + 1));
  }
  problem.zeta.assign(problem.contacts, 0.0);
  problem.W = to_blocks(W.entries, problem.begin);
  return stored;
}

}  // namespace

std::optional<ProblemKind> recognise_text(std::string_view text) {
  TextScanner in(text, "");
  std::array<long long, 7> t{};
  for (long long& number : t) {
    if (!parse_integer(in.word(), number)) number = -1;
  }
  const auto is_storage = [](long long x) { return x >= 0 && x <= 2; };
  const auto is_flag = [](long long x) { return x == 0 || x == 1; };
  const bool lcp = t[0] >= 1 && is_storage(t[1]) && t[2] == t[0] && t[3] == t[0];
  const bool contact = (t[0] == 2 || t[0] == 3) && t[1] >= 1 && t[1] <= kMaxContacts && is_storage(t[2]) &&
                       t[3] == t[0] * t[1] && t[4] == t[3];
  const bool mixed = is_flag(t[0]) && is_flag(t[1]) && t[0] + t[1] > 0 && t[2] >= 0 && t[3] >= 0;
  if (lcp && contact) return t[6] < 0 ? ProblemKind::contact : ProblemKind::lcp;
  if (lcp && mixed) {
    const bool has_ends = t[4] == 0 && (t[5] == 2 || (t[5] == 1 && t[6] == 2));
    return has_ends ? ProblemKind::mixed_lcp : ProblemKind::lcp;
  }
  if (lcp) return ProblemKind::lcp;
  if (contact) return ProblemKind::contact;
  if (mixed) return ProblemKind::mixed_lcp;
  return std::nullopt;
}

Problem parse_text(std::string_view text, const std::string& name, ProblemKind kind) {
  TextScanner in(text, name);
  switch (kind) {
    case ProblemKind::contact:
      return read_contacts(in);
    case ProblemKind::lcp:
      return read_lcp(in);
    case ProblemKind::mixed_lcp:
      return read_mixed_lcp(in);
  }
  return {};
}

}  // namespace pawl::internal
