#include <pawl/impact/impact_solver.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <pawl/base/dense.h>
#include <pawl/impact/planar_impact.h>
#include <pawl/impact/spatial_impact.h>

namespace pawl {
namespace {

constexpr int kMostRounds = 50;       // of the search for the factor of the energetic law
constexpr double kFactorShare = 0.1;  // of the tolerance: how exactly the work is given back that is to be
constexpr double kRankShare = 1e-12;  // of the largest pivot: rows of joints below it follow from others

/// Adds the work of a normal impulse p while the velocity of its row goes from `before` to `after` along a
/// straight line.
void add_normal_work(double p, double before, double after, ImpactWork& work) {
  if (before < 0 && after > 0) {
    const double compressed = -before / (after - before);  // share of the impulse
    work.stored -= 0.5 * p * compressed * before;
    work.returned += 0.5 * p * (1 - compressed) * after;
  } else {
    const double done = 0.5 * p * (before + after);
    (done < 0 ? work.stored : work.returned) += std::abs(done);
  }
}

/// Adds the work of the impulses p while velocities of rows go from `before` to `after`.
void add_work(const ContactProblem& problem, std::span<const double> p, std::span<const double> before,
              std::span<const double> after, ImpactWork& work) {
  for (int c = 0; c < problem.contacts; ++c) {
    const int n = problem.begin[c];
    add_normal_work(p[n], before[n], after[n], work);
    for (int r = n + 1; r < problem.begin[c + 1]; ++r) work.friction += 0.5 * p[r] * (before[r] + after[r]);
  }
  for (int r = problem.begin[problem.contacts]; r < problem.rows(); ++r) {
    const double shift = problem.motion.shift.empty() ? 0.0 : problem.motion.shift[r];
    work.joints += p[r] * (0.5 * (before[r] + after[r]) - shift);
  }
}

void take_figures(const Solution& from, ImpactSolution& to) {
  to.status = std::max(to.status, from.status);
  if (to.reason.empty()) to.reason = from.reason;
  to.method = std::max(to.method, from.method);
  to.residual = worst(to.residual, from.residual);
  to.size = std::max(to.size, from.size);
  to.iterations += from.iterations;
  to.solves += from.solves;
}

}  // namespace

void ImpactSolver::solve(const ContactProblem& problem, std::span<const Restitution> laws,
                         const SolveOptions& options, ImpactSolution& solution) {
  solution.status = Status::certified;
  solution.reason = {};
  solution.method = SolveMethod::none;
  solution.work = {};
  solution.residual = {};
  solution.size = solution.iterations = solution.solves = 0;
  if (problem.contacts == 1 && laws[0].law == RestitutionLaw::energetic &&
      by_path(problem, laws[0], solution)) {
    return;
  }
  if (std::ranges::all_of(laws,
                          [](const Restitution& r) { return r.law == RestitutionLaw::newton || r.e == 0; })) {
    by_newton(problem, laws, options, solution);
    return;
  }
  in_two_phases(problem, laws, options, solution);
}

/// One contact by its path in the space of impulses, joints taking part; false where it has a friction set
/// that none is known for.
bool ImpactSolver::by_path(const ContactProblem& problem, const Restitution& law, ImpactSolution& solution) {
  const int rows = problem.size_of(0), joints = problem.rows() - rows;
  const FrictionSet& set = problem.friction[0];
  const bool interval = rows == 2 && set.kind == FrictionKind::polyhedron;
  if (rows > 3 || (rows > 1 && set.kind != FrictionKind::ellipsoid && !interval)) return false;

  // A = W_cc - W_cj W_jj⁻¹ W_jc. The columns of W_jj⁻¹ W_jc are what joints answer to a unit impulse.
  condense(problem, W_, condense_);
  const int n = problem.rows();
  dense(W_, dense_);
  const auto w = [&](int i, int k) { return dense_[i * n + k]; };
  inverse_.resize(joints * joints);
  for (int i = 0; i < joints; ++i) {
    for (int k = 0; k < joints; ++k) inverse_[i * joints + k] = w(rows + i, rows + k);
  }
  row_pivot_.resize(joints);
  column_pivot_.resize(joints);
  const int rank =
      joints > 0 ? lu_complete(inverse_, joints, joints, row_pivot_, column_pivot_, kRankShare) : 0;
  response_.resize(rows * joints);
  Mat3 A{};
  for (int k = 0; k < rows; ++k) {
    const auto answer = std::span(response_).subspan(k * joints, joints);
    for (int i = 0; i < joints; ++i) answer[i] = -w(rows + i, k);
    if (joints > 0) lu_complete_solve(inverse_, joints, rank, row_pivot_, column_pivot_, answer);
    for (int i = 0; i < rows; ++i) {
      double sum = w(i, k);
      for (int j = 0; j < joints; ++j) sum += w(i, rows + j) * answer[j];
      A(i, k) = sum;
    }
  }

  ImpactReport report;
  std::array<double, 3> p{};
  const double mu = rows > 1 ? set.mu : 0.0;
  if (rows == 3) {
    const SpatialImpact impact = spatial_impact({.A = A,
                                                 .v = {problem.b[0], problem.b[1], problem.b[2]},
                                                 .mu = mu,
                                                 .mu_static = mu,
                                                 .e = law.e,
                                                 .e_t = set.radii[0],
                                                 .e_o = set.radii[1]});
    report = impact;
    p = {impact.p.x, impact.p.y, impact.p.z};
    solution.iterations = impact.steps;
  } else {
    const double reach = interval ? set.polyhedron->support({1, 0, 0}) : set.radii[0];
    const PlanarImpact impact = planar_impact({.a_nn = A(0, 0),
                                               .a_nt = rows > 1 ? A(0, 1) : 0,
                                               .a_tt = rows > 1 ? A(1, 1) : 0,
                                               .v_n = problem.b[0],
                                               .v_t = rows > 1 ? problem.b[1] : 0,
                                               .mu = mu * reach,
                                               .mu_static = mu * reach,
                                               .e = law.e});
    report = impact;
    p = {impact.p_n, impact.p_t, 0};
  }
  if (report.status == ImpactStatus::refused) {
    solution.status = Status::refused;
    solution.reason = to_string(report.reason);
    return true;
  }
  solution.size = n;
  solution.solves = 1;
  solution.p.assign(n, 0.0);
  std::copy_n(p.begin(), rows, solution.p.begin());
  for (int j = 0; j < joints; ++j) {
    for (int k = 0; k < rows; ++k) solution.p[rows + j] += response_[k * joints + j] * p[k];
  }
  solution.u.resize(n);
  solution.v_next.resize(problem.motion.v_free.size());
  velocity_after(problem, solution.p, solution.v_next);
  contact_velocity(problem, solution.v_next, solution.u);
  const ImpactPhase& end = report.history.end();
  const ImpactPhase* pause = report.history.find(ImpactMoment::normal_pause);
  solution.work.stored = pause != nullptr ? -pause->E_n : 0.0;
  solution.work.returned = end.E_n + solution.work.stored;
  solution.work.friction = end.E_f;
  for (int r = rows; r < n; ++r) {
    const double shift = problem.motion.shift.empty() ? 0.0 : problem.motion.shift[r];
    solution.work.joints -= solution.p[r] * shift;
  }
  return true;
}

bool ImpactSolver::by_newton(const ContactProblem& problem, std::span<const Restitution> laws,
                             const SolveOptions& options, ImpactSolution& solution) {
  phase_ = problem;
  for (int c = 0; c < problem.contacts; ++c) {
    phase_.zeta[c] = laws[c].e * std::min(0.0, problem.b[problem.begin[c]]);
  }
  solver_.solve(phase_, options, {}, expansion_);
  take_figures(expansion_, solution);
  if (expansion_.status == Status::refused) return false;
  solution.p = expansion_.p;
  solution.u = expansion_.u;
  solution.v_next = expansion_.v_next;
  add_work(problem, solution.p, problem.b, solution.u, solution.work);
  return true;
}

void ImpactSolver::in_two_phases(const ContactProblem& problem, std::span<const Restitution> laws,
                                 const SolveOptions& options, ImpactSolution& solution) {
  phase_ = problem;
  std::ranges::fill(phase_.zeta, 0.0);
  solver_.solve(phase_, options, {}, compression_);
  take_figures(compression_, solution);
  if (compression_.status == Status::refused) return;
  // Poisson's law says at once which share of its compression a contact gives back. Those of the energetic
  // law have a common factor, by which all of them together give back the work that they are to.
  double wanted = 0;
  for (int c = 0; c < problem.contacts; ++c) {
    if (laws[c].law == RestitutionLaw::energetic) wanted += laws[c].e * laws[c].e * stored_in(problem, c);
  }
  double factor = 1, last_factor = 0, last_excess = -1;  // nothing is given back at 0
  bool found = false;
  for (int round = 0; round < kMostRounds && !found; ++round) {
    make_expansion(problem, laws, factor);
    solver_.solve(phase_, options, {}, expansion_);
    if (expansion_.status == Status::refused) break;
    const double excess = wanted > 0 ? returned_to(problem, laws) / wanted - 1 : 0;
    found = std::abs(excess) <= kFactorShare * options.tolerance;
    const double slope = (excess - last_excess) / (factor - last_factor);
    last_factor = factor;
    last_excess = excess;
    if (!found && slope > 0) factor = std::max(0.1 * factor, factor - excess / slope);
  }
  take_figures(expansion_, solution);
  if (expansion_.status == Status::refused) return;
  if (!found && solution.status == Status::certified) {
    solution.status = Status::approximate;
    solution.reason = "restitution";
  }
  gather(problem, solution);
}

/// The problem of expansion: bodies start from the end of compression and the share κ of its normal impulses.
/// What more is needed to keep contacts from closing is p_n of the problem. Friction is bounded by both: that
/// of the given impulse is a contact of its own, with the same tangents, whose normal row moves nothing but a
/// mass thrown at it with that impulse. (The sets of the two add up to that of their sum.)
void ImpactSolver::make_expansion(const ContactProblem& problem, std::span<const Restitution> laws,
                                  double factor) {
  given_.assign(problem.rows(), 0.0);
  for (int c = 0; c < problem.contacts; ++c) {
    const double share = laws[c].law == RestitutionLaw::newton    ? 0
                         : laws[c].law == RestitutionLaw::poisson ? laws[c].e
                                                                  : factor * laws[c].e;
    given_[problem.begin[c]] = share * std::max(0.0, compression_.p[problem.begin[c]]);
  }
  phase_ = problem;
  phase_.motion.v_free = compression_.v_next;
  v_given_.resize(phase_.motion.v_free.size());
  velocity_after(phase_, given_, v_given_);
  phase_.motion.v_free = v_given_;
  for (int c = 0; c < problem.contacts; ++c) {
    const bool newton = laws[c].law == RestitutionLaw::newton;
    phase_.zeta[c] = newton ? laws[c].e * std::min(0.0, problem.b[problem.begin[c]]) : 0.0;
  }

  MotionRows& motion = phase_.motion;
  const MotionRows& source = problem.motion;
  const int blocks = problem.blocks();
  if (motion.shift.empty()) motion.shift.assign(problem.rows(), 0.0);
  phase_.begin.resize(problem.contacts + 1);
  motion.shift.resize(problem.begin[problem.contacts]);
  motion.jacobian_blocks.clear();
  const auto entries_of = [&](int block) {
    return std::ranges::equal_range(source.jacobian_blocks, block, {}, &MotionRows::JacobianBlock::block);
  };
  for (int c = 0; c < problem.contacts; ++c) {
    for (const auto& entry : entries_of(c)) motion.jacobian_blocks.push_back(entry);
  }
  double speed = 0;  // with which all the masses are thrown: one that the problem knows
  for (int r = 0; r < problem.begin[problem.contacts]; ++r) speed = std::max(speed, std::abs(problem.b[r]));
  given_slot_.assign(problem.contacts, -1);
  for (int c = 0; c < problem.contacts; ++c) {
    const double impulse = given_[problem.begin[c]];
    const int rows = problem.size_of(c);
    if (!(impulse > 0) || rows == 1 || !(problem.friction[c].mu > 0)) continue;
    const int slot = given_slot_[c] = phase_.contacts++;
    for (const auto& entry : entries_of(c)) {
      const int columns = source.mass_blocks[entry.mass_block].size;
      const int offset = static_cast<int>(motion.jacobian.size());
      motion.jacobian.resize(offset + rows * columns, 0.0);
      std::copy_n(source.jacobian.begin() + entry.offset + columns, (rows - 1) * columns,
                  motion.jacobian.begin() + offset + columns);
      motion.jacobian_blocks.push_back({slot, entry.mass_block, offset});
    }
    motion.jacobian_blocks.push_back(
        {slot, static_cast<int>(motion.mass_blocks.size()), static_cast<int>(motion.jacobian.size())});
    motion.jacobian.push_back(1);
    motion.jacobian.resize(motion.jacobian.size() + rows - 1, 0.0);
    motion.mass_blocks.push_back(
        {static_cast<int>(motion.v_free.size()), 1, static_cast<int>(motion.mass.size())});
    motion.mass.push_back(impulse / speed);
    motion.factor.push_back(std::sqrt(impulse / speed));
    motion.v_free.push_back(-speed);
    motion.shift.resize(motion.shift.size() + rows, 0.0);
    phase_.begin.push_back(phase_.begin.back() + rows);
    phase_.friction.push_back(problem.friction[c]);
    phase_.zeta.push_back(0);
  }
  for (int block = problem.contacts; block < blocks; ++block) {
    const int slot = static_cast<int>(phase_.begin.size()) - 1;
    for (auto entry : entries_of(block)) {
      entry.block = slot;
      motion.jacobian_blocks.push_back(entry);
    }
    for (int r = problem.begin[block]; r < problem.begin[block + 1]; ++r) {
      motion.shift.push_back(source.shift.empty() ? 0.0 : source.shift[r]);
    }
    phase_.begin.push_back(phase_.begin.back() + problem.size_of(block));
  }
  set_free_velocities(phase_);
}

/// Work that compression stored in a contact.
double ImpactSolver::stored_in(const ContactProblem& problem, int contact) const {
  const int n = problem.begin[contact];
  return -0.5 * compression_.p[n] * (problem.b[n] + compression_.u[n]);
}

/// Work that expansion gives back in contacts with the energetic law.
double ImpactSolver::returned_to(const ContactProblem& problem, std::span<const Restitution> laws) const {
  double work = 0;
  for (int c = 0; c < problem.contacts; ++c) {
    if (laws[c].law != RestitutionLaw::energetic) continue;
    const int n = problem.begin[c];
    work += 0.5 * (given_[n] + expansion_.p[n]) * (compression_.u[n] + expansion_.u[n]);
  }
  return work;
}

/// Both phases together.
void ImpactSolver::gather(const ContactProblem& problem, ImpactSolution& solution) {
  const int shift = phase_.begin[phase_.contacts] - problem.begin[problem.contacts];
  solution.p.resize(problem.rows());
  solution.u.resize(problem.rows());
  for (int r = 0; r < problem.rows(); ++r) {
    const int row = r < problem.begin[problem.contacts] ? r : r + shift;
    given_[r] += expansion_.p[row];
    solution.u[r] = expansion_.u[row];
  }
  for (int c = 0; c < problem.contacts; ++c) {
    if (given_slot_[c] < 0) continue;
    for (int k = 1; k < problem.size_of(c); ++k) {
      given_[problem.begin[c] + k] += expansion_.p[phase_.begin[given_slot_[c]] + k];
    }
  }
  for (int r = 0; r < problem.rows(); ++r) solution.p[r] = compression_.p[r] + given_[r];
  solution.v_next.assign(
      expansion_.v_next.begin(),
      expansion_.v_next.begin() + static_cast<std::ptrdiff_t>(problem.motion.v_free.size()));
  add_work(problem, compression_.p, problem.b, compression_.u, solution.work);
  add_work(problem, given_, compression_.u, solution.u, solution.work);
}

}  // namespace pawl
