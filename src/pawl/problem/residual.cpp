#include <pawl/problem/residual.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <pawl/base/dense.h>
#include <pawl/base/disjoint_sets.h>
#include <pawl/base/figures.h>

namespace pawl {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastVelocity = 1e-8;  // that a law is measured by, of the largest it hangs together with
constexpr double kLeastPart = 1e-4;      // that a law about a part of a block is measured by, of the whole
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kVelocityRounding = 4 * kEpsilon;
constexpr double kRoundingShare =
    0.01;  // of a mass block's largest term, that its rows are measured by at least

bool sound(const FrictionSet& set) {
  return set.mu >= 0 && set.mu < kInfinity &&
         std::ranges::all_of(set.radii, [](double e) { return e > 0 && e < kInfinity; });
}

/// A contact's rows in the measure of its radii: one unit for all of them.
struct Measured {
  double n = 0;
  FrictionVector f{};
};
Measured velocity_in(const FrictionSet& set, std::span<const double> rows) {
  Measured x{rows[0], {}};
  for (std::size_t i = 1; i < rows.size(); ++i) x.f[i - 1] = set.radii[i - 1] * rows[i];
  return x;
}
Measured impulse_in(const FrictionSet& set, std::span<const double> rows) {
  Measured x{rows[0], {}};
  for (std::size_t i = 1; i < rows.size(); ++i) x.f[i - 1] = rows[i] / set.radii[i - 1];
  return x;
}

double squared(const Measured& x) {
  return x.n * x.n + dot(x.f, x.f);
}

/// A contact that separates without impulse: every law holds exactly, whatever its figures are measured by.
bool idle(const Measured& impulse, const Measured& velocity) {
  return velocity.n >= 0 && impulse.n == 0 && impulse.f == FrictionVector{};
}

/// The balance of M (v⁺ - v_free) and Jᵀ p, each row against its own terms, and where these are small against
/// what rounding carries over from the largest of its block. The rows of a block differ in unit (kg m/s,
/// kg m²/s); divided by the root of their diagonal in M all are in √J. Velocities count by their change: what
/// a body has anyway, however fast it is, excuses no more than the last digits of that velocity itself.
double momentum_error(const ContactProblem& problem, std::span<const double> p,
                      std::span<const double> v_next, JudgeScratch& scratch) {
  const MotionRows& motion = problem.motion;
  auto &impulse = scratch.impulse, &terms = scratch.terms;
  impulse.assign(v_next.size(), 0.0);
  terms.assign(v_next.size(), 0.0);
  for (const auto& block : motion.jacobian_blocks) {
    const auto& mass = motion.mass_blocks[block.mass_block];
    const double* J = motion.jacobian.data() + block.offset;
    for (int r = problem.begin[block.block]; r < problem.begin[block.block + 1]; ++r) {
      for (int k = mass.begin; k < mass.begin + mass.size; ++k) {
        const double term = *J++ * p[r];
        impulse[k] += term;
        terms[k] += std::abs(term);
      }
    }
  }
  double worst_error = 0;
  for (const auto& mass : motion.mass_blocks) {
    double largest = 0;
    for (int i = 0; i < mass.size; ++i) {
      const double* M = motion.mass.data() + mass.offset + i * mass.size;
      double balance = -impulse[mass.begin + i], rounding = 0;
      double& size = terms[mass.begin + i];
      for (int k = 0; k < mass.size; ++k) {
        const double v = v_next[mass.begin + k], v_free = motion.v_free[mass.begin + k];
        balance += M[k] * (v - v_free);
        size += std::abs(M[k] * (v - v_free));
        rounding += std::abs(M[k]) * (std::abs(v) + std::abs(v_free));
      }
      const double root = std::sqrt(M[i]);
      if (!std::isfinite((size + rounding) / root)) return kInfinity;
      size /= root;
      largest = std::max(largest, size);
      impulse[mass.begin + i] = std::max(std::abs(balance) - kVelocityRounding * rounding, 0.0) / root;
    }
    for (int i = mass.begin; i < mass.begin + mass.size && largest > 0; ++i) {
      worst_error = std::max(worst_error, impulse[i] / std::max(terms[i], kRoundingShare * largest));
    }
  }
  return worst_error;
}

/// One block of rows, with the blocks of J in it where the problem is factored.
struct BlockRows {
  const ContactProblem& problem;
  int block = 0;
  std::span<const MotionRows::JacobianBlock> jacobian;

  int size() const { return problem.size_of(block); }
  /// What measures row r: the radius of its friction.
  double radius(int r) const {
    return r > 0 && block < problem.contacts ? problem.friction[block].radii[r - 1] : 1;
  }
  std::span<const double> of(std::span<const double> x) const {
    return x.subspan(problem.begin[block], size());
  }
  const double* jacobian_row(const MotionRows::JacobianBlock& in, int r) const {
    return problem.motion.jacobian.data() + in.offset + r * problem.motion.mass_blocks[in.mass_block].size;
  }
};

/// What the impulses do to row r: Σ |W_ij p_j|, or Σ |J_ij| |v⁺_j - v_free_j| by the bodies that it touches.
double pushed(const BlockRows& rows, int r, std::span<const double> p, std::span<const double> v_next) {
  const ContactProblem& problem = rows.problem;
  const MotionRows& motion = problem.motion;
  double sum = 0;
  for (const auto& in : rows.jacobian) {
    const auto& mass = motion.mass_blocks[in.mass_block];
    const double* J = rows.jacobian_row(in, r);
    for (int k = 0; k < mass.size; ++k) {
      sum += std::abs(J[k]) * std::abs(v_next[mass.begin + k] - motion.v_free[mass.begin + k]);
    }
  }
  if (problem.factored()) return sum;
  for (const BlockMatrix::Block& entry : problem.W.row_entries(rows.block)) {
    const int first = problem.begin[entry.column], width = problem.size_of(entry.column);
    const double* W = problem.W.values.data() + entry.offset + r * width;
    for (int j = 0; j < width; ++j) sum += std::abs(W[j] * p[first + j]);
  }
  return sum;
}

/// A row of J L⁻ᵀ in one mass block.
void weigh(const BlockRows& rows, const MotionRows::JacobianBlock& in, int r, std::vector<double>& weighed) {
  const MotionRows& motion = rows.problem.motion;
  const auto& mass = motion.mass_blocks[in.mass_block];
  const double* J = rows.jacobian_row(in, r);
  weighed.assign(J, J + mass.size);
  solve_lower(std::span(motion.factor).subspan(mass.offset, mass.size * mass.size), mass.size, weighed);
}

/// W_rr; of a factored problem W = (J L⁻ᵀ) (J L⁻ᵀ)ᵀ.
double diagonal(const BlockRows& rows, int r, std::vector<double>& weighed) {
  const ContactProblem& problem = rows.problem;
  if (!problem.factored()) {
    const BlockMatrix::Block* own = problem.W.find(rows.block, rows.block);
    return own != nullptr ? problem.W.values[own->offset + r * (rows.size() + 1)] : 0;
  }
  double sum = 0;
  for (const auto& in : rows.jacobian) {
    weigh(rows, in, r, weighed);
    for (const double y : weighed) sum += y * y;
  }
  return sum;
}

/// How fast a bilateral row could be, at most, by what changes its bodies: √(J M⁻¹ Jᵀ) √(Δvᵀ M Δv), body by
/// body. A hinge whose bodies neither move nor are pushed across its axis has no size of its own; that of its
/// bodies' motion is meant, in whatever direction.
double reachable(const BlockRows& rows, int r, std::span<const double> v_next, std::vector<double>& weighed) {
  const MotionRows& motion = rows.problem.motion;
  double sum = 0;
  for (const auto& in : rows.jacobian) {
    const auto& mass = motion.mass_blocks[in.mass_block];
    weigh(rows, in, r, weighed);
    double mobility = 0, energy = 0;
    for (const double y : weighed) mobility += y * y;
    for (int k = 0; k < mass.size; ++k) {
      const double* M = motion.mass.data() + mass.offset + k * mass.size;
      const double change = v_next[mass.begin + k] - motion.v_free[mass.begin + k];
      for (int l = 0; l < mass.size; ++l) {
        energy += change * M[l] * (v_next[mass.begin + l] - motion.v_free[mass.begin + l]);
      }
    }
    sum += std::sqrt(mobility) * std::sqrt(std::max(energy, 0.0));
  }
  return sum;
}

/// The largest velocity that a block would have without impulse, `free`, in the measure of its radii; ζ
/// included where it acts.
double own_velocity(const BlockRows& rows, std::span<const double> free, std::span<const double> p) {
  double size = 0;
  for (int r = 0; r < rows.size(); ++r) size = std::max(size, rows.radius(r) * std::abs(rows.of(free)[r]));
  const bool acts = rows.block < rows.problem.contacts && rows.of(p)[0] > 0;
  return acts ? std::max(size, std::abs(rows.problem.zeta[rows.block])) : size;
}

/// For each block, the first of all that hang together with it, by bodies or by W.
void find_components(const ContactProblem& problem, std::vector<int>& component) {
  const int blocks = problem.blocks();
  // Bodies stand behind the blocks while they are joined to them.
  const int bodies = static_cast<int>(problem.motion.mass_blocks.size());
  component.resize(blocks + bodies);
  std::iota(component.begin(), component.end(), 0);
  for (const auto& in : problem.motion.jacobian_blocks) unite(component, in.block, blocks + in.mass_block);
  for (int i = 0; i < blocks && !problem.factored(); ++i) {
    for (const BlockMatrix::Block& entry : problem.W.row_entries(i)) unite(component, i, entry.column);
  }
  for (int i = 0; i < blocks; ++i) component[i] = find_root(component, i);
}

/// Calls judge(rows) for each block of rows.
template <class Judge>
void for_blocks(const ContactProblem& problem, Judge judge) {
  const auto& all = problem.motion.jacobian_blocks;
  auto end = all.begin();
  for (int i = 0; i < problem.blocks(); ++i) {
    const auto begin = end;
    while (end != all.end() && end->block == i) ++end;
    judge(BlockRows{problem, i, {begin, end}});
  }
}

/// How large the velocities of each block are without impulse, and how far impulses change them; and the
/// largest of each component.
void find_sizes(const ContactProblem& problem, std::span<const double> free, std::span<const double> p,
                std::span<const double> v_next, JudgeScratch& scratch) {
  for (auto* sizes : {&scratch.largest_own, &scratch.largest_change, &scratch.change})
    sizes->assign(problem.blocks(), 0.0);
  for_blocks(problem, [&](const BlockRows& rows) {
    const int i = rows.block, first = scratch.component[i];
    for (int r = 0; r < rows.size(); ++r) {
      scratch.change[i] = std::max(scratch.change[i], rows.radius(r) * pushed(rows, r, p, v_next));
    }
    scratch.largest_change[first] = std::max(scratch.largest_change[first], scratch.change[i]);
    scratch.largest_own[first] = std::max(scratch.largest_own[first], own_velocity(rows, free, p));
  });
}

/// The impulses of one block, in the measure of its radii.
struct OwnImpulses {
  double largest = 0;
  double mobility = 0;  // the largest diagonal entry of W in its rows; 0 where there is no impulse
  double stopped = 0;   // the largest of W_rr |p_r|

  OwnImpulses(const BlockRows& rows, std::span<const double> p, std::vector<double>& weighed) {
    for (int r = 0; r < rows.size(); ++r)
      largest = std::max(largest, std::abs(rows.of(p)[r]) / rows.radius(r));
    for (int r = 0; r < rows.size() && largest > 0; ++r) {
      const double W = rows.radius(r) * rows.radius(r) * diagonal(rows, r, weighed);
      mobility = std::max(mobility, W);
      stopped = std::max(stopped, W * std::abs(rows.of(p)[r]) / rows.radius(r));
    }
  }
};

/// The largest velocities of all that hangs together: those without impulse, and what impulses do.
struct LargestVelocities {
  double own = 0, changed = 0;
};

/// What the velocities of a block are measured by: its own, and what the impulses do to it. The latter is
/// what they do together or, where they hold each other off, as those of a finger that a motor presses on its
/// stop, what its own impulse stops; this by no more than what impulses do to any velocity that hangs
/// together with it. Neither counts by more than the largest own velocity there is: the terms of W p alone,
/// between a heavy and a light body, are far larger than any velocity, and an answer that lets the heavy one
/// fall would pass.
struct VelocitySizes {
  double least = 0;    // what rounding leaves of the largest there is
  double own = 0;      // of all rows
  double changed = 0;  // by impulses

  VelocitySizes(double own_, double terms, double stopped, const LargestVelocities& largest)
      : least(kLeastVelocity * largest.own), own(own_) {
    changed = std::max(terms, std::min(stopped, largest.changed));
    if (largest.own > 0) changed = std::min(changed, largest.own);  // at rest, all that moves is by impulses
  }
  double all() const {
    const double size = std::max({own, changed, least});
    return size > 0 ? size : 1;
  }
  /// Of a law about `part` of these velocities: a slide, however fast, excuses no approach, but for its
  /// rounding.
  double of(double part) const { return std::max({part, changed, least, kLeastPart * all()}); }
};

/// What the impulses of a contact are measured by: their own size, at least the one that stops `least`. Where
/// there is no impulse nothing is measured.
double impulse_size(const OwnImpulses& p, double least) {
  if (p.largest == 0) return 1;
  return std::max(p.largest, p.mobility > 0 ? least / p.mobility : least);
}

/// Sums of the cone map over the contacts it is for.
struct ConeMap {
  double defect = 0, b = 0, p = 0, u = 0;  // squared norms

  void add(const FrictionSet& set, const Measured& impulse, const Measured& velocity, const Measured& free) {
    b += squared(free);
    p += squared(impulse);
    u += squared(velocity);
    if (idle(impulse, velocity)) return;
    const Measured& v = velocity;
    // De Saxcé's velocity: with it normal and friction law together say that p and u are in dual cones.
    Measured on_cone{impulse.n - (v.n + set.mu * support(set, {-v.f[0], -v.f[1], -v.f[2]})),
                     minus(impulse.f, v.f)};
    project_on_cone(set, on_cone.n, on_cone.f);
    defect += squared({impulse.n - on_cone.n, minus(impulse.f, on_cone.f)});
  }
  double value() const {
    const double size = std::max({b, p, u});
    return size > 0 ? std::sqrt(defect / size) : 0;
  }
};

/// What a contact's velocities and impulses are measured by. Divided by them, they are numbers that can be
/// mixed in the natural map.
struct ContactSizes {
  double u_n, u_f, p;
};

/// The laws of one contact, all in the measure of its radii and with ζ in the normal velocity.
void judge_contact(const FrictionSet& set, const Measured& p, const Measured& u, const ContactSizes& size,
                   Residual& result) {
  worsen(result.natural_map, std::abs(std::min(p.n / size.p, u.n / size.u_n)));
  const double work = dot(u.f, p.f);
  if (set.frictionless()) {
    worsen(result.natural_map, length(p.f) / size.p);
    worsen(result.friction_excess, length(p.f));
  } else {
    const double radius = set.mu * std::max(p.n, 0.0);
    FrictionVector part, moved;
    for (int i = 0; i < 3; ++i) {
      part[i] = p.f[i] / size.p;
      moved[i] = part[i] - u.f[i] / size.u_f;
    }
    worsen(result.natural_map, length(minus(part, project(set, moved, radius / size.p))));
    worsen(result.friction_excess, length(minus(p.f, project(set, p.f, radius))));
    worsen(result.work_defect, radius * support(set, {-u.f[0], -u.f[1], -u.f[2]}) + work);
  }
  worsen(result.penetration_rate, -u.n);
  worsen(result.tension, -p.n);
  worsen(result.complementarity, std::abs(p.n * u.n));
  worsen(result.energy_gain, work);
}

}  // namespace

Residual worst(const Residual& a, const Residual& b) {
  Residual result;
  for (const auto figure :
       {&Residual::natural_map, &Residual::cone_map, &Residual::momentum, &Residual::bilateral,
        &Residual::penetration_rate, &Residual::tension, &Residual::complementarity,
        &Residual::friction_excess, &Residual::work_defect, &Residual::energy_gain}) {
    worsen(result.*figure, a.*figure);
    worsen(result.*figure, b.*figure);
  }
  return result;
}

Residual judge(const ContactProblem& problem, std::span<const double> p, std::span<double> u,
               std::span<double> v_next, JudgeScratch& scratch) {
  if (problem.factored()) velocity_after(problem, p, v_next);
  return judge_motion(problem, p, v_next, u, scratch);
}

Residual judge_motion(const ContactProblem& problem, std::span<const double> p,
                      std::span<const double> v_next, std::span<double> u, JudgeScratch& scratch) {
  const MotionRows& motion = problem.motion;
  Residual result;
  std::span<const double> free = problem.b;
  if (problem.factored()) {
    scratch.free.resize(problem.rows());
    contact_velocity(problem, motion.v_free, scratch.free);
    free = scratch.free;
    contact_velocity(problem, v_next, u);
    result.momentum = momentum_error(problem, p, v_next, scratch);
  } else {
    std::ranges::copy(problem.b, u.begin());
    multiply_add(problem.W, p, u);
  }
  if (!all_finite(p) || !all_finite(u) || !all_finite(free) || !all_finite(problem.zeta) ||
      !std::ranges::all_of(problem.friction, sound)) {
    result.natural_map = kInfinity;
    return result;
  }

  find_components(problem, scratch.component);
  find_sizes(problem, free, p, v_next, scratch);
  ConeMap cone;
  for_blocks(problem, [&](const BlockRows& rows) {
    const int i = rows.block, first = scratch.component[i];
    const LargestVelocities largest{scratch.largest_own[first], scratch.largest_change[first]};
    const OwnImpulses own(rows, p, scratch.weighed);
    const VelocitySizes sizes(own_velocity(rows, free, p), scratch.change[i], own.stopped, largest);
    double& deciding = i < problem.contacts ? result.natural_map : result.bilateral;
    // What of u = b + W p the rounding of its terms leaves unknown.
    if (!problem.factored()) worsen(deciding, kEpsilon * scratch.change[i] / sizes.all());
    if (i >= problem.contacts) {
      for (int r = 0; r < rows.size(); ++r) {
        const double reach = problem.factored() ? reachable(rows, r, v_next, scratch.weighed) : 0;
        const double size = std::max(sizes.all(), largest.own > 0 ? std::min(reach, largest.own) : reach);
        worsen(result.bilateral, std::abs(rows.of(u)[r]) / size);
      }
      return;
    }
    const FrictionSet& set = problem.friction[i];
    const Measured impulse = impulse_in(set, rows.of(p));
    Measured velocity = velocity_in(set, rows.of(u)), before = velocity_in(set, rows.of(free));
    velocity.n += problem.zeta[i];
    before.n += problem.zeta[i];
    if (set.frictionless() || set.kind == FrictionKind::ellipsoid) cone.add(set, impulse, velocity, before);
    if (idle(impulse, velocity)) return;
    const double approach =
        std::max(std::abs(rows.of(free)[0]), impulse.n > 0 ? std::abs(problem.zeta[i]) : 0.0);
    const double u_n = sizes.of(approach);
    judge_contact(set, impulse, velocity, {u_n, sizes.all(), impulse_size(own, u_n)}, result);
  });
  worsen(result.cone_map, cone.value());
  return result;
}

}  // namespace pawl
