#pragma once
// One trial at one step: predict, find contacts, assemble, solve, check, repeat where a contact was missed.

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <pawl/assemble/assemble.h>
#include <pawl/collision/contact_finder.h>
#include <pawl/collision/narrow_phase.h>
#include <pawl/report.h>
#include <pawl/solver.h>
#include <pawl/step/newton_linearisation.h>
#include <pawl/step/restitution_policy.h>

namespace pawl::internal {

/// What an trial found. Spans over the stepper's memory; contacts and impulses belong together row by row.
struct TrialStep {
  Status status = Status::refused;
  SolveMethod method = SolveMethod::none;  // the hardest that was needed
  std::string_view reason;                 // why it is not certified
  Residual residual;
  int problem_size = 0;
  int solves = 0;
  int iterations = 0;
  int passes = 0;
  double fixed_point_error = 0;
  double min_gap = 0;           // m, of all pairs, at q_next
  double joint_error = 0;       // m or rad, the largest |Θ|, at q_next
  bool passes_through = false;  // shapes sank into each other on the way
};

class Stepper {
 public:
  Stepper(const Model& model, const RunOptions& options);

  /// Tries a step from (q, v). The answer is in q_next(), v_next(), contacts() …; nothing is remembered
  /// for the next step until accept().
  /// Contacts with restitution that are not at rest are left out, unless all are `inelastic`: see hits().
  TrialStep try_step(std::span<const double> q, std::span<const double> v, const StepClock& clock,
                     bool inelastic = false);
  /// Makes the last trial the past: which contacts acted, and their impulses and bases for the next warm
  /// start.
  void accept();
  /// Forgets the past.
  void clear_history();
  /// Contacts with restitution that acted in the last step and were not struck since, sorted: they are at
  /// rest, whatever is left of their velocity.
  std::span<const ContactId> resting() const { return resting_; }
  void remove_resting(const ContactId& contact);

  std::span<const double> q_next() const { return q_next_; }
  std::span<const double> v_next() const { return v_next_; }
  /// Contacts that were left out and meet before the end of the step, sorted by id, at q_next; and of those
  /// that met in the trial before, with the same start, the ones that do not meet now, gap > 0.
  std::span<const Contact> impact_contacts() const { return impact_contacts_; }
  std::span<const Contact> impact_contacts_at_start() const {
    return impact_contacts_at_start_;
  }  // the same at q
  /// Forgets which contacts met in the trial before.
  void forget_impact_contacts() { impact_contacts_.clear(); }
  const RestitutionPolicy& restitution_policy() const { return restitution_policy_; }
  const FrictionTable& friction() const { return friction_; }
  const SolveOptions& solve_options() const { return solve_options_; }
  double softness() const { return softness_; }                    // of joints, as in AssembleInput
  std::span<const Contact> contacts() const { return contacts_; }  // as linearised
  /// [contacts × kContactRows]; what a contact lacks is 0.
  std::span<const double> impulses() const { return p_; }
  std::span<const double> velocities() const { return u_; }  // at the end of the step
  /// [contacts] how fast each slides and spins (as e_r ω), against the largest velocity or ζ that it met.
  std::span<const double> slips() const { return slips_; }
  std::span<const Contact> end_contacts() const {
    return end_contacts_;
  }  // the same ones and more, at q_next
  std::span<const ConstraintBlock> blocks() const { return blocks_; }
  /// [blocks] N s or N m s; 0 of those that were not in the problem.
  std::span<const std::array<double, 3>> block_impulses() const { return block_p_; }
  const FreeMotion& motion() const { return motion_; }
  const Assembly& assembly() const { return assembly_; }
  const Kinematics& start_kinematics() const {
    return start_kinematics_;
  }                                                                     // at q, moving with v if any bounce
  const Kinematics& end_kinematics() const { return end_kinematics_; }  // at q_next, moving with v_next
  double end_kinetic() const { return end_kinetic_; }                   // J, at q_next and v_next
  double end_potential() const { return end_potential_; }               // J
  /// The island with the largest residual in the last trial; null where there was no contact.
  const ContactProblem* worst_problem() const;

 private:
  struct CachedContact {
    ContactId id;
    ContactBasis basis;
    std::array<double, kContactRows> p;  // N s and N m s, along n, t and o and about n
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
  bool motor_meets_limit() const;
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
  SolveOptions pass_options_;  // of linearised problems, whose answers are judged once more
  double softness_;
  double gamma_;
  bool adaptive_gamma_;
  std::optional<double> active_gap_;
  int contact_points_;
  std::vector<double> body_radius_;  // [bodies] m
  RestitutionPolicy restitution_policy_;

  // The past: contacts that acted in the last accepted step, and what to start from, sorted by id.
  std::vector<ContactId> acted_;
  std::vector<ContactId> resting_;
  std::vector<CachedContact> cached_contacts_;
  std::vector<CachedBlock> cached_blocks_;  // [blocks], or empty
  // The same of the trial's last pass.
  std::vector<CachedContact> guess_;
  std::vector<CachedBlock> guess_blocks_;

  // Scratch of the trial.
  StepClock clock_;
  ContactFinder finder_;
  Kinematics start_kinematics_, kinematics_, dynamics_kinematics_, end_kinematics_;
  bool inelastic_ = false;
  double rest_speed_ = 0;      // m/s
  double gap_rounding_ = 0;    // m: what gaps are off by, at most
  double contact_margin_ = 0;  // m: gap up to which contacts are in the problem
  std::vector<Contact> impact_contacts_, impact_contacts_at_start_, last_impact_contacts_;
  std::vector<char> tree_is_ballistic_;  // [trees]
  bool keep_all_ = false;                // contacts of all passes, from the coming one on
  Kinematics last_kinematics_;           // of the pass before, and its contacts
  std::vector<Contact> last_contacts_, followed_;
  Kinematics predicted_kinematics_;    // at q ⊕ h v
  std::vector<double> contact_gamma_;  // [contacts], or empty
  DynamicsScratch dynamics_;
  FreeMotion motion_;
  Assembly assembly_;
  ContactSolver solver_;
  NewtonLinearisation newton_;
  bool by_newton_ = false;         // in the coming pass
  double rounding_ = 0;            // m/s: of rates, from the rounding of places
  std::vector<int> newton_index_;  // by island: number of its linearisation, or what else is done
  JudgeScratch judge_;
  std::vector<Solution> solutions_;  // by island
  std::vector<double> q_hat_, v_hat_, q_next_, v_next_;
  std::vector<double> zero_v_;  // [nv] zeros: v̂ where the linearisation is at the start
  std::vector<ConstraintBlock> blocks_, other_blocks_;
  std::vector<double> blocks_v_hat_;  // [nv] leads from q to where the errors of blocks_ are taken
  std::vector<std::array<double, 3>> block_p_;
  std::vector<char> block_active_;
  std::vector<ContactBasis> block_basis_;
  std::vector<double> v_mean_;       // what moves q to q_next: v_next and the drift
  std::vector<double> last_update_;  // [nv] from where the last pass was linearised to where it led
  std::vector<ContactId> keep_;
  std::vector<Contact> contacts_, end_contacts_;
  std::vector<Contact> missed_, problem_contacts_;  // of add_missed_contacts
  double end_kinetic_ = 0, end_potential_ = 0;
  std::vector<double> p_, u_, slips_;
  std::vector<ContactBasis> warm_basis_, basis_;  // basis_ by contact
  std::vector<double> warm_p_;
};

}  // namespace pawl::internal
