#include <pawl/lcp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>
#include <pawl/linalg/linear_program.h>
#include <pawl/solve/lcp/basis_system.h>
#include <pawl/solve/lcp/eliminate_free.h>
#include <pawl/solve/lcp/enumerate.h>
#include <pawl/solve/lcp/equilibrate.h>
#include <pawl/solve/lcp/lemke.h>

namespace pawl {

using namespace internal;

namespace {

constexpr double kClear = tolerances::kSign;

/// Covering vectors: ones for index 0, then values in [0.05, 1.05) that vary with row and index.
void write_cover(int index, std::span<double> cover) {
  constexpr double kGolden = 0.6180339887498949;
  for (std::size_t i = 0; i < cover.size(); ++i) {
    const double turn = kGolden * index * static_cast<double>(i + 1);
    cover[i] = index == 0 ? 1 : 0.05 + (turn - std::floor(turn));
  }
}

}  // namespace

class LcpSolver::Methods {
 public:
  void solve(const Lcp& lcp, const LcpOptions& options, std::span<const char> warm, LcpSolution& solution);
  void solve(const MixedLcp& lcp, const LcpOptions& options, std::span<const char> warm,
             LcpSolution& solution);

 private:
  bool try_basis(std::string_view solver, std::span<const char> alpha);
  bool try_lemke();
  bool restart_lemke(int index);
  bool consider(std::string_view solver, std::span<const double> z, std::span<const char> alpha);
  bool prove_infeasible();
  void enumerate();

  const MixedLcp* original_ = nullptr;
  const LcpOptions* options_ = nullptr;
  LcpSolution* solution_ = nullptr;
  MixedLcp plain_;  // a plain problem, without free rows
  Equilibrated scaled_;
  FreeElimination elimination_;
  Lemke lemke_;
  Lcp exchanged_;
  BasisSystem system_;
  Enumerator enumerator_;
  LinearProgram program_;
  SimplexMethod simplex_;
  std::vector<int> rows_;
  std::vector<char> alpha_, alpha_plain_;
  std::vector<double> z_, w_, cover_;
};

LcpSolver::LcpSolver() : methods_(std::make_unique<Methods>()) {}
LcpSolver::LcpSolver(LcpSolver&&) noexcept = default;
LcpSolver& LcpSolver::operator=(LcpSolver&&) noexcept = default;
LcpSolver::~LcpSolver() = default;

void LcpSolver::solve(const Lcp& lcp, const LcpOptions& options, std::span<const char> warm,
                      LcpSolution& solution) {
  methods_->solve(lcp, options, warm, solution);
}
void LcpSolver::solve(const MixedLcp& lcp, const LcpOptions& options, std::span<const char> warm,
                      LcpSolution& solution) {
  methods_->solve(lcp, options, warm, solution);
}

void LcpSolver::Methods::solve(const Lcp& lcp, const LcpOptions& options, std::span<const char> warm,
                               LcpSolution& solution) {
  plain_.n = lcp.n;
  plain_.M.assign(lcp.M.begin(), lcp.M.end());
  plain_.q.assign(lcp.q.begin(), lcp.q.end());
  plain_.free.assign(std::max(lcp.n, 0), 0);
  solve(plain_, options, warm, solution);
}

void LcpSolver::Methods::solve(const MixedLcp& lcp, const LcpOptions& options, std::span<const char> warm,
                               LcpSolution& solution) {
  original_ = &lcp;
  options_ = &options;
  solution_ = &solution;
  const int n = std::max(lcp.n, 0);
  solution.status = Status::refused;
  solution.solver = "none";
  solution.reason = {};
  solution.residual.natural_map = solution.residual.equation = std::numeric_limits<double>::infinity();
  solution.pivots = 0;
  solution.z.assign(n, 0.0);
  solution.w.assign(n, 0.0);
  solution.alpha.assign(n, 0);
  solution.certificate.clear();
  if (!well_formed(lcp)) {
    solution.reason = "not finite, or sizes that disagree";
    return;
  }
  scaled_.scale(lcp);
  if (warm.size() == static_cast<std::size_t>(n) && try_basis("warm", warm)) return;
  if (try_lemke()) return;
  if (prove_infeasible()) return;
  enumerate();
}

/// Solves for z of the basis, free variables included, and asks the judge.
bool LcpSolver::Methods::try_basis(std::string_view solver, std::span<const char> alpha) {
  const MixedLcp& lcp = scaled_.problem();
  rows_.clear();
  rows_.reserve(lcp.n);
  for (int i = 0; i < lcp.n; ++i) {
    if (alpha[i] || lcp.free[i]) rows_.push_back(i);
  }
  system_.factor(lcp, rows_, rows_, tolerances::kSum);
  z_.assign(lcp.n, 0.0);
  system_.refine(lcp, z_, 3);
  for (int i = 0; i < lcp.n; ++i) {
    if (!lcp.free[i]) z_[i] = std::max(z_[i], 0.0);
  }
  return consider(solver, z_, alpha);
}

bool LcpSolver::Methods::try_lemke() {
  if (elimination_.eliminate(scaled_.problem()) == EliminationOutcome::inconsistent) {
    solution_->reason = "inconsistent equations";
    return false;
  }
  const Lcp& lcp = elimination_.lcp();
  cover_.resize(lcp.n);
  alpha_.resize(original_->n);
  for (int index = 0; index < options_->covers; ++index) {
    write_cover(index, cover_);
    const LemkeResult result = lemke_.solve(lcp, options_->lemke, cover_);
    solution_->pivots += result.pivots;
    if (solution_->status == Status::refused) solution_->reason = to_string(result.outcome);
    if (result.outcome != LemkeOutcome::solved && result.outcome != LemkeOutcome::numerical_failure) continue;
    z_.resize(original_->n);
    elimination_.expand(lemke_.z(), z_);
    elimination_.expand_basis(lemke_.basic(), alpha_);
    if (consider("lemke", z_, alpha_) || try_basis("lemke", alpha_)) return true;
  }
  for (int index = 0; index < std::min(options_->restarts, lcp.n); ++index) {
    if (restart_lemke(index)) return true;
  }
  return false;
}

/// Lemke's method from a basis with two z in it: a principal pivot on rows i, j. The games of two players, M
/// = [0 A; B 0] with A, B > 0, end on a ray at once with every covering vector, and not from there.
bool LcpSolver::Methods::restart_lemke(int index) {
  const Lcp& lcp = elimination_.lcp();
  const int n = lcp.n, i = index * n / std::min(options_->restarts, n);
  const auto M = [&](int row, int column) { return lcp.M[row * n + column]; };
  int best = -1;
  double largest = tolerances::kSame;
  for (int j = 0; j < n; ++j) {
    const double determinant = std::abs(M(i, i) * M(j, j) - M(i, j) * M(j, i));
    if (j == i || std::abs(M(i, j)) < tolerances::kSame || !(determinant > largest)) continue;
    largest = determinant;
    best = j;
  }
  if (best < 0) return false;
  exchanged_.n = n;
  exchanged_.M.assign(lcp.M.begin(), lcp.M.end());
  exchanged_.q.assign(lcp.q.begin(), lcp.q.end());
  exchange(exchanged_.M, exchanged_.q, n, i, best);
  exchange(exchanged_.M, exchanged_.q, n, best, i);
  const LemkeResult result = lemke_.solve(exchanged_, options_->lemke);
  solution_->pivots += result.pivots;
  if (result.outcome != LemkeOutcome::solved && result.outcome != LemkeOutcome::numerical_failure)
    return false;
  // Row i now pairs z_j with w_j, and row j pairs z_i with w_i.
  alpha_plain_.assign(lemke_.basic().begin(), lemke_.basic().end());
  alpha_plain_[i] = !lemke_.basic()[best];
  alpha_plain_[best] = !lemke_.basic()[i];
  elimination_.expand_basis(alpha_plain_, alpha_);
  return try_basis("lemke", alpha_);
}

/// Puts an answer before the judge and keeps it if it is the best so far; true if it is certified. The judge
/// sees the equilibrated problem, the same to the last bit but for units, so that no variable hides behind
/// one in larger units.
bool LcpSolver::Methods::consider(std::string_view solver, std::span<const double> z,
                                  std::span<const char> alpha) {
  LcpSolution& solution = *solution_;
  w_.resize(z.size());
  const LcpResidual residual = judge(scaled_.problem(), z, w_);
  const bool certified = residual.within(options_->tolerance);
  if (!certified && !(residual.worst() < solution.residual.worst())) return false;
  solution.status = certified ? Status::certified : Status::approximate;
  solution.solver = solver;
  solution.reason = certified ? std::string_view{} : "residual";
  solution.residual = residual;
  solution.z.assign(z.begin(), z.end());
  solution.w.assign(w_.begin(), w_.end());
  scaled_.unscale(solution.z, solution.w);
  solution.alpha.assign(alpha.begin(), alpha.end());
  // Where z or w is clearly positive it determines the basis. Pivots on rounding may have set it differently.
  double largest = 1;
  for (const double x : z) largest = std::max(largest, std::abs(x));
  for (int i = 0; i < original_->n; ++i) {
    if (original_->free[i] || w_[i] > kClear * largest) {
      solution.alpha[i] = 0;
    } else if (z[i] > kClear * largest) {
      solution.alpha[i] = 1;
    }
  }
  return certified;
}

/// The laws without complementarity are linear: M z - w = -q with z, w ≥ 0 on complementary rows, w = 0 on
/// free ones.
bool LcpSolver::Methods::prove_infeasible() {
  const MixedLcp& lcp = scaled_.problem();
  const int n = lcp.n;
  if (n > options_->max_proved_rows) return false;
  rows_.clear();
  for (int i = 0; i < n; ++i) {
    if (!lcp.free[i]) rows_.push_back(i);
  }
  const int columns = n + static_cast<int>(rows_.size());
  program_.rows = n;
  program_.columns = columns;
  program_.A.assign(static_cast<std::size_t>(n) * columns, 0.0);
  program_.b.resize(n);
  program_.c.assign(columns, 0.0);
  program_.free.assign(columns, 0);
  for (int i = 0; i < n; ++i) {
    std::copy_n(lcp.M.begin() + i * n, n, program_.A.begin() + i * columns);
    program_.b[i] = -lcp.q[i];
    program_.free[i] = lcp.free[i];
  }
  for (int k = n; k < columns; ++k) program_.A[rows_[k - n] * columns + k] = -1;
  if (simplex_.solve(program_) != LinearProgramOutcome::infeasible) return false;
  solution_->status = Status::no_solution;
  solution_->solver = "infeasible";
  solution_->reason = "no z and w fit the equations";
  // In the simplex method's signs: yᵀ M ≥ 0, -y ≥ 0, yᵀ q > 0.
  solution_->certificate.assign(simplex_.y().begin(), simplex_.y().end());
  for (double& y : solution_->certificate) y = -y;
  scaled_.unscale_multipliers(solution_->certificate);
  return true;
}

void LcpSolver::Methods::enumerate() {
  const auto complementary = std::ranges::count(original_->free, 0);
  if (complementary > options_->max_enumerated_rows || complementary > Enumerator::kMaxComplementary) {
    if (solution_->reason.empty()) solution_->reason = "too large";
    return;
  }
  const Enumeration all =
      enumerator_.enumerate(scaled_.problem(), {.tolerance = options_->tolerance, .max_solutions = 1});
  for (const ComplementarySolution& found : all.solutions) {
    z_.assign(found.z.begin(), found.z.end());
    if (consider("enumeration", z_, found.alpha)) return;
  }
  if (!all.solutions.empty()) return;
  if (!all.complete) {
    if (solution_->reason.empty()) solution_->reason = "a basis is too near to call";
    return;
  }
  solution_->status = Status::no_solution;
  solution_->solver = "enumeration";
  solution_->reason = "no basis has a solution";
}

}  // namespace pawl
