#pragma once
// Bodies of the file as a tree, before they become bodies of the scene.

#include <pawl/mjcf/geom.h>

namespace pawl::internal {

struct JointNode {
  const XmlElement* xml = nullptr;
  Element element;
  Frame X_BF;  // frame elements between the body and the joint
};

struct BodyNode {
  const XmlElement* xml = nullptr;
  Frame X_PB;  // in the parent
  std::vector<Geom> geoms;
  std::vector<JointNode> joints;
  const XmlElement* inertial = nullptr;
  Frame X_BI;  // frame elements between the body and <inertial>
  std::vector<BodyNode> children;
};

/// Reads a joint at its body's pose in the world, which the first keyframe changes if the joint is free. Adds
/// it to context.joints, and the start of a free body to `body`.
SceneJoint read_joint(MjcfContext& context, const JointNode& joint, const std::string& scene_body,
                      Frame& X_WB, SceneBody& body);

/// Pairs of bodies that touch here but not in MuJoCo, and the reverse: in MuJoCo a body does not touch its
/// parent, unless the parent is static.
void add_collision_filters(MjcfContext& context);

}  // namespace pawl::internal
