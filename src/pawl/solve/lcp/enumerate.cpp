#include <pawl/solve/lcp/enumerate.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>

namespace pawl::internal {
namespace {

constexpr double kSolutionRounding =
    tolerances::kPivot;  // of a refined solution, times its smallest pivot ratio

}  // namespace

Enumeration Enumerator::enumerate(const Lcp& lcp, const EnumerationOptions& options) {
  mixed_.n = lcp.n;
  mixed_.M.assign(lcp.M.begin(), lcp.M.end());
  mixed_.q.assign(lcp.q.begin(), lcp.q.end());
  mixed_.free.assign(lcp.n, 0);
  return enumerate(mixed_, options);
}

Enumeration Enumerator::enumerate(const MixedLcp& lcp, const EnumerationOptions& options) {
  Enumeration result;
  complementary_.clear();
  for (int i = 0; i < static_cast<int>(lcp.free.size()); ++i) {
    if (!lcp.free[i]) complementary_.push_back(i);
  }
  if (!well_formed(lcp) || complementary_.size() > kMaxComplementary) {
    result.complete = false;
    return result;
  }
  scaled_.scale(lcp);
  const std::uint32_t bases = 1u << complementary_.size();
  for (std::uint32_t bits = 0; bits < bases; ++bits) {
    alpha_.assign(lcp.free.begin(), lcp.free.end());
    for (std::size_t k = 0; k < complementary_.size(); ++k) alpha_[complementary_[k]] = bits >> k & 1;
    const Verdict verdict = try_basis(options);
    if (verdict == Verdict::undecided) result.complete = false;
    if (verdict != Verdict::point && verdict != Verdict::polyhedron) continue;
    result.solutions.push_back({alpha_, z_, verdict == Verdict::point});
    if (static_cast<int>(result.solutions.size()) >= options.max_solutions && bits + 1 < bases) {
      result.complete = false;
      break;
    }
  }
  mark_points_of_polyhedra(options, result);
  for (ComplementarySolution& solution : result.solutions) {
    scaled_.unscale(solution.z, w_);
    for (int i = 0; i < lcp.n; ++i) solution.alpha[i] &= !lcp.free[i];
  }
  return result;
}

/// The system of a basis is M_ββ z_β = -q_β, where β is α and the free rows.
Enumerator::Verdict Enumerator::try_basis(const EnumerationOptions& options) {
  rows_.clear();
  for (int i = 0; i < scaled_.problem().n; ++i) {
    if (alpha_[i]) rows_.push_back(i);
  }
  const bool regular =
      system_.factor(scaled_.problem(), rows_, rows_, options.singular) == static_cast<int>(rows_.size());
  const bool rank_in_doubt = system_.min_pivot_ratio() < options.regular;
  const Verdict verdict = regular ? try_regular_basis(options) : try_singular_basis(options);
  return verdict == Verdict::none && rank_in_doubt ? Verdict::undecided : verdict;
}

Enumerator::Verdict Enumerator::try_regular_basis(const EnumerationOptions& options) {
  const MixedLcp& lcp = scaled_.problem();
  z_.assign(lcp.n, 0.0);
  system_.refine(lcp, z_, 3);
  double largest = 0;
  for (const int i : rows_) {
    if (!std::isfinite(z_[i])) return Verdict::undecided;
    largest = std::max(largest, std::abs(z_[i]));
  }
  // Error of z caused by residuals within the tolerance and by rounding.
  const double unclear = std::max(options.sign_tolerance,
                                  std::max(options.tolerance, kSolutionRounding) / system_.min_pivot_ratio());
  for (const int i : rows_) {
    if (!lcp.free[i] && z_[i] < -unclear * largest) return Verdict::none;
  }
  for (int i = 0; i < lcp.n; ++i) {
    if (alpha_[i]) continue;
    double w = lcp.q[i], terms = std::abs(lcp.q[i]);
    for (int j = 0; j < lcp.n; ++j) {
      w += lcp.M[i * lcp.n + j] * z_[j];
      terms += std::abs(lcp.M[i * lcp.n + j]) * largest;
    }
    if (w < -unclear * terms) return Verdict::none;
  }
  clamp_negative();
  w_.resize(lcp.n);
  return judge(lcp, z_, w_).within(options.tolerance) ? Verdict::point : Verdict::undecided;
}

/// B x = -q, x ≥ 0, where x_i is z_i for i in α and w_i otherwise.
Enumerator::Verdict Enumerator::try_singular_basis(const EnumerationOptions& options) {
  const MixedLcp& lcp = scaled_.problem();
  const int n = program_.rows = program_.columns = lcp.n;
  program_.A.resize(static_cast<std::size_t>(n) * n);
  program_.b.resize(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) program_.A[i * n + j] = alpha_[j] ? lcp.M[i * n + j] : i == j ? -1.0 : 0.0;
    program_.b[i] = -lcp.q[i];
  }
  program_.c.assign(n, 0.0);
  program_.free.assign(lcp.free.begin(), lcp.free.end());
  const LinearProgramOutcome outcome = simplex_.solve(program_);
  if (outcome == LinearProgramOutcome::infeasible) return Verdict::none;
  if (outcome == LinearProgramOutcome::undecided) return Verdict::undecided;

  z_.assign(n, 0.0);
  rows_.clear();
  columns_.clear();
  for (int i = 0; i < n; ++i) {
    if (alpha_[i]) z_[i] = simplex_.x()[i];
    if (alpha_[i] && simplex_.basic()[i]) columns_.push_back(i);
    if (alpha_[i] || !simplex_.basic()[i]) rows_.push_back(i);
  }
  system_.factor(lcp, rows_, columns_, options.singular);
  system_.refine(lcp, z_, 1);  // the tableau has lost digits
  clamp_negative();
  w_.resize(n);
  if (!judge(lcp, z_, w_).within(options.tolerance)) return Verdict::undecided;

  // The basic columns are independent, so any other point has a nonbasic x_j > 0.
  for (int j = 0; j < n; ++j) program_.c[j] = simplex_.basic()[j] ? 0 : 1;
  if (simplex_.solve(program_) == LinearProgramOutcome::unbounded) return Verdict::polyhedron;
  double sum = 0;
  for (int j = 0; j < n; ++j) sum += program_.c[j] * simplex_.x()[j];
  return sum > options.zero ? Verdict::polyhedron : Verdict::point;
}

void Enumerator::clamp_negative() {
  for (int i = 0; i < scaled_.problem().n; ++i) {
    if (!scaled_.problem().free[i]) z_[i] = std::max(z_[i], 0.0);
  }
}

/// A solution is not isolated if it lies in the polyhedron of another alpha: z_i = 0 outside that alpha, w_i
/// = 0 inside.
void Enumerator::mark_points_of_polyhedra(const EnumerationOptions& options, Enumeration& result) {
  const MixedLcp& lcp = scaled_.problem();
  w_.resize(lcp.n);
  for (ComplementarySolution& solution : result.solutions) {
    if (!solution.isolated) continue;
    judge(lcp, solution.z, w_);
    const double z_largest = largest(solution.z);
    solution.isolated = std::ranges::none_of(result.solutions, [&](const ComplementarySolution& other) {
      if (&other == &solution || other.isolated) return false;
      for (int i = 0; i < lcp.n; ++i) {
        if (lcp.free[i]) continue;
        const bool in_it = other.alpha[i] ? std::abs(w_[i]) <= options.zero * (1 + z_largest)
                                          : solution.z[i] <= options.zero * z_largest;
        if (!in_it) return false;
      }
      return true;
    });
  }
}

}  // namespace pawl::internal
