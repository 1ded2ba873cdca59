#pragma once
// Stage 2 of the two-stage step: the impulses at q⁺ that make the velocities admissible there.

#include <span>
#include <vector>

#include <pawl/step/position_stage.h>

namespace pawl::internal {

/// Of a contact in stage 2: it takes part, or it has left and keeps its impulse of stage 1; 0: it does not
/// touch.
inline constexpr char kIncluded = 1, kReleased = 2;

/// With the totals λ = λ₁ + λ₂ and p = p₁ + p₂,
///   v⁺ = v** + M(q⁺)⁻¹ ((h/2) f + G(q⁺)ᵀ λ₂ + J(q⁺)ᵀ p₂),
///   G(q⁺) v⁺ = 0,   0 ≤ J_n(q⁺) v⁺ ⊥ p_n ≥ 0,
///   p_t of most work in μ p_n F against J_t(q⁺) v⁺ + c.
/// c = σ̄ − J_t(q⁺) v̂⁺, where v̂⁺ is v⁺ with p₂ = p₁, makes the direction of sliding friction that of the
/// mean slip σ̄ of stage 1, and the step symmetric in time. It is left out where the contact hardly slides.
class VelocityStage {
 public:
  VelocityStage(const Model& model, const FrictionTable& friction, double softness);

  /// `included` is kIncluded for the contacts of stage 1 that take part. `p1` are the impulses of stage 1.
  /// `slack` is as in stage 1. `p` holds the warm start of the totals, then the totals.
  StageOutcome solve(const StepStart& start, PositionStage& positions, std::span<const char> included,
                     const RowImpulses& p1, const SolveOptions& options, double slack, RowImpulses& p);

  std::span<const double> v_end() const { return v_end_; }                 // v⁺
  const Dynamics& dynamics() const { return dynamics_; }                   // at q⁺ and v**
  std::span<const ContactValues> velocities() const { return velocity_; }  // [contacts of stage 1] J v⁺
  /// [blocks] the blocks with the impulses of this stage alone in p: springs and dampers.
  const Stage& stage() const { return stage_; }
  Stage& stage() { return stage_; }

 private:
  const Model& model_;
  Stage stage_;
  Dynamics dynamics_;
  std::vector<int> index_;  // of the included contacts in stage 1
  std::vector<Contact> contacts_;
  std::vector<Vec3> tangents_;
  std::vector<ConstraintBlock> blocks_;
  std::vector<char> active_;
  RowImpulses own_, before_;
  std::vector<double> v_kicked_, v_free_, v_mirror_, v_end_;
  bool has_dampers_;
  std::vector<ContactValues> shift_, velocity_;
  std::vector<BlockValues> block_shift_;
  Kinematics mirror_;
};

}  // namespace pawl::internal
