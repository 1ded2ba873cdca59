#pragma once
// The work of a two-stage step, by source.

#include <pawl/step/velocity_stage.h>

namespace pawl::internal {

/// J. Work of persistent contacts that stick, of normals and of joints vanishes in exact motion: it is part
/// of the discretisation, which is what remains of the energy change.
struct StepWork {
  double normal = 0;         // contacts of a step in which one strikes
  double struck = 0;         // the same, without signs: what the strike may lose
  double friction = 0;       // sliding contacts and joint friction
  double stabilisation = 0;  // normal work where the step began with an overlap
  double limits = 0, motors = 0;
  double applied = 0;      // wrenches and dampers
  double spring_loss = 0;  // ≥ 0: what implicit springs lose by design; not in total()

  double total() const { return normal + friction + stabilisation + limits + motors + applied; }
};

StepWork step_work(const Model& model, const StepStart& start, std::span<const StepContact> contacts,
                   PositionStage& positions, const VelocityStage& velocities, const RowImpulses& p1,
                   const RowImpulses& p);

}  // namespace pawl::internal
