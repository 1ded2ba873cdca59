#include <pawl/model/dynamics.h>

#include <algorithm>
#include <cassert>

#include <pawl/base/tolerances.h>

namespace pawl::internal {
namespace {

constexpr double kMinStepLength = 1e-3;  // of a line search
// rad: for smaller angles a series, which does not cancel
constexpr double kSecondOrderSeries = 1e-4, kThirdOrderSeries = 1e-3;

Mat3 world_inertia(const Body& body, const Pose& X_WB) {
  return X_WB.R * body.inertia_B * transpose(X_WB.R);
}

/// Writes to tau[nv of the tree] the generalised forces of `force` and `torque` on the bodies of a tree, from
/// the leaves to the root. Torques are about the centres of mass. Overwrites `force` and `torque`.
void project(const Model& model, const Tree& tree, const Kinematics& k, std::span<Vec3> force,
             std::span<Vec3> torque, std::span<double> tau) {
  for (int b = tree.body_end - 1; b >= tree.body_begin; --b) {
    const Body& body = model.bodies[b];
    const Vec3 p = k.X_WB[b].p;
    for (int i = body.v_begin; i < body.v_begin + body.nv; ++i) {
      const Dof& dof = k.dofs[i];
      tau[i - tree.v_begin] = dot(dof.l, force[b]) + dot(dof.a, torque[b] + cross(p - dof.o, force[b]));
    }
    if (body.parent >= tree.body_begin) {
      force[body.parent] += force[b];
      torque[body.parent] += torque[b] + cross(p - k.X_WB[body.parent].p, force[b]);
    }
  }
}

/// The same for all trees.
void project(const Model& model, const Kinematics& k, std::span<Vec3> force, std::span<Vec3> torque,
             std::span<double> tau) {
  for (const Tree& tree : model.trees) {
    project(model, tree, k, force, torque, tau.subspan(tree.v_begin, tree.nv));
  }
}

/// Motion of a frame at constant generalised velocities: angular velocity, angular acceleration, and the
/// acceleration of the frame-fixed point at p.
struct FrameMotion {
  Vec3 w, alpha, accel;
};

/// A frame that rotates with `spin`, relative to `from`, about a point o and an axis fixed in `from`.
FrameMotion rotating(const FrameMotion& from, const Vec3& spin, const Vec3& o, const Vec3& p) {
  const Vec3 r = p - o;
  const Vec3 w = from.w + spin, alpha = from.alpha + cross(from.w, spin);
  const Vec3 accel_o = from.accel - cross(from.alpha, r) - cross(from.w, cross(from.w, r));
  return {w, alpha, accel_o + cross(alpha, r) + cross(w, cross(w, r))};
}

/// A frame that translates with velocity `slide`, relative to `from`, along a direction fixed in `from`.
FrameMotion translating(const FrameMotion& from, const Vec3& slide) {
  return {from.w, from.alpha, from.accel + 2.0 * cross(from.w, slide)};
}

/// The motion of a body's frame from the motion of its parent's, at constant joint velocities.
FrameMotion across_joint(const Body& body, const Kinematics& k, int b, FrameMotion frame) {
  const Vec3 p = k.X_WB[b].p;
  const Dof* dofs = k.dofs.data() + body.v_begin;
  switch (body.joint) {
    case JointKind::free:  // velocities in world axes: no bias acceleration
    case JointKind::planar:
      return {k.w[b], {}, {}};
    case JointKind::revolute:
    case JointKind::ball:  // its axes are fixed to the parent, so it is a single rotation
      return rotating(frame, k.w[b] - k.w[body.parent], dofs[0].o, p);
    case JointKind::prismatic:
      return translating(frame, k.c[b] - point_velocity(k, body.parent, p));
    case JointKind::cylindrical: {
      const Vec3 spin = k.w[b] - k.w[body.parent];
      const Vec3 rotated = cross(spin, p - dofs[1].o);
      frame = translating(frame, k.c[b] - point_velocity(k, body.parent, p) - rotated);
      return rotating(frame, spin, dofs[1].o, p);
    }
    case JointKind::universal: {
      // w = w_parent + a₁ v₁ + a₂ v₂, where the first rotation carries a₂.
      const Vec3 spin = k.w[b] - k.w[body.parent];
      const Vec3 n = cross(dofs[0].a, dofs[1].a);
      const Vec3 first = dot(cross(spin, dofs[1].a), n) / dot(n, n) * dofs[0].a;
      return rotating(rotating(frame, first, dofs[0].o, p), spin - first, dofs[0].o, p);
    }
    case JointKind::weld:
      return frame;
  }
  return frame;
}

struct SpringEnds {
  Vec3 a, b;       // world
  Vec3 direction;  // unit, from a to b; zero if the ends coincide
  double length;
};

SpringEnds ends_of(const ForceElement& f, const Kinematics& k) {
  const Vec3 a = k.X_WB[f.body_a] * f.point_a, b = k.X_WB[f.body_b] * f.point_b;
  const double length = norm(b - a);
  return {a, b, length > 0 ? (b - a) / length : Vec3{}, length};
}

/// The force of a servo at a coordinate and its rate, N m or N.
double servo_force(const ForceElement& servo, double position, double rate, double time) {
  const double target = value_at(servo.scale, time);
  const double force = servo.velocity_servo ? servo.damping * (target - rate)
                                            : servo.stiffness * (target - position) - servo.damping * rate;
  const double bound = servo.max_force.value_or(std::abs(force));
  return std::clamp(force, -bound, bound);
}

/// Adds the springs, dampers, servos and motors of joint coordinates.
void add_joint_forces(const Model& model, const Kinematics& k, const StepClock& clock,
                      const ForceSplit& out) {
  for (const ForceElement& f : model.forces) {
    if (f.dof < 0) continue;
    (f.kind == ForceKind::spring ? out.conservative : out.applied)[f.dof] +=
        coordinate_force(model, f, k, clock);
  }
}

void apply_force(const Kinematics& k, int body, const Vec3& point, const Vec3& f, BodyForces& sum) {
  sum.force[body] += f;
  sum.torque[body] += cross(point - k.X_WB[body].p, f);
}

}  // namespace

void mass_matrix(const Model& model, const Kinematics& k, DynamicsScratch& scratch, std::span<double> M) {
  for (const Tree& tree : model.trees) {
    mass_block(model, tree, k, scratch, M.subspan(tree.mass_begin, tree.nv * tree.nv));
  }
}

void mass_block(const Model& model, const Tree& tree, const Kinematics& k, DynamicsScratch& scratch,
                std::span<double> block) {
  assert(std::ssize(block) == tree.nv * tree.nv && k.X_WB.size() == model.bodies.size());
  auto& composite = scratch.composite;
  composite.resize(model.bodies.size());
  for (int b = tree.body_begin; b < tree.body_end; ++b) {
    composite[b] = {model.bodies[b].mass, k.X_WB[b].p, world_inertia(model.bodies[b], k.X_WB[b])};
  }
  std::fill(block.begin(), block.end(), 0.0);
  for (int b = tree.body_end - 1; b >= tree.body_begin; --b) {
    const Body& body = model.bodies[b];
    const auto& C = composite[b];
    // The momentum of the composite body at unit velocity of dof i, projected on all dofs up to the root.
    for (int i = body.v_begin; i < body.v_begin + body.nv; ++i) {
      const Vec3 linear = C.mass * point_velocity(k.dofs[i], C.center);
      const Vec3 angular = C.inertia * k.dofs[i].a;
      for (int a = b; a > 0; a = model.bodies[a].parent) {
        const int first = model.bodies[a].v_begin;
        const int last = a == b ? i + 1 : first + model.bodies[a].nv;
        for (int j = first; j < last; ++j) {
          const Dof& dof = k.dofs[j];
          const double m = dot(dof.l, linear) + dot(dof.a, angular + cross(C.center - dof.o, linear));
          block[(i - tree.v_begin) * tree.nv + (j - tree.v_begin)] = m;
          block[(j - tree.v_begin) * tree.nv + (i - tree.v_begin)] = m;
        }
      }
    }
    if (body.parent >= tree.body_begin) composite[body.parent] = composite[body.parent] + C;
    for (int i = body.v_begin - tree.v_begin; i < body.v_begin - tree.v_begin + body.nv; ++i) {
      if (body.armature > 0) block[i * tree.nv + i] += body.armature;
    }
  }
}

double coordinate_force(const Model& model, const ForceElement& f, const Kinematics& k,
                        const StepClock& clock) {
  const double middle = clock.time + 0.5 * clock.h;
  if (f.kind == ForceKind::wrench) return value_at(f.scale, middle);
  if (is_implicit(f, clock.whole_step())) return 0;
  if (f.kind == ForceKind::spring) return -f.stiffness * (k.dofs[f.dof].q - f.rest_length);
  const double rate = joint_rate(model, k, f.body_a, f.dof);
  return f.servo ? servo_force(f, k.dofs[f.dof].q, rate, middle) : -f.damping * rate;
}

void conservative_body_forces(const Model& model, const Kinematics& k, const StepClock& clock,
                              BodyForces& sum) {
  for (std::size_t b = 1; b < model.bodies.size(); ++b) sum.force[b] += model.bodies[b].mass * model.gravity;
  for (const ForceElement& f : model.forces) {
    if (f.dof >= 0 || f.kind != ForceKind::spring || is_implicit(f, clock.whole_step())) continue;
    const SpringEnds ends = ends_of(f, k);
    const Vec3 pull = f.stiffness * (ends.length - f.rest_length) * ends.direction;
    apply_force(k, f.body_a, ends.a, pull, sum);
    apply_force(k, f.body_b, ends.b, -pull, sum);
  }
}

void applied_body_forces(const Model& model, const Kinematics& k, const StepClock& clock, BodyForces& sum) {
  for (const ForceElement& f : model.forces) {
    if (f.dof >= 0) continue;
    if (f.kind == ForceKind::wrench) {
      const double scale = value_at(f.scale, clock.time + 0.5 * clock.h);
      const Mat3 R = scale * (f.in_body_frame ? k.X_WB[f.body_a].R : Mat3::identity());
      apply_force(k, f.body_a, k.X_WB[f.body_a] * f.point_a, R * f.force, sum);
      sum.torque[f.body_a] += R * f.torque;
    } else if (f.kind == ForceKind::damper && !is_implicit(f, clock.whole_step())) {
      const SpringEnds ends = ends_of(f, k);
      const Vec3 rate = point_velocity(k, f.body_b, ends.b) - point_velocity(k, f.body_a, ends.a);
      const Vec3 pull = f.damping * dot(rate, ends.direction) * ends.direction;
      apply_force(k, f.body_a, ends.a, pull, sum);
      apply_force(k, f.body_b, ends.b, -pull, sum);
    }
  }
  for (const AppliedWrench& wrench : model.applied_wrenches) {
    apply_force(k, wrench.body, k.X_WB[wrench.body] * wrench.point_B, wrench.force, sum);
    sum.torque[wrench.body] += wrench.torque;
  }
}

void generalised_forces(const Model& model, const Kinematics& k, const StepClock& clock,
                        DynamicsScratch& scratch, const ForceSplit& out) {
  BodyForces& sum = scratch.forces;
  sum.clear(model);
  conservative_body_forces(model, k, clock, sum);
  project(model, k, sum.force, sum.torque, out.conservative);
  sum.clear(model);
  applied_body_forces(model, k, clock, sum);
  project(model, k, sum.force, sum.torque, out.applied);
  add_joint_forces(model, k, clock, out);
}

void inertial_forces(const Model& model, const Tree& tree, const Kinematics& k, std::span<const double> a,
                     DynamicsScratch& scratch, std::span<double> tau) {
  const std::size_t n = model.bodies.size();
  auto &alpha = scratch.alpha, &accel = scratch.accel, &force = scratch.forces.force,
       &torque = scratch.forces.torque;
  for (auto* each : {&alpha, &accel, &force, &torque}) each->resize(n);
  for (int b = tree.body_begin; b < tree.body_end; ++b) {
    const Body& body = model.bodies[b];
    const int p = body.parent;
    FrameMotion frame;
    if (p >= tree.body_begin) {
      const Vec3 r = k.X_WB[b].p - k.X_WB[p].p;
      frame = {k.w[p], alpha[p], accel[p] + cross(alpha[p], r) + cross(k.w[p], cross(k.w[p], r))};
    }
    frame = across_joint(body, k, b, frame);
    for (int i = body.v_begin; i < body.v_begin + body.nv && !a.empty(); ++i) {
      frame.alpha += a[i - tree.v_begin] * k.dofs[i].a;
      frame.accel += a[i - tree.v_begin] * point_velocity(k.dofs[i], k.X_WB[b].p);
    }
    alpha[b] = frame.alpha;
    accel[b] = frame.accel;
    const Mat3 inertia = world_inertia(body, k.X_WB[b]);
    force[b] = -(body.mass * accel[b]);
    torque[b] = -(inertia * alpha[b] + cross(k.w[b], inertia * k.w[b]));
  }
  project(model, tree, k, force, torque, tau);
  for (int b = tree.body_begin; b < tree.body_end && !a.empty(); ++b) {
    const Body& body = model.bodies[b];
    if (!(body.armature > 0)) continue;
    for (int i = body.v_begin - tree.v_begin; i < body.v_begin - tree.v_begin + body.nv; ++i) {
      tau[i] -= body.armature * a[i];
    }
  }
}

double potential_energy(const Model& model, const Kinematics& k) {
  assert(k.X_WB.size() == model.bodies.size());
  double energy = 0;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    if (model.bodies[b].tree >= 0) energy -= model.bodies[b].mass * dot(model.gravity, k.X_WB[b].p);
  }
  for (const ForceElement& f : model.forces) {
    if (f.kind != ForceKind::spring) continue;
    const double stretch = (f.dof >= 0 ? k.dofs[f.dof].q : ends_of(f, k).length) - f.rest_length;
    energy += 0.5 * f.stiffness * stretch * stretch;
  }
  return energy;
}

double kinetic_energy(const Model& model, const Kinematics& k) {
  assert(k.w.size() == model.bodies.size() && k.c.size() == model.bodies.size());
  double energy = 0;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (body.tree < 0) continue;
    const Vec3 w = transpose(k.X_WB[b].R) * k.w[b];
    energy += 0.5 * body.mass * dot(k.c[b], k.c[b]) + 0.5 * dot(w, body.inertia_B * w);
    for (int i = body.v_begin; i < body.v_begin + body.nv && body.armature > 0; ++i) {
      const double rate = joint_rate(model, k, static_cast<int>(b), i);
      energy += 0.5 * body.armature * rate * rate;
    }
  }
  return energy;
}

Momentum momentum(const Model& model, const Kinematics& k) {
  assert(k.w.size() == model.bodies.size() && k.c.size() == model.bodies.size());
  Momentum sum;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (body.tree < 0) continue;
    const Vec3 linear = body.mass * k.c[b];
    sum.linear += linear;
    sum.angular += cross(k.X_WB[b].p, linear) + world_inertia(body, k.X_WB[b]) * k.w[b];
  }
  return sum;
}

SpinStep integrate_spin(const Mat3& R_WB, const Mat3& inertia_B, const Vec3& w, const Vec3& torque,
                        double h) {
  const double J = inertia_B(0, 0);
  if (inertia_B == J * Mat3::identity()) {  // isotropic: I(R) does not depend on R
    const Vec3 push = (h / J) * torque;
    return {true, w + push, w + push};
  }
  // In body axes, with Ω = Rᵀ mean (invariant under exp(h mean)) and l = Rᵀ (L + h τ):
  //   I Ω = exp(−h Ω/2) l.
  const Mat3 Rt = transpose(R_WB);
  Vec3 spin = Rt * w;
  const Vec3 start = inertia_B * spin, push = h * (Rt * torque);
  const Vec3 l = start + push;
  const double half = 0.5 * h;
  const auto rotated = [&](const Vec3& s) { return to_matrix(quat_exp(-half * s)) * l; };
  Vec3 error = inertia_B * spin - rotated(spin);
  for (int iteration = 0; iteration < 50 && norm(error) > 0; ++iteration) {
    // d(exp(−hΩ/2) l) = h/2 [exp(−hΩ/2) l]× Jl(−hΩ/2) dΩ, where Jl is the left Jacobian of SO(3).
    const Vec3 phi = -half * spin;
    const Mat3 left = left_jacobian(phi);
    const Vec3 change = solve(inertia_B - half * (skew(rotated(spin)) * left), error);
    // Newton with backtracking; if no step length reduces the error, only rounding is left.
    double step_length = 1;
    Vec3 trial = spin - change;
    Vec3 trial_error = inertia_B * trial - rotated(trial);
    while (!(norm(trial_error) < norm(error)) && step_length > kMinStepLength) {
      step_length *= 0.5;
      trial = spin - step_length * change;
      trial_error = inertia_B * trial - rotated(trial);
    }
    if (!(norm(trial_error) < norm(error))) break;
    spin = trial;
    error = trial_error;
  }
  const Mat3 R_next = R_WB * to_matrix(quat_exp(h * spin));
  const Vec3 L_next = R_WB * l;
  const auto spin_of = [&](const Vec3& L) { return R_next * solve(inertia_B, transpose(R_next) * L); };
  const Vec3 end = spin_of(L_next);
  // The rounding error of `end` always has the same sign, so it would accumulate: correct it.
  const Vec3 missing = L_next - R_next * (inertia_B * (transpose(R_next) * end));
  return {norm(error) <= tolerances::kIterated * norm(l), R_WB * spin, end + spin_of(missing)};
}

Mat3 left_jacobian(const Vec3& phi) {
  const double angle = norm(phi);
  const double a =
      angle < kSecondOrderSeries ? 0.5 - angle * angle / 24 : (1 - std::cos(angle)) / (angle * angle);
  const double b = angle < kThirdOrderSeries ? 1.0 / 6 - angle * angle / 120
                                             : (angle - std::sin(angle)) / (angle * angle * angle);
  const Mat3 X = skew(phi);
  return Mat3::identity() + a * X + b * (X * X);
}

}  // namespace pawl::internal
