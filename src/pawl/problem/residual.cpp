#include <pawl/residual.h>

#include <algorithm>
#include <array>
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

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMinVelocityFraction =
    1e-8;  // that a law is measured by, of the largest it hangs together with
constexpr double kMinComponentFraction =
    1e-4;  // that a law about a part of a block is measured by, of the whole
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

inline bool valid(const FrictionSet& set) {
  const auto& [e_t, e_o, e_r] = set.radii;
  const double least = std::min(std::min(e_t, e_o), e_r), sum = set.mu + e_t + e_o + e_r;
  return (set.mu >= 0) & (least > 0) & (sum < kInfinity);
}

/// A contact's rows in the measure of its radii: one unit for all of them.
struct ContactVector {
  double n = 0;
  FrictionVector f{};
};

double squared(const ContactVector& x) {
  return x.n * x.n + dot(x.f, x.f);
}

/// A contact's impulses and velocities, ζ in the normal one.
struct ContactState {
  ContactVector impulse, velocity;
};
ContactState state_of(const ContactProblem& problem, int contact, std::span<const double> p,
                      std::span<const double> u) {
  const FrictionSet& set = problem.friction[contact];
  const int at = problem.begin[contact];
  ContactState state{{p[at]}, {u[at] + problem.zeta[contact]}};
  for (int i = 0; i < problem.friction_rows(contact); ++i) {
    state.impulse.f[i] = p[at + 1 + i] / set.radii[i];
    state.velocity.f[i] = u[at + 1 + i] * set.radii[i];
  }
  return state;
}

/// The impulses of one block, in the measure of its radii.
struct BlockImpulses {
  double largest = 0;
  double mobility = 0;             // the largest diagonal entry of W in its rows
  double max_velocity_change = 0;  // the largest of W_rr |p_r|

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

/// What the velocities of a block are measured by: its own, and what the impulses do to it. The latter is
/// what they do together or, where they hold each other off, as those of a finger that a motor presses on its
/// stop, what its own impulse stops; this by no more than what impulses do to any velocity that hangs
/// together with it. Neither counts by more than the largest own velocity there is: the terms of W p alone,
/// between a heavy and a light body, are far larger than any velocity, and an answer that lets the heavy one
/// fall would pass.
struct VelocityScales {
  double least = 0;    // what rounding leaves of the largest there is
  double own = 0;      // of all rows
  double changed = 0;  // by impulses

  VelocityScales(const JudgeScratch::Velocities& of_block, const JudgeScratch::Velocities& largest,
                 double max_velocity_change)
      : least(kMinVelocityFraction * largest.own), own(of_block.own) {
    changed = std::max(of_block.changed, std::min(max_velocity_change, largest.changed));
    if (largest.own > 0) changed = std::min(changed, largest.own);  // at rest, all that moves is by impulses
  }
  double all() const {
    const double size = std::max({own, changed, least});
    return size > 0 ? size : 1;
  }
  /// Of a law about `part` of these velocities: a slide, however fast, excuses no approach, but for its
  /// rounding.
  double of(double part) const { return std::max({part, changed, least, kMinComponentFraction * all()}); }
};

/// What the impulses of a contact are measured by: their own size, at least the one that stops `least`. Where
/// there is no impulse nothing is measured.
double impulse_size(const BlockImpulses& p, double least) {
  if (p.largest == 0) return 1;
  return std::max(p.largest, p.mobility > 0 ? least / p.mobility : least);
}

/// Sums of the cone map over the contacts it is for.
struct ConeMap {
  double defect = 0, b = 0, p = 0, u = 0;  // squared norms

  static bool applies_to(const FrictionSet& set) {
    return set.frictionless() || set.kind == FrictionKind::ellipsoid;
  }
  void add_defect(const FrictionSet& set, const ContactVector& impulse, const ContactVector& v, double slip) {
    p += squared(impulse);
    // De Saxcé's velocity: with it normal and friction law together say that p and u are in dual cones.
    ContactVector on_cone{impulse.n - (v.n + set.mu * slip), minus(impulse.f, v.f)};
    project_on_cone(set, on_cone.n, on_cone.f);
    defect += squared({impulse.n - on_cone.n, minus(impulse.f, on_cone.f)});
  }
  double value() const {
    const double size = std::max({b, p, u});
    return size > 0 ? std::sqrt(defect / size) : 0;
  }
};

/// What is measured of all contacts before any law is judged.
struct Sizes {
  ConeMap cone;       // its ‖b‖² and ‖u‖²
  bool valid = true;  // friction sets
  double sum = 0;     // of all numbers or their squares: finite only where every one is
};

/// One contact: how large its velocities are without impulse, in the measure of its radii and with ζ where it
/// acts; how far impulses change them; and whether it is idle, separating without impulse. Then every law
/// holds exactly, whatever its figures are measured by.
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

/// The same of one bilateral block.
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

/// Measures every block, and notes those that there is something to judge of.
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
    if (rows == 3) {  // almost all contacts
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
  return Sizes(sizes);  // a copy: what is returned itself is memory, and each sum would wait for it
}

/// The component of each block, and the largest velocities of each component. Its first block comes first.
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

/// What a contact's velocities and impulses are measured by. Divided by them, they are numbers that can be
/// mixed in the natural map.
struct ContactSizes {
  double u_n, u_f, p;
};

/// The most work that friction can take from a slip u_f, for μ p_n = 1.
double slip_of(const FrictionSet& set, const ContactVector& u) {
  return set.frictionless() ? 0 : support(set, {-u.f[0], -u.f[1], -u.f[2]});
}

/// The laws of one contact, all in the measure of its radii and with ζ in the normal velocity.
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
  Residual result;
  std::span<const double> free = problem.b;
  const std::size_t bodies = problem.motion.mass_blocks.size();
  scratch.component.resize(problem.blocks() + bodies);
  std::iota(scratch.component.begin(), scratch.component.end(), 0);
  if (problem.primal()) {
    contact_velocities_from_bodies(problem, v_next, u, scratch);
    free = scratch.free;
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
  std::size_t in = 0;  // of the blocks of J
  for (const int i : scratch.active_blocks) {
    const auto &velocities = scratch.velocities[i], &largest = scratch.largest[scratch.component[i]];
    // What of u = b + W p the rounding of its terms leaves unknown.
    const double unknown = problem.primal() ? 0 : kEpsilon * velocities.changed;
    if (velocities.idle) {
      if (unknown > 0) nan_max(result.natural_map, unknown / VelocityScales(velocities, largest, 0).all());
      continue;
    }
    while (in < problem.motion.jacobian_blocks.size() && problem.motion.jacobian_blocks[in].block < i) ++in;
    find_mobility(problem, i, in, scratch);
    const BlockImpulses own = block_impulses(problem, i, p, scratch);
    const VelocityScales measures(velocities, largest, own.max_velocity_change);
    const bool contact = i < problem.contacts;
    nan_max(contact ? result.natural_map : result.bilateral, unknown / measures.all());
    if (contact) {
      const FrictionSet& set = problem.friction[i];
      const auto [impulse, velocity] = state_of(problem, i, p, u);
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
        nan_max(result.bilateral, std::abs(u[problem.begin[i] + r]) / size);
      }
    }
  }
  nan_max(result.cone_map, sizes.cone.value());
  return result;
}

Residual judge(const ContactProblem& problem, std::span<const double> p) {
  std::vector<double> u(problem.rows()), v_next(problem.motion.v_free.size());
  JudgeScratch scratch;
  return judge(problem, p, u, v_next, scratch);
}

}  // namespace pawl
