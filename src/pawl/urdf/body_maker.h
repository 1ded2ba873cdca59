#pragma once
// Bodies of the scene from links that are fixed to each other.

#include <pawl/urdf/collision_shapes.h>
#include <pawl/urdf/link_tree.h>

namespace pawl::internal {

class BodyMaker {
 public:
  BodyMaker(RobotContext& context, const LinkTree& tree, CollisionShapes& shapes)
      : context_(context), tree_(tree), shapes_(shapes), groups_(tree.links.size()) {}
  /// Adds all bodies and couplings to the scene.
  void make();

 private:
  /// Links that are fixed to each other, in the frame of the first of them.
  struct Group {
    MassProperties mass;
    MassProperties mass_below;  // of the nearest descendants with mass
    std::vector<SceneShape> shapes;
    std::string body = "world";  // in the scene
    bool moves = true;
  };
  void add_link(int index);
  MassProperties mass_of(const UrdfLink& link);
  void make_root(int index);
  void make_body(int index);
  std::string add_links_of_planar(const UrdfJoint& joint, const Frame& X_WJ, const std::string& parent,
                                  const SceneBody& body);
  void add_couplings();
  Group& group(int link) { return groups_[static_cast<std::size_t>(link)]; }
  const UrdfLink& link(int index) const { return tree_.links[static_cast<std::size_t>(index)]; }
  const UrdfJoint& joint(int index) const { return tree_.joints[static_cast<std::size_t>(index)]; }

  RobotContext& context_;
  const LinkTree& tree_;
  CollisionShapes& shapes_;
  std::vector<Group> groups_;  // by their first link
};

}  // namespace pawl::internal
