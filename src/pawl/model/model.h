#pragma once
// The scene compiled once: constant, flat, shared by any number of states and threads.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pawl/base/vec.h>
#include <pawl/collision/mesh/surface.h>
#include <pawl/collision/shapes/convex.h>
#include <pawl/scene/scene.h>

namespace pawl {

/// One body and the mobiliser by which it hangs on its parent. The model's body frame has its origin in the
/// centre of mass and the axes of the scene's body frame. Body 0 is the world.
struct Body {
  int parent = 0;
  JointKind joint = JointKind::weld;
  int tree = -1;    // -1: does not move
  int q_begin = 0;  // first of its coordinates in q
  int v_begin = 0;  // first of its rates in v
  int nv = 0;
  Pose X_PB_reference;  // in the parent's frame, at joint coordinate 0; free and planar joints do not use it
  Vec3 axis_P;          // unit, in the parent's frame; as in SceneJoint
  Vec3 second_axis_P;   // unit, in the parent's frame at joint coordinate 0; universal
  Vec3 anchor_P;        // in the parent's frame, m
  double mass = 0;      // kg, with all that welds hold to it; 0 of a body welded to one that moves
  Mat3 inertia_B;       // about the centre of mass, in body axes, kg m²
  Vec3 frame_origin_B;  // where the scene's body frame has its origin, m
};

/// A maximal set of bodies joined to each other by mobilisers, the world apart. Its bodies and its rates are
/// contiguous, and M is block diagonal by trees.
struct Tree {
  int body_begin = 0, body_end = 0;
  int v_begin = 0, nv = 0;
  int mass_begin = 0;  // first entry of its nv × nv block among all blocks, row by row
};

/// A shape of a body: a convex solid, a half-space, or a fixed surface.
struct Shape {
  ShapeKind kind = ShapeKind::sphere;
  int body = 0;
  int material = 0;
  Pose X_BS;                // of the shape's frame in the body's; half-space: p is a point of its surface
  Convex solid;             // all but half-spaces and surfaces
  Vec3 normal_B;            // half-space: out of the solid, unit
  int surface = -1;         // mesh, height field: in Model::surfaces
  std::uint32_t group = 1;  // a bit
  std::uint32_t collides_with = 0xffffffff;  // bits of the groups
};

/// The sine of the angle between directions that are as good as parallel.
inline constexpr double kParallel = 1e-9;

/// What holds where a shape of one material touches one of another, in this order.
struct ContactLaw {
  double friction = 0;  // μ
  double restitution = 0;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  SceneFrictionSet friction_set;
  bool along_first =
      false;  // the body that friction_set.along is fixed in: that of the first or of the second
};

/// A joint that is rows of the problem, with its bodies resolved and its geometry in their frames.
struct ConstraintJoint {
  ConstraintJointKind kind = ConstraintJointKind::ball;
  int body_a = 0, body_b = 0;
  Vec3 anchor_A, anchor_B;  // m; one point in the reference configuration but for the ends of a rod
  Vec3 axis_A, axis_B;      // unit; one direction in the reference configuration but for a universal joint
  std::array<Vec3, 2> perpendicular_B;  // unit, at right angles to axis_B and to each other
  Mat3 R_AB;                            // the turn from B's axes to A's in the reference configuration
  double cosine = 0;                    // universal: of the angle between its axes
  double length = 0;                    // m; distance
  bool rope = false;                    // distance: it has limits, and no length of its own
  int q_a = -1, q_b = -1;               // coupling: its coordinates in q …
  int dof_a = -1, dof_b = -1;           // … and in v
  double ratio = 0, offset = 0;
};

/// What acts along the one coordinate of a joint: of the tree joint of a body, or of a row joint.
struct JointDrive {
  int body = -1;   // in Model::bodies, or
  int joint = -1;  // in Model::joints
  SceneDrive law{};
};

/// A force element with its bodies resolved and its points in the model's body frames.
struct ForceElement {
  ForceKind kind = ForceKind::wrench;
  int body_a = 0, body_b = 0;
  Vec3 point_a, point_b;  // in the bodies' frames, m
  Vec3 force, torque;     // wrench: N, N m
  bool in_body_frame = false;
  Signal scale{.constant = 1};  // of a wrench, over time
  double stiffness = 0, rest_length = 0, damping = 0;
  /// No less than what all springs, or dampers, at its two bodies do to these: 1/s² and 1/s.
  double spring_omega_squared = 0, damping_rate = 0;
};

/// A spring or damper that steps of h would not resolve. It is then taken implicitly, as a row of the
/// problem; else as a force at the start of the step, by which an oscillation keeps its energy.
inline bool is_implicit(const ForceElement& force, double h) {
  return h * h * force.spring_omega_squared > 0.25 || h * force.damping_rate > 0.25;
}

struct Model {
  std::string file;  // the scene's, for messages
  Dimension dimension = Dimension::spatial;
  Vec3 gravity;
  int nq = 0, nv = 0;
  int mass_size = 0;         // entries of all mass blocks together
  std::vector<Body> bodies;  // [0] is the world; parents before children
  std::vector<Tree> trees;
  std::vector<Shape> shapes;  // by body
  std::vector<std::shared_ptr<const Surface>> surfaces;
  std::vector<ConstraintJoint> joints;
  std::vector<JointDrive> drives;
  std::vector<std::pair<int, int>>
      never_collide;  // bodies that never touch, the smaller number first; sorted
  std::vector<std::pair<int, int>> always_collide;  // bodies that may although a joint holds them; likewise
  std::vector<ForceElement> forces;
  std::vector<ContactLaw> laws;  // [materials × materials]
  int materials = 0;
  std::vector<std::string> body_names;
  std::vector<double> q_start, v_start;  // the scene's initial state

  bool planar() const { return dimension == Dimension::planar; }
  const ContactLaw& law(const Shape& a, const Shape& b) const {
    return laws[a.material * materials + b.material];
  }
};

/// Throws SceneError where the scene reads well but makes no mechanism.
Model compile(const Scene& scene);

/// Names of the entries of q and of v: ball1.x … ball1.qz, rod.theta, arm.q; ball1.vx … ball1.wz, rod.omega,
/// arm.v; of joints that move in two ways arm.q1, arm.q2, and piston.slide, piston.turn.
std::vector<std::string> q_columns(const Model& model);
std::vector<std::string> v_columns(const Model& model);

/// What changes: time, coordinates, rates.
struct State {
  double time = 0;
  std::vector<double> q, v;
};
State initial_state(const Model& model);

}  // namespace pawl
