#pragma once
// A scene compiled once: constant flat arrays, shared by any number of states and threads.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pawl/geometry.h>
#include <pawl/math.h>
#include <pawl/scene.h>

namespace pawl {

namespace internal {
struct Surface;
}

/// One body and its tree joint to the parent. The origin of the model's body frame is the centre of mass; its
/// axes are those of the scene's body frame. Body 0 is the world.
struct Body {
  int parent = 0;
  JointKind joint = JointKind::weld;
  int tree = -1;    // -1: static
  int q_begin = 0;  // first coordinate in q
  int v_begin = 0;  // first generalised velocity in v
  int nv = 0;
  Pose X_PB_reference;  // pose in the parent at joint coordinate 0; unused by free and planar joints
  Vec3 axis_P;          // unit, in the parent's frame; as in SceneJoint
  Vec3 second_axis_P;   // unit, in the parent's frame at joint coordinate 0; universal
  Vec3 anchor_P;        // in the parent's frame, m
  double mass = 0;      // kg, with all bodies welded to it; 0 for a body welded to a moving one
  Mat3 inertia_B;       // about the centre of mass, in body axes, kg m²
  Vec3 frame_origin_B;  // origin of the scene's body frame, m
  double armature = 0;  // kg m² or kg, of each coordinate of the joint
};

/// A maximal set of bodies connected by tree joints, without the world. Its bodies and generalised velocities
/// are contiguous, and M is block diagonal by trees.
struct Tree {
  int body_begin = 0, body_end = 0;
  int v_begin = 0, nv = 0;
  int mass_begin = 0;  // first entry of its nv × nv block, row-major
};

/// A shape of a body: a convex solid, a half-space or a static surface.
struct Shape {
  ShapeKind kind = ShapeKind::sphere;
  int body = 0;
  int material = 0;
  Pose X_BS;                // shape frame in the body frame; half-space: p is a point of its surface
  Convex solid;             // unless a half-space or surface
  Vec3 normal_B;            // half-space: out of the solid, unit
  int surface = -1;         // mesh, height field: index into Model::surfaces
  std::uint32_t group = 1;  // a bit
  std::uint32_t collides_with = 0xffffffff;  // bits of the groups
};

/// Directions with a smaller sine of their angle count as parallel.
inline constexpr double kParallel = 1e-9;

/// Contact parameters of an ordered pair of materials.
struct ContactLaw {
  double friction = 0;  // μ
  double restitution = 0;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  SceneFrictionSet friction_set;
  bool along_first =
      false;  // friction_set.along is fixed in the body of the first material, else of the second
};

/// A constraint joint with its bodies resolved and its geometry in their frames.
struct ConstraintJoint {
  ConstraintJointKind kind = ConstraintJointKind::ball;
  int body_a = 0, body_b = 0;
  Vec3 anchor_A, anchor_B;  // m; the same point in the reference configuration, except for a distance joint
  Vec3 axis_A,
      axis_B;  // unit; the same direction in the reference configuration, except for a universal joint
  std::array<Vec3, 2> perpendicular_B;  // unit, perpendicular to axis_B and to each other
  Mat3 R_AB;                            // relative orientation in the reference configuration
  double cosine = 0;                    // universal: of the angle between its axes
  double length = 0;                    // m; distance
  bool rope = false;                    // distance: limits in place of a length
  int q_a = -1, q_b = -1;               // coupling: indices in q …
  int dof_a = -1, dof_b = -1;           // … and in v
  double ratio = 0, offset = 0;
};

/// Limits, friction and motor of the tree joint of a body, or of a constraint joint.
struct JointDrive {
  int body = -1;   // index into Model::bodies, or
  int joint = -1;  // index into Model::joints
  SceneDrive law{};
};

/// A force element with its bodies resolved and its points in the model's body frames, or on a coordinate of
/// a tree joint. There, a wrench is the force of a motor, and a damper with a stiffness is a servo.
struct ForceElement {
  ForceKind kind = ForceKind::wrench;
  int body_a = 0, body_b = 0;
  Vec3 point_a, point_b;  // in the bodies' frames, m
  Vec3 force, torque;     // wrench: N, N m
  bool in_body_frame = false;
  Signal scale{.constant = 1};  // wrench: factor over time; on a coordinate: the force, or a servo's target
  double stiffness = 0, rest_length = 0, damping = 0;
  int dof = -1, q = -1;             // on a coordinate: its indices in v and q
  bool servo = false;               // kp is `stiffness`, kv is `damping`
  bool velocity_servo = false;      // its target is a velocity
  std::optional<double> max_force;  // N m or N; servo
  /// Upper bounds of k/m (1/s²) and d/m (1/s) over all springs or dampers at its two bodies.
  double spring_omega_squared = 0, damping_rate = 0;
  std::string name = {};  // of a wrench of the scene
};

/// A wrench from outside, in world axes, on a point that is fixed to the body.
struct AppliedWrench {
  int body = 0;
  Vec3 force, torque;  // N, N m
  Vec3 point_B;        // in the model's body frame, m
};

/// True for a spring or damper that steps of h do not resolve. It is then an implicit row of the problem;
/// otherwise a force at the start of the step, which conserves the energy of an oscillation.
inline bool is_implicit(const ForceElement& force, double h) {
  return h * h * force.spring_omega_squared > 0.25 || h * force.damping_rate > 0.25;
}

/// Identity of a contact, the same from step to step and run to run. Sorting by it fixes the order of all
/// sums.
struct ContactId {
  int shape_a = 0, shape_b = 0;
  std::uint64_t feature = 0;  // distinguishes the contacts of one pair of shapes
  auto operator<=>(const ContactId&) const = default;
};

/// A contact of shape a with its partner b, open or closed. The normal points out of b, into a. The rate of
/// the gap is n · (velocity of point_a - velocity of point_b).
struct Contact {
  ContactId id;
  int body_a = 0, body_b = 0;
  double gap = 0;         // m, negative where they overlap
  Vec3 point_a, point_b;  // witness points on the two surfaces, world, m
  Vec3 normal;            // world, unit
};

struct Model {
  std::string file;  // of the scene, for messages
  Dimension dimension = Dimension::spatial;
  Vec3 gravity;
  int nq = 0, nv = 0;
  int mass_size = 0;         // entries of all mass blocks
  std::vector<Body> bodies;  // [0] is the world; parents before children
  std::vector<Tree> trees;
  std::vector<Shape> shapes;  // by body
  std::vector<std::shared_ptr<const internal::Surface>> surfaces;
  std::vector<ConstraintJoint> joints;
  std::vector<JointDrive> drives;
  std::vector<std::pair<int, int>>
      never_collide;  // body pairs that never collide, smaller index first; sorted
  std::vector<std::pair<int, int>> always_collide;  // body pairs that collide in spite of a joint; likewise
  std::vector<ForceElement> forces;
  std::vector<AppliedWrench> applied_wrenches;  // of Simulation::apply_wrench()
  std::vector<ContactLaw> laws;                 // [materials × materials]
  int materials = 0;
  std::vector<std::string> body_names;
  std::vector<double> q_start, v_start;  // the scene's initial state

  bool planar() const { return dimension == Dimension::planar; }
  const ContactLaw& law(const Shape& a, const Shape& b) const {
    return laws[a.material * materials + b.material];
  }
};

/// Throws SceneError for a scene that is not a valid mechanism.
Model compile(const Scene& scene);

/// Names of the entries of q and v: ball1.x … ball1.qz, rod.theta, arm.q; ball1.vx … ball1.wz, rod.omega,
/// arm.v; for joints with two coordinates arm.q1, arm.q2 and piston.slide, piston.turn.
std::vector<std::string> q_columns(const Model& model);
std::vector<std::string> v_columns(const Model& model);

/// Names of the inputs of a simulation (Simulation::control()): ideal motors and wrenches by their names,
/// then servos and forces of joints. A motor has the name of its body; that of a constraint joint is joint0,
/// ….
std::vector<std::string> control_names(const Model& model);

/// Time, generalised coordinates and generalised velocities, and what the last step left for the next.
struct State {
  double time = 0;
  std::vector<double> q, v;
  /// The warm start, the contacts that touch, and the place in the time grid, packed by Simulation. With it,
  /// a copied state forks a run and a stored one continues it, bit for bit, with the same model and options.
  /// Without it a run starts afresh from time, q and v.
  std::vector<std::uint64_t> history = {};
};
State initial_state(const Model& model);

}  // namespace pawl
