#pragma once
// What a step says of itself. Written to the trajectory as it is (docs/trajectory-format.md).

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string_view>

#include <pawl/base/vec.h>
#include <pawl/problem/residual.h>
#include <pawl/problem/status.h>

namespace pawl {

enum class ContactState : std::uint8_t { separating, sliding, sticking };
std::string_view to_string(ContactState state);

/// One contact of one step, in the order (n, t, o, r); entries a world does not have are 0.
struct ContactRecord {
  std::int32_t body_a = 0;   // the body that n points into
  std::int32_t body_b = 0;   // its partner, out of which n points
  std::int32_t shape_a = 0;  // numbers of the two shapes, by body and in the order of the scene
  std::int32_t shape_b = 0;
  std::uint64_t feature = 0;  // tells apart the contacts of one pair of shapes
  ContactState state = ContactState::separating;
  Vec3 point;                        // world, m: midway between the witness points at the end of the step
  Vec3 normal;                       // world, unit, as in the problem
  Vec3 tangent;                      // world, unit: the direction t; o = n × t
  double gap = 0;                    // m, at the end of the step; NaN where the feature is gone by then
  std::array<double, 4> impulse{};   // on body a: N s, N s, N s, N m s
  std::array<double, 4> velocity{};  // of a relative to b at the end of the step: m/s, m/s, m/s, rad/s
};

/// Energies at the end of a step, and the work done since the start of the run, all in J:
///   kinetic + potential - (the same at the start) =
///     normal + stabilisation + friction + joints + limits + motors + applied + discretisation + imbalance.
struct EnergyLedger {
  double kinetic = 0;
  double potential = 0;  // gravity and springs
  double normal = 0;  // work of normal contact impulses on the velocity they found, ½ p_n u_n before the step
  double stabilisation =
      0;  // their work on the velocity that ζ asks for, ½ p_n u_n⁺: > 0 where overlaps are pushed apart
  double friction = 0;        // work of friction impulses, those of joints included
  double joints = 0;          // work of the impulses of joints that are rows: their errors are mended by it
  double limits = 0;          // work of the impulses of joint limits
  double motors = 0;          // work of motors
  double applied = 0;         // work of applied wrenches and dampers
  double discretisation = 0;  // what the step rule itself adds or removes; goes to 0 with h
  double imbalance = 0;       // what is left unexplained: rounding, if all is well
  // Of the normal work, what impacts did: what they took in while contacts were compressed and what they gave
  // back. The difference is lost.
  double stored = 0;
  double returned = 0;
};

struct StepReport {
  double time = 0;  // s, at the end of the step
  double step = 0;  // h that was used, s
  Status status = Status::certified;
  std::string_view method;        // row of the method table
  std::string_view solver;        // the hardest method that was needed: "none", "warm", "lemke", …
  std::string_view reason;        // why it is not certified, in a word or two; empty where it is
  std::int32_t contacts = 0;      // in the last problem solved
  std::int32_t problem_size = 0;  // rows of the last complementarity problem
  std::int32_t solves = 0;        // complementarity problems solved, all passes of the last attempt together
  std::int32_t iterations = 0;    // pivots, sweeps and Newton steps
  std::int32_t passes = 0;        // linearisations: 1 unless the method iterates to a fixed point
  std::int32_t halvings = 0;      // how often h was halved before this step was accepted
  std::int32_t impacts = 0;       // resolved at the end of the step, or at its start where so timed
  std::int32_t inelastic =
      0;  // 1: there were too many impacts in this step, and contacts did not bounce any more
  double impact_gain = 0;  // J: kinetic energy that impacts made, as Newton's law can; 0 where none did
  Residual residual;
  // The infeasibility I(q) of [AnitescuMillerHart2003, (3.15)] at the end of the step, split in two:
  double gap_violation = 0;      // m: depth of the deepest overlap
  double joint_violation = 0;    // m or rad: the largest error of a joint that is rows
  double fixed_point_error = 0;  // dimensionless: last change of v⁺ in an iterated method
  EnergyLedger energy;

  bool certified() const { return status == Status::certified; }
};
std::ostream& operator<<(std::ostream& out, const StepReport& report);

}  // namespace pawl
