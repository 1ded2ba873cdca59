#pragma once
// The parts of a scene, each read and checked from its field. Internal to scene/.

#include <map>
#include <string>
#include <string_view>

#include <pawl/scene.h>
#include <pawl/scene_file/field.h>

namespace pawl::internal {

inline int coordinates(const Scene& scene) {
  return scene.dimension == Dimension::planar ? 2 : 3;
}

/// What `make` returns; what geometry refuses in it is about this field.
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

/// The name every scene has without writing it.
inline constexpr std::string_view kWorld = "world";

/// Body names with their indices in the file's order.
using BodyIndex = std::map<std::string, std::size_t, std::less<>>;

/// The name of a body, or of the world, that stands in `field`; fails with the nearest name if there is none
/// such.
std::string read_body_name(const Field& field, const BodyIndex& bodies);

/// How the body or shape in `field` is turned: `orientation` in space, `angle` in the plane.
Quat read_orientation(const Field& field, Dimension dimension);
/// The turn of a planar body or shape about z, rad.
double read_planar_angle(const Field& field);

Mat3 read_inertia(const Field& field, Dimension dimension);
/// Positive definite, and no principal moment above the sum of the other two.
bool is_physical_inertia(const Mat3& inertia);
SceneShape read_shape(const Field& field, const Scene& scene);
/// The mesh of the `file` that `field` names, times its `scale`.
TriangleMesh read_mesh(const Field& field, const Scene& scene);
/// Fills mass, centre and inertia of the body in `field` from the mesh of its `mass_from`, if it has one.
void read_mass_from(const Field& field, const Scene& scene, SceneBody& body);
/// A material's name, which must be one of the scene's.
std::string read_material_name(const Field& field, const Scene& scene);

/// The friction of a pair of materials.
SceneFrictionSet read_friction_set(const Field& field, const Scene& scene, const ScenePair& pair);
/// A number, or one over time: {table: …} or {sine: …}. All values are multiplied by `unit`.
Signal read_signal(const Field& field, const Quantity& quantity, double unit = 1);
/// Limits, friction and motor of a joint's one coordinate, which turns or slides.
SceneDrive read_drive(const Field& field, bool turns);

/// A second axis of a universal joint, which must not go the way of the first.
Vec3 read_second_axis(const Field& field, const Vec3& first);
/// How a body hangs on its parent.
SceneJoint read_tree_joint(const Field& field, const Scene& scene, const BodyIndex& bodies);

/// Fills scene.bodies; materials must be there.
BodyIndex read_bodies(const Field& field, Scene& scene);
/// Fills scene.joints; bodies must be there.
void read_constraint_joints(const Field& field, const BodyIndex& bodies, Scene& scene);
/// A list of pairs of bodies' names.
std::vector<SceneBodyPair> read_body_pairs(const Field& field, const BodyIndex& bodies);
void read_forces(const Field& field, const BodyIndex& bodies, Scene& scene);
void read_run(const Field& field, RunOptions& run);

}  // namespace pawl::internal
