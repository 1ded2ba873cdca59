#pragma once
// Dynamics of a state without contact, for controllers: M(q) dv/dt + bias(q, v) = 0 without contacts and
// constraint joints.

#include <vector>

#include <pawl/model.h>

namespace pawl {

/// M(q) [nv × nv], row-major.
std::vector<double> mass_matrix(const Model& model, const State& state);

/// [nv] Coriolis, centrifugal and gyroscopic terms, minus gravity, springs, dampers and wrenches at the
/// state's time.
std::vector<double> bias(const Model& model, const State& state);

/// [6 × nv], row-major: times v it is the velocity of a point of the body (three rows, m/s, world) and the
/// angular velocity of the body (three rows, rad/s, world). `point` is in the body's frame as written in the
/// scene, m. Throws Error if there is no such body.
std::vector<double> jacobian(const Model& model, const State& state, int body, const Vec3& point = {});

/// Pose of the body's frame as written in the scene, in the world. Throws Error if there is no such body.
Pose body_pose(const Model& model, const State& state, int body);

}  // namespace pawl
