#include <pawl/impact/impact_solver.h>

#include <algorithm>
#include <cmath>

#include <pawl/base/tolerances.h>
#include <pawl/impact.h>
#include <pawl/linalg/dense.h>

namespace pawl::internal {
namespace {

constexpr int kMaxRounds = 60;           // of the search for the factor s of the energetic law
constexpr double kMaxFactor = 1e3;       // s
constexpr double kFactorFraction = 0.1;  // accuracy of the returned work, relative to the tolerance
constexpr int kMaxParts = 16;            // of a phase
constexpr double kFrictionGain =
    tolerances::kMedium;  // positive work of friction that asks for more parts, of all work
constexpr double kEnergyRounding = tolerances::kSign;  // of works, relative to their absolute sum
constexpr double kRankTolerance =
    tolerances::kIterated;  // relative to the largest pivot: smaller joint rows are redundant

/// Adds the work of a normal impulse p; the velocity of its row changes linearly from `before` to `after`.
void add_normal_work(double p, double before, double after, ImpactWork& work) {
  if (before < 0 && after > 0) {
    const double compressed = -before / (after - before);  // fraction of the impulse in compression
    work.stored -= 0.5 * p * compressed * before;
    work.returned += 0.5 * p * (1 - compressed) * after;
  } else {
    const double done = 0.5 * p * (before + after);
    (done < 0 ? work.stored : work.returned) += std::abs(done);
  }
}

/// Adds the work of the impulses p, while the velocities of the rows change from `before` to `after`.
void add_work(const ContactProblem& problem, std::span<const Restitution> laws, std::span<const double> p,
              std::span<const double> before, std::span<const double> after, ImpactWork& work) {
  for (int c = 0; c < problem.contacts; ++c) {
    const int n = problem.begin[c];
    if (laws[c].limit) {
      work.limits += 0.5 * p[n] * (before[n] + after[n]);
      continue;
    }
    add_normal_work(p[n], before[n], after[n], work);
    for (int r = n + 1; r < problem.begin[c + 1]; ++r) work.friction += 0.5 * p[r] * (before[r] + after[r]);
  }
  for (int r = problem.begin[problem.contacts]; r < problem.rows(); ++r) {
    const double shift = problem.motion.shift.empty() ? 0.0 : problem.motion.shift[r];
    work.joints += p[r] * (0.5 * (before[r] + after[r]) - shift);
  }
}

/// Appends the event at the end of a phase with the impulses p, while the velocities of the rows change
/// from `before` to `after`. The history of a limit stays empty.
void add_events(const ContactProblem& problem, std::span<const Restitution> laws, ImpactEvent event,
                std::span<const double> p, std::span<const double> before, std::span<const double> after,
                std::vector<ImpactHistory>& histories) {
  for (int c = 0; c < problem.contacts; ++c) {
    if (laws[c].limit) continue;
    ImpactHistory& history = histories[c];
    ImpactPhase next = history.end();
    next.event = event;
    const int n = problem.begin[c];
    next.p_n += p[n];
    next.E_n += 0.5 * p[n] * (before[n] + after[n]);
    for (int r = n + 1; r < problem.begin[c + 1]; ++r) next.E_f += 0.5 * p[r] * (before[r] + after[r]);
    // The parts of a phase have one event.
    const bool same = history.count > 0 && history.end().event == event;
    history.phase[same ? history.count - 1 : history.count++] = next;
  }
}

/// Histories with their first event.
void begin_events(const ContactProblem& problem, std::vector<ImpactHistory>& histories) {
  ImpactHistory begun;
  begun.count = 1;
  histories.assign(problem.contacts, begun);
}

double absolute(const ImpactWork& work) {
  return work.stored + work.returned + std::abs(work.friction) + std::abs(work.joints) +
         std::abs(work.limits);
}

template <class Part>
void accumulate_statistics(const Part& from, ImpactSolution& to) {
  to.status = std::max(to.status, from.status);
  if (to.reason.empty()) to.reason = from.reason;
  to.method = std::max(to.method, from.method);
  to.residual = worst(to.residual, from.residual);
  to.size = std::max(to.size, from.size);
  to.iterations += from.iterations;
  to.solves += from.solves;
}

}  // namespace

bool has_path(const FrictionSet& set, int rows) {
  return rows == 1 || (rows <= 3 && set.kind == FrictionKind::ellipsoid) ||
         (rows == 2 && set.kind == FrictionKind::polyhedron);
}

SingleContactImpact single_contact_impact(const Mat3& A, const Vec3& v, const FrictionSet& set, int rows,
                                          double e) {
  SingleContactImpact result;
  ImpactReport report;
  const double mu = rows > 1 ? set.mu : 0.0;
  if (rows == 3) {
    const SpatialImpact impact = spatial_impact(
        {.A = A, .v = v, .mu = mu, .mu_static = mu, .e = e, .e_t = set.radii[0], .e_o = set.radii[1]});
    report = impact;
    result.p = {impact.p.x, impact.p.y, impact.p.z};
    result.steps = impact.steps;
  } else {
    const bool interval = set.kind == FrictionKind::polyhedron;
    const double half_width = set.radii[0] * (interval ? set.polyhedron->support({1, 0, 0}) : 1);
    const PlanarImpact impact = planar_impact({.a_nn = A(0, 0),
                                               .a_nt = A(0, 1),
                                               .a_tt = A(1, 1),
                                               .v_n = v.x,
                                               .v_t = v.y,
                                               .mu = mu * half_width,
                                               .mu_static = mu * half_width,
                                               .e = e});
    report = impact;
    result.p = {impact.p_n, impact.p_t, 0};
  }
  if (report.status == ImpactStatus::refused) {
    result.status = Status::refused;
    result.reason = to_string(report.reason);
    return result;
  }
  const ImpactPhase& end = report.history.end();
  const ImpactPhase* pause = report.history.find(ImpactEvent::normal_pause);
  result.work.stored = pause != nullptr ? -pause->E_n : 0.0;
  result.work.returned = end.E_n + result.work.stored;
  result.work.friction = end.E_f;
  result.history = report.history;
  return result;
}

void ImpactSolver::solve(const ContactProblem& problem, std::span<const Restitution> laws,
                         const SolveOptions& options, ImpactSolution& solution) {
  solution.status = Status::certified;
  solution.reason = {};
  solution.method = SolveMethod::none;
  solution.work = {};
  solution.residual = {};
  solution.size = solution.iterations = solution.solves = 0;
  if (problem.contacts == 1 && laws[0].law == RestitutionLaw::energetic &&
      has_path(problem.friction[0], problem.size_of(0))) {
    solve_along_path(problem, laws[0], solution);
    return;
  }
  const auto is_elastic = [](const Restitution& r) { return r.e > 0; };
  const auto is_newton = [](const Restitution& r) { return r.law == RestitutionLaw::newton || r.e == 0; };
  if (std::ranges::all_of(laws, is_newton) && std::ranges::any_of(laws, is_elastic)) {
    solve_newton(problem, laws, options, solution);
    return;
  }
  const bool may_gain = std::ranges::any_of(
      laws, [&](const Restitution& r) { return is_elastic(r) && r.law == RestitutionLaw::newton; });
  for (int parts = 1;; parts *= 2) {
    solve_two_phase(problem, laws, options, parts, solution);
    if (solution.status == Status::refused) return;
    ImpactWork& work = solution.work;
    const double sum = absolute(work);
    const bool gains = !may_gain && work.total() > work.joints + kEnergyRounding * sum;
    if ((work.friction > kFrictionGain * sum || gains) && parts < kMaxParts) continue;
    // A contact may slide first and then stick, with a friction that would have driven its first slip. The
    // sum over a part cannot tell the two: friction did no work while it stuck.
    if (work.friction > 0) {
      work.stored -= work.friction;
      work.friction = 0;
    }
    if (gains && solution.status == Status::certified) {
      solution.status = Status::approximate;
      solution.reason = "impact gains energy";
    }
    return;
  }
}

/// Joints enter through A = W_cc − W_cj W_jj⁻¹ W_jc.
void ImpactSolver::solve_along_path(const ContactProblem& problem, const Restitution& law,
                                    ImpactSolution& solution) {
  const int rows = problem.size_of(0), joints = problem.rows() - rows, n = problem.rows();
  compute_delassus(problem, W_, delassus_scratch_);
  dense(W_, dense_);
  const auto w = [&](int i, int k) { return dense_[i * n + k]; };
  inverse_.resize(joints * joints);
  for (int i = 0; i < joints; ++i) {
    for (int k = 0; k < joints; ++k) inverse_[i * joints + k] = w(rows + i, rows + k);
  }
  row_pivot_.resize(joints);
  column_pivot_.resize(joints);
  const int rank =
      joints > 0 ? lu_complete(inverse_, joints, joints, row_pivot_, column_pivot_, kRankTolerance) : 0;
  // −W_jj⁻¹ W_jc by columns: response of the joints to unit impulses of the contact.
  response_.resize(rows * joints);
  Mat3 A{};
  for (int k = 0; k < rows; ++k) {
    const auto joint_response = std::span(response_).subspan(k * joints, joints);
    for (int i = 0; i < joints; ++i) joint_response[i] = -w(rows + i, k);
    if (joints > 0) lu_complete_solve(inverse_, joints, rank, row_pivot_, column_pivot_, joint_response);
    for (int i = 0; i < rows; ++i) {
      double sum = w(i, k);
      for (int j = 0; j < joints; ++j) sum += w(i, rows + j) * joint_response[j];
      A(i, k) = sum;
    }
  }
  Vec3 v;
  for (int k = 0; k < rows; ++k) v[k] = problem.b[k];
  const SingleContactImpact impact = single_contact_impact(A, v, problem.friction[0], rows, law.e);
  solution.status = impact.status;
  solution.reason = impact.reason;
  if (impact.status == Status::refused) return;
  solution.iterations = impact.steps;
  solution.size = n;
  solution.solves = 1;
  solution.work = impact.work;
  solution.histories.assign(1, impact.history);
  solution.p.assign(n, 0.0);
  std::copy_n(impact.p.begin(), rows, solution.p.begin());
  for (int j = 0; j < joints; ++j) {
    for (int k = 0; k < rows; ++k) solution.p[rows + j] += response_[k * joints + j] * impact.p[k];
  }
  solution.u.resize(n);
  solution.v_next.resize(problem.motion.v_free.size());
  velocity_after(problem, solution.p, solution.v_next);
  contact_velocity(problem, solution.v_next, solution.u);
  for (int r = rows; r < n; ++r) {
    const double shift = problem.motion.shift.empty() ? 0.0 : problem.motion.shift[r];
    solution.work.joints -= solution.p[r] * shift;
  }
}

bool ImpactSolver::solve_newton(const ContactProblem& problem, std::span<const Restitution> laws,
                                const SolveOptions& options, ImpactSolution& solution) {
  phase_ = problem;
  for (int c = 0; c < problem.contacts; ++c) {
    phase_.zeta[c] = laws[c].e * std::min(0.0, problem.b[problem.begin[c]]);
  }
  solver_.solve(phase_, options, {}, part_);
  accumulate_statistics(part_, solution);
  if (part_.status == Status::refused) return false;
  solution.p = part_.p;
  solution.u = part_.u;
  solution.v_next = part_.v_next;
  add_work(problem, laws, solution.p, problem.b, solution.u, solution.work);
  begin_events(problem, solution.histories);
  add_events(problem, laws, ImpactEvent::end, solution.p, problem.b, solution.u, solution.histories);
  return true;
}

void ImpactSolver::solve_two_phase(const ContactProblem& problem, std::span<const Restitution> laws,
                                   const SolveOptions& options, int parts, ImpactSolution& solution) {
  solution.status = Status::certified;
  solution.reason = {};
  const bool compressed = compress(problem, laws, options, parts);
  accumulate_statistics(compression_, solution);
  if (!compressed) return;
  const auto is_elastic = [](const Restitution& r) { return r.e > 0; };
  const auto is_energetic = [](const Restitution& r) { return r.law == RestitutionLaw::energetic; };
  // Poisson's law gives κ of each contact directly. The contacts of the energetic law share one factor s,
  // such that together they return the required work: a root of the returned work, which rises with s.
  double wanted = compression_.energetic;
  if (wanted <= kEnergyRounding * absolute(compression_.work)) wanted = 0;
  const bool expands = wanted > 0 || std::ranges::any_of(laws, [&](const Restitution& r) {
                         return is_elastic(r) && !is_energetic(r);
                       });
  expansion_.begin(compression_.u, compression_.v_next);
  expansion_.histories = compression_.histories;
  double factor = wanted > 0 ? 1 : 0, low = 0, high = 0, low_excess = -1, high_excess = 0;
  bool found = !expands, was_low = false;
  for (int round = 0; round < kMaxRounds && !found; ++round) {
    if (!expand(problem, laws, options, factor, parts)) break;
    const double excess = wanted > 0 ? expansion_.energetic / wanted - 1 : 0;
    found = std::abs(excess) <= kFactorFraction * options.tolerance;
    // Regula falsi, in which the value of an end that stays counts half (Illinois).
    if (excess < 0) {
      if (was_low) high_excess *= 0.5;
      low = factor;
      low_excess = excess;
    } else {
      if (!was_low && round > 0) low_excess *= 0.5;
      high = factor;
      high_excess = excess;
    }
    was_low = excess < 0;
    if (high == 0 && factor >= kMaxFactor) break;
    if (!found) factor = high > 0 ? low - low_excess * (high - low) / (high_excess - low_excess) : 2 * factor;
  }
  accumulate_statistics(expansion_, solution);
  if (solution.status == Status::refused) return;
  if (!found && solution.status == Status::certified) {
    solution.status = Status::approximate;
    solution.reason = "restitution";
  }
  solution.p.resize(problem.rows());
  for (int r = 0; r < problem.rows(); ++r) solution.p[r] = compression_.p[r] + expansion_.p[r];
  solution.u = expansion_.u;
  solution.v_next = expansion_.v_next;
  solution.work = compression_.work;
  solution.work += expansion_.work;
  solution.histories = expansion_.histories;
}

void ImpactSolver::Phase::begin(std::span<const double> u_before, std::span<const double> v_before) {
  status = Status::certified;
  reason = {};
  method = SolveMethod::none;
  residual = {};
  size = iterations = solves = 0;
  p.assign(u_before.size(), 0.0);
  u.assign(u_before.begin(), u_before.end());
  v_next.assign(v_before.begin(), v_before.end());
  work = {};
  energetic = 0;
}

/// Stops the approach of all contacts, by an equal share of their speed in each part.
bool ImpactSolver::compress(const ContactProblem& problem, std::span<const Restitution> laws,
                            const SolveOptions& options, int parts) {
  Phase& phase = compression_;
  phase.begin(problem.b, problem.motion.v_free);
  begin_events(problem, phase.histories);
  phase_ = problem;
  for (int part = 1; part <= parts; ++part) {
    phase_.motion.v_free = phase.v_next;
    set_free_velocities(phase_);
    const double left = 1 - static_cast<double>(part) / parts;
    for (int c = 0; c < problem.contacts; ++c)
      phase_.zeta[c] = -left * std::min(0.0, problem.b[problem.begin[c]]);
    solver_.solve(phase_, options, {}, part_);
    accumulate_statistics(part_, phase);
    if (part_.status == Status::refused) return false;
    for (int c = 0; c < problem.contacts; ++c) {
      const int n = problem.begin[c];
      if (laws[c].law == RestitutionLaw::energetic)
        phase.energetic -= 0.5 * laws[c].e * laws[c].e * part_.p[n] * (phase.u[n] + part_.u[n]);
    }
    add_work(problem, laws, part_.p, phase.u, part_.u, phase.work);
    add_events(problem, laws, ImpactEvent::normal_pause, part_.p, phase.u, part_.u, phase.histories);
    for (int r = 0; r < problem.rows(); ++r) phase.p[r] += part_.p[r];
    phase.u = part_.u;
    phase.v_next = part_.v_next;
  }
  return true;
}

bool ImpactSolver::expand(const ContactProblem& problem, std::span<const Restitution> laws,
                          const SolveOptions& options, double factor, int parts) {
  expansion_.begin(compression_.u, compression_.v_next);
  expansion_.histories = compression_.histories;
  for (int part = 0; part < parts; ++part) {
    make_expansion(problem, laws, factor, parts);
    solver_.solve(phase_, options, {}, part_);
    accumulate_statistics(part_, expansion_);
    if (part_.status == Status::refused) return false;
    add_expansion(problem, laws);
  }
  return true;
}

/// Builds the problem of expansion. The bodies start from the end of compression plus the prescribed
/// impulses, κ times the normal impulses of compression. p_n of the problem is the additional impulse that
/// keeps contacts from closing. Both impulses contribute to the friction bound. The friction of the
/// prescribed impulse is a contact of its own with the same tangents: its normal row moves only a fictitious
/// mass, which approaches with that momentum. (The sum of the two friction sets is the friction set of the
/// summed impulse.)
void ImpactSolver::make_expansion(const ContactProblem& problem, std::span<const Restitution> laws,
                                  double factor, int parts) {
  part_impulse_.assign(problem.rows(), 0.0);
  for (int c = 0; c < problem.contacts; ++c) {
    const double kappa = laws[c].law == RestitutionLaw::newton    ? 0
                         : laws[c].law == RestitutionLaw::poisson ? laws[c].e
                                                                  : factor * laws[c].e;
    part_impulse_[problem.begin[c]] = kappa / parts * std::max(0.0, compression_.p[problem.begin[c]]);
  }
  phase_ = problem;
  phase_.motion.v_free = expansion_.v_next;
  v_restitution_.resize(phase_.motion.v_free.size());
  velocity_after(phase_, part_impulse_, v_restitution_);
  phase_.motion.v_free = v_restitution_;
  for (int c = 0; c < problem.contacts; ++c) {
    const bool newton = laws[c].law == RestitutionLaw::newton;
    phase_.zeta[c] = newton ? laws[c].e * std::min(0.0, problem.b[problem.begin[c]]) : 0.0;
  }

  PrimalData& motion = phase_.motion;
  const PrimalData& source = problem.motion;
  const int blocks = problem.blocks();
  if (motion.shift.empty()) motion.shift.assign(problem.rows(), 0.0);
  phase_.begin.resize(problem.contacts + 1);
  motion.shift.resize(problem.begin[problem.contacts]);
  motion.jacobian_blocks.clear();
  const auto entries_of = [&](int block) {
    const auto by_block = &PrimalData::JacobianBlock::block;
    return std::span(std::ranges::lower_bound(source.jacobian_blocks, block, {}, by_block),
                     std::ranges::upper_bound(source.jacobian_blocks, block, {}, by_block));
  };
  for (int c = 0; c < problem.contacts; ++c) {
    for (const auto& entry : entries_of(c)) motion.jacobian_blocks.push_back(entry);
  }
  double speed = 0;  // common speed of the fictitious masses, of the scale of the problem
  for (int r = 0; r < problem.begin[problem.contacts]; ++r) speed = std::max(speed, std::abs(problem.b[r]));
  restitution_slot_.assign(problem.contacts, -1);
  for (int c = 0; c < problem.contacts; ++c) {
    const double impulse = part_impulse_[problem.begin[c]];
    const int rows = problem.size_of(c);
    if (!(impulse > 0) || rows == 1 || !(problem.friction[c].mu > 0)) continue;
    const int slot = restitution_slot_[c] = phase_.contacts++;
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

/// Adds the impulses and the work of one part.
void ImpactSolver::add_expansion(const ContactProblem& problem, std::span<const Restitution> laws) {
  const int shift = phase_.begin[phase_.contacts] - problem.begin[problem.contacts];
  u_before_ = expansion_.u;
  for (int r = 0; r < problem.rows(); ++r) {
    const int row = r < problem.begin[problem.contacts] ? r : r + shift;
    part_impulse_[r] += part_.p[row];
    expansion_.u[r] = part_.u[row];
  }
  for (int c = 0; c < problem.contacts; ++c) {
    const int n = problem.begin[c];
    if (laws[c].law == RestitutionLaw::energetic)
      expansion_.energetic += 0.5 * part_impulse_[n] * (u_before_[n] + expansion_.u[n]);
    if (restitution_slot_[c] < 0) continue;
    for (int k = 1; k < problem.size_of(c); ++k)
      part_impulse_[n + k] += part_.p[phase_.begin[restitution_slot_[c]] + k];
  }
  for (int r = 0; r < problem.rows(); ++r) expansion_.p[r] += part_impulse_[r];
  std::copy_n(part_.v_next.begin(), expansion_.v_next.size(), expansion_.v_next.begin());
  add_work(problem, laws, part_impulse_, u_before_, expansion_.u, expansion_.work);
  add_events(problem, laws, ImpactEvent::end, part_impulse_, u_before_, expansion_.u, expansion_.histories);
}

}  // namespace pawl::internal
