#include <pawl/step/step_energy.h>

#include <algorithm>
#include <cmath>

#include <pawl/step/step_tolerances.h>

namespace pawl::internal {
namespace {

constexpr double kSliding = 1e-8;  // slip relative to the speed at the contact: slower contacts stick

}  // namespace

// With M(q) (v* − v) = (h/2) f + Jᵀ p₁ the kinetic energy changes by ½ (v + v*)·((h/2) f + Jᵀ p₁) in stage 1;
// stage 2 likewise with p₂ = p − p₁ at q⁺ between v** and v⁺.
StepWork step_work(const Model& model, const StepStart& start, std::span<const StepContact> contacts,
                   PositionStage& positions, const VelocityStage& velocities, const RowImpulses& p1,
                   const RowImpulses& p) {
  const double h = start.clock.h;
  const bool planar = model.planar();
  // Kinematics at the mean velocities of the two stages.
  thread_local Kinematics first, second;
  thread_local std::vector<double> mean1, mean2;
  mean1.resize(model.nv);
  mean2.resize(model.nv);
  StepWork work;
  for (int i = 0; i < model.nv; ++i) {
    mean1[i] = 0.5 * (start.v[i] + positions.v_start()[i]);
    mean2[i] = 0.5 * (positions.v_end()[i] + velocities.v_end()[i]);
    work.applied +=
        0.5 * h * (mean1[i] * start.dynamics.applied[i] + mean2[i] * velocities.dynamics().applied[i]);
  }
  first.X_WB = start.dynamics.kinematics.X_WB;
  first.dofs = start.dynamics.kinematics.dofs;
  velocity_kinematics(model, mean1, first);
  second.X_WB = velocities.dynamics().kinematics.X_WB;
  second.dofs = velocities.dynamics().kinematics.dofs;
  velocity_kinematics(model, mean2, second);

  // Contacts that rest, roll or slide do no normal work but that of discretisation. Those that strike do.
  bool strikes = false;
  for (std::size_t c = 0; c < contacts.size(); ++c)
    strikes |= (contacts[c].enters && p.contact[c][0] > 0) || contacts[c].moves ||
               (p1.contact[c][0] == 0 && p.contact[c][0] > 0);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Contact at_start = at_one_point(first, contacts[c].contact),
                  at_end = at_one_point(second, positions.end_contacts()[c]);
    const ContactValues u1 = contact_velocity(first, at_start, contacts[c].tangent, planar);
    const ContactValues u2 = contact_velocity(second, at_end, positions.end_tangents()[c], planar);
    const ContactValues& slip = positions.slip()[c];
    const double arm = norm(at_end.point_a - second.X_WB[at_end.body_a].p);
    const double speed = norm(point_velocity(second, at_end.body_a, at_end.point_a)) +
                         norm(point_velocity(second, at_end.body_b, at_end.point_b));
    // Sliding and spinning apart: a body that rolls may spin about the normal.
    const bool slides = contacts[c].enters || std::hypot(slip[1], slip[2]) > kSliding * speed;
    const bool spins = contacts[c].enters || arm * std::abs(slip[3]) > kSliding * speed;
    const double normal = p1.contact[c][0] * u1[0], normal_end = (p.contact[c][0] - p1.contact[c][0]) * u2[0];
    if (contacts[c].overlaps) {
      work.stabilisation += normal + normal_end;
    } else if (strikes) {
      work.normal += normal + normal_end;
      work.struck += std::abs(normal) + std::abs(normal_end);
    }
    double friction = 0;
    for (int r = 1; r < kContactRows; ++r) {
      if (r < 3 ? slides : spins)
        friction += p1.contact[c][r] * u1[r] + (p.contact[c][r] - p1.contact[c][r]) * u2[r];
    }
    work.friction += std::min(0.0, friction);
  }
  // Contacts without restitution return nothing: a gain is an error of the step.
  work.normal = std::min(0.0, work.normal);
  for (std::size_t b = 0; b < start.blocks.size(); ++b) {
    const ConstraintBlock &at_start = start.blocks[b], &at_end = positions.end_blocks()[b];
    if (at_start.law == RowLaw::equality) continue;
    const BlockValues u1 = row_velocities(at_start, first, mean1), u2 = row_velocities(at_end, second, mean2);
    double done = 0;
    for (int r = 0; r < at_start.rows; ++r)
      done += p1.block[b][r] * u1[r] + (p.block[b][r] - p1.block[b][r]) * u2[r];
    if (at_start.law == RowLaw::limited) {
      (at_start.error[0] < -kLimitTouch ? work.stabilisation : work.limits) += done;
    } else if (yields(at_start)) {
      // The energy of a spring is potential energy; what an implicit spring loses is discretisation.
      if (model.forces[at_start.element].kind == ForceKind::damper) {
        work.applied += done;
        continue;
      }
      const auto stored = [](const ConstraintBlock& block) {
        return 0.5 * block.stiffness * block.error[0] * block.error[0];
      };
      if (positions.active()[b])
        work.spring_loss += std::max(0.0, -done - (stored(at_end) - stored(at_start)));
    } else {
      (at_start.friction ? work.friction : work.motors) += done;
    }
  }
  return work;
}

}  // namespace pawl::internal
