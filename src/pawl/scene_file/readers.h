#pragma once
// Functions that each read and check one part of a scene. Internal to scene/.

#include <map>
#include <string>
#include <string_view>

#include <pawl/scene.h>
#include <pawl/scene_file/field.h>

namespace pawl::internal {

inline int coordinates(const Scene& scene) {
  return scene.dimension == Dimension::planar ? 2 : 3;
}

/// Returns make(). An Error from the geometry code is reported as an error of `field`.
template <class F>
auto checked(const Field& field, F make) {
  try {
    return make();
  } catch (const SceneError&) {
    throw;
  } catch (const Error& error) {
    field.fail(error.what());
  }
}

inline constexpr Quantity kMass{"a mass", "kg", Quantity::Range::positive};
inline constexpr Quantity kPosition{"a position", "m"};
inline constexpr Quantity kPoint{"a point", "m"};
inline constexpr Quantity kVelocity{"a velocity", "m/s"};
inline constexpr Quantity kAngle{"an angle", "rad"};
inline constexpr Quantity kAngularVelocity{"an angular velocity", "rad/s"};
inline constexpr Quantity kRestitution{"a coefficient of restitution", "", Quantity::Range::zero_to_one};

/// The reserved name of the fixed world.
inline constexpr std::string_view kWorld = "world";

/// From a body's name to its index, in the file's order.
using BodyIndex = std::map<std::string, std::size_t, std::less<>>;

/// The name of a body, or of the world. Fails with the nearest name if there is no such body.
std::string read_body_name(const Field& field, const BodyIndex& bodies);

/// The orientation of the body or shape in `field`: `orientation` in space, `angle` in the plane.
Quat read_orientation(const Field& field, Dimension dimension);
/// The angle of a planar body or shape about z, rad.
double read_planar_angle(const Field& field);

Mat3 read_inertia(const Field& field, Dimension dimension);
/// True if the inertia is positive definite and no principal moment exceeds the sum of the other two.
bool is_physical_inertia(const Mat3& inertia);
SceneShape read_shape(const Field& field, const Scene& scene);
/// The mesh in the `file` of `field`, times its `scale`.
TriangleMesh read_mesh(const Field& field, const Scene& scene);
/// If the body has a `mass_from`, fills its mass, centre of mass and inertia from that mesh.
void read_mass_from(const Field& field, const Scene& scene, SceneBody& body);
/// The name of a material, which must exist in the scene.
std::string read_material_name(const Field& field, const Scene& scene);

/// The friction set of a pair of materials.
SceneFrictionSet read_friction_set(const Field& field, const Scene& scene, const ScenePair& pair);
/// A constant, or a function of time: {table: …} or {sine: …}. All values are multiplied by `unit`.
Signal read_signal(const Field& field, const Quantity& quantity, double unit = 1);
/// Limits, friction and motor of a joint's one coordinate: an angle if `turns`, else a displacement.
SceneDrive read_drive(const Field& field, bool turns, bool tree);
/// Armature and damping, which a ball joint has too.
void read_passive(const Field& field, SceneDrive& drive);

/// The second axis of a universal joint, which must not be parallel to the first.
Vec3 read_second_axis(const Field& field, const Vec3& first);
/// The joint between a body and its parent.
SceneJoint read_tree_joint(const Field& field, const Scene& scene, const BodyIndex& bodies);

/// Fills scene.bodies; requires scene.materials.
BodyIndex read_bodies(const Field& field, Scene& scene);
/// Fills scene.joints; requires scene.bodies.
void read_constraint_joints(const Field& field, const BodyIndex& bodies, Scene& scene);
/// A list of pairs of body names.
std::vector<SceneBodyPair> read_body_pairs(const Field& field, const BodyIndex& bodies);
void read_forces(const Field& field, const BodyIndex& bodies, Scene& scene);
void read_run(const Field& field, RunOptions& run);

}  // namespace pawl::internal
