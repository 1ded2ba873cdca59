// Members of Stepper that choose the contacts of a step's problem.

#include <algorithm>

#include <pawl/step/stepper.h>

namespace pawl::internal {
namespace {

constexpr double kMinGamma = 0.02;  // min of an adaptive γ

}  // namespace

/// Twice the distance that the fastest point travels in a step [AnitescuMillerHart2003, after (2.12)].
double Stepper::active_gap() const {
  if (active_gap_) return *active_gap_;
  double fastest = 0;
  for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
    fastest = std::max(fastest, norm(kinematics_.c[b]) + norm(kinematics_.w[b]) * body_radius_[b]);
  }
  return 2 * clock_.h * (fastest + clock_.h * norm(model_.gravity));
}

/// Finds contacts at the linearisation and, if that is ahead of q, on the path from q to there.
void Stepper::find_contacts() {
  const bool ahead = method_.geometry != Linearisation::start;
  const double contact_margin = method_.activation == Activation::near ? active_gap() : contact_margin_;
  finder_.find({kinematics_, ahead ? &start_kinematics_ : nullptr, contact_margin, keep_}, contacts_);
  if (keep_all_) add_last_contacts();
  if (!inelastic_) remove_ballistic_contacts();
}

/// True if a contact with restitution, given at the start of the step, is not at rest.
bool Stepper::is_ballistic(const Contact& at_start) const {
  if (!(restitution_policy_.restitution(at_start) > 0) || std::ranges::binary_search(resting_, at_start.id))
    return false;
  return at_start.gap > restitution_policy_.contact_tolerance(at_start) ||
         std::abs(gap_rate(start_kinematics_, at_start)) > rest_speed_;
}

/// Removes ballistic contacts. For resting contacts that penetrate at the start, the initial penetration is
/// subtracted: correcting it by velocities would throw the bodies apart.
void Stepper::remove_ballistic_contacts() {
  follow_contacts(model_, kinematics_, start_kinematics_, contact_points_, contacts_, followed_);
  std::size_t kept = 0;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (is_ballistic(followed_[c])) continue;
    contacts_[kept] = contacts_[c];
    if (restitution_policy_.restitution(contacts_[c]) > 0)
      contacts_[kept].gap -= std::min(0.0, followed_[c].gap);
    ++kept;
  }
  contacts_.resize(kept);
}

/// Trees without impulses take a ballistic step.
void Stepper::begin_ballistic_steps(std::span<const double> q, std::span<const double> v) {
  tree_is_ballistic_.assign(model_.trees.size(), 1);
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    const ContactProblem& problem = island.problem;
    bool acts = !island.blocks.empty();
    for (int c = 0; c < problem.contacts; ++c) acts |= solutions_[i].p[problem.begin[c]] > 0;
    for (const int tree : island.trees) {
      if (acts && tree >= 0) tree_is_ballistic_[tree] = 0;
    }
  }
  for (std::size_t t = 0; t < model_.trees.size(); ++t) {
    if (!tree_is_ballistic_[t]) continue;
    begin_ballistic_step(model_, model_.trees[t], q, v, clock_.h, dynamics_, motion_, v_mean_, v_next_);
  }
}

void Stepper::find_impact_contacts() {
  std::swap(impact_contacts_, last_impact_contacts_);
  impact_contacts_.clear();
  impact_contacts_at_start_.clear();
  if (inelastic_) return;
  follow_contacts(model_, end_kinematics_, start_kinematics_, contact_points_, end_contacts_, followed_);
  for (std::size_t c = 0; c < end_contacts_.size(); ++c) {
    const Contact& contact = end_contacts_[c];
    const bool watched = std::ranges::binary_search(last_impact_contacts_, contact.id, {}, &Contact::id);
    const bool solved = std::ranges::binary_search(contacts_, contact.id, {}, &Contact::id);
    if (solved || (!watched && contact.gap >= 0) || !is_ballistic(followed_[c])) continue;
    impact_contacts_.push_back(contact);
    impact_contacts_at_start_.push_back(followed_[c]);
  }
}

/// At an edge the normal jumps between the normals of the two sides, and the fixed-point iteration may have
/// no solution. All normals of previous passes are then kept in the problem, as in the generalised gradient
/// of a non-smooth gap. Each contact moves with its bodies.
void Stepper::add_last_contacts() {
  follow_contacts(model_, last_kinematics_, kinematics_, contact_points_, last_contacts_, followed_);
  merge_contacts(followed_);
}

/// Adds the contacts that are not in contacts_ yet.
void Stepper::merge_contacts(std::span<const Contact> others) {
  for (const Contact& contact : others) {
    const auto place = std::ranges::lower_bound(contacts_, contact.id, {}, &Contact::id);
    if (place == contacts_.end() || place->id != contact.id) contacts_.insert(place, contact);
  }
}

/// Full correction of a penetration in one step (γ = 1) leaves the bodies with the correction velocity, which
/// throws them apart. A correction does no such harm up to the distance that forces and curvature close again
/// in the next step, since the contact keeps pushing. γ is limited to that distance, but is at least
/// kMinGamma.
void Stepper::choose_gammas(std::span<const double> q, std::span<const double> v) {
  const double h = clock_.h;
  integrate(model_, q, v, h, q_hat_);
  position_kinematics(model_, q_hat_, predicted_kinematics_);
  follow_contacts(model_, kinematics_, predicted_kinematics_, contact_points_, contacts_, followed_);
  const auto normal_velocity = [&](const Contact& c) { return gap_rate(kinematics_, c); };
  contact_gamma_.assign(contacts_.size(), 1.0);
  for (std::size_t c = 0; c < contacts_.size(); ++c) contact_gamma_[c] = normal_velocity(contacts_[c]);
  velocity_kinematics(model_, motion_.v_free, kinematics_);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const double u = contact_gamma_[c], gap = contacts_[c].gap;
    const double by_forces = h * (normal_velocity(contacts_[c]) - u);
    const double by_turning = 2 * (followed_[c].gap - gap - h * u);  // h² × the acceleration of the gap
    const double closed = std::max(0.0, -(by_forces + by_turning));
    contact_gamma_[c] = gap < 0 ? std::clamp(closed / -gap, kMinGamma, 1.0) : 1.0;
  }
  velocity_kinematics(model_, v, kinematics_);
}

/// Adds contacts that penetrate at the end of the step, or that fast bodies meet on the way, but that were
/// not in the problem. They are linearised like the others. The impulses of the step may have moved and
/// rotated a body by much; features that do not touch at the linearisation are moved back there with their
/// bodies.
bool Stepper::add_missed_contacts() {
  const auto solved = [&](const Contact& contact) {
    return std::ranges::binary_search(contacts_, contact.id, {}, &Contact::id);
  };
  missed_.clear();
  keep_.clear();
  if (!inelastic_)
    follow_contacts(model_, end_kinematics_, start_kinematics_, contact_points_, end_contacts_, followed_);
  for (std::size_t c = 0; c < end_contacts_.size(); ++c) {
    if (!inelastic_ && is_ballistic(followed_[c])) continue;
    if (end_contacts_[c].gap <= 0 && !solved(end_contacts_[c])) missed_.push_back(end_contacts_[c]);
    keep_.push_back(end_contacts_[c].id);
  }
  if (missed_.empty()) return false;
  for (const Contact& contact : contacts_) keep_.push_back(contact.id);
  std::ranges::sort(keep_);
  std::swap(contacts_, problem_contacts_);
  find_contacts();
  merge_contacts(problem_contacts_);
  follow_contacts(model_, end_kinematics_, kinematics_, contact_points_, missed_, followed_);
  merge_contacts(followed_);
  return true;
}

}  // namespace pawl::internal
