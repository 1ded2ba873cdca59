#pragma once
// A scene: what the user describes, in SI units, before it is compiled to a Model. Scenes are built in code
// with Scene::add or read from a file (scene_file.h); docs/scene-format.md describes every field.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pawl/error.h>
#include <pawl/geometry.h>
#include <pawl/impact.h>
#include <pawl/math.h>
#include <pawl/outcome.h>
#include <pawl/parameter.h>
#include <pawl/run_options.h>

namespace pawl {

/// Position of a value in its file; line and column count from 1, 0 means "not from a file".
struct SourceLocation {
  int line = 0;
  int column = 0;
};

/// An invalid scene: file, line, column, field, value, and what would be right.
class SceneError : public Error {
 public:
  SceneError(std::string file, SourceLocation location, std::string field, std::string reason);
  const std::string& file() const { return file_; }
  SourceLocation location() const { return location_; }
  const std::string& field() const { return field_; }
  const std::string& reason() const { return reason_; }

 private:
  std::string file_;
  SourceLocation location_;
  std::string field_;
  std::string reason_;
};

enum class Dimension { spatial, planar };

struct SceneMaterial {
  std::string name;
  double friction = 0;     // μ against itself; geometric mean with other materials
  double restitution = 0;  // e in [0, 1]
};

/// Kinds of friction sets [TrinkleTzitzourisPang2001, section 2].
enum class FrictionSetKind { ellipsoid, polyhedron, mixed, planar, none };

/// Evenly spaced directions at one latitude of the friction ellipsoid, the first towards t.
struct LatitudeRing {
  double latitude = 0;  // rad, from the plane of t and o towards r
  int count = 0;
};

/// The friction set of two materials, per μ p_n.
struct SceneFrictionSet {
  FrictionSetKind kind = FrictionSetKind::ellipsoid;
  std::array<double, 3> radii{1, 1, 0};  // e_t, e_o (no unit) and e_r (m); e_r = 0: no spin friction
  // Corners of a polyhedron, or of the polyhedron that replaces an ellipsoid or mixed set in methods that
  // need one. At most one of the three is given.
  std::vector<std::array<double, 3>> directions;  // t, o (no unit), r (m)
  std::vector<LatitudeRing> rings;
  int count = 0;  // in the plane of t and o
  /// t is this direction projected on the tangent plane; the direction is fixed in the body whose shape has
  /// the material `of`. Zero: the default tangent.
  Vec3 along;
  std::string of;
  SourceLocation location;
};

/// Overrides the combination rule for two materials. The reader fills in missing values by the rule.
struct ScenePair {
  std::string first, second;
  double friction = 0;
  double restitution = 0;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  SceneFrictionSet friction_set;
  SourceLocation location;
};

/// Planar scenes have the sections z = 0 of these, called disc, ellipse, polygon, half-plane, polyline.
/// Cylinders, cones, frustums and height fields are spatial only.
enum class ShapeKind {
  sphere,
  capsule,
  box,
  cylinder,
  cone,
  frustum,
  ellipsoid,
  hull,
  half_space,
  mesh,
  height_field,
};

/// Half-spaces, meshes and height fields: surfaces of static bodies, without mass.
bool is_static_only(ShapeKind kind);

struct SceneShape {
  ShapeKind kind = ShapeKind::sphere;
  double radius = 0;      // m; sphere, capsule, cylinder; cone and frustum: of the base
  double top_radius = 0;  // m; frustum
  double length = 0;      // m; capsule: of the straight part, along the shape's z (planar: x)
  double height = 0;  // m; cylinder, cone, frustum: along the shape's z, half above its origin and half below
  Vec3 size;          // m; box: its sides. Ellipsoid: its semi-axes. Planar: z is 0
  double rounding_radius =
      0;  // m; the shape is grown by it and its edges rounded; not for spheres, capsules, static surfaces
  Vec3 normal{0, 0, 1};      // half-space: out of the solid, unit, in the body's frame
  double offset = 0;         // m; half-space: the surface is at normal · x = offset
  std::vector<Vec3> points;  // m; hull, polyline
  /// Hull: its faces as loops of indices into `points`, counter-clockwise seen from outside; in the plane one
  /// loop, the polygon. convex_hull_faces() of scene_file.h makes them.
  std::vector<std::vector<int>> faces;
  TriangleMesh mesh;                         // m; mesh
  std::vector<double> heights;               // m; height field: row-major, rows along x
  int columns = 0;                           // height field: heights per row
  Vec3 spacing;                              // m; height field: grid spacing in x and y
  Vec3 position;                             // of the shape in the body's frame
  Quat orientation;                          // of the shape in the body's frame
  std::string material;                      // a name in Scene::materials
  std::optional<double> density;             // kg/m³ (planar: kg/m²), >= 0; not for fixed surfaces
  std::uint32_t group = 1;                   // one bit
  std::uint32_t collides_with = 0xffffffff;  // mask of groups; two shapes collide if each accepts the other
  SourceLocation location;
};

/// A function of time: constant + amplitude sin(2π frequency t + phase), or a piecewise linear table that is
/// constant before its first and after its last row.
struct Signal {
  double constant = 0;
  double amplitude = 0;
  double frequency = 0;                        // Hz
  double phase = 0;                            // rad
  std::vector<std::array<double, 2>> table{};  // time (s, ascending) and value; may be empty
};
double value_at(const Signal& signal, double time);
/// The derivative of the signal, per second; at a corner of a table, the slope that ends there.
double rate_at(const Signal& signal, double time);

enum class MotorMode { none, velocity, position, force };

/// Limits, dry friction, spring, damper, rotor and motor of a joint with one coordinate, rad or m.
struct SceneDrive {
  std::optional<double> lower, upper;
  double restitution = 0;  // of limits, in [0, 1]
  double friction = 0;     // N m or N: bound of dry friction
  // Tree joints only. A ball joint has `armature` and `damping`, about each axis.
  double armature = 0;       // kg m² or kg: inertia of the rotor, which moves with the coordinate alone
  double damping = 0;        // N m s/rad or N s/m
  double stiffness = 0;      // N m/rad or N/m: of a spring …
  double rest_position = 0;  // … without force at this coordinate
  MotorMode motor = MotorMode::none;  // what the motor drives to its target by the end of each step
  Signal target;                      // rad/s or m/s, rad or m; N m or N
  std::optional<double> max_force;    // N m or N; unbounded if absent
  /// Tree joints: gains of a servo in place of an ideal motor. With kp or kv the force is
  /// kp (target − position) − kv velocity, or kv (target − velocity), at the end of each step.
  double kp = 0;  // N m/rad or N/m
  double kv = 0;  // N m s/rad or N s/m
};

/// True for a motor that reaches its target as far as its force suffices: neither a servo nor a plain force.
inline bool is_ideal_motor(const SceneDrive& drive) {
  return (drive.motor == MotorMode::velocity || drive.motor == MotorMode::position) && drive.kp == 0 &&
         drive.kv == 0;
}

enum class JointKind { free, planar, revolute, prismatic, cylindrical, universal, ball, weld };

/// Tree joint of a body to its parent. Anchor and axis are in world coordinates of the reference
/// configuration, in which every body has the pose written in the scene.
struct SceneJoint {
  JointKind kind = JointKind::free;
  std::string parent = "world";
  Vec3 anchor;         // m; revolute, cylindrical, universal, ball
  Vec3 axis{0, 0, 1};  // unit; revolute, prismatic, cylindrical; universal: the axis fixed to the parent
  Vec3 second_axis{1, 0, 0};  // unit, not along `axis`; universal: the axis fixed to the body
  double position = 0;        // rad or m: the joint coordinate at the start, 0 in the reference configuration
  double velocity = 0;        // rad/s or m/s
  double second_position = 0;  // rad: universal, about the second axis; cylindrical, the rotation
  double second_velocity = 0;  // rad/s
  Quat orientation;            // ball: initial rotation from the reference configuration
  Vec3 angular_velocity;       // rad/s; ball: relative to the parent
  SceneDrive drive;            // revolute, prismatic; ball: armature and damping
  SourceLocation location;
};

/// Joints posed as bilateral constraints between any two bodies, or a body and the world. They can close
/// loops.
enum class ConstraintJointKind {
  ball,
  revolute,
  prismatic,
  cylindrical,
  universal,
  weld,
  distance,
  point_in_plane,
  coupling,
};

/// Anchors and axes are in world coordinates of the reference configuration, as those of tree joints.
struct SceneConstraintJoint {
  ConstraintJointKind kind = ConstraintJointKind::ball;
  std::string first, second;  // body names; one may be "world", except for a coupling
  Vec3 anchor;                // m; common point of both bodies; distance: on the first body
  Vec3 second_anchor;         // m; distance: on the second body
  Vec3 axis{0, 0, 1};         // unit. Universal: fixed to the first body. Point in plane: the normal
  Vec3 second_axis{1, 0, 0};  // unit, not along `axis`; universal: fixed to the second body
  double length = 0;          // m, > 0; distance
  double ratio = 1;           // coupling: first's coordinate = ratio × second's + offset
  double offset = 0;          // rad or m; coupling
  bool collide = false;       // whether the two bodies may collide
  SceneDrive drive;           // revolute, prismatic; distance: limits make the rod a rope
  SourceLocation location;
};

/// Two bodies, by name.
using SceneBodyPair = std::pair<std::string, std::string>;

/// A moving body gets its mass properties in one of three ways: `mass` and `inertia` are given; only `mass`
/// is, and the shapes, at a uniform density, give the rest; or neither is, and the densities of the shapes
/// give all.
struct SceneBody {
  std::string name;
  SceneJoint joint;
  std::optional<double> mass;   // kg
  Vec3 center_of_mass;          // in the body's frame, m
  std::optional<Mat3> inertia;  // about the centre of mass, in the body's axes, kg m²; planar: diag(J, J, J)
  Vec3 position;                // of the body's frame in the world, m
  Quat orientation;
  double angle = 0;       // rad; planar worlds: rotation about z
  Vec3 velocity;          // of the centre of mass, m/s; free and planar joints
  Vec3 angular_velocity;  // world frame, rad/s
  std::vector<SceneShape> shapes;
  SourceLocation location;
};

enum class ForceKind { wrench, spring, damper };

/// A point of a body, or of the world where body is "world".
struct SceneAttachment {
  std::string body = "world";
  Vec3 point;  // in the body's frame, m
};

struct SceneForce {
  std::string name;
  ForceKind kind = ForceKind::wrench;
  SceneAttachment from;         // wrench: where it acts
  SceneAttachment to;           // spring, damper: the other end
  Vec3 force;                   // N; wrench
  Vec3 torque;                  // N m; wrench
  bool in_body_frame = false;   // wrench: force and torque rotate with the body
  Signal scale{.constant = 1};  // wrench: force and torque are multiplied by it
  double stiffness = 0;         // N/m; spring
  double rest_length = 0;       // m; spring
  double damping = 0;           // N s/m; damper
  SourceLocation location;
};

struct Scene {
  std::string file;                    // name used in messages
  std::string text;                    // text of the file, stored in the trajectory
  std::vector<std::string> overrides;  // "path=value", in order
  std::string name;
  std::string description;
  Dimension dimension = Dimension::spatial;
  Vec3 gravity{0, 0, -9.81};               // m/s²
  std::vector<SceneParameter> parameters;  // in the order of the file
  std::vector<SceneMaterial> materials;
  std::vector<ScenePair> pairs;
  std::vector<SceneBody> bodies;  // in the order of the file
  std::vector<SceneConstraintJoint> joints;
  std::vector<SceneBodyPair> no_collision;  // never collide
  std::vector<SceneBodyPair> collision;     // collide although a joint connects them
  std::vector<SceneForce> forces;
  std::vector<SceneOutcome> outcomes;
  RunOptions run;

  // Building a scene in code. Each returns the element added, for further changes.
  SceneMaterial& add(SceneMaterial material);
  SceneBody& add(SceneBody body);
  SceneConstraintJoint& add(SceneConstraintJoint joint);
  SceneForce& add(SceneForce force);
  /// A static body with these shapes.
  SceneBody& add_static(std::string name, std::vector<SceneShape> shapes);
};

/// Contact parameters of two materials: those of the ScenePair if there is one, else the geometric mean of
/// the frictions and the smaller restitution. Both names must be in scene.materials.
struct ContactValues {
  double friction = 0;
  double restitution = 0;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  SceneFrictionSet friction_set;
};
ContactValues contact_values(const Scene& scene, std::string_view first, std::string_view second);

/// The names used in scene files.
std::string_view to_string(Dimension dimension);
std::string_view to_string(ShapeKind kind, Dimension dimension = Dimension::spatial);
std::string_view to_string(JointKind kind);
std::string_view to_string(ConstraintJointKind kind);
std::string_view to_string(ForceKind kind);
std::string_view to_string(FrictionSetKind kind);

}  // namespace pawl
