#pragma once
// What the user wrote, read and checked: names, units and defaults settled, nothing compiled yet.
// docs/scene-format.md describes the file field by field.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pawl/base/error.h>
#include <pawl/base/vec.h>
#include <pawl/collision/mesh/mesh.h>

namespace pawl {

/// Where a value stands in its file; line and column count from 1, 0 means "not from a file".
struct SourceLocation {
  int line = 0;
  int column = 0;
};

/// A scene that cannot be used: file, line, column, field, the value, and what would be right.
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
  double friction = 0;     // Coulomb's μ against itself, and in the geometric mean with others
  double restitution = 0;  // e in [0, 1]
};

/// The sets that friction impulses lie in [Trinkle2001, section 2].
enum class FrictionSetKind { ellipsoid, polyhedron, mixed, planar, none };

/// Directions at one latitude of the friction ellipsoid, evenly spaced from t on.
struct LatitudeRing {
  double latitude = 0;  // rad, from the plane of t and o towards r
  int count = 0;
};

/// What friction does where two materials touch, per μ p_n.
struct SceneFrictionSet {
  FrictionSetKind kind = FrictionSetKind::ellipsoid;
  std::array<double, 3> radii{1, 1, 0};  // e_t, e_o (no unit) and e_r (m); e_r = 0: no friction about n
  // The corners of a polyhedron, and of the one that stands for an ellipsoid or a mixed set where a method
  // has only polyhedra. At most one of the three is given.
  std::vector<std::array<double, 3>> directions;  // t, o (no unit), r (m)
  std::vector<LatitudeRing> rings;
  int count = 0;  // in the plane of t and o
  /// t lies along this direction, as far as the tangent plane lets it: fixed in the body whose shape has the
  /// material `of`. Zero: anyhow.
  Vec3 along;
  std::string of;
  SourceLocation location;
};

/// What e is a ratio of (docs/impacts.md).
enum class RestitutionLaw : std::uint8_t {
  newton,     // of normal velocities
  poisson,    // of normal impulses
  energetic,  // e² is one of works of the normal force [Stronge]; of the three it alone never gains energy
};

/// Overrides what two materials would give by themselves. What the file leaves out is filled in by the
/// general rule.
struct ScenePair {
  std::string first, second;
  double friction = 0;
  double restitution = 0;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  SceneFrictionSet friction_set;
  SourceLocation location;
};

/// Planar scenes have the sections z = 0 of these, by names of their own: disc, ellipse, polygon, half-plane,
/// polyline. Cylinders, cones and height fields have none.
enum class ShapeKind {
  sphere,
  capsule,
  box,
  cylinder,
  cone,
  ellipsoid,
  hull,
  half_space,
  mesh,
  height_field,
};

/// Half-spaces, meshes and height fields: the surface of something that never moves, and weighs nothing.
bool is_static_only(ShapeKind kind);

struct SceneShape {
  ShapeKind kind = ShapeKind::sphere;
  double radius = 0;  // m; sphere, capsule, cylinder, cone (of its base)
  double length = 0;  // m; capsule: of the straight part, along the shape's z (planar: x)
  double height = 0;  // m; cylinder, cone: along the shape's z, half above its origin and half below
  Vec3 size;          // m; box: its sides. Ellipsoid: its semi-axes. Planar: z is 0
  double rounding_radius =
      0;  // m; by which all but spheres, capsules and fixed surfaces are grown, corners rounded
  Vec3 normal{0, 0, 1};           // half-space: out of the solid, unit, in the body's frame
  double offset = 0;              // m; half-space: the surface is at normal · x = offset
  std::vector<Vec3> points;       // m; hull, polyline; those of a file too
  TriangleMesh mesh;              // m; mesh
  std::vector<double> heights;    // m; height field: row by row, a row along x
  int columns = 0;                // height field: heights of a row
  Vec3 spacing;                   // m; height field: from column to column in x, from row to row in y
  Vec3 position;                  // of the shape in the body's frame
  Quat orientation;               // of the shape in the body's frame
  std::string material;           // a name in Scene::materials
  std::optional<double> density;  // kg/m³ (planar: kg/m²), >= 0; not for fixed surfaces
  std::uint32_t group = 1;        // a bit
  std::uint32_t collides_with = 0xffffffff;  // bits of the groups; both must want it
  SourceLocation location;
};

/// A number over time: constant + amplitude sin(2π frequency t + phase), or piecewise linear by a table, and
/// constant before its first and after its last row.
struct Signal {
  double constant = 0;
  double amplitude = 0;
  double frequency = 0;                        // Hz
  double phase = 0;                            // rad
  std::vector<std::array<double, 2>> table{};  // time (s, ascending) and value; empty where there is none
};
double value_at(const Signal& signal, double time);

enum class MotorMode { none, velocity, position };

/// What acts along the one coordinate of a joint, rad or m.
struct SceneDrive {
  std::optional<double> lower, upper;
  double restitution = 0;             // of limits: the share of its velocity that the joint leaves them with
  double friction = 0;                // N m or N: dry friction resists with at most this
  MotorMode motor = MotorMode::none;  // what the motor reaches by the end of a step, if it is strong enough
  Signal target;                      // rad/s or m/s, rad or m
  std::optional<double> max_force;    // N m or N; without it the motor is as strong as need be
};

enum class JointKind { free, planar, revolute, prismatic, cylindrical, universal, ball, weld };

/// How a body hangs on its parent. Anchor and axis are in world coordinates of the reference configuration,
/// the one in which every body stands at the pose written in the scene.
struct SceneJoint {
  JointKind kind = JointKind::free;
  std::string parent = "world";
  Vec3 anchor;         // m; revolute, cylindrical, universal, ball
  Vec3 axis{0, 0, 1};  // unit; revolute, prismatic, cylindrical; universal: the axis fixed to the parent
  Vec3 second_axis{1, 0, 0};  // unit, not along `axis`; universal: the axis fixed to the body
  double position = 0;        // rad or m: the joint coordinate at the start, 0 in the reference configuration
  double velocity = 0;        // rad/s or m/s
  double second_position = 0;  // rad: universal, about the second axis; cylindrical, whose first is its slide
  double second_velocity = 0;  // rad/s
  Quat orientation;            // ball: the turn from the reference configuration at the start
  Vec3 angular_velocity;       // rad/s; ball: relative to the parent
  SceneDrive drive;            // revolute, prismatic
  SourceLocation location;
};

/// Joints that are rows of the problem: they join two bodies, or a body and the world, wherever these hang,
/// and so close loops.
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
  std::string first, second;  // names of bodies; "world" for one of them, but not of a coupling
  Vec3 anchor;                // m; a point of both bodies. Distance: of the first
  Vec3 second_anchor;         // m; distance: of the second body
  Vec3 axis{0, 0, 1};         // unit. Universal: fixed to the first body. Point in plane: the normal
  Vec3 second_axis{1, 0, 0};  // unit, not along `axis`; universal: fixed to the second body
  double length = 0;          // m, > 0; distance
  double ratio = 1;           // coupling: first's coordinate = ratio × second's + offset
  double offset = 0;          // rad or m; coupling
  bool collide = false;       // whether the two bodies may touch
  SceneDrive drive;           // revolute, prismatic; distance: its limits, which make a rope of the rod
  SourceLocation location;
};

/// Two bodies, by name.
using SceneBodyPair = std::pair<std::string, std::string>;

/// The reader leaves three cases for a body that can move: mass and inertia are written, or mass_from fills
/// them and center_of_mass; only mass is written, and the shapes, at one density, give the rest; or neither
/// is, and the shapes' densities give all of it.
struct SceneBody {
  std::string name;
  SceneJoint joint;
  std::optional<double> mass;   // kg
  Vec3 center_of_mass;          // in the body's frame, m
  std::optional<Mat3> inertia;  // about the centre of mass, in the body's axes, kg m²; planar: diag(J, J, J)
  Vec3 position;                // of the body's frame in the world, m
  Quat orientation;
  double angle = 0;       // rad; planar worlds: the orientation is a turn by it about z
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
  bool in_body_frame = false;   // wrench: force and torque turn with the body
  Signal scale{.constant = 1};  // wrench: force and torque are multiplied by it
  double stiffness = 0;         // N/m; spring
  double rest_length = 0;       // m; spring
  double damping = 0;           // N s/m; damper
  SourceLocation location;
};

enum class OnUncertified { flag, stop };

/// Friction sets as the scene has them, or polyhedra in their place.
enum class FrictionForm { exact, polyhedral };

/// When contacts with restitution meet.
enum class ImpactTiming {
  located,   // at the instant their gap closes: the step is cut there
  stepwise,  // at the start of the step in which it would
};
enum class ImpactOrder {
  simultaneous,  // all contacts that touch at that instant act together
  sequential,    // one after the other, the fastest first, until none closes
};

struct ImpactOptions {
  ImpactTiming timing = ImpactTiming::located;
  ImpactOrder order = ImpactOrder::simultaneous;
  int max_per_step = 20;  // in a step: contacts that meet once more are inelastic
  std::optional<double>
      contact_tolerance;  // m: gap up to which a contact touches; else a share of the bodies' size
};

/// The methods a scene may name; step/ tests that its table has exactly these rows.
inline constexpr std::array<std::string_view, 6> kMethodNames{
    "pawl",           "stewart-trinkle", "stewart-trinkle-nonlinear",
    "anitescu-potra", "anitescu-hart",   "tzitzouris-pang"};

/// Three directions are the fewest that push every way; the solver keeps one bit of a word for each, and 62
/// tell the polygon from its circle by 0.13 % already.
inline constexpr int kMinFrictionDirections = 3;
inline constexpr int kMaxFrictionDirections = 62;

/// Three points carry a rest in space, two in the plane; a contact set has room for eight.
inline constexpr int kDefaultContactPoints = 4;
inline constexpr int kMaxContactPoints = 8;

struct RunOptions {
  std::string method = "pawl";           // a row of assemble/method.h
  double step = 1e-3;                    // h, s
  double until = 1;                      // s
  double tolerance = 1e-8;               // of the judged residual, dimensionless
  double gamma = 1;                      // in [0, 1]; anitescu-hart: share of an error mended in a step
  bool adaptive_gamma = false;           // anitescu-hart: of contacts, as much as does not throw bodies apart
  std::optional<double> active_gap;      // m; anitescu-hart: gap below which a contact is in the problem
  std::optional<FrictionForm> friction;  // the method's own where it is left out
  int friction_directions = 8;           // of polyhedra that stand for sets without directions of their own
  int contact_points = kDefaultContactPoints;  // a pair of solids, or a normal of a surface, has at most
  int record_every = 1;                        // one row of the trajectory every so many steps
  bool record_contacts = true;
  OnUncertified on_uncertified = OnUncertified::flag;
  ImpactOptions impacts;
};

struct Scene {
  std::string file;                    // as given by the user, for messages
  std::string text;                    // the file's text, kept with the trajectory
  std::vector<std::string> overrides;  // path=value, in the order given
  std::string name;
  std::string description;
  Dimension dimension = Dimension::spatial;
  Vec3 gravity{0, 0, -9.81};  // m/s²
  std::vector<SceneMaterial> materials;
  std::vector<ScenePair> pairs;
  std::vector<SceneBody> bodies;  // in the file's order
  std::vector<SceneConstraintJoint> joints;
  std::vector<SceneBodyPair> no_collision;  // never touch
  std::vector<SceneBodyPair> collision;     // touch although a joint holds them together
  std::vector<SceneForce> forces;
  RunOptions run;
};

/// Reads and checks a scene file. Each override is "path=value" (bodies.ball1.velocity.0=1.5) and wins over
/// the file. Throws SceneError.
Scene load_scene(const std::string& path, const std::vector<std::string>& overrides = {});

/// The same from text; `file` is the name used in messages.
Scene parse_scene(std::string_view text, const std::string& file,
                  const std::vector<std::string>& overrides = {});

/// What holds where two materials touch: the pair's values where the scene has the pair, else the geometric
/// mean of the frictions and the smaller restitution. Both names must be in scene.materials.
struct ContactValues {
  double friction = 0;
  double restitution = 0;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  SceneFrictionSet friction_set;
};
ContactValues contact_values(const Scene& scene, std::string_view first, std::string_view second);

/// Seconds from "0.005", "5ms", "100us" or "2s"; never negative. Throws Error saying what would be right.
double parse_duration(std::string_view text);

/// The words of the scene file.
std::string_view to_string(Dimension dimension);
std::string_view to_string(ShapeKind kind, Dimension dimension = Dimension::spatial);
std::string_view to_string(JointKind kind);
std::string_view to_string(ConstraintJointKind kind);
std::string_view to_string(ForceKind kind);
std::string_view to_string(OnUncertified action);
std::string_view to_string(FrictionForm form);
std::string_view to_string(FrictionSetKind kind);
std::string_view to_string(RestitutionLaw law);
std::string_view to_string(ImpactTiming timing);
std::string_view to_string(ImpactOrder order);

}  // namespace pawl
