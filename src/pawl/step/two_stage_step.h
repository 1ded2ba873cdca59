#pragma once
// The default step: two stages, second order in everything smooth, with located impacts
// (docs/time-stepping.md).

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <pawl/collision/contact_finder.h>
#include <pawl/report.h>
#include <pawl/step/impact_stage.h>
#include <pawl/step/robust_step.h>
#include <pawl/step/step_energy.h>
#include <pawl/step/velocity_stage.h>
#include <pawl/step/warm_start.h>

namespace pawl::internal {

/// What a step does with a contact that closes before its end.
enum class Closing {
  located,    // the step ends there, with an impact
  lazy,       // contacts without restitution enter the step at once; the others are located
  inelastic,  // all enter at once
};

/// Reason of a step without an answer: even the last resort would multiply the energy.
inline constexpr std::string_view kExplosion = "explosion";

/// What became of one trial step.
struct TwoStageTrial {
  bool accepted = false;  // certified: the step may be taken
  bool answered = false;  // both stages have an answer
  Status status = Status::certified;
  std::string_view reason;
  int body_a = 0, body_b = 0;  // that the reason is about; 0 if none is known
  SolveMethod method = SolveMethod::none;
  Residual residual;
  double h = 0;               // s: length, shorter than asked for if it ends at an impact
  bool cut = false;           // it ends at an impact
  bool impact_first = false;  // a contact was found that touches and closes at the start: resolve_impact()
  int passes = 0, solves = 0, iterations = 0, problem_size = 0;
  int contacts = 0;
  double min_gap = 0, joint_error = 0;
  double end_energy = 0;    // J: kinetic and potential
  double energy_error = 0;  // without a source, relative to the kinetic energy
  double slack = 0;         // m: gaps and slips up to this satisfy the laws
  bool ambiguous = false;   // the motion may not be the only one
  StepWork work;
};

class TwoStageStep {
 public:
  TwoStageStep(const Model& model, const RunOptions& options);

  /// Takes the state of a run; the next trial starts there.
  void begin(double time, std::span<const double> q, std::span<const double> v);
  /// Tries a step of at most h.
  TwoStageTrial try_step(double h, Closing closing);
  /// Takes a step of h by the robust method, at once. Refused if the energy would exceed many times that of
  /// `good_energy`, J, of the last certified state.
  TwoStageTrial take_robust_step(double h, double good_energy);
  /// True if this energy is many times that of the last certified state, J.
  bool explodes(double energy, double good_energy) const;
  /// Makes the last trial the start of the next, and its impulses the warm start.
  void accept(const TwoStageTrial& trial);
  /// Makes velocities that break the rates of joints consistent, by the least change in the
  /// M-norm. Returns the change of kinetic energy, J.
  double make_joint_rates_consistent();
  /// Resolves the impact of all contacts that touch and close at the present state; changes v.
  ImpactOutcome resolve_impact();
  /// Overlaps are held as they are, not parted.
  void hold_overlaps(bool hold) { holds_overlaps_ = hold; }
  bool holds_overlaps() const { return holds_overlaps_; }
  /// True if contacts or limits of the last trial overlap at its start.
  bool overlaps() const;
  /// Names the bodies of the deepest overlap.
  void name_overlap(TwoStageTrial& trial) const;
  /// s: the longest step in which no touching body turns too far.
  double max_step() const;
  /// The largest energy error of a step, relative to its kinetic energy.
  double accuracy() const { return accuracy_; }
  /// Wall times of the stages since the last call.
  StageTimes take_times() { return std::exchange(times_, {}); }

  /// Packs or unpacks the warm start and the contacts that touch.
  void transfer(History& history);

  /// The time of the grid, free of accumulated rounding.
  void set_time(double time) { time_ = time; }
  std::span<const double> q() const { return q_; }
  std::span<const double> v() const { return v_; }
  int touching() const { return static_cast<int>(touching_.size()); }  // contacts
  double kinetic() const { return start_.kinetic; }
  double potential() const { return start_.potential; }
  /// At the start of a run: what overlaps deeply now is parted slowly, and what hardly overlaps stays.
  void meet_overlaps();
  /// Forgets what the last steps left for the next.
  void forget() {
    memory_.clear();
    soft_steps_ = hard_steps_ = 0;
    positions_.stage().forget();
    velocities_.stage().forget();
  }
  const ImpactStage& impacts() const { return impacts_; }
  /// The contacts of the last trial.
  std::span<const StepContact> contacts() const { return contacts_; }
  std::span<const ConstraintBlock> start_blocks() const { return start_.blocks; }
  PositionStage& positions() { return positions_; }
  const VelocityStage& velocities() const { return velocities_; }
  const RowImpulses& first_impulses() const { return p1_; }
  const RowImpulses& total_impulses() const { return p_; }
  const ContactProblem* worst_problem() const;

 private:
  struct FirstClosing {
    bool any = false;
    double gap = 0, rate = 0, tolerance = 0;
  };
  void evaluate_start();
  void select_contacts(double h, Closing closing);
  bool solve_positions_and_closings(double h, Closing closing, TwoStageTrial& trial);
  bool solve_positions(double h, TwoStageTrial& trial);
  void keep_impulses(double h);
  FirstClosing find_closing(double accuracy);
  bool is_in_step(const ContactId& id) const;
  bool add_missed_contacts(Closing closing, TwoStageTrial& trial);
  bool locate_impact(double h, FirstClosing closing, TwoStageTrial& trial);
  void solve_velocities(TwoStageTrial& trial);
  bool release_contacts();
  void verify(TwoStageTrial& trial);
  void name_bodies(const Stage& stage, TwoStageTrial& trial) const;
  void name_bodies(const ConstraintBlock& block, TwoStageTrial& trial) const;
  StepContact& add_contact(const Contact& contact);
  void add_near_contacts(double h);
  Status solve_rates();
  const ConstraintBlock* impossible_motor();
  void set_targets(double h);
  void advance(double h);
  double touch(const Contact& contact) const;
  double size_of(const Contact& contact) const;
  bool limit_closes(std::size_t block) const;
  double leaving_speed(const Contact& contact) const;
  bool overlaps_deeply() const;
  bool stays(const Contact& contact) const;

  const Model& model_;
  double nominal_step_;
  double nominal_fall_;  // J: that gravity gives to resting bodies in a nominal step
  double accuracy_;
  FrictionTable friction_;
  SolveOptions solve_options_;
  double softness_;
  int contact_points_;
  RestitutionPolicy restitution_policy_;
  std::optional<double> touch_;
  std::vector<double> body_radius_;
  std::vector<double> shape_touch_;  // [shapes] m
  double max_touch_ = 0, min_touch_ = 0;
  double weight_ = 0;          // N: of all bodies
  double parting_energy_ = 0;  // J: of all bodies at the speed at which overlaps are parted
  double least_energy_ = 0;    // J: lifts all bodies by a millionth of their size
  ContactFinder finder_;
  ImpactStage impacts_;
  PositionStage positions_;
  VelocityStage velocities_;
  RobustStep robust_;
  Stage rate_stage_;  // of make_joint_rates_consistent()
  std::vector<BlockValues> rate_shift_;
  std::vector<double> v_consistent_;
  StageTimes times_;

  // The state at the start of the trial.
  double time_ = 0;
  std::vector<double> q_, v_;
  StepStart start_;
  double rest_speed_ = 0;           // m/s: slower contacts rest
  std::vector<Contact> touching_;   // at q_, sorted by id
  std::vector<ContactId> leaving_;  // touching but separating: they may strike again
  WarmStart memory_;
  WarmStart round_;  // of the trial's last round, from which the next starts; empty in the first
  bool holds_overlaps_ = false;
  int hard_steps_ = 0;         // steps at rest in a row that Newton's method could not solve
  int soft_steps_ = 0;         // steps at rest that have slack, too
  bool parts_gently_ = false;  // since the start of the run, bodies overlap deeply
  double kept_overlap_ = 0;    // m: since the start of the run; 0 if none is kept

  // The trial.
  double slack_ = 0;  // m: in piles that move, gaps and slips up to this satisfy the laws
  std::vector<StepContact> contacts_;
  std::vector<char> limit_active_, included_;
  std::vector<BlockValues> row_target_;  // [blocks] errors of limits and joints at the end of the step
  RowImpulses p1_, p_;
  std::vector<Contact> found_, closing_, watched_, followed_;  // at q⁺
  std::vector<Contact> near_;                                  // at q
  std::vector<ContactId> step_ids_, keep_;  // sorted: of the step's contacts at q and q⁺; to be found
  Kinematics end_;                          // at q⁺ and v⁺
  double end_kinetic_ = 0, end_potential_ = 0;
};

}  // namespace pawl::internal
