#include <pawl/analysis.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <pawl/assemble/assemble.h>
#include <pawl/assemble/free_motion.h>
#include <pawl/assemble/friction_table.h>
#include <pawl/base/tolerances.h>
#include <pawl/collision/contact_finder.h>
#include <pawl/collision/shapes/bounds.h>
#include <pawl/error.h>
#include <pawl/linalg/dense.h>
#include <pawl/problem/delassus.h>

namespace pawl {

using namespace internal;

namespace {

constexpr double kTouching = tolerances::kFine;
constexpr double kDifferenceStep = 1e-4;  // of a body's size or of a radian; the error of J̇ v is its square
constexpr double kRounding =
    tolerances::kPivoted;  // relative to the terms of J v; smaller differences count as 0
constexpr double kKink =
    tolerances::kFine;  // relative to the terms of J v; larger second differences mean a kink

using ContactRow = std::array<double, kContactRows>;

/// Bounding radius of the smaller shape, m; infinite shapes do not count.
double size_of(const Model& model, const Contact& contact) {
  double size = std::numeric_limits<double>::infinity();
  for (const int index : {contact.id.shape_a, contact.id.shape_b}) {
    const Shape& shape = model.shapes[index];
    if (!is_static_only(shape.kind)) size = std::min(size, bounding_radius(shape.solid));
  }
  return size;
}

/// All contacts at one configuration, as assembled. v_free of `motion` holds M⁻¹ k.
struct Rows {
  const Model& model;
  const FrictionTable& friction;
  const FreeMotion& motion;
  Assembly assembly;

  void set(const Kinematics& kinematics, std::span<const Contact> contacts) {
    assemble({.model = model,
              .method = find_method("anitescu-potra"),
              .kinematics = kinematics,
              .contacts = contacts,
              .dynamics_kinematics = kinematics,
              .motion = motion,
              .v_hat = motion.v_free,
              .blocks_v_hat = motion.v_free,
              .h = 1,
              .friction = friction},
             assembly);
  }
  /// Generalised velocities of the trees of an island.
  std::vector<double> rates_of(const Island& island, std::span<const double> rates) const {
    std::vector<double> out;
    for (const int tree : island.trees) {
      const auto own = rates.subspan(model.trees[tree].v_begin, model.trees[tree].nv);
      out.insert(out.end(), own.begin(), own.end());
    }
    return out;
  }
};

/// M, its factors, and the accelerations M⁻¹ k without contacts.
FreeMotion free_accelerations(const Model& model, const Kinematics& kinematics, double time) {
  const StepClock clock{time, 0};  // step size 0: an instant
  FreeMotion motion;
  DynamicsScratch scratch;
  motion.mass.resize(model.mass_size);
  motion.conservative.resize(model.nv);
  motion.applied.resize(model.nv);
  motion.v_free.resize(model.nv);
  motion.drift.assign(model.nv, 0.0);
  mass_matrix(model, kinematics, scratch, motion.mass);
  generalised_forces(model, kinematics, clock, scratch, {motion.conservative, motion.applied});
  motion.factor = motion.mass;
  for (const Tree& tree : model.trees) {
    const auto L = std::span(motion.factor).subspan(tree.mass_begin, tree.nv * tree.nv);
    const auto a = std::span(motion.v_free).subspan(tree.v_begin, tree.nv);
    inertial_forces(model, tree, kinematics, {}, scratch, a);
    for (int i = 0; i < tree.nv; ++i) {
      a[i] += motion.conservative[tree.v_begin + i] + motion.applied[tree.v_begin + i];
    }
    if (!cholesky(L, tree.nv)) throw Error("the mass matrix is not positive definite in this state");
    solve_lower(L, tree.nv, a);
    solve_lower_transposed(L, tree.nv, a);
  }
  return motion;
}

/// [rows] Σ |J_ij x_j|: scale of a row's velocity.
std::vector<double> terms(const ContactProblem& problem, std::span<const double> x) {
  std::vector<double> sum(problem.rows(), 0.0);
  for (const auto& block : problem.motion.jacobian_blocks) {
    const auto& mass = problem.motion.mass_blocks[block.mass_block];
    for (int r = 0; r < problem.size_of(block.block); ++r) {
      for (int k = 0; k < mass.size; ++k) {
        sum[problem.begin[block.block] + r] +=
            std::abs(problem.motion.jacobian[block.offset + r * mass.size + k] * x[mass.begin + k]);
      }
    }
  }
  return sum;
}

FrictionVector friction_components(std::span<const double> rows) {
  FrictionVector f{};
  std::copy(rows.begin() + 1, rows.end(), f.begin());
  return f;
}

/// Sliding velocity scaled by the radii: spin becomes e_r ω.
FrictionVector scale_by_radii(const FrictionSet& set, FrictionVector velocity) {
  for (int i = 0; i < 3; ++i) velocity[i] *= set.radii[i];
  return velocity;
}

/// Sets the velocity and motion of an island's contacts.
void classify(const Rows& rows, const Island& island, std::span<const double> v,
              const InstantOptions& options, std::vector<InstantContact>& contacts) {
  const ContactProblem& problem = island.problem;
  const std::vector<double> rates = rows.rates_of(island, v);
  std::vector<double> u(problem.rows());
  contact_velocity(problem, rates, u);
  const std::vector<double> velocities = terms(problem, rates);
  const std::vector<double> free = terms(problem, problem.motion.v_free);
  for (int c = 0; c < problem.contacts; ++c) {
    InstantContact& contact = contacts[island.contacts[c]];
    const int begin = problem.begin[c], size = problem.size_of(c);
    contact.rows = size;
    std::copy_n(u.begin() + begin, size, contact.velocity.begin());
    const auto largest = [&](const std::vector<double>& x) {
      const FrictionVector f =
          scale_by_radii(problem.friction[c], friction_components(std::span(x).subspan(begin, size)));
      return std::max({x[begin], f[0], f[1], f[2]});
    };
    const double length = size_of(rows.model, contact.contact);
    const double v_max = largest(velocities), a_max = largest(free);
    const double slow = std::max(options.velocity_tolerance * std::max(v_max, std::sqrt(length * a_max)),
                                 options.step * v_max * v_max / length);
    const FrictionVector slip =
        scale_by_radii(problem.friction[c], friction_components(std::span(u).subspan(begin, size)));
    contact.motion = u[begin] < -slow            ? ContactMotion::approaching
                     : u[begin] > slow           ? ContactMotion::leaving
                     : pawl::length(slip) > slow ? ContactMotion::sliding
                                                 : ContactMotion::rolling;
  }
}

/// Time step for differencing J: no body moves by more than a small fraction of its size. 0 if nothing moves.
double difference_time(const Model& model, const Kinematics& kinematics, std::span<const Contact> contacts) {
  double rate = 0;
  for (const Contact& contact : contacts) {
    const double size = size_of(model, contact);
    for (const int body : {contact.body_a, contact.body_b}) {
      rate = std::max(rate, norm(kinematics.w[body]) + norm(kinematics.c[body]) / size);
    }
  }
  return rate > 0 ? kDifferenceStep / rate : 0;
}

/// Velocities of the rows, by contact, after the bodies moved for `time` at velocities v. Normals and points
/// move with the bodies. t turns as little as possible: the frame of a friction set may turn or jump by
/// itself.
std::vector<ContactRow> velocities_after(const Model& model, const Kinematics& kinematics,
                                         std::span<const Contact> contacts, std::span<const Vec3> tangents,
                                         const State& state, int contact_points, double time) {
  std::vector<double> q(state.q.size());
  integrate(model, state.q, state.v, time, q);
  Kinematics moved;
  position_kinematics(model, q, moved);
  velocity_kinematics(model, state.v, moved);
  std::vector<Contact> followed;
  follow_contacts(model, kinematics, moved, contact_points, contacts, followed);
  std::vector<ContactRow> velocities;
  for (std::size_t i = 0; i < followed.size(); ++i) {
    const Contact& at = followed[i];
    const Vec3& n = at.normal;
    const Vec3 t = normalized(tangents[i] - dot(tangents[i], n) * n);
    const Vec3 v =
        point_velocity(moved, at.body_a, at.point_a) - point_velocity(moved, at.body_b, at.point_b);
    velocities.push_back(
        {dot(n, v), dot(t, v), dot(cross(n, t), v), dot(n, moved.w[at.body_a] - moved.w[at.body_b])});
  }
  return velocities;
}

std::vector<Contact> touching_contacts(const Model& model, const Kinematics& kinematics,
                                       const InstantOptions& options) {
  const std::optional<double>& touching = options.touching;
  double contact_margin = touching.value_or(0);
  for (const Shape& shape : model.shapes) {
    if (touching || is_static_only(shape.kind)) continue;
    contact_margin = std::max(contact_margin, kTouching * bounding_radius(shape.solid));
  }
  std::vector<Contact> found;
  ContactFinder(model, options.contact_points).find({kinematics, nullptr, contact_margin, {}}, found);
  if (!touching) {
    std::erase_if(found, [&](const Contact& c) { return c.gap > kTouching * size_of(model, c); });
  }
  return found;
}

AccelerationProblem problem_of(const Island& island) {
  const ContactProblem& source = island.problem;
  AccelerationProblem problem;
  problem.begin = source.begin;
  problem.rates = static_cast<int>(source.motion.v_free.size());
  problem.b = source.b;
  problem.friction = source.friction;
  problem.velocity_terms.assign(source.rows(), 0.0);
  problem.Y.assign(source.rows() * problem.rates, 0.0);
  std::vector<double> mass_weighted;
  compute_mass_weighted_jacobian(source, mass_weighted);
  for (const auto& block : source.motion.jacobian_blocks) {
    const auto& mass = source.motion.mass_blocks[block.mass_block];
    for (int r = 0; r < source.size_of(block.block); ++r) {
      std::copy_n(mass_weighted.begin() + block.offset + r * mass.size, mass.size,
                  problem.Y.begin() + (source.begin[block.block] + r) * problem.rates + mass.begin);
    }
  }
  return problem;
}

/// Adds the problem of an island, without J̇ v. `index` maps its contacts to those of the instant.
void add_island(const Island& island, std::span<const int> index, Instant& instant) {
  AccelerationProblem& problem = instant.islands.emplace_back(problem_of(island));
  std::vector<int>& members = instant.island_contacts.emplace_back();
  for (const int c : island.contacts) {
    InstantContact& contact = instant.contacts[index[c]];
    contact.island = static_cast<int>(instant.islands.size()) - 1;
    contact.index_in_island = static_cast<int>(members.size());
    members.push_back(index[c]);
    const bool slides = contact.motion == ContactMotion::sliding;
    const FrictionSet& set = problem.friction[contact.index_in_island];
    const FrictionVector v_f = friction_components(std::span(contact.velocity).first(contact.rows));
    problem.sliding.push_back(slides);
    problem.direction.push_back(slides && !set.frictionless() ? sliding_direction(set, v_f)
                                                              : FrictionVector{});
  }
}

/// Adds J̇ v, by central differences, to b of every island.
void add_velocity_terms(const Rows& rows, const Kinematics& kinematics, std::span<const Contact> contacts,
                        const State& state, int contact_points, Instant& instant) {
  const double time = difference_time(rows.model, kinematics, contacts);
  if (time == 0) return;
  const auto at = [&](double when) {
    return velocities_after(rows.model, kinematics, contacts, rows.assembly.tangents, state, contact_points,
                            when);
  };
  const auto now = at(0), later = at(time), before = at(-time);
  for (std::size_t i = 0; i < instant.islands.size(); ++i) {
    AccelerationProblem& problem = instant.islands[i];
    const Island& island = rows.assembly.islands[i];
    const std::vector<double> scale = terms(island.problem, rows.rates_of(island, state.v));
    for (int c = 0; c < problem.contacts(); ++c) {
      const int index = island.contacts[c];
      for (int k = 0; k < problem.size_of(c); ++k) {
        const int row = problem.begin[c] + k;
        const double change = later[index][k] - before[index][k];
        if (std::abs(change) > kRounding * scale[row]) problem.velocity_terms[row] = change / (2 * time);
        problem.b[row] += problem.velocity_terms[row];
        const double second_difference = std::abs(later[index][k] - 2 * now[index][k] + before[index][k]);
        if (second_difference > kKink * scale[row])
          instant.contacts[instant.island_contacts[i][c]].kinked = true;
      }
    }
  }
}

}  // namespace

std::string_view to_string(ContactMotion motion) {
  switch (motion) {
    case ContactMotion::approaching:
      return "approaching";
    case ContactMotion::leaving:
      return "leaving";
    case ContactMotion::rolling:
      return "rolling";
    case ContactMotion::sliding:
      return "sliding";
  }
  return "?";
}

Instant instant_of(const Model& model, const State& state, const InstantOptions& options) {
  if (!model.joints.empty() || !model.drives.empty()) {
    throw Error(
        "the scene has joints as rows, limits, motors or joint friction, and the analysis takes plain trees "
        "only");
  }
  Kinematics kinematics;
  position_kinematics(model, state.q, kinematics);
  velocity_kinematics(model, state.v, kinematics);
  const FreeMotion motion = free_accelerations(model, kinematics, state.time);
  const auto friction =
      std::make_shared<const FrictionTable>(model, options.friction, options.friction_directions);
  Rows rows{model, *friction, motion, {}};

  const std::vector<Contact> found = touching_contacts(model, kinematics, options);
  Instant instant;
  instant.friction_table = friction;
  rows.set(kinematics, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    instant.contacts.push_back({.contact = found[i], .tangent = rows.assembly.tangents[i]});
  }
  for (int i = 0; i < rows.assembly.count; ++i) {
    classify(rows, rows.assembly.islands[i], state.v, options, instant.contacts);
  }

  std::vector<Contact> persistent;
  std::vector<int> index;  // index of each in instant.contacts
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ContactMotion does = instant.contacts[i].motion;
    if (does != ContactMotion::rolling && does != ContactMotion::sliding) continue;
    persistent.push_back(found[i]);
    index.push_back(static_cast<int>(i));
  }
  rows.set(kinematics, persistent);
  for (int i = 0; i < rows.assembly.count; ++i) add_island(rows.assembly.islands[i], index, instant);
  add_velocity_terms(rows, kinematics, persistent, state, options.contact_points, instant);
  return instant;
}

}  // namespace pawl
