#pragma once
// The forces of a step, from its impulses and from what it did to the momenta of the bodies.

#include <array>
#include <span>
#include <vector>

#include <pawl/joint_forces.h>
#include <pawl/model/constraint_rows.h>
#include <pawl/report.h>

namespace pawl::internal {

/// The impulse of a block of a step: a scalar on joint coordinates, or a wrench on its two bodies.
struct RowImpulse {
  ConstraintBlock block;  // at the end of the step
  double along = 0;       // of its first row: N s or N m s
  Vec3 force, torque;     // on body a at point_a, the opposite on body b: N s, N m s
};

/// What a step leaves for this file.
struct StepForces {
  bool known = false;  // false before the first step, and after a refused or robust one
  double time = 0, h = 0;
  std::vector<double> q, v;  // at the start
  std::vector<RowImpulse> rows;

  void begin(const State& start) {
    known = false;
    time = start.time;
    q = start.q;
    v = start.v;
    rows.clear();
  }
  /// Adds the impulses p1 and p2 of a block as it is at the start and at the end of the step.
  void add(const ConstraintBlock& start, const std::array<double, 3>& p1, const ConstraintBlock& end,
           const std::array<double, 3>& p2);
};

/// Joints of bodies in the order of bodies, then constraint joints. Free bodies and welds have none. All
/// values are NaN if the forces are not known.
std::vector<JointForces> joint_forces(const Model& model, const StepForces& step, const State& end,
                                      std::span<const ContactRecord> contacts);

/// The sum of the contact forces on a body, or of those by one other body if other ≥ 0, about the origin of
/// the body's frame.
Wrench contact_wrench(const Model& model, const StepForces& step, const State& end,
                      std::span<const ContactRecord> contacts, int body, int other);

}  // namespace pawl::internal
