#pragma once
// The last resort of the two-stage step: one velocity problem with all matrices at q, first order.

#include <span>
#include <vector>

#include <pawl/step/position_stage.h>

namespace pawl::internal {

///   v' = v + M(q)⁻¹ (h f + G(q)ᵀ λ + J(q)ᵀ p),   (q⁺, v⁺) = Φ_h(q, v'),
///   G(q) v' + Θ(q)/h = 0,   0 ≤ J_n(q) v' + φ(q)/h ⊥ p_n ≥ 0,   friction of most work against J_t(q) v'.
/// Errors and overlaps are corrected at a bounded speed. Nothing is iterated, so it has an answer wherever
/// the problem has one, and it loses energy where the two-stage step would gain it.
class RobustStep {
 public:
  RobustStep(const Model& model, const FrictionTable& friction, double softness);

  StageOutcome solve(const StepStart& start, std::span<const StepContact> contacts,
                     std::span<const char> limit_active, const SolveOptions& options, RowImpulses& p);

  std::span<const double> q_end() const { return q_end_; }
  std::span<const double> v_end() const { return v_end_; }

  const Stage& stage() const { return stage_; }

 private:
  const Model& model_;
  Stage stage_;
  FreeDriftScratch drift_;
  FreeMotion motion_;
  std::vector<Contact> contacts_;
  std::vector<Vec3> tangents_;
  std::vector<char> active_;
  std::vector<ContactValues> shift_;
  std::vector<BlockValues> block_shift_;
  std::vector<double> v_, q_end_, v_end_;
};

}  // namespace pawl::internal
