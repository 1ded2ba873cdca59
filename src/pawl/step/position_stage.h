#pragma once
// Stage 1 of the two-stage step: the impulses at q that bring the bodies to an admissible q⁺.

#include <span>
#include <vector>

#include <pawl/collision/narrow_phase.h>
#include <pawl/model/free_drift.h>
#include <pawl/step/stage.h>
#include <pawl/step/step_start.h>

namespace pawl::internal {

/// A contact that takes part in a step, at its start.
struct StepContact {
  Contact contact;        // at q
  Vec3 tangent;           // t at q
  double target = 0;      // m: the least gap at the end of the step
  bool overlaps = false;  // at q, by more than rounding
  bool deep = false;      // it overlaps so much that the impulse that parts it is far above the forces
  bool enters = false;    // it does not touch at q: an inelastic impact within the step
  bool moves = false;     // its gap changes within touch: it closes, or is lifted
};

/// With the free drift Φ_h,
///   v* = v + M(q)⁻¹ ((h/2) f + G(q)ᵀ λ₁ + J(q)ᵀ p₁),   (q⁺, v**) = Φ_h(q, v*),
///   Θ(q⁺)/h = 0,   0 ≤ (φ(q⁺) − target)/h ⊥ p₁n ≥ 0,
///   p₁t of most work in μ p₁n F against the mean slip ½ (J_t(q) v* + J_t(q⁺) v**).
/// Solved by a sequence of contact problems with the matrices at q: the shift of each row is the row's true
/// value at the last q⁺ minus its linear part. It ends when the true rows satisfy the judge.
class PositionStage {
 public:
  PositionStage(const Model& model, const FrictionTable& friction, double softness, int contact_points);

  struct Outcome : StageOutcome {
    bool converged = false;
    int passes = 0;
    double slack = 0;  // m: gaps and slips up to this count as closed and sticking
  };
  /// `limit_active` [blocks] marks the limits that take part, `row_target` [blocks] the errors at the end of
  /// the step. With `slack` above 0 (m), for piles, contacts yield a little while the passes converge, and
  /// gaps and slips up to `slack` satisfy the laws. `p` holds the warm start, then the impulses.
  Outcome solve(const StepStart& start, std::span<const StepContact> contacts,
                std::span<const char> limit_active, std::span<const BlockValues> row_target,
                const SolveOptions& options, double slack, RowImpulses& p);

  // Results.
  std::span<const double> v_start() const { return v_star_; }              // v*
  std::span<const double> q_end() const { return q_end_; }                 // q⁺
  std::span<const double> v_end() const { return v_end_; }                 // v**
  Kinematics& end_kinematics() { return end_; }                            // at q⁺ and v**
  std::span<const Contact> end_contacts() const { return end_contacts_; }  // [contacts] at q⁺
  std::span<const Vec3> end_tangents() const { return end_tangents_; }
  std::span<const ConstraintBlock> end_blocks() const { return end_blocks_; }
  std::span<const ContactValues> slip() const { return slip_; }             // [contacts] mean slip, t, o, r
  std::span<const BlockValues> block_rates() const { return block_rate_; }  // [blocks] mean velocities
  std::span<const char> active() const { return active_; }
  const Stage& stage() const { return stage_; }
  Stage& stage() { return stage_; }
  bool may_jam() { return stage_.may_jam(); }

 private:
  bool evaluate(const StepStart& start, std::span<const StepContact> contacts,
                std::span<const BlockValues> row_target, bool ignore_rounding);

  const Model& model_;
  int contact_points_;
  Stage stage_;
  FreeDriftScratch drift_;
  FreeMotion motion_;                             // M and factor at q, v_free after half a kick
  Kinematics start_, end_;                        // at q with velocities v*, at q⁺ with velocities v**
  std::vector<Contact> contacts_, end_contacts_;  // as found
  std::vector<Contact> acting_;                   // at q, at_one_point()
  std::vector<Vec3> tangents_, end_tangents_;
  std::vector<ConstraintBlock> blocks_, end_blocks_;
  std::vector<char> active_;
  std::vector<double> v_star_, q_end_, v_end_;
  std::vector<ContactValues> shift_, slip_;
  std::vector<BlockValues> block_shift_, block_rate_;
};

/// The contact with both its points half-way between them if its shapes do not touch. Friction at two points
/// a gap apart would be a torque that no body takes up. The normal rows are the same.
Contact at_one_point(const Kinematics& kinematics, const Contact& contact);

/// The velocities of a contact's rows.
ContactValues contact_velocity(const Kinematics& kinematics, const Contact& contact, const Vec3& tangent,
                               bool planar);

/// Rounding error of a gap or of a block's error, m or rad.
double gap_rounding(const Kinematics& kinematics, const Contact& contact);

}  // namespace pawl::internal
