#pragma once
// Small hand-made scenes of balls.

#include <string>
#include <utility>
#include <vector>

#include <pawl/model/kinematics.h>

namespace pawl::internal::testing {

inline SceneBody ball(const std::string& name, const Vec3& position, JointKind joint = JointKind::free,
                      const std::string& parent = "world") {
  SceneBody body;
  body.name = name;
  body.joint.kind = joint;
  body.joint.parent = parent;
  if (joint != JointKind::weld || parent != "world") body.mass = 1;
  body.position = position;
  SceneShape shape;
  shape.radius = 0.5;
  shape.material = "plain";
  body.shapes = {shape};
  return body;
}

inline SceneBody ground(const std::string& name = "ground") {
  SceneBody body = ball(name, {}, JointKind::weld);
  body.shapes[0].kind = ShapeKind::half_space;
  return body;
}

inline Model model_of(std::vector<SceneBody> bodies, Dimension dimension = Dimension::spatial) {
  Scene scene;
  scene.dimension = dimension;
  scene.materials = {{"plain", 0.5, 0}};
  scene.bodies = std::move(bodies);
  return compile(scene);
}

inline Kinematics start_of(const Model& model) {
  Kinematics kinematics;
  position_kinematics(model, model.q_start, kinematics);
  return kinematics;
}

}  // namespace pawl::internal::testing
