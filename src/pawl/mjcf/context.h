#pragma once
// What the readers of MJCF share: settings of the file, and what its names stand for.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <pawl/mjcf/defaults.h>
#include <pawl/robot/robot_context.h>

namespace pawl::internal {

/// The settings of <compiler>.
struct CompilerSettings {
  double angle = 1;  // rad per unit of angles in the file
  std::string euler_sequence = "xyz";
  std::string mesh_folder;
  bool strip_path = false;
  bool auto_limits = true;
  std::optional<bool> inertia_from_geom;  // empty: where there is no <inertial>
  std::array<int, 2> inertia_groups{0, 5};
  bool balance_inertia = false;
  double bound_mass = 0, bound_inertia = 0;
  double total_mass = -1;
};

/// A body of the file: the scene's body that carries it, and its frame there.
struct BodyPlace {
  std::string scene_body;  // "world" for the worldbody itself
  Frame X_SB;              // in the scene body's frame
  Frame X_WB;              // in the world, in the reference configuration
  int weld_group = 0;      // bodies that move as one; 0: static
  int parent_group = 0;    // of the parent of the group
  const XmlElement* xml = nullptr;
};

/// A joint of the file. The scene counts its coordinate from the reference configuration: q = qpos − ref.
struct JointPlace {
  std::string name;
  std::string kind;  // hinge, slide, ball, free
  std::string scene_body;
  double ref = 0;  // rad or m
  std::array<double, 2> range{};
  const XmlElement* xml = nullptr;
  int qpos = 0, qvel = 0;  // first index in MuJoCo's qpos and qvel
};

struct MjcfContext : RobotContext {
  Defaults defaults;
  CompilerSettings compiler;
  std::vector<BodyPlace> bodies;  // in the order of the file; [0] is the worldbody
  std::map<std::string, int> body_index;
  std::vector<JointPlace> joints;  // in the order of qpos
  std::map<std::string, int> joint_index;
  const XmlElement* key = nullptr;                   // the keyframe that is the start
  std::vector<double> key_qpos, key_qvel, key_ctrl;  // of it; may be empty

  explicit MjcfContext(const XmlElement& xml) : RobotContext(xml), defaults(xml) {}
};

/// Reads <compiler>, <option> and the keyframe of this name, or the first one if it is empty.
void read_settings(MjcfContext& context, const std::string& keyframe);
/// Position and orientation of an element, and of the frame written by fromto if there is none.
Frame read_frame(const MjcfContext& context, const Element& element);
/// Reads <worldbody>: bodies with their joints, masses and shapes, and who may touch whom.
void read_bodies(MjcfContext& context);
/// Reads <contact><exclude>.
void read_excludes(MjcfContext& context);
/// Reads <equality>.
void read_constraints(MjcfContext& context);
/// In MuJoCo a body touches its parent if that is static. Where hulls overlap there at the start, they could
/// never part: they do not touch here.
void part_static_parents(MjcfContext& context);
/// Reads <actuator>.
void read_actuators(MjcfContext& context);
/// Remarks about every element and attribute that has no other.
void remark_attributes(MjcfContext& context);

}  // namespace pawl::internal
