#include <pawl/step/impact_stage.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include <pawl/linalg/dense.h>

namespace pawl::internal {
namespace {

/// Velocities only: gaps do not change in an instant.
constexpr Method kImpact{.name = "impact",
                         .geometry = Linearisation::start,
                         .stabilisation = Stabilisation::ignored,
                         .activation = Activation::touching,
                         .friction = FrictionForm::exact};
// Per contact; afterwards the contacts that still close are resolved without restitution.
constexpr int kMaxSequentialImpacts = 1000;
constexpr double kOverlapFraction = 1e-6;  // of the contact tolerance: less penetration is ignored
constexpr double kAtLimit = 1e-12;         // m or rad: a joint this close to a limit is at the limit

}  // namespace

ImpactStage::ImpactStage(const Model& model, const RunOptions& options,
                         const RestitutionPolicy& restitution_policy, const FrictionTable& friction,
                         const SolveOptions& solve_options, double softness)
    : model_(model),
      restitution_policy_(restitution_policy),
      order_(options.impacts.order),
      friction_(friction),
      solve_options_(solve_options),
      softness_(softness),
      zero_v_(model.nv, 0.0) {
  if (restitution_policy_.any()) finder_.emplace(model, options.contact_points);
}

void ImpactStage::begin(std::span<const double> q, std::span<const double> v) {
  position_kinematics(model_, q, kinematics_);
  velocity_kinematics(model_, v, kinematics_);
}

ImpactOutcome ImpactStage::resolve_touching(double time, std::span<const double> q,
                                            std::span<const Contact> contacts, double rest_speed,
                                            double limit_gap, std::span<double> v) {
  ImpactOutcome outcome;
  begin(q, v);
  rest_speed_ = rest_speed;
  contacts_.assign(contacts.begin(), contacts.end());
  p_.assign(contacts_.size(), {});
  participated_.assign(contacts_.size(), 0);
  outcome.kinetic = kinetic_energy(model_, kinematics_);
  choose_blocks(time, q, limit_gap);
  v_now_.assign(v.begin(), v.end());
  const bool closes = std::ranges::any_of(
      contacts_, [&](const Contact& contact) { return gap_rate(kinematics_, contact) < -rest_speed_; });
  if (closes || limit_closes()) {
    resolve_all(v, outcome);
  } else {
    contacts_.clear();
  }
  return outcome;
}

bool ImpactStage::limit_closes() const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].law == RowLaw::limited && block_active_[b] &&
        row_velocities(blocks_[b], kinematics_, v_now_)[0] < -rest_speed_)
      return true;
  }
  return false;
}

ImpactOutcome ImpactStage::resolve(double time, std::span<const double> q,
                                   std::span<const Contact> closing_contacts,
                                   std::span<const ContactId> resting, std::span<double> v) {
  ImpactOutcome outcome;
  begin(q, v);
  rest_speed_ = restitution_policy_.rest_speed(kinematics_);
  find_contacts(closing_contacts);
  p_.assign(contacts_.size(), {});
  participated_.assign(contacts_.size(), 0);
  // The residual velocities of resting contacts are not an impact.
  const auto rests = [&](const Contact& contact) { return std::ranges::binary_search(resting, contact.id); };
  for (const Contact& contact : contacts_) {
    if (rests(contact)) rest_speed_ = std::max(rest_speed_, std::abs(gap_rate(kinematics_, contact)));
  }
  outcome.kinetic = kinetic_energy(model_, kinematics_);
  const auto meets = [&](const Contact& contact) {
    return std::ranges::binary_search(closing_contacts, contact.id, {}, &Contact::id);
  };
  const bool any = std::ranges::any_of(contacts_, [&](const Contact& contact) {
    return restitution_policy_.restitution(contact) > 0 && !rests(contact) &&
           gap_rate(kinematics_, contact) < -rest_speed_ &&
           (contact.gap <= restitution_policy_.rounding(contact) || meets(contact));
  });
  if (!any) {
    contacts_.clear();
    return outcome;
  }
  choose_blocks(time, q, kAtLimit);
  resolve_all(v, outcome);
  return outcome;
}

/// Resolves the impact of contacts_ and the active blocks.
void ImpactStage::resolve_all(std::span<double> v, ImpactOutcome& outcome) {
  masses_known_ = response_known_ = false;
  histories_.clear();
  v_start_.assign(v.begin(), v.end());
  v_now_.assign(v.begin(), v.end());
  tangents_.resize(contacts_.size());
  if (order_ == ImpactOrder::sequential) {
    resolve_sequentially(v, outcome);
  } else {
    bool together = limit_closes();
    for (int c = 0; c < static_cast<int>(contacts_.size()); ++c) {
      if (gap_rate(kinematics_, contacts_[c]) >= -rest_speed_) continue;
      if (is_isolated(c)) {
        resolve_single_contact(c, v, outcome);
      } else {
        together = true;
      }
    }
    if (together) resolve_islands(0, static_cast<int>(contacts_.size()), true, v, outcome);
  }
  if (outcome.status == Status::refused) {
    if (const ConstraintBlock* motor = motor_at_limit(blocks_, block_active_)) {
      outcome.reason = kMotorAgainstLimit;
      std::tie(outcome.named.a, outcome.named.b) = bodies_of(model_, *motor);
    }
    std::ranges::copy(v_start_, v.begin());
    contacts_.clear();
    return;
  }
  velocity_kinematics(model_, v, kinematics_);
  measure_velocities();
  const double before = outcome.kinetic;
  outcome.kinetic = kinetic_energy(model_, kinematics_);
  outcome.kinetic_change = outcome.kinetic - before;
}

/// True if the contact can be resolved along its impulse-space trajectory and nothing else acts on its trees:
/// no constraint rows and, for simultaneous impacts, no other contact.
bool ImpactStage::is_isolated(int contact) const {
  const Contact& own = contacts_[contact];
  const Shape &shape_a = model_.shapes[own.id.shape_a], &shape_b = model_.shapes[own.id.shape_b];
  const FrictionTable::Entry& friction = friction_.of(shape_a, shape_b);
  if (model_.law(shape_a, shape_b).restitution_law != RestitutionLaw::energetic ||
      !has_path(friction.set, friction.rows)) {
    return false;
  }
  const int tree_a = model_.bodies[own.body_a].tree, tree_b = model_.bodies[own.body_b].tree;
  const auto shares = [&](int body_a, int body_b) {
    const auto of_own = [&](int tree) { return tree >= 0 && (tree == tree_a || tree == tree_b); };
    return of_own(model_.bodies[body_a].tree) || of_own(model_.bodies[body_b].tree);
  };
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (block_active_[b] && shares(blocks_[b].body_a, blocks_[b].body_b)) return false;
  }
  if (order_ == ImpactOrder::sequential) return true;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (static_cast<int>(c) != contact && shares(contacts_[c].body_a, contacts_[c].body_b)) return false;
  }
  return true;
}

/// Resolves a contact that acts alone: the collision matrix by the articulated-body recursion, in time linear
/// in the number of bodies, and the impulse along its trajectory.
void ImpactStage::resolve_single_contact(int contact, std::span<double> v, ImpactOutcome& outcome) {
  const Contact& own = contacts_[contact];
  const Shape &shape_a = model_.shapes[own.id.shape_a], &shape_b = model_.shapes[own.id.shape_b];
  const FrictionTable::Entry& friction = friction_.of(shape_a, shape_b);
  if (!response_known_) {
    response_known_ = true;
    response_.prepare(model_, kinematics_);
  }
  const Vec3 t = tangents_[contact] = contact_tangent(model_, kinematics_, own);
  const std::array<Vec3, 3> axes{own.normal, t, cross(own.normal, t)};
  const int tree_a = model_.bodies[own.body_a].tree, tree_b = model_.bodies[own.body_b].tree;
  const Vec3 velocity = point_velocity(kinematics_, own.body_a, own.point_a) -
                        point_velocity(kinematics_, own.body_b, own.point_b);
  Mat3 A{};
  Vec3 u;
  for (int k = 0; k < friction.rows; ++k) {
    u[k] = dot(axes[k], velocity);
    columns_[k].assign(model_.nv, 0.0);
    const std::array<BodyImpulse, 2> unit{BodyImpulse{own.body_a, own.point_a, axes[k], {}},
                                          BodyImpulse{own.body_b, own.point_b, -axes[k], {}}};
    Vec3 change;  // of the contact velocity
    for (const int tree_index : {tree_a, tree_b}) {
      if (tree_index < 0) continue;
      const Tree& tree = model_.trees[tree_index];
      response_.respond(tree, unit, std::span(columns_[k]).subspan(tree.v_begin, tree.nv));
      if (tree_index == tree_a) change = change + response_.change(own.body_a, own.point_a);
      if (tree_index == tree_b) change = change - response_.change(own.body_b, own.point_b);
      if (tree_a == tree_b) break;
    }
    for (int r = 0; r < friction.rows; ++r) A(r, k) = dot(axes[r], change);
  }
  const SingleContactImpact impact =
      single_contact_impact(A, u, friction.set, friction.rows, model_.law(shape_a, shape_b).restitution);
  ++outcome.impacts;
  ++outcome.solves;
  outcome.iterations += impact.steps;
  outcome.problem_size = std::max(outcome.problem_size, friction.rows);
  if (impact.status == Status::refused) {
    outcome.status = impact.status;
    outcome.reason = impact.reason;
    outcome.named = {own.body_a, own.body_b};
    return;
  }
  outcome.work += impact.work;
  participated_[contact] = 1;
  histories_.push_back({contact, outcome.impacts - 1, impact.history});
  for (int k = 0; k < friction.rows; ++k) {
    p_[contact][k] += impact.p[k];
    for (const int tree_index : {tree_a, tree_b}) {
      if (tree_index < 0) continue;
      const Tree& tree = model_.trees[tree_index];
      for (int i = tree.v_begin; i < tree.v_begin + tree.nv; ++i) v[i] += impact.p[k] * columns_[k][i];
      if (tree_a == tree_b) break;
    }
  }
}

void ImpactStage::prepare_masses() {
  if (masses_known_) return;
  masses_known_ = true;
  motion_.mass.resize(model_.mass_size);
  mass_matrix(model_, kinematics_, dynamics_, motion_.mass);
  motion_.factor.assign(motion_.mass.begin(), motion_.mass.end());
  for (const Tree& tree : model_.trees) {
    cholesky(std::span(motion_.factor).subspan(tree.mass_begin, tree.nv * tree.nv), tree.nv);
  }
  motion_.drift.assign(model_.nv, 0.0);
}

bool ImpactStage::project_positions(double time, std::span<double> q) {
  position_kinematics(model_, q, kinematics_);
  find_contacts({});
  const auto overlaps = [&](const Contact& contact) {
    return restitution_policy_.restitution(contact) > 0 &&
           contact.gap < -kOverlapFraction * restitution_policy_.contact_tolerance(contact);
  };
  if (std::ranges::none_of(contacts_, overlaps)) return false;
  velocity_kinematics(model_, zero_v_, kinematics_);
  choose_blocks(time, q, kAtLimit);
  masses_known_ = false;
  assemble_contacts(contacts_, zero_v_);
  displacement_.assign(model_.nv, 0.0);
  for (int i = 0; i < assembly_.count; ++i) {
    Island& island = assembly_.islands[i];
    ContactProblem& problem = island.problem;
    bool any = false;
    for (std::size_t c = 0; c < island.contacts.size(); ++c) {
      problem.zeta[c] = contacts_[island.contacts[c]].gap;
      any |= overlaps(contacts_[island.contacts[c]]);
    }
    if (!any) continue;
    for (FrictionSet& set : problem.friction) set.mu = 0;
    projection_solver_.solve(problem, solve_options_, {}, projection_);
    if (projection_.status == Status::refused) continue;
    for (std::size_t t = 0; t < island.trees.size(); ++t) {
      if (island.trees[t] < 0) continue;
      const auto& block = problem.motion.mass_blocks[t];
      std::copy_n(projection_.v_next.begin() + block.begin, block.size,
                  displacement_.begin() + model_.trees[island.trees[t]].v_begin);
    }
  }
  q_projected_.resize(q.size());
  integrate(model_, q, displacement_, 1, q_projected_);
  std::ranges::copy(q_projected_, q.begin());
  return true;
}

void ImpactStage::find_contacts(std::span<const Contact> closing_contacts) {
  finder_->find({kinematics_, nullptr, restitution_policy_.max_contact_tolerance()}, contacts_);
  std::erase_if(contacts_, [&](const Contact& contact) {
    return contact.gap > restitution_policy_.contact_tolerance(contact);
  });
  for (const Contact& contact : closing_contacts) {
    const auto place = std::ranges::lower_bound(contacts_, contact.id, {}, &Contact::id);
    if (place == contacts_.end() || place->id != contact.id) contacts_.insert(place, contact);
  }
}

/// Joints and unbounded motors keep their velocities, and joints at a limit stay there. Bounded forces have
/// no effect in an instant.
void ImpactStage::choose_blocks(double time, std::span<const double> q, double limit_gap) {
  constraint_blocks(model_, kinematics_, q, time, blocks_);
  block_active_.assign(blocks_.size(), 0);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const ConstraintBlock& block = blocks_[b];
    block_active_[b] = block.law == RowLaw::equality || block.law == RowLaw::driven ||
                       (block.law == RowLaw::limited && block.error[0] <= limit_gap);
  }
}

/// The contact that closes fastest; -1 if all are at rest.
int ImpactStage::fastest_closing_contact() const {
  int found = -1;
  double rate = -rest_speed_;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const double closing = gap_rate(kinematics_, contacts_[c]);
    if (closing < rate) {
      rate = closing;
      found = static_cast<int>(c);
    }
  }
  return found;
}

void ImpactStage::assemble_contacts(std::span<const Contact> contacts, std::span<const double> v) {
  prepare_masses();
  motion_.v_free.assign(v.begin(), v.end());
  assemble({.model = model_,
            .method = kImpact,
            .kinematics = kinematics_,
            .contacts = contacts,
            .blocks = blocks_,
            .active = block_active_,
            .dynamics_kinematics = kinematics_,
            .motion = motion_,
            .v_hat = zero_v_,
            .blocks_v_hat = zero_v_,
            .h = 1,
            .softness = softness_,
            .friction = friction_},
           assembly_);
  // Joint rows keep their velocities: with the shift, u = 0 means no change.
  for (int i = 0; i < assembly_.count; ++i) {
    ContactProblem& problem = assembly_.islands[i].problem;
    if (problem.motion.shift.empty()) continue;
    for (int r = problem.begin[problem.contacts]; r < problem.rows(); ++r) {
      problem.motion.shift[r] -= problem.b[r];
      problem.b[r] = 0;
    }
  }
}

/// Resolves the islands of `count` contacts in which at least one contact closes.
void ImpactStage::resolve_islands(int first, int count, bool elastic, std::span<double> v,
                                  ImpactOutcome& outcome) {
  const auto chosen = std::span(contacts_).subspan(first, count);
  assemble_contacts(chosen, v);
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    const ContactProblem& problem = island.problem;
    laws_.assign(problem.contacts, {});
    bool closes = false;
    for (std::size_t c = 0; c < island.contacts.size(); ++c) {
      const Contact& contact = chosen[island.contacts[c]];
      tangents_[first + island.contacts[c]] = assembly_.tangents[island.contacts[c]];
      const ContactLaw& law =
          model_.law(model_.shapes[contact.id.shape_a], model_.shapes[contact.id.shape_b]);
      laws_[c] = {elastic ? law.restitution : 0, law.restitution_law};
      closes |= problem.b[problem.begin[c]] < -rest_speed_;
    }
    for (int slot = static_cast<int>(island.contacts.size()); slot < problem.contacts; ++slot) {
      const ConstraintBlock& limit = blocks_[island.blocks[slot - island.contacts.size()]];
      laws_[slot] = {elastic ? limit.restitution : 0, RestitutionLaw::newton, true};
      closes |= problem.b[problem.begin[slot]] < -rest_speed_;
    }
    if (!closes) continue;
    solver_.solve(problem, laws_, solve_options_, solution_);
    ++outcome.impacts;
    if (solution_.status > outcome.status) {
      outcome.status = solution_.status;
      outcome.reason = solution_.reason;
      outcome.named = bodies_of(model_, island, chosen, blocks_);
    }
    outcome.method = std::max(outcome.method, solution_.method);
    outcome.residual = worst(outcome.residual, solution_.residual);
    outcome.problem_size = std::max(outcome.problem_size, solution_.size);
    outcome.solves += solution_.solves;
    outcome.iterations += solution_.iterations;
    if (solution_.status == Status::refused) return;
    outcome.work += solution_.work;
    for (std::size_t c = 0; c < island.contacts.size(); ++c) {
      participated_[first + island.contacts[c]] = 1;
      if (solution_.p[problem.begin[c]] > 0)
        histories_.push_back({first + island.contacts[c], outcome.impacts - 1, solution_.histories[c]});
      auto& p = p_[first + island.contacts[c]];
      for (int r = 0; r < problem.size_of(static_cast<int>(c)); ++r)
        p[r] += solution_.p[problem.begin[c] + r];
    }
    for (std::size_t t = 0; t < island.trees.size(); ++t) {
      if (island.trees[t] < 0) continue;
      const auto& block = problem.motion.mass_blocks[t];
      std::copy_n(solution_.v_next.begin() + block.begin, block.size,
                  v.begin() + model_.trees[island.trees[t]].v_begin);
    }
  }
}

void ImpactStage::resolve_sequentially(std::span<double> v, ImpactOutcome& outcome) {
  const int max_impacts = kMaxSequentialImpacts * static_cast<int>(contacts_.size());
  for (int next = fastest_closing_contact(); next >= 0 && outcome.status != Status::refused;
       next = fastest_closing_contact()) {
    if (outcome.impacts == max_impacts) {
      resolve_islands(0, static_cast<int>(contacts_.size()), false, v, outcome);
      return;
    }
    if (is_isolated(next)) {
      resolve_single_contact(next, v, outcome);
    } else {
      resolve_islands(next, 1, true, v, outcome);
    }
    velocity_kinematics(model_, v, kinematics_);
  }
}

void ImpactStage::measure_velocities() {
  u_.resize(contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Contact& contact = contacts_[c];
    const Vec3 velocity = point_velocity(kinematics_, contact.body_a, contact.point_a) -
                          point_velocity(kinematics_, contact.body_b, contact.point_b);
    const Vec3 o = cross(contact.normal, tangents_[c]);
    u_[c] = {
        dot(contact.normal, velocity), dot(tangents_[c], velocity), model_.planar() ? 0.0 : dot(o, velocity),
        model_.planar() ? 0.0
                        : dot(contact.normal, kinematics_.w[contact.body_a] - kinematics_.w[contact.body_b])};
  }
}

}  // namespace pawl::internal
