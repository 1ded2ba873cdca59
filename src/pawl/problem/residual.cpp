#include <pawl/residual.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include <pawl/base/disjoint_sets.h>
#include <pawl/base/numeric_util.h>
#include <pawl/linalg/dense.h>
#include <pawl/problem/delassus.h>
#include <pawl/problem/residual_velocities.h>

namespace pawl {

using namespace internal;

namespace {

/// Smallest velocity scale, relative to the largest velocity of the connected component.
constexpr double kMinVelocityFraction = 1e-8;
/// Smallest scale for one component of a block's velocity, relative to the whole.
constexpr double kMinComponentFraction = 1e-4;
/// Rounding that bodies pass on to each other, relative to the largest velocity of the connected component.
constexpr double kSharedRounding = 64 * std::numeric_limits<double>::epsilon();

inline bool valid(const FrictionSet& set) {
  const auto& [e_t, e_o, e_r] = set.radii;
  const double least = std::min(std::min(e_t, e_o), e_r), sum = set.mu + e_t + e_o + e_r;
  return (set.mu >= 0) & (least > 0) & (sum < kInfinity);
}

/// Rows of a contact, scaled by the radii so that all have one unit.
struct ContactVector {
  double n = 0;
  FrictionVector f{};
};

double squared(const ContactVector& x) {
  return x.n * x.n + dot(x.f, x.f);
}

/// Impulses and velocities of a contact; ζ is included in the normal velocity. If `rounding` is known,
/// velocities within it and `least` count as 0.
struct ContactState {
  ContactVector impulse, velocity;
};
ContactState state_of(const ContactProblem& problem, int contact, std::span<const double> p,
                      std::span<const double> u, std::span<const double> rounding, double least) {
  const FrictionSet& set = problem.friction[contact];
  const int at = problem.begin[contact];
  const double zeta = problem.zeta[contact];
  const auto beyond_rounding = [&](double x, double unknown) { return std::abs(x) <= unknown ? 0.0 : x; };
  ContactState state{{p[at]}, {u[at] + zeta}};
  if (!rounding.empty())
    state.velocity.n =
        beyond_rounding(state.velocity.n, rounding[at] + least + 2 * kEpsilon * std::abs(zeta));
  for (int i = 0; i < problem.friction_rows(contact); ++i) {
    const double slip =
        rounding.empty() ? u[at + 1 + i] : beyond_rounding(u[at + 1 + i], rounding[at + 1 + i] + least);
    state.impulse.f[i] = p[at + 1 + i] / set.radii[i];
    state.velocity.f[i] = slip * set.radii[i];
  }
  return state;
}

/// Impulses of one block, scaled by the radii.
struct BlockImpulses {
  double largest = 0;
  double mobility = 0;             // largest W_rr of its rows
  double max_velocity_change = 0;  // max of W_rr |p_r|

  void add(double impulse, double W) {
    largest = std::max(largest, std::abs(impulse));
    mobility = std::max(mobility, W);
    max_velocity_change = std::max(max_velocity_change, W * std::abs(impulse));
  }
};
BlockImpulses block_impulses(const ContactProblem& problem, int block, std::span<const double> p,
                             const JudgeScratch& scratch) {
  BlockImpulses own;
  for (int r = 0; r < problem.size_of(block); ++r) {
    const double e = r > 0 && block < problem.contacts ? problem.friction[block].radii[r - 1] : 1;
    own.add(p[problem.begin[block] + r] / e, e * e * scratch.mobility[r]);
  }
  return own;
}

/// Scales that the velocities of a block are divided by:
///   own     = velocities without impulses
///   changed = min(max(c, min(W_rr |p_r|, c_max)), own_max),
/// where c is the block's velocity change by impulses and c_max, own_max are the largest of the component.
/// - W_rr |p_r| covers impulses that cancel, such as a motor that presses a finger against its stop.
/// - The bound own_max covers a heavy body against a light one. There the terms of W p far exceed any
///   velocity, and a solution that lets the heavy body fall would pass.
struct VelocityScales {
  double least = 0;    // lower bound: rounding of the component's largest velocity, or the problem's scale
  double own = 0;      // max over all rows
  double changed = 0;  // by impulses

  VelocityScales(const JudgeScratch::Velocities& of_block, const JudgeScratch::Velocities& largest,
                 double max_velocity_change, double speed_scale)
      : least(std::max(kMinVelocityFraction * largest.own, speed_scale)), own(of_block.own) {
    changed = std::max(of_block.changed, std::min(max_velocity_change, largest.changed));
    if (largest.own > 0) changed = std::min(changed, largest.own);  // 0: only impulses move it
  }
  double all() const {
    const double size = std::max({own, changed, least});
    return size > 0 ? size : 1;
  }
  /// Scale for a law about `part` of the velocities: fast sliding does not excuse an approach, except for its
  /// rounding.
  double of(double part) const { return std::max({part, changed, least, kMinComponentFraction * all()}); }
};

/// Scale of a contact's impulses: their own size, but at least the impulse that stops the velocity `least`.
/// Arbitrary if there is no impulse.
double impulse_size(const BlockImpulses& p, double least) {
  if (p.largest == 0) return 1;
  return std::max(p.largest, p.mobility > 0 ? least / p.mobility : least);
}

/// Sums of the cone map over the contacts it applies to.
struct ConeMap {
  double defect = 0, b = 0, p = 0, u = 0;  // squared norms

  static bool applies_to(const FrictionSet& set) {
    return set.frictionless() || set.kind == FrictionKind::ellipsoid;
  }
  void add_defect(const FrictionSet& set, const ContactVector& impulse, const ContactVector& v, double slip) {
    p += squared(impulse);
    // De Saxcé's velocity ũ = u + μ slip n turns the normal and friction laws into K ∋ p ⊥ ũ ∈ K*.
    ContactVector on_cone{impulse.n - (v.n + set.mu * slip), minus(impulse.f, v.f)};
    project_on_cone(set, on_cone.n, on_cone.f);
    defect += squared({impulse.n - on_cone.n, minus(impulse.f, on_cone.f)});
  }
  double value() const {
    const double size = std::max({b, p, u});
    return size > 0 ? std::sqrt(defect / size) : 0;
  }
};

/// Quantities measured over all blocks before any law is judged.
struct Sizes {
  ConeMap cone;       // holds ‖b‖² and ‖u‖²
  bool valid = true;  // all friction sets are valid
  double sum = 0;     // of all entries or their squares: finite only if every entry is
};

/// Measures one contact, scaled by the radii: its velocities without impulses, including ζ if p_n > 0, and
/// their change by impulses. An idle contact separates without impulse: it satisfies every law exactly,
/// whatever the scales.
template <int rows>
void measure_contact(const FrictionSet& set, double zeta, const double* free, const double* p,
                     const double* u, const double* abs_velocity_change, JudgeScratch::Velocities& result,
                     Sizes& sizes) {
  const double b_n = free[0] + zeta, u_n = u[0] + zeta;
  double own = std::abs(free[0]), changed = abs_velocity_change[0];
  double b = b_n * b_n, velocity = u_n * u_n, impulse = std::abs(p[0]);
  for (int k = 1; k < rows; ++k) {
    const double e = set.radii[k - 1], f = e * free[k], v = e * u[k];
    own = std::max(own, std::abs(f));
    changed = std::max(changed, e * abs_velocity_change[k]);
    b += f * f;
    velocity += v * v;
    impulse += std::abs(p[k]);
  }
  if (p[0] > 0) own = std::max(own, std::abs(zeta));
  if (ConeMap::applies_to(set)) {
    sizes.cone.b += b;
    sizes.cone.u += velocity;
  }
  sizes.sum += b + velocity + impulse;
  sizes.valid &= valid(set);
  result.own = own;
  result.changed = changed;
  result.idle = u_n >= 0 && impulse == 0;
}

/// The same for one bilateral block.
JudgeScratch::Velocities measure_joint(const ContactProblem& problem, int i, std::span<const double> free,
                                       std::span<const double> p, std::span<const double> u,
                                       std::span<const double> abs_velocity_change, Sizes& sizes) {
  JudgeScratch::Velocities result;
  for (int r = problem.begin[i]; r < problem.begin[i + 1]; ++r) {
    result.own = std::max(result.own, std::abs(free[r]));
    result.changed = std::max(result.changed, abs_velocity_change[r]);
    sizes.sum += free[r] * free[r] + u[r] * u[r] + std::abs(p[r]);
  }
  return result;
}

/// Measures every block and lists the blocks that need judging.
Sizes measure_blocks(const ContactProblem& problem, std::span<const double> free, std::span<const double> p,
                     std::span<const double> u, JudgeScratch& scratch) {
  Sizes sizes;
  scratch.velocities.resize(problem.blocks());
  scratch.active_blocks.clear();
  scratch.active_blocks.reserve(problem.blocks());
  const int* begin = problem.begin.data();
  for (int i = 0; i < problem.contacts; ++i) {
    const int at = begin[i], rows = begin[i + 1] - at;
    JudgeScratch::Velocities& velocities = scratch.velocities[i];
    const auto measure = [&]<int count>() {
      measure_contact<count>(problem.friction[i], problem.zeta[i], free.data() + at, p.data() + at,
                             u.data() + at, scratch.abs_velocity_change.data() + at, velocities, sizes);
    };
    if (rows == 3) {  // nearly all contacts
      measure.template operator()<3>();
    } else if (rows == 2) {
      measure.template operator()<2>();
    } else {
      rows == 1 ? measure.template operator()<1>() : measure.template operator()<4>();
    }
    if (!velocities.idle || velocities.changed > 0) scratch.active_blocks.push_back(i);
  }
  for (int i = problem.contacts; i < problem.blocks(); ++i) {
    scratch.velocities[i] = measure_joint(problem, i, free, p, u, scratch.abs_velocity_change, sizes);
    scratch.active_blocks.push_back(i);
  }
  // A copy: with NRVO `sizes` would live in memory, and each sum would depend on a store.
  return Sizes(sizes);
}

/// The component of each block and the largest velocities of each component. The root is the first block of
/// its component.
void find_largest(int blocks, JudgeScratch& scratch) {
  scratch.largest.resize(blocks);
  for (int i = 0; i < blocks; ++i) {
    const int root = scratch.component[i] = find_root(scratch.component, i);
    const JudgeScratch::Velocities& velocities = scratch.velocities[i];
    JudgeScratch::Velocities& largest = scratch.largest[root];
    if (root == i) {
      largest = velocities;
    } else {
      largest.own = std::max(largest.own, velocities.own);
      largest.changed = std::max(largest.changed, velocities.changed);
    }
  }
}

/// Scales of a contact's velocities and impulses, which make them dimensionless for the natural map.
struct ContactSizes {
  double u_n, u_f, p;
};

/// Max power that friction can take from a slip u_f at μ p_n = 1.
double slip_of(const FrictionSet& set, const ContactVector& u) {
  return set.frictionless() ? 0 : support(set, {-u.f[0], -u.f[1], -u.f[2]});
}

/// Laws of one contact, scaled by the radii and with ζ in the normal velocity.
void judge_contact(const FrictionSet& set, const ContactVector& p, const ContactVector& u, double slip,
                   const ContactSizes& size, Residual& result) {
  nan_max(result.natural_map, std::abs(std::min(p.n / size.p, u.n / size.u_n)));
  const double work = dot(u.f, p.f);
  if (set.frictionless()) {
    nan_max(result.natural_map, length(p.f) / size.p);
    nan_max(result.friction_excess, length(p.f));
  } else {
    const double radius = set.mu * std::max(p.n, 0.0);
    FrictionVector part, moved;
    for (int i = 0; i < 3; ++i) {
      part[i] = p.f[i] / size.p;
      moved[i] = part[i] - u.f[i] / size.u_f;
    }
    nan_max(result.natural_map, length(minus(part, project(set, moved, radius / size.p))));
    nan_max(result.friction_excess, length(minus(p.f, project(set, p.f, radius))));
    nan_max(result.work_defect, radius * slip + work);
  }
  nan_max(result.penetration_rate, -u.n);
  nan_max(result.tension, -p.n);
  nan_max(result.complementarity, std::abs(p.n * u.n));
  nan_max(result.energy_gain, work);
}

}  // namespace

Residual worst(const Residual& a, const Residual& b) {
  Residual result;
  for (const auto figure :
       {&Residual::natural_map, &Residual::cone_map, &Residual::momentum, &Residual::bilateral,
        &Residual::penetration_rate, &Residual::tension, &Residual::complementarity,
        &Residual::friction_excess, &Residual::work_defect, &Residual::energy_gain}) {
    nan_max(result.*figure, a.*figure);
    nan_max(result.*figure, b.*figure);
  }
  return result;
}

Residual judge(const ContactProblem& problem, std::span<const double> p, std::span<double> u,
               std::span<double> v_next, JudgeScratch& scratch) {
  if (problem.primal()) velocity_after(problem, p, v_next);
  return judge_motion(problem, p, v_next, u, scratch);
}

Residual judge_motion(const ContactProblem& problem, std::span<const double> p,
                      std::span<const double> v_next, std::span<double> u, JudgeScratch& scratch) {
  assert(std::ssize(p) == problem.rows() && std::ssize(u) == problem.rows());
  assert(!problem.primal() || v_next.size() == problem.motion.v_free.size());
  Residual result;
  std::span<const double> free = problem.b;
  std::span<const double> rounding;  // of u; empty in Delassus form, where b is all that is known
  const std::size_t bodies = problem.motion.mass_blocks.size();
  scratch.component.resize(problem.blocks() + bodies);
  std::iota(scratch.component.begin(), scratch.component.end(), 0);
  if (problem.primal()) {
    contact_velocities_from_bodies(problem, p, v_next, u, scratch);
    free = scratch.free;
    rounding = scratch.rounding;
    result.momentum = momentum_error(problem, p, v_next, scratch);
  } else {
    contact_velocities_from_impulses(problem, p, u, scratch);
  }
  Sizes sizes = measure_blocks(problem, free, p, u, scratch);
  find_largest(problem.blocks(), scratch);
  const bool finite = std::isfinite(sizes.sum) ||
                      (all_finite(p) && all_finite(u) && all_finite(free) && all_finite(problem.zeta));
  if (!finite || !sizes.valid) {
    result.natural_map = kInfinity;
    return result;
  }
  std::size_t in = 0;  // index into jacobian_blocks
  for (const int i : scratch.active_blocks) {
    const auto &velocities = scratch.velocities[i], &largest = scratch.largest[scratch.component[i]];
    // Rounding error of u = b + W p, bounded by its terms.
    const double unknown = problem.primal() ? 0 : kEpsilon * velocities.changed;
    if (velocities.idle) {
      if (unknown > 0) nan_max(result.natural_map, unknown / VelocityScales(velocities, largest, 0, 0).all());
      continue;
    }
    while (in < problem.motion.jacobian_blocks.size() && problem.motion.jacobian_blocks[in].block < i) ++in;
    find_mobility(problem, i, in, scratch);
    const BlockImpulses own = block_impulses(problem, i, p, scratch);
    const VelocityScales measures(velocities, largest, own.max_velocity_change, problem.speed_scale);
    const bool contact = i < problem.contacts;
    nan_max(contact ? result.natural_map : result.bilateral, unknown / measures.all());
    if (contact) {
      const FrictionSet& set = problem.friction[i];
      const auto [impulse, velocity] = state_of(problem, i, p, u, rounding, kSharedRounding * largest.own);
      const double slip = slip_of(set, velocity);
      if (ConeMap::applies_to(set)) sizes.cone.add_defect(set, impulse, velocity, slip);
      const double approach =
          std::max(std::abs(free[problem.begin[i]]), impulse.n > 0 ? std::abs(problem.zeta[i]) : 0.0);
      const double u_n = measures.of(approach);
      judge_contact(set, impulse, velocity, slip, {u_n, measures.all(), impulse_size(own, u_n)}, result);
    } else {
      for (int r = 0; r < problem.size_of(i); ++r) {
        const double velocity_bound = scratch.velocity_bound[r];
        const double size = std::max(
            measures.all(), largest.own > 0 ? std::min(velocity_bound, largest.own) : velocity_bound);
        const double off = std::abs(u[problem.begin[i] + r]);
        const double unavoidable = rounding.empty() ? 0 : rounding[problem.begin[i] + r];
        nan_max(result.bilateral, off <= unavoidable ? 0 : off / size);
      }
    }
  }
  sizes.cone.u = std::max(sizes.cone.u, problem.speed_scale * problem.speed_scale);
  nan_max(result.cone_map, sizes.cone.value());
  return result;
}

Residual judge(const ContactProblem& problem, std::span<const double> p) {
  std::vector<double> u(problem.rows()), v_next(problem.motion.v_free.size());
  JudgeScratch scratch;
  return judge(problem, p, u, v_next, scratch);
}

}  // namespace pawl
