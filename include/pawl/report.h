#pragma once
// The report of a step, as written to the trajectory (docs/trajectory-format.md).

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string_view>

#include <pawl/impact.h>
#include <pawl/math.h>
#include <pawl/residual.h>
#include <pawl/status.h>

namespace pawl {

enum class ContactState : std::uint8_t { separating, sliding, sticking };
std::string_view to_string(ContactState state);

/// One contact of one step. Arrays are in the order (n, t, o, r); entries that a world lacks are 0.
struct ContactRecord {
  std::int32_t body_a = 0;   // the body n points into
  std::int32_t body_b = 0;   // its partner
  std::int32_t shape_a = 0;  // indices into Model::shapes
  std::int32_t shape_b = 0;
  std::uint64_t feature = 0;  // distinguishes the contacts of one pair of shapes
  ContactState state = ContactState::separating;
  Vec3 point;                        // world, m: midpoint of the witness points at the end of the step
  Vec3 normal;                       // world, unit, as in the problem
  Vec3 tangent;                      // world, unit: the direction t; o = n × t
  double gap = 0;                    // m, at the end of the step; NaN if the feature is gone by then
  std::array<double, 4> impulse{};   // on body a: N s, N s, N s, N m s
  std::array<double, 4> velocity{};  // of a relative to b at the end of the step: m/s, m/s, m/s, rad/s
};

/// One event of one contact in an impact: the works of its impulses since the impact began.
struct ImpactRecord {
  double time = 0;          // s
  std::int32_t impact = 0;  // number of the impact in its step, from 0
  std::int32_t body_a = 0;  // as in ContactRecord
  std::int32_t body_b = 0;
  std::int32_t shape_a = 0;
  std::int32_t shape_b = 0;
  std::uint64_t feature = 0;
  ImpactEvent event = ImpactEvent::start;
  double p_n = 0;  // N s
  double E_n = 0;  // J, work of the normal impulse on the bodies
  double E_f = 0;  // J, work of friction on the bodies
};

/// Energies at the end of a step, and the work done since the start of the run, all in J:
///   kinetic + potential - (the same at the start) =
///     normal + stabilisation + friction + joints + limits + motors + applied + discretisation + imbalance.
struct EnergyLedger {
  double kinetic = 0;
  double potential = 0;  // gravity and springs
  double normal = 0;     // work of normal contact impulses on the velocity before the step, ½ p_n u_n
  double stabilisation =
      0;  // their work on the velocity that ζ demands, ½ p_n u_n⁺: > 0 where overlaps are corrected
  double friction = 0;        // work of friction impulses, joint friction included
  double joints = 0;          // work of constraint joints, by which their errors are corrected
  double limits = 0;          // work of joint limits
  double motors = 0;          // work of motors
  double applied = 0;         // work of applied wrenches and dampers
  double discretisation = 0;  // energy error of the integration rule; goes to 0 with h
  double imbalance = 0;       // remainder: rounding
  // Of the normal work, the part of impacts: energy stored during compression and returned during expansion.
  double stored = 0;
  double returned = 0;
};

/// Wall times of the stages of a step, s; all trials together. Not recorded.
struct StageTimes {
  double select = 0;      // contacts that take part
  double positions = 0;   // stage 1, with its passes, and the location of impacts
  double velocities = 0;  // stage 2
  double verify = 0;      // the motion, measured at its end
  double impacts = 0;
};

struct StepReport {
  double time = 0;  // s, at the end of the step
  double step = 0;  // h that was used, s
  Status status = Status::certified;
  std::string_view method;  // row of the method table
  std::string_view solver;  // the last method of the cascade that was needed: "none", "warm", "lemke", …
  std::string_view reason;  // why it is not certified; empty if it is
  std::string_view motion;  // what the motion lacks, by the certificate of `pawl`; empty if nothing
  // The bodies that `reason` or `motion` is about: the same twice if one alone, 0, the world, if none is
  // known.
  std::int32_t body_a = 0;
  std::int32_t body_b = 0;
  std::int32_t contacts = 0;      // in the last problem solved
  std::int32_t problem_size = 0;  // rows of the last complementarity problem
  std::int32_t solves = 0;        // complementarity problems solved in all passes of the last trial step
  std::int32_t iterations = 0;    // pivots, sweeps and Newton steps
  std::int32_t passes = 0;        // linearisations: 1 unless the method iterates to a fixed point
  std::int32_t halvings = 0;      // halvings of h before this step was accepted
  std::int32_t impacts = 0;       // impacts resolved in this step
  std::int32_t inelastic = 0;     // 1: too many impacts; the last ones were inelastic
  std::int32_t ambiguous = 0;     // 1: the motion may not be the only one that obeys the laws
  double impact_gain = 0;         // J: kinetic energy gained in impacts, possible with Newton's law
  Residual residual;
  // The infeasibility I(q) of [AnitescuMillerHart2003, (3.15)] at the end of the step, split in two:
  double gap_violation = 0;      // m: depth of the deepest overlap
  double joint_violation = 0;    // m or rad: largest error of a constraint joint
  double fixed_point_error = 0;  // dimensionless: last change of v⁺ in an iterated method
  double slack = 0;              // m: gaps and slips up to this satisfy the laws; above 0 in piles only
  double local_error = 0;        // dimensionless: energy error of the step relative to its kinetic energy
  EnergyLedger energy;
  StageTimes times;

  bool certified() const { return status == Status::certified; }
};
std::ostream& operator<<(std::ostream& out, const StepReport& report);

}  // namespace pawl
