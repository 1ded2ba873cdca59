#include <algorithm>

#include <fmt/format.h>

#include <pawl/dynamics.h>
#include <pawl/mjcf/context.h>
#include <pawl/model/collision_shape.h>

namespace pawl::internal {
namespace {

/// True if two shapes of posed bodies overlap. Half-spaces and surfaces count as apart from each other.
bool overlap(const SceneShape& a, const Pose& X_WA, const SceneShape& b, const Pose& X_WB) {
  const auto pose = [](const SceneShape& shape, const Pose& X_W) {
    return X_W * Pose{to_matrix(shape.orientation), shape.position};
  };
  if (is_static_only(a.kind)) return !is_static_only(b.kind) && overlap(b, X_WB, a, X_WA);
  const Convex solid = make_collision_shape(a, Dimension::spatial);
  if (b.kind == ShapeKind::half_space) {
    const Vec3 normal = X_WB.R * b.normal;
    return separation({solid, pose(a, X_WA)}, {normal, b.offset + dot(normal, X_WB.p)}).gap < 0;
  }
  const Convex other = make_collision_shape(b, Dimension::spatial);
  return separation({solid, pose(a, X_WA)}, {other, pose(b, X_WB)}).gap < 0;
}

bool overlap(const SceneBody& a, const Pose& X_WA, const SceneBody& b, const Pose& X_WB) {
  return std::ranges::any_of(a.shapes, [&](const SceneShape& shape) {
    return std::ranges::any_of(b.shapes, [&](const SceneShape& other) {
      return (shape.collides_with & other.group) != 0 && overlap(shape, X_WA, other, X_WB);
    });
  });
}

}  // namespace

void part_static_parents(MjcfContext& context) {
  if (context.scene.collision.empty()) return;
  const Model model = compile(context.scene);
  const State start = initial_state(model);
  const auto pose_of = [&](const std::string& name) {
    const auto found = std::ranges::find(model.body_names, name);
    return body_pose(model, start, static_cast<int>(found - model.body_names.begin()));
  };
  std::erase_if(context.scene.collision, [&](const SceneBodyPair& pair) {
    const SceneBody &a = context.scene_body(pair.first), &b = context.scene_body(pair.second);
    if (!overlap(a, pose_of(a.name), b, pose_of(b.name))) return false;
    const auto place = std::ranges::find(context.bodies, pair.second, &BodyPlace::scene_body);
    context.remark(RobotVerdict::approximated, *place->xml, "",
                   "it overlaps its static parent: the two do not touch here, and do in MuJoCo");
    return true;
  });
}

}  // namespace pawl::internal
