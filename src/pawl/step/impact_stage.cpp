#include <pawl/step/impact_stage.h>

#include <algorithm>
#include <cmath>

#include <pawl/base/dense.h>

namespace pawl {
namespace {

/// Velocities only: in an instant no gap changes.
constexpr Method kImpact{.name = "impact",
                         .geometry = Linearisation::start,
                         .gap = Gap::ignored,
                         .entry = Entry::touching,
                         .friction = FrictionForm::exact};
constexpr int kMostInSequence = 1000;   // per contact: then all that still close do so without restitution
constexpr double kOverlapShare = 1e-6;  // of the gap of touching: less is left as it is
constexpr double kAtLimit = 1e-12;      // m or rad: a joint this near to its limit is there

}  // namespace

ImpactStage::ImpactStage(const Model& model, const RunOptions& options, const Stepper& stepper)
    : model_(model),
      bounces_(stepper.bounces()),
      order_(options.impacts.order),
      friction_(stepper.friction()),
      solve_options_(stepper.solve_options()),
      softness_(stepper.softness()),
      no_rates_(model.nv, 0.0) {
  if (bounces_.any()) finder_.emplace(model, options.contact_points);
}

ImpactOutcome ImpactStage::resolve(double time, std::span<const double> q, std::span<const Contact> meeting,
                                   std::span<const ContactId> resting, std::span<double> v) {
  ImpactOutcome outcome;
  place_bodies(model_, q, placed_);
  move_bodies(model_, v, placed_);
  rest_speed_ = bounces_.rest_speed(placed_);
  find_contacts(meeting);
  p_.assign(contacts_.size(), {});
  took_part_.assign(contacts_.size(), 0);
  // What is left of the velocities of contacts at rest is no impact.
  const auto rests = [&](const Contact& contact) { return std::ranges::binary_search(resting, contact.id); };
  for (const Contact& contact : contacts_) {
    if (rests(contact)) rest_speed_ = std::max(rest_speed_, std::abs(gap_rate(placed_, contact)));
  }
  outcome.kinetic = kinetic_energy(model_, placed_);
  const auto meets = [&](const Contact& contact) {
    return std::ranges::binary_search(meeting, contact.id, {}, &Contact::id);
  };
  const bool any = std::ranges::any_of(contacts_, [&](const Contact& contact) {
    return bounces_.restitution(contact) > 0 && !rests(contact) &&
           gap_rate(placed_, contact) < -rest_speed_ &&
           (contact.gap <= bounces_.rounding(contact) || meets(contact));
  });
  if (!any) {
    contacts_.clear();
    return outcome;
  }
  choose_blocks(time, q);
  masses_known_ = response_known_ = false;
  v_start_.assign(v.begin(), v.end());
  tangents_.resize(contacts_.size());
  if (order_ == ImpactOrder::sequential) {
    in_sequence(v, outcome);
  } else {
    bool together = false;
    for (int c = 0; c < static_cast<int>(contacts_.size()); ++c) {
      if (gap_rate(placed_, contacts_[c]) >= -rest_speed_) continue;
      if (acts_alone(c)) {
        strike(c, v, outcome);
      } else {
        together = true;
      }
    }
    if (together) resolve_islands(0, static_cast<int>(contacts_.size()), true, v, outcome);
  }
  if (outcome.status == Status::refused) {
    std::ranges::copy(v_start_, v.begin());
    contacts_.clear();
    return outcome;
  }
  move_bodies(model_, v, placed_);
  measure_velocities();
  const double before = outcome.kinetic;
  outcome.kinetic = kinetic_energy(model_, placed_);
  outcome.kinetic_change = outcome.kinetic - before;
  return outcome;
}

/// Whether it goes by its path, and nothing else acts on the trees of its bodies: no joint that is rows and,
/// where contacts act together, no other contact.
bool ImpactStage::acts_alone(int contact) const {
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

/// A contact that acts alone: its collision matrix by the articulated-body recursion, in time linear in the
/// bodies, its impulse by its path.
void ImpactStage::strike(int contact, std::span<double> v, ImpactOutcome& outcome) {
  const Contact& own = contacts_[contact];
  const Shape &shape_a = model_.shapes[own.id.shape_a], &shape_b = model_.shapes[own.id.shape_b];
  const FrictionTable::Entry& friction = friction_.of(shape_a, shape_b);
  if (!response_known_) {
    response_known_ = true;
    response_.prepare(model_, placed_);
  }
  const Vec3 t = tangents_[contact] = contact_tangent(model_, placed_, own);
  const std::array<Vec3, 3> axes{own.normal, t, cross(own.normal, t)};
  const int tree_a = model_.bodies[own.body_a].tree, tree_b = model_.bodies[own.body_b].tree;
  const Vec3 velocity =
      point_velocity(placed_, own.body_a, own.point_a) - point_velocity(placed_, own.body_b, own.point_b);
  Mat3 A{};
  Vec3 u;
  for (int k = 0; k < friction.rows; ++k) {
    u[k] = dot(axes[k], velocity);
    columns_[k].assign(model_.nv, 0.0);
    const std::array<BodyImpulse, 2> unit{BodyImpulse{own.body_a, own.point_a, axes[k], {}},
                                          BodyImpulse{own.body_b, own.point_b, -axes[k], {}}};
    Vec3 change;  // of the contact's velocity
    for (const int number : {tree_a, tree_b}) {
      if (number < 0) continue;
      const Tree& tree = model_.trees[number];
      response_.respond(tree, unit, std::span(columns_[k]).subspan(tree.v_begin, tree.nv));
      if (number == tree_a) change = change + response_.change(own.body_a, own.point_a);
      if (number == tree_b) change = change - response_.change(own.body_b, own.point_b);
      if (tree_a == tree_b) break;
    }
    for (int r = 0; r < friction.rows; ++r) A(r, k) = dot(axes[r], change);
  }
  const LoneImpact impact =
      strike_alone(A, u, friction.set, friction.rows, model_.law(shape_a, shape_b).restitution);
  ++outcome.impacts;
  ++outcome.solves;
  outcome.iterations += impact.steps;
  outcome.problem_size = std::max(outcome.problem_size, friction.rows);
  if (impact.status == Status::refused) {
    outcome.status = impact.status;
    outcome.reason = impact.reason;
    return;
  }
  outcome.work += impact.work;
  took_part_[contact] = 1;
  for (int k = 0; k < friction.rows; ++k) {
    p_[contact][k] += impact.p[k];
    for (const int number : {tree_a, tree_b}) {
      if (number < 0) continue;
      const Tree& tree = model_.trees[number];
      for (int i = tree.v_begin; i < tree.v_begin + tree.nv; ++i) v[i] += impact.p[k] * columns_[k][i];
      if (tree_a == tree_b) break;
    }
  }
}

void ImpactStage::prepare_masses() {
  if (masses_known_) return;
  masses_known_ = true;
  motion_.mass.resize(model_.mass_size);
  mass_matrix(model_, placed_, dynamics_, motion_.mass);
  motion_.factor.assign(motion_.mass.begin(), motion_.mass.end());
  for (const Tree& tree : model_.trees) {
    cholesky(std::span(motion_.factor).subspan(tree.mass_begin, tree.nv * tree.nv), tree.nv);
  }
  motion_.drift.assign(model_.nv, 0.0);
}

bool ImpactStage::part_overlaps(double time, std::span<double> q) {
  place_bodies(model_, q, placed_);
  find_contacts({});
  const auto overlaps = [&](const Contact& contact) {
    return bounces_.restitution(contact) > 0 && contact.gap < -kOverlapShare * bounces_.touch(contact);
  };
  if (std::ranges::none_of(contacts_, overlaps)) return false;
  move_bodies(model_, no_rates_, placed_);
  choose_blocks(time, q);
  masses_known_ = false;
  assemble_contacts(contacts_, no_rates_);
  moved_.assign(model_.nv, 0.0);
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
    parting_solver_.solve(problem, solve_options_, {}, parting_);
    if (parting_.status == Status::refused) continue;
    for (std::size_t t = 0; t < island.trees.size(); ++t) {
      if (island.trees[t] < 0) continue;
      const auto& block = problem.motion.mass_blocks[t];
      std::copy_n(parting_.v_next.begin() + block.begin, block.size,
                  moved_.begin() + model_.trees[island.trees[t]].v_begin);
    }
  }
  q_parted_.resize(q.size());
  integrate(model_, q, moved_, 1, q_parted_);
  std::ranges::copy(q_parted_, q.begin());
  return true;
}

void ImpactStage::find_contacts(std::span<const Contact> meeting) {
  finder_->find({placed_, nullptr, bounces_.largest_touch()}, contacts_);
  std::erase_if(contacts_, [&](const Contact& contact) { return contact.gap > bounces_.touch(contact); });
  for (const Contact& contact : meeting) {
    const auto place = std::ranges::lower_bound(contacts_, contact.id, {}, &Contact::id);
    if (place == contacts_.end() || place->id != contact.id) contacts_.insert(place, contact);
  }
}

/// Joints and motors as strong as need be keep the rates they have, and joints at a limit stay there; forces
/// that are bounded do nothing in an instant.
void ImpactStage::choose_blocks(double time, std::span<const double> q) {
  constraint_blocks(model_, placed_, q, time, blocks_);
  block_active_.assign(blocks_.size(), 0);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const ConstraintBlock& block = blocks_[b];
    block_active_[b] = block.law == RowLaw::held || block.law == RowLaw::driven ||
                       (block.law == RowLaw::limited && block.error[0] <= kAtLimit);
  }
}

/// The contact that closes fastest; -1 where all are at rest.
int ImpactStage::fastest() const {
  int found = -1;
  double rate = -rest_speed_;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const double closing = gap_rate(placed_, contacts_[c]);
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
            .placed = placed_,
            .contacts = contacts,
            .blocks = blocks_,
            .active = block_active_,
            .dynamics_placed = placed_,
            .motion = motion_,
            .v_hat = no_rates_,
            .blocks_v_hat = no_rates_,
            .h = 1,
            .softness = softness_,
            .friction = friction_},
           assembly_);
  // Rows of joints keep their rates: u = 0 says that they do not change.
  for (int i = 0; i < assembly_.count; ++i) {
    ContactProblem& problem = assembly_.islands[i].problem;
    if (problem.motion.shift.empty()) continue;
    for (int r = problem.begin[problem.contacts]; r < problem.rows(); ++r) {
      problem.motion.shift[r] -= problem.b[r];
      problem.b[r] = 0;
    }
  }
}

/// Resolves the islands of `count` contacts in which one closes.
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
    if (!closes) continue;
    solver_.solve(problem, laws_, solve_options_, solution_);
    ++outcome.impacts;
    if (solution_.status > outcome.status) {
      outcome.status = solution_.status;
      outcome.reason = solution_.reason;
    }
    outcome.method = std::max(outcome.method, solution_.method);
    outcome.residual = worst(outcome.residual, solution_.residual);
    outcome.problem_size = std::max(outcome.problem_size, solution_.size);
    outcome.solves += solution_.solves;
    outcome.iterations += solution_.iterations;
    if (solution_.status == Status::refused) return;
    outcome.work += solution_.work;
    for (std::size_t c = 0; c < island.contacts.size(); ++c) {
      took_part_[first + island.contacts[c]] = 1;
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

void ImpactStage::in_sequence(std::span<double> v, ImpactOutcome& outcome) {
  const int most = kMostInSequence * static_cast<int>(contacts_.size());
  for (int next = fastest(); next >= 0 && outcome.status != Status::refused; next = fastest()) {
    if (outcome.impacts == most) {
      resolve_islands(0, static_cast<int>(contacts_.size()), false, v, outcome);
      return;
    }
    if (acts_alone(next)) {
      strike(next, v, outcome);
    } else {
      resolve_islands(next, 1, true, v, outcome);
    }
    move_bodies(model_, v, placed_);
  }
}

void ImpactStage::measure_velocities() {
  u_.resize(contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Contact& contact = contacts_[c];
    const Vec3 velocity = point_velocity(placed_, contact.body_a, contact.point_a) -
                          point_velocity(placed_, contact.body_b, contact.point_b);
    const Vec3 o = cross(contact.normal, tangents_[c]);
    u_[c] = {
        dot(contact.normal, velocity), dot(tangents_[c], velocity), model_.planar() ? 0.0 : dot(o, velocity),
        model_.planar() ? 0.0 : dot(contact.normal, placed_.w[contact.body_a] - placed_.w[contact.body_b])};
  }
}

}  // namespace pawl
