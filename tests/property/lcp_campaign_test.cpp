// Random complementarity problems, plain and mixed, of all kinds known to cause failures. Compares the solver
// with the enumeration of all bases, and both with exact arithmetic for integers. To run a million:
//   PAWL_LCP_PROBLEMS=1000000 build/release/tests/property/property --gtest_filter='LcpCampaign.*'

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include <pawl/lcp.h>

#include "unit/problem/random.h"
#include "unit/solve/lcp/exact_lcp.h"
#include "unit/solve/lcp/lcp_oracle.h"

namespace pawl::internal {
namespace lcp_campaign_test {

constexpr int kLargest = 8;  // rows
constexpr int kLargestExact = 4;

struct Kind {
  const char* name;
  bool integral;  // small integers: also decided by exact arithmetic
  void (*fill)(Random& random, MixedLcp& lcp);
};

void fill(std::vector<double>& numbers, auto&& make) {
  for (double& x : numbers) x = make();
}

void regular(Random& random, MixedLcp& lcp) {
  fill(lcp.M, [&] { return random.uniform(-1, 1); });
  fill(lcp.q, [&] { return random.uniform(-1, 0.3); });
}

void integral(Random& random, MixedLcp& lcp) {
  const int largest = random.integer(1, 3);
  fill(lcp.M, [&] { return random.integer(-largest, largest); });
  fill(lcp.q, [&] { return random.integer(-1, random.integer(0, 1)); });
}

void sparse_integral(Random& random, MixedLcp& lcp) {
  fill(lcp.M, [&] {
    return random.integer(0, 2) == 0 ? random.integer(-2, 2) : random.integer(0, 1) ? 0.0 : -0.0;
  });
  fill(lcp.q, [&] { return random.integer(0, 1) == 0 ? random.integer(-2, 1) : -0.0; });
}

/// M = A B, or A Aᵀ, with A [n × rank] filled by make().
void fill_low_rank(Random& random, MixedLcp& lcp, bool semidefinite, auto&& make) {
  const int n = lcp.n, rank = random.integer(0, n - 1);
  std::vector<double> A(n * rank), B(rank * n);
  fill(A, make);
  fill(B, make);
  if (semidefinite) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < rank; ++k) B[k * n + i] = A[i * rank + k];
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      lcp.M[i * n + j] = 0;
      for (int k = 0; k < rank; ++k) lcp.M[i * n + j] += A[i * rank + k] * B[k * n + j];
    }
  }
}

/// q = w - M z, where z and w are complementary in half of the cases.
void fill_feasible_q(Random& random, MixedLcp& lcp, auto&& make) {
  const int n = lcp.n;
  const bool complementary = random.integer(0, 1) == 0;
  std::vector<double> z(n), w(n);
  for (int i = 0; i < n; ++i) {
    z[i] = random.integer(0, 1) * std::abs(make());
    w[i] = (complementary && z[i] != 0 ? 0 : random.integer(0, 1)) * std::abs(make());
  }
  for (int i = 0; i < n; ++i) {
    lcp.q[i] = w[i];
    for (int j = 0; j < n; ++j) lcp.q[i] -= lcp.M[i * n + j] * z[j];
  }
}

void low_rank(Random& random, MixedLcp& lcp) {
  const auto number = [&] { return random.uniform(-1, 1); };
  fill_low_rank(random, lcp, random.integer(0, 1) == 0, number);
  if (random.integer(0, 1) == 0) {
    fill(lcp.q, number);
  } else {
    fill_feasible_q(random, lcp, number);
  }
}

void low_rank_integral(Random& random, MixedLcp& lcp) {
  const auto number = [&]() -> double { return random.integer(-1, 1); };
  fill_low_rank(random, lcp, random.integer(0, 1) == 0, number);
  if (random.integer(0, 1) == 0) {
    fill(lcp.q, number);
  } else {
    fill_feasible_q(random, lcp, number);
  }
}

/// Semidefinite plus skew, and feasible: a solution exists [CottlePangStone1992, 3.1.2].
void monotone(Random& random, MixedLcp& lcp) {
  const auto number = [&] { return random.uniform(-1, 1); };
  fill_low_rank(random, lcp, /*semidefinite=*/true, number);
  const int n = lcp.n;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      const double mean = (lcp.M[i * n + j] + lcp.M[j * n + i]) / 2, skew = number();
      lcp.M[i * n + j] = mean + skew;
      lcp.M[j * n + i] = mean - skew;
    }
  }
  fill_feasible_q(random, lcp, number);
}

void copositive(Random& random, MixedLcp& lcp) {
  fill(lcp.M, [&] { return random.integer(0, 1) * random.uniform(0, 1); });
  fill(lcp.q, [&] { return random.uniform(-1, 0.3); });
}

/// A row that no z ≥ 0 can make feasible.
void unsolvable(Random& random, MixedLcp& lcp) {
  random.integer(0, 1) == 0 ? regular(random, lcp) : integral(random, lcp);
  const int row = random.integer(0, lcp.n - 1);
  for (int j = 0; j < lcp.n; ++j) lcp.M[row * lcp.n + j] = -std::abs(lcp.M[row * lcp.n + j]);
  lcp.q[row] = -1;
}

/// Two-player games: every covering vector ends on a ray.
void game(Random& random, MixedLcp& lcp) {
  const int n = lcp.n, first = random.integer(0, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) lcp.M[i * n + j] = (i < first) == (j < first) ? 0 : random.integer(1, 4);
    lcp.q[i] = -1;
  }
}

void zero_rows(Random& random, MixedLcp& lcp) {
  integral(random, lcp);
  const int n = lcp.n, row = random.integer(0, n - 1), column = random.integer(0, n - 1);
  for (int k = 0; k < n; ++k) lcp.M[row * n + k] = -0.0;
  if (random.integer(0, 1) == 0) {
    for (int k = 0; k < n; ++k) lcp.M[k * n + column] = 0;
  }
}

/// Rows and columns scaled by 10⁻⁸ to 10⁸.
void badly_scaled(Random& random, MixedLcp& lcp) {
  switch (random.integer(0, 2)) {
    case 0:
      regular(random, lcp);
      break;
    case 1:
      integral(random, lcp);
      break;
    default:
      monotone(random, lcp);
  }
  const int n = lcp.n;
  for (int i = 0; i < n; ++i) {
    const double row = random.magnitude(1e-8, 1e8), column = random.magnitude(1e-8, 1e8);
    for (int k = 0; k < n; ++k) {
      lcp.M[i * n + k] *= row;
      lcp.M[k * n + i] *= column;
    }
    lcp.q[i] *= row;
  }
}

/// Degenerate up to the last digits.
void nearly_degenerate(Random& random, MixedLcp& lcp) {
  integral(random, lcp);
  const double size = random.magnitude(1e-16, 1e-6);
  for (double& x : lcp.M) x += size * random.uniform(-1, 1);
  for (double& x : lcp.q) x += size * random.uniform(-1, 1);
}

constexpr Kind kKinds[] = {{"regular", false, regular},
                           {"whole numbers", true, integral},
                           {"sparse whole numbers", true, sparse_integral},
                           {"low rank", false, low_rank},
                           {"low rank of whole numbers", true, low_rank_integral},
                           {"monotone", false, monotone},
                           {"copositive", false, copositive},
                           {"unsolvable", false, unsolvable},
                           {"games", true, game},
                           {"zero rows", true, zero_rows},
                           {"badly scaled", false, badly_scaled},
                           {"nearly degenerate", false, nearly_degenerate}};
constexpr int kKindCount = std::size(kKinds);

bool exactly_solvable(const MixedLcp& lcp) {
  unsigned free = 0;
  for (int i = 0; i < lcp.n; ++i) free |= lcp.free[i] ? 1u << i : 0;
  for (unsigned alpha = 0; alpha < (1u << lcp.n); ++alpha) {
    if (!(alpha & free) && exact::solutions_of_basis(lcp, alpha) != exact::Kind::empty) return true;
  }
  return false;
}

struct Tally {
  long problems = 0, certified = 0, no_solution = 0, undecided = 0, exact = 0, by_enumeration = 0;
};

class Campaign {
 public:
  explicit Campaign(bool mixed) : mixed_(mixed) {}

  void run(long problems) {
    Random random(mixed_ ? 2 : 1);
    for (long trial = 0; trial < problems && failures_ < 5; ++trial) {
      const int kind = static_cast<int>(trial % kKindCount), n = random.integer(1, kLargest);
      lcp_ = {n, std::vector<double>(n * n), std::vector<double>(n), std::vector<char>(n, 0)};
      kKinds[kind].fill(random, lcp_);
      if (mixed_) {
        for (char& free : lcp_.free) free = random.integer(0, 2) == 0;
      }
      check(kKinds[kind], tallies_[kind]);
    }
  }

  void report() const {
    for (int kind = 0; kind < kKindCount; ++kind) {
      const Tally& tally = tallies_[kind];
      std::cout << kKinds[kind].name << ": " << tally.problems << " problems, " << tally.certified
                << " certified (" << tally.by_enumeration << " by enumeration), " << tally.no_solution
                << " without a solution, " << tally.undecided << " undecided, " << tally.exact
                << " checked exactly\n";
    }
  }

  const Tally& of(int kind) const { return tallies_[kind]; }

 private:
  void check(const Kind& kind, Tally& tally) {
    ++tally.problems;
    solver_.solve(lcp_, {}, {}, solution_);
    const Enumeration all = enumerator_.enumerate(lcp_);
    switch (solution_.status) {
      case Status::certified: {
        ++tally.certified;
        tally.by_enumeration += solution_.solver == "enumeration";
        const bool listed = std::ranges::any_of(all.solutions, [&](const ComplementarySolution& other) {
          return other.alpha == solution_.alpha;
        });
        if (!listed && all.complete) fail(kind, "certified, with a basis that has no solution");
        break;
      }
      case Status::no_solution:
        ++tally.no_solution;
        if (!all.solutions.empty()) fail(kind, "no solution, but enumeration has one");
        break;
      default:
        ++tally.undecided;
        if (!all.solutions.empty() || all.complete)
          fail(kind, "decided by enumeration, but not by the solver");
    }
    if (!kind.integral || lcp_.n > kLargestExact) return;
    ++tally.exact;
    const Status truth = exactly_solvable(lcp_) ? Status::certified : Status::no_solution;
    if (solution_.status != truth) fail(kind, "exact arithmetic says otherwise");
  }

  void fail(const Kind& kind, const char* what) {
    ++failures_;
    ADD_FAILURE() << kind.name << ": " << what << "; " << to_string(solution_.status) << " by "
                  << solution_.solver << ", residual " << solution_.residual.worst() << '\n'
                  << to_text(lcp_);
  }

  bool mixed_;
  MixedLcp lcp_;
  LcpSolver solver_;
  LcpSolution solution_;
  Enumerator enumerator_;
  Tally tallies_[kKindCount];
  int failures_ = 0;
};

long problem_count() {
  const char* text = std::getenv("PAWL_LCP_PROBLEMS");
  return text == nullptr ? 10000 : std::stol(text);
}

void expect_decided(const Campaign& campaign) {
  campaign.report();
  for (int kind = 0; kind < kKindCount; ++kind) {
    const Tally& tally = campaign.of(kind);
    if (kKinds[kind].integral) {
      EXPECT_EQ(tally.undecided, 0) << kKinds[kind].name;
    }
    // Perturbations of the size of the tolerances are often undecided; other problems hardly ever.
    EXPECT_LE(tally.undecided, tally.problems / (kKinds[kind].fill == nearly_degenerate ? 5 : 100))
        << kKinds[kind].name;
  }
}

TEST(LcpCampaign, SolverEnumerationAndExactArithmeticAgree) {
  Campaign campaign(/*mixed=*/false);
  campaign.run(problem_count());
  expect_decided(campaign);
  for (int kind = 0; kind < kKindCount; ++kind) {
    if (kKinds[kind].fill == monotone) {
      EXPECT_EQ(campaign.of(kind).no_solution, 0);
    }
    if (kKinds[kind].fill == unsolvable) {
      EXPECT_EQ(campaign.of(kind).certified, 0);
    }
  }
}

TEST(LcpCampaign, SolverEnumerationAndExactArithmeticAgreeOnMixedProblems) {
  Campaign campaign(/*mixed=*/true);
  campaign.run(problem_count());
  expect_decided(campaign);
}

}  // namespace lcp_campaign_test
}  // namespace pawl::internal
