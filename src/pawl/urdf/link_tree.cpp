#include <pawl/urdf/link_tree.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <pawl/scene_file/nearest.h>

namespace pawl::internal {
namespace {

constexpr std::size_t kMaxLinks = 100'000;

std::string name_of(const XmlElement& xml) {
  const std::string* name = xml.find("name");
  if (name == nullptr || name->empty())
    fail(xml, "name", fmt::format("missing: a {} needs a name", xml.name));
  return *name;
}

/// The index that an attribute names.
int find_named(const std::map<std::string, int>& index, const XmlElement& xml, std::string_view attribute,
               std::string_view what) {
  const std::string* name = xml.find(attribute);
  if (name == nullptr) fail(xml, attribute, fmt::format("missing: the name of a {} is needed", what));
  if (const auto found = index.find(*name); found != index.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, unused] : index) names.push_back(known);
  fail(xml, attribute, fmt::format("no {} is called '{}'{}", what, *name, hint(*name, names, "there are")));
}

const XmlElement& needed_child(const XmlElement& xml, std::string_view name) {
  if (const XmlElement* child = only_child(xml, name)) return *child;
  fail(xml, "", fmt::format("<{}> is missing in it", name));
}

void read_limits(RobotContext& context, const XmlElement& xml, UrdfJoint& joint) {
  const XmlElement* limit = only_child(xml, "limit");
  if (joint.type != "revolute" && joint.type != "prismatic") {
    for (const std::string_view each : {"lower", "upper"}) {
      if (limit == nullptr || limit->find(each) == nullptr) continue;
      context.remark(RobotVerdict::ignored, *limit, each, fmt::format("no limits of a {} joint", joint.type));
    }
    return;
  }
  if (limit == nullptr) {
    fail(xml, "",
         fmt::format("<limit> is missing: a {} joint needs it{}", joint.type,
                     joint.type == "revolute" ? "; one without limits is 'continuous'" : ""));
  }
  const Element element(*limit);
  joint.drive.lower = element.number("lower", 0);
  joint.drive.upper = element.number("upper", 0);
  if (*joint.drive.lower > *joint.drive.upper) {
    element.fail("lower",
                 fmt::format("{} is above the upper limit {}", *joint.drive.lower, *joint.drive.upper));
  }
}

void read_dynamics(RobotContext& context, const XmlElement& xml, UrdfJoint& joint) {
  const XmlElement* dynamics = only_child(xml, "dynamics");
  if (dynamics == nullptr) return;
  const Element element(*dynamics);
  for (const auto& [attribute, member] :
       {std::pair{"damping", &SceneDrive::damping}, {"friction", &SceneDrive::friction}}) {
    const double value = element.number(attribute, 0);
    if (value < 0) element.fail(attribute, fmt::format("{} is negative", value));
    if (has_coordinate(joint)) {
      joint.drive.*member = value;
    } else if (element.has(attribute)) {
      context.remark(RobotVerdict::ignored, *dynamics, attribute,
                     fmt::format("not on a {} joint", joint.type));
    }
  }
}

UrdfJoint read_joint(RobotContext& context, const XmlElement& xml, const LinkTree& tree) {
  UrdfJoint joint;
  joint.xml = &xml;
  joint.name = name_of(xml);
  const Element element(xml);
  if (!element.has("type"))
    element.fail("type", "missing: revolute, continuous, prismatic, fixed, … is needed");
  joint.type =
      element.choice("type", "", {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"});
  joint.parent = find_named(tree.link_index, needed_child(xml, "parent"), "link", "link");
  joint.child = find_named(tree.link_index, needed_child(xml, "child"), "link", "link");
  joint.X_PJ = read_origin(xml);
  if (const XmlElement* axis = only_child(xml, "axis")) {
    const Element axis_element(*axis);
    const Vec3 direction = axis_element.vector("xyz", {1, 0, 0});
    if (has_coordinate(joint) || joint.type == "planar") {
      if (!(norm(direction) > 0)) axis_element.fail("xyz", "a direction of length zero");
      joint.axis = normalized(direction);
    } else {
      context.remark(RobotVerdict::ignored, *axis, "xyz", fmt::format("no axis of a {} joint", joint.type));
    }
  }
  read_limits(context, xml, joint);
  read_dynamics(context, xml, joint);
  return joint;
}

void read_mimic(LinkTree& tree, UrdfJoint& joint) {
  joint.mimic = only_child(*joint.xml, "mimic");
  if (joint.mimic == nullptr) return;
  const Element element(*joint.mimic);
  joint.leader = find_named(tree.joint_index, *joint.mimic, "joint", "joint");
  joint.multiplier = element.number("multiplier", 1);
  joint.offset = element.number("offset", 0);
  const UrdfJoint& leader = tree.joints[static_cast<std::size_t>(joint.leader)];
  if (!has_coordinate(joint)) {
    fail(*joint.xml, "mimic", "it must be revolute, continuous or prismatic to follow another");
  }
  if (!has_coordinate(leader)) {
    element.fail("joint", fmt::format("'{}' is {}: it must be revolute, continuous or prismatic", leader.name,
                                      leader.type));
  }
}

/// Where the joints start: at 0, if the limits allow it, else in the middle. Joints that mimic follow.
void choose_starts(RobotContext& context, LinkTree& tree) {
  std::vector<bool> chosen(tree.joints.size());
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    std::vector<int> chain;  // from j to the first joint whose start is known
    int i = static_cast<int>(j);
    for (; !chosen[static_cast<std::size_t>(i)]; i = tree.joints[static_cast<std::size_t>(i)].leader) {
      UrdfJoint& joint = tree.joints[static_cast<std::size_t>(i)];
      if (joint.leader < 0) {
        chosen[static_cast<std::size_t>(i)] = true;
        const SceneDrive& drive = joint.drive;
        if (!drive.lower || (*drive.lower <= 0 && 0 <= *drive.upper)) break;
        joint.start = 0.5 * *drive.lower + 0.5 * *drive.upper;
        context.remark(RobotVerdict::approximated, *joint.xml, "",
                       "0 is beyond its limits: it starts in the middle of them");
        break;
      }
      chain.push_back(i);
      if (chain.size() > tree.joints.size())
        fail(*joint.mimic, "joint", "it mimics itself, directly or through others");
    }
    for (auto each = chain.rbegin(); each != chain.rend(); ++each) {
      UrdfJoint& joint = tree.joints[static_cast<std::size_t>(*each)];
      joint.start =
          joint.multiplier * tree.joints[static_cast<std::size_t>(joint.leader)].start + joint.offset;
      chosen[static_cast<std::size_t>(*each)] = true;
    }
  }
}

/// Parents before children, depth first.
void find_order(LinkTree& tree) {
  std::vector<int> open;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    if (tree.links[i].joint >= 0) continue;
    if (!open.empty()) {
      fail(*tree.links[i].xml, "",
           fmt::format("it has no parent, nor has '{}': a robot has one root. A joint must connect them",
                       tree.links[static_cast<std::size_t>(open[0])].name));
    }
    open.push_back(static_cast<int>(i));
  }
  std::vector<bool> reached(tree.links.size());
  while (!open.empty()) {
    const int i = open.back();
    open.pop_back();
    tree.order.push_back(i);
    reached[static_cast<std::size_t>(i)] = true;
    const std::vector<int>& joints = tree.links[static_cast<std::size_t>(i)].joints;
    for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) {
      open.push_back(tree.joints[static_cast<std::size_t>(*joint)].child);
    }
  }
  const auto missed = std::ranges::find(reached, false);
  if (missed == reached.end()) return;
  // Each link that is not reached has a parent that is not: going up runs into a loop.
  int i = static_cast<int>(missed - reached.begin());
  const auto parent_of = [&](int link) {
    return tree.joints[static_cast<std::size_t>(tree.links[static_cast<std::size_t>(link)].joint)].parent;
  };
  for (std::size_t n = 0; n < tree.links.size(); ++n) i = parent_of(i);
  std::vector<std::string_view> names;
  int each = i;
  do {
    names.push_back(tree.links[static_cast<std::size_t>(each)].name);
    each = parent_of(each);
  } while (each != i && names.size() < 5);
  fail(*tree.joints[static_cast<std::size_t>(tree.links[static_cast<std::size_t>(i)].joint)].xml, "",
       fmt::format("a loop of links: {}{}. They must be a tree", fmt::join(names, ", "),
                   each == i ? "" : ", …"));
}

}  // namespace

const XmlElement* only_child(const XmlElement& xml, std::string_view name) {
  const XmlElement* found = nullptr;
  for (const XmlElement& child : xml.children) {
    if (child.name != name) continue;
    if (found != nullptr) fail(child, "", fmt::format("<{}> has two of these: it must be one", xml.name));
    found = &child;
  }
  return found;
}

Frame read_origin(const XmlElement& xml) {
  const XmlElement* origin = only_child(xml, "origin");
  if (origin == nullptr) return {};
  const Element element(*origin);
  const Vec3 rpy = element.vector("rpy");  // about fixed axes: x, then y, then z
  return {normalized(quat_exp({0, 0, rpy.z}) * quat_exp({0, rpy.y, 0}) * quat_exp({rpy.x, 0, 0})),
          element.vector("xyz")};
}

bool has_coordinate(const UrdfJoint& joint) {
  return joint.type == "revolute" || joint.type == "continuous" || joint.type == "prismatic";
}

LinkTree read_tree(RobotContext& context) {
  LinkTree tree;
  for (const XmlElement& xml : context.root.children) {
    if (xml.name.starts_with("xacro:")) fail(xml, "", "a macro: run xacro on the file first");
    if (xml.name != "link") continue;
    if (tree.links.size() == kMaxLinks) fail(xml, "", fmt::format("more than {} links", kMaxLinks));
    tree.links.push_back({&xml, name_of(xml)});
    if (!tree.link_index.emplace(tree.links.back().name, static_cast<int>(tree.links.size()) - 1).second) {
      fail(xml, "name", fmt::format("another link is called '{}' too", tree.links.back().name));
    }
  }
  if (tree.links.empty()) fail(context.root, "", "there is no <link> in it");
  for (const XmlElement& xml : context.root.children) {
    if (xml.name != "joint") continue;
    const int index = static_cast<int>(tree.joints.size());
    UrdfJoint joint = read_joint(context, xml, tree);
    if (!tree.joint_index.emplace(joint.name, index).second) {
      fail(xml, "name", fmt::format("another joint is called '{}' too", joint.name));
    }
    UrdfLink& child = tree.links[static_cast<std::size_t>(joint.child)];
    if (child.joint >= 0) {
      fail(xml, "child",
           fmt::format("'{}' is the child of joint '{}' already: links must be a tree", child.name,
                       tree.joints[static_cast<std::size_t>(child.joint)].name));
    }
    child.joint = index;
    tree.links[static_cast<std::size_t>(joint.parent)].joints.push_back(index);
    tree.joints.push_back(std::move(joint));
  }
  for (UrdfJoint& joint : tree.joints) read_mimic(tree, joint);
  find_order(tree);
  choose_starts(context, tree);
  for (const int i : tree.order) {
    UrdfLink& link = tree.links[static_cast<std::size_t>(i)];
    link.group = i;
    if (link.joint < 0) continue;
    const UrdfJoint& joint = tree.joints[static_cast<std::size_t>(link.joint)];
    const UrdfLink& parent = tree.links[static_cast<std::size_t>(joint.parent)];
    link.X_WL = parent.X_WL * joint.X_PJ;
    if (joint.type != "fixed") continue;
    link.group = parent.group;
    link.X_GL = parent.X_GL * joint.X_PJ;
  }
  return tree;
}

}  // namespace pawl::internal
