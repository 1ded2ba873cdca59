#pragma once
// One trial step: predict, find contacts, assemble, solve, check; repeat if a contact was missed.

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <pawl/assemble/assemble.h>
#include <pawl/collision/contact_finder.h>
#include <pawl/collision/narrow_phase.h>
#include <pawl/report.h>
#include <pawl/solver.h>
#include <pawl/step/history.h>
#include <pawl/step/named_bodies.h>
#include <pawl/step/newton_linearisation.h>
#include <pawl/step/restitution_policy.h>

namespace pawl::internal {

/// The outcome of a trial step.
struct TrialStep {
  Status status = Status::refused;
  SolveMethod method = SolveMethod::none;  // the hardest that was needed
  std::string_view reason;                 // why it is not certified
  NamedBodies named;                       // the bodies that the reason is about
  NamedBodies worst_joint;                 // those of joint_error
  NamedBodies changed;                     // those whose velocity changed most
  Residual residual;
  int problem_size = 0;
  int solves = 0;
  int iterations = 0;
  int passes = 0;
  double fixed_point_error = 0;
  double min_gap = 0;           // m, over all pairs, at q_next
  double joint_error = 0;       // m or rad, max |Θ| at q_next
  bool passes_through = false;  // shapes passed through each other during the step
};

class Stepper {
 public:
  Stepper(const Model& model, const RunOptions& options);

  /// Tries a step from (q, v). The result is in q_next(), v_next(), contacts() …, spans over the stepper's
  /// memory. The history for the next step changes only in accept(). Contacts with restitution that are not
  /// at rest are excluded from the problem, unless `inelastic`: see impact_contacts().
  TrialStep try_step(std::span<const double> q, std::span<const double> v, const StepClock& clock,
                     bool inelastic = false);
  /// Makes the last trial the history: the contacts that acted, and the warm start of the next step.
  void accept();
  /// Clears the history.
  void clear_history();
  /// Packs or unpacks the history.
  void transfer(History& history);
  /// Contacts with restitution that acted in the last step and had no impact since, sorted by id. They count
  /// as resting at any velocity.
  std::span<const ContactId> resting() const { return resting_; }
  void remove_resting(const ContactId& contact);

  std::span<const double> q_next() const { return q_next_; }
  std::span<const double> v_next() const { return v_next_; }
  /// Excluded contacts that close during this trial step (at q_next, sorted by id). Also those that closed in
  /// the previous trial from the same start but no longer do, with gap > 0.
  std::span<const Contact> impact_contacts() const { return impact_contacts_; }
  /// The same contacts at q.
  std::span<const Contact> impact_contacts_at_start() const { return impact_contacts_at_start_; }
  /// Clears the impact contacts of the previous trial.
  void forget_impact_contacts() { impact_contacts_.clear(); }
  const RestitutionPolicy& restitution_policy() const { return restitution_policy_; }
  const FrictionTable& friction() const { return friction_; }
  const SolveOptions& solve_options() const { return solve_options_; }
  double softness() const { return softness_; }                    // compliance of joints, see AssembleInput
  std::span<const Contact> contacts() const { return contacts_; }  // at the linearisation
  /// [contacts × kContactRows] N s and N m s; 0 for rows that the contact lacks.
  std::span<const double> impulses() const { return p_; }
  std::span<const double> velocities() const { return u_; }  // at the end of the step
  /// [contacts] slip speed, with spin as e_r ω, relative to the largest free velocity or ζ of the contact.
  std::span<const double> slips() const { return slips_; }
  /// Contacts at q_next: the contacts of the problem that still exist, and others.
  std::span<const Contact> end_contacts() const { return end_contacts_; }
  std::span<const ConstraintBlock> blocks() const { return blocks_; }
  /// [blocks] N s or N m s; 0 for blocks that are not in the problem.
  std::span<const std::array<double, 3>> block_impulses() const { return block_p_; }
  const FreeMotion& motion() const { return motion_; }
  const Assembly& assembly() const { return assembly_; }
  /// At q; with velocities v if any contact has restitution.
  const Kinematics& start_kinematics() const { return start_kinematics_; }
  const Kinematics& end_kinematics() const { return end_kinematics_; }  // at q_next, with velocities v_next
  double end_kinetic() const { return end_kinetic_; }                   // J, at q_next and v_next
  double end_potential() const { return end_potential_; }               // J
  /// The island with the largest residual in the last trial; null if there was no island.
  const ContactProblem* worst_problem() const;

 private:
  struct CachedContact {
    ContactId id;
    ContactBasis basis;
    std::array<double, kContactRows> p;  // N s along n, t, o; N m s about n
  };
  struct CachedBlock {
    std::array<double, 3> p{};  // N s or N m s
    ContactBasis basis{};
    bool active = false;
  };
  void linearise(std::span<const double> q, std::span<const double> v, std::span<const double> v_hat);
  void find_contacts();
  void remove_ballistic_contacts();
  bool is_ballistic(const Contact& at_start) const;
  void find_impact_contacts();
  void begin_ballistic_steps(std::span<const double> q, std::span<const double> v);
  double active_gap() const;
  void choose_blocks();
  bool reverses_direction() const;
  bool add_missed_limits();
  bool correct_joints();
  void add_last_contacts();
  void choose_gammas(std::span<const double> q, std::span<const double> v);
  void solve_islands(std::span<const double> q, std::span<const double> v, TrialStep& trial);
  void linearise_islands(const NewtonLinearisation::Point& point);
  bool already_converged(const Island& island, const WarmStart& warm, Solution& solution);
  void judge_at_end_configuration(const Island& island, Solution& solution);
  WarmStart make_warm_start(const Island& island);
  void save_warm_start();
  bool add_missed_contacts();
  void merge_contacts(std::span<const Contact> others);

  const Model& model_;
  const Method& method_;
  FrictionTable friction_;
  SolveOptions solve_options_;
  SolveOptions pass_options_;  // for linearised problems, whose solutions are judged again
  double softness_;
  double gamma_;
  bool adaptive_gamma_;
  std::optional<double> active_gap_;
  int contact_points_;
  std::vector<double> body_radius_;  // [bodies] m
  RestitutionPolicy restitution_policy_;

  // History: contacts that acted in the last accepted step, and its warm start, sorted by id.
  std::vector<ContactId> acted_;
  std::vector<ContactId> resting_;
  std::vector<CachedContact> cached_contacts_;
  std::vector<CachedBlock> cached_blocks_;  // [blocks], or empty
  // The warm start from the last pass of the trial.
  std::vector<CachedContact> guess_;
  std::vector<CachedBlock> guess_blocks_;

  // Scratch of the trial.
  StepClock clock_;
  ContactFinder finder_;
  Kinematics start_kinematics_, kinematics_, dynamics_kinematics_, end_kinematics_;
  bool inelastic_ = false;
  double rest_speed_ = 0;      // m/s
  double gap_rounding_ = 0;    // m: max rounding error of gaps
  double contact_margin_ = 0;  // m: max gap of contacts in the problem
  std::vector<Contact> impact_contacts_, impact_contacts_at_start_, last_impact_contacts_;
  std::vector<char> tree_is_ballistic_;  // [trees]
  bool keep_all_ = false;                // keep the contacts of all passes, from the next pass on
  Kinematics last_kinematics_;           // of the previous pass, with its contacts
  std::vector<Contact> last_contacts_, followed_;
  Kinematics predicted_kinematics_;    // at q ⊕ h v
  std::vector<double> contact_gamma_;  // [contacts], or empty
  DynamicsScratch dynamics_;
  FreeMotion motion_;
  Assembly assembly_;
  ContactSolver solver_;
  NewtonLinearisation newton_;
  bool by_newton_ = false;  // in the next pass
  double rounding_ = 0;     // m/s: rounding error of velocities, from the rounding of positions
  // By island: index of its linearisation, or one of the constants in stepper_islands.cpp.
  std::vector<int> newton_index_;
  JudgeScratch judge_;
  std::vector<Solution> solutions_;  // by island
  std::vector<double> q_hat_, v_hat_, q_next_, v_next_;
  std::vector<double> zero_v_;  // [nv] v̂ if the linearisation is at the start
  std::vector<ConstraintBlock> blocks_, other_blocks_;
  std::vector<double> blocks_v_hat_;  // [nv] leads from q to the configuration of the errors of blocks_
  std::vector<std::array<double, 3>> block_p_;
  std::vector<char> block_active_;
  std::vector<ContactBasis> block_basis_;
  std::vector<double> v_mean_;       // [nv] leads from q to q_next: v_next + drift
  std::vector<double> last_update_;  // [nv] v_mean − v̂ of the last pass
  std::vector<ContactId> keep_;
  std::vector<Contact> contacts_, end_contacts_;
  std::vector<Contact> missed_, problem_contacts_;  // of add_missed_contacts()
  double end_kinetic_ = 0, end_potential_ = 0;
  std::vector<double> p_, u_, slips_;
  std::vector<ContactBasis> warm_basis_, basis_;  // basis_ by contact
  std::vector<double> warm_p_;
};

}  // namespace pawl::internal
