#include <pawl/dynamics.h>

#include <fmt/format.h>

#include <pawl/model/dynamics.h>

namespace pawl {
namespace {

using internal::Kinematics;

Kinematics kinematics_of(const Model& model, const State& state) {
  if (static_cast<int>(state.q.size()) != model.nq || static_cast<int>(state.v.size()) != model.nv) {
    throw Error(fmt::format("the state has {} coordinates and {} rates, the model {} and {}", state.q.size(),
                            state.v.size(), model.nq, model.nv));
  }
  Kinematics kinematics;
  internal::position_kinematics(model, state.q, kinematics);
  internal::velocity_kinematics(model, state.v, kinematics);
  return kinematics;
}

void check_body(const Model& model, int body) {
  if (body < 0 || body >= static_cast<int>(model.bodies.size())) {
    throw Error(
        fmt::format("there is no body {}: the model has {}, the world included", body, model.bodies.size()));
  }
}

}  // namespace

std::vector<double> mass_matrix(const Model& model, const State& state) {
  const Kinematics kinematics = kinematics_of(model, state);
  internal::DynamicsScratch scratch;
  std::vector<double> blocks(model.mass_size);
  internal::mass_matrix(model, kinematics, scratch, blocks);
  std::vector<double> M(model.nv * model.nv);
  for (const Tree& tree : model.trees) {
    for (int i = 0; i < tree.nv; ++i) {
      for (int j = 0; j < tree.nv; ++j) {
        M[(tree.v_begin + i) * model.nv + tree.v_begin + j] = blocks[tree.mass_begin + i * tree.nv + j];
      }
    }
  }
  return M;
}

std::vector<double> bias(const Model& model, const State& state) {
  const Kinematics kinematics = kinematics_of(model, state);
  internal::DynamicsScratch scratch;
  std::vector<double> conservative(model.nv), applied(model.nv), inertial(model.nv);
  internal::generalised_forces(model, kinematics, {.time = state.time}, scratch, {conservative, applied});
  for (const Tree& tree : model.trees) {
    internal::inertial_forces(model, tree, kinematics, {}, scratch,
                              std::span(inertial).subspan(tree.v_begin, tree.nv));
  }
  for (int i = 0; i < model.nv; ++i) inertial[i] = -inertial[i] - conservative[i] - applied[i];
  return inertial;
}

std::vector<double> jacobian(const Model& model, const State& state, int body, const Vec3& point) {
  check_body(model, body);
  const Kinematics kinematics = kinematics_of(model, state);
  const Vec3 world = kinematics.X_WB[body] * (point + model.bodies[body].frame_origin_B);
  std::vector<double> J(6 * model.nv);
  for (int b = body; b != 0; b = model.bodies[b].parent) {
    for (int i = model.bodies[b].v_begin; i < model.bodies[b].v_begin + model.bodies[b].nv; ++i) {
      const Vec3 velocity = internal::point_velocity(kinematics.dofs[i], world);
      for (int k = 0; k < 3; ++k) {
        J[k * model.nv + i] = velocity[k];
        J[(3 + k) * model.nv + i] = kinematics.dofs[i].a[k];
      }
    }
  }
  return J;
}

Pose body_pose(const Model& model, const State& state, int body) {
  check_body(model, body);
  const Pose X_WB = kinematics_of(model, state).X_WB[body];
  return {X_WB.R, X_WB * model.bodies[body].frame_origin_B};
}

}  // namespace pawl
