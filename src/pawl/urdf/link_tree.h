#pragma once
// Links and joints of a URDF file as a tree, before they become bodies of a scene.

#include <map>
#include <string>
#include <vector>

#include <pawl/geometry.h>
#include <pawl/robot/element.h>
#include <pawl/robot/robot_context.h>

namespace pawl::internal {

struct UrdfJoint {
  const XmlElement* xml = nullptr;
  std::string name, type;
  int parent = -1, child = -1;  // links
  Frame X_PJ;                   // the joint in its parent link; in the reference configuration the child link
  Vec3 axis{1, 0, 0};           // unit, in the joint's frame
  const XmlElement* mimic = nullptr;
  int leader = -1;  // joint that this one mimics: q = multiplier · leader's + offset
  double multiplier = 1, offset = 0;
  SceneDrive drive;  // limits, damping, friction
  double start = 0;  // the coordinate at the start
};

struct UrdfLink {
  const XmlElement* xml = nullptr;
  std::string name;
  int joint = -1;             // whose child it is; -1: the root
  std::vector<int> joints{};  // whose parent it is, in the order of the file
  Frame X_WL{};               // in the reference configuration
  int group = -1;             // first link of those that are fixed to each other; it carries the body
  Frame X_GL{};               // in the frame of that link
};

struct LinkTree {
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::vector<int> order;  // of the links: parents before children
  std::map<std::string, int> link_index, joint_index;
};

/// Reads links and joints: names, frames, axes, limits, who mimics whom. Throws SceneError unless the links
/// are a tree.
LinkTree read_tree(RobotContext& context);

/// The child of that name; null if there is none. Throws SceneError if there are two.
const XmlElement* only_child(const XmlElement& xml, std::string_view name);
/// The frame that the child <origin> gives.
Frame read_origin(const XmlElement& xml);
/// True for joints with one coordinate.
bool has_coordinate(const UrdfJoint& joint);

}  // namespace pawl::internal
