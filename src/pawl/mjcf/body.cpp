#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/mjcf/body.h>
#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr std::size_t kMaxBodies = 100'000;
// Mass of the links between the joints of one body, relative to the body's: they stand for nothing.
constexpr double kLinkMass = 1e-9;

/// Largest eigenvalue bound: the three principal moments A ≤ B ≤ C need A + B ≥ C.
bool is_balanced(const Vec3& moments) {
  return moments.x + moments.y >= moments.z && moments.y + moments.z >= moments.x &&
         moments.z + moments.x >= moments.y;
}

class BodyReader {
 public:
  explicit BodyReader(MjcfContext& context) : context_(context), geoms_(context) {}

  void read() {
    BodyNode world;
    for (const XmlElement& section : context_.root.children) {
      if (section.name != "worldbody") continue;
      world.xml = &section;
      collect(section, {}, context_.defaults.main(), world);
    }
    if (world.xml == nullptr) fail(context_.root, "", "there is no <worldbody> in it");
    if (!world.joints.empty()) fail(*world.joints[0].xml, "", "the worldbody has no joints");
    emit_world(world);
    check_key();
    geoms_.finish();
    add_collision_filters(context_);
    read_excludes(context_);
    geoms_.check_pairs();
  }

 private:
  const DefaultClass& class_of(const XmlElement& xml, const DefaultClass& inherited) const {
    const std::string* name = xml.find("class");
    return name == nullptr ? inherited : context_.defaults.find(xml, "class", *name);
  }

  /// Gathers what belongs to a body, also from frames in it.
  void collect(const XmlElement& xml, const Frame& X_BF, const DefaultClass& inherited, BodyNode& node) {
    const std::string* child_class = xml.find("childclass");
    const DefaultClass& defaults =
        child_class == nullptr ? inherited : context_.defaults.find(xml, "childclass", *child_class);
    for (const XmlElement& child : xml.children) {
      if (child.name == "body") {
        if (++count_ > kMaxBodies) fail(child, "", fmt::format("more than {} bodies", kMaxBodies));
        BodyNode& body = node.children.emplace_back();
        body.xml = &child;
        body.X_PB = X_BF * read_frame(context_, Element(child, {}, "body"));
        collect(child, {}, defaults, body);
      } else if (child.name == "frame") {
        collect(child, X_BF * read_frame(context_, Element(child, {}, "frame")), defaults, node);
      } else if (child.name == "geom") {
        const Element element(child, class_of(child, defaults), "geom");
        node.geoms.push_back({element, X_BF * read_frame(context_, element)});
      } else if (child.name == "joint" || child.name == "freejoint") {
        node.joints.push_back({&child, Element(child, class_of(child, defaults), "joint"), X_BF});
      } else if (child.name == "inertial") {
        node.inertial = &child;
        node.X_BI = X_BF;
      } else if (child.name == "attach" || child.name == "replicate" || child.name == "composite" ||
                 child.name == "flexcomp") {
        fail(child, "", "not read: write out the bodies it stands for");
      }
    }
  }

  void emit_world(const BodyNode& world) {
    BodyPlace& place = context_.bodies.emplace_back();
    place.scene_body = "world";
    place.xml = world.xml;
    context_.body_index["world"] = 0;
    if (!world.geoms.empty()) {
      SceneBody body;
      body.name = context_.scene_name("worldbody");
      body.joint.kind = JointKind::weld;
      body.location = {world.xml->line, 0};
      for (const Geom& geom : world.geoms) geoms_.add_shape(geom, {}, false, body);
      if (!body.shapes.empty()) context_.scene.bodies.push_back(std::move(body));
    }
    for (const BodyNode& child : world.children) emit(child, 0);
  }

  MassProperties inertial_of(const BodyNode& node) {
    const Element element(*node.inertial, {}, "inertial");
    const Frame X = node.X_BI * read_frame(context_, element);
    MassProperties mass;
    mass.mass = element.number("mass", -1);
    if (!(mass.mass >= 0)) element.fail("mass", "missing, or negative: the mass is needed (kg)");
    if (!element.has("pos")) element.fail("pos", "missing: the centre of mass is needed (m)");
    mass.center = X.p;
    const std::vector<double> diagonal = element.numbers("diaginertia", 3, 3);
    const std::vector<double> full = element.numbers("fullinertia", 6, 6);
    if (diagonal.empty() == full.empty()) {
      element.fail("diaginertia", "its moments are needed, as diaginertia or fullinertia (kg m²)");
    }
    Mat3 own =
        diagonal.empty()
            ? Mat3{{{{full[0], full[3], full[4]}, {full[3], full[1], full[5]}, {full[4], full[5], full[2]}}}}
            : Mat3::diagonal({diagonal[0], diagonal[1], diagonal[2]});
    if (!diagonal.empty() && context_.compiler.balance_inertia &&
        !is_balanced({diagonal[0], diagonal[1], diagonal[2]})) {
      own = trace(own) / 3 * Mat3::identity();
      context_.remark(RobotVerdict::approximated, *node.inertial, "diaginertia",
                      "balanced: the mean of three");
    }
    const Mat3 R = to_matrix(X.q);
    mass.inertia = R * own * transpose(R);
    return mass;
  }

  MassProperties mass_of(const BodyNode& node) {
    const CompilerSettings& compiler = context_.compiler;
    MassProperties mass;
    if (node.inertial != nullptr && compiler.inertia_from_geom != true) {
      mass = inertial_of(node);
    } else if (compiler.inertia_from_geom != false) {
      for (const Geom& geom : node.geoms) {
        const int group = geom.element.integer("group", 0);
        if (group < compiler.inertia_groups[0] || group > compiler.inertia_groups[1]) continue;
        mass = mass + geoms_.mass(geom);
      }
    }
    mass.mass = std::max(mass.mass, compiler.bound_mass);
    for (int i = 0; i < 3; ++i) mass.inertia(i, i) = std::max(mass.inertia(i, i), compiler.bound_inertia);
    for (int i = 0; i < 3; ++i) {  // symmetric to the last bit
      for (int j = 0; j < i; ++j) mass.inertia(i, j) = mass.inertia(j, i);
    }
    return mass;
  }

  /// Adds a body and its descendants to the scene. A body without joints and mass becomes part of its parent.
  void emit(const BodyNode& node, int parent_index) {
    const BodyPlace parent = context_.bodies[static_cast<std::size_t>(parent_index)];
    BodyPlace place;
    place.xml = node.xml;
    place.X_WB = parent.X_WB * node.X_PB;
    const int index = static_cast<int>(context_.bodies.size());
    const std::string* given = node.xml->find("name");
    const std::string name = given != nullptr ? *given : fmt::format("body{}", index);
    const bool moves = !node.joints.empty() || parent.weld_group != 0;
    place.weld_group = node.joints.empty() ? parent.weld_group : ++groups_;
    place.parent_group = node.joints.empty() ? parent.parent_group : parent.weld_group;
    const MassProperties mass = mass_of(node);
    const bool merged = node.joints.empty() && moves && mass.mass == 0;
    SceneBody body;
    body.location = {node.xml->line, 0};
    if (merged) {
      place.scene_body = parent.scene_body;
      place.X_SB = parent.X_SB * node.X_PB;
      context_.remark(RobotVerdict::taken, *node.xml, "", "without mass and joint: part of its parent");
    } else {
      place.scene_body = body.name = context_.scene_name(name);
      if (moves && !(mass.mass > 0)) {
        fail(*node.xml, "", "it moves and has no mass: it needs <inertial>, or geoms with a mass");
      }
      if (mass.mass > 0) {
        body.mass = mass.mass;
        body.center_of_mass = mass.center;
        body.inertia = mass.inertia;
        if (moves && !is_physical(mass)) {
          fail(node.inertial != nullptr ? *node.inertial : *node.xml, "",
               "the inertia of no body: the principal moments must be > 0, and each at most the sum of the "
               "other two");
        }
      }
      body.joint.kind = JointKind::weld;
      body.joint.parent = parent.scene_body;
      add_joints(node, mass, place, body);
      body.position = place.X_WB.p;
      body.orientation = place.X_WB.q;
    }
    for (const Geom& geom : node.geoms) {
      geoms_.add_shape(geom, place.X_SB, moves, merged ? context_.scene_body(place.scene_body) : body);
    }
    if (!merged) context_.scene.bodies.push_back(std::move(body));
    if (given != nullptr && !context_.body_index.emplace(name, index).second) {
      fail(*node.xml, "name", fmt::format("another body is called '{}' too", name));
    }
    context_.bodies.push_back(place);
    for (const BodyNode& child : node.children) emit(child, index);
  }

  static bool is_physical(const MassProperties& mass) {
    return std::isfinite(mass.mass) && is_finite(mass.center) && is_physical_inertia(mass.inertia);
  }

  /// Several joints of one body are a chain of links of almost no mass.
  void add_joints(const BodyNode& node, const MassProperties& mass, BodyPlace& place, SceneBody& body) {
    const std::size_t first = context_.joints.size();
    for (const JointNode& joint : node.joints) {
      const bool last = &joint == &node.joints.back();
      SceneBody link;
      link.name = last ? body.name : context_.scene_name(fmt::format("{}-link", body.name));
      SceneJoint scene_joint = read_joint(context_, joint, link.name, place.X_WB, body);
      scene_joint.parent = body.joint.parent;
      scene_joint.location = {joint.xml->line, 0};
      if (scene_joint.kind == JointKind::free && (node.joints.size() > 1 || body.joint.parent != "world")) {
        fail(*joint.xml, "", "a free joint stands alone, in a body of the worldbody");
      }
      if (last) {
        body.joint = scene_joint;
        break;
      }
      link.joint = scene_joint;
      link.location = {joint.xml->line, 0};
      link.mass = kLinkMass * mass.mass;
      link.inertia = kLinkMass * mass.inertia;
      link.center_of_mass = mass.center;
      link.position = place.X_WB.p;
      link.orientation = place.X_WB.q;
      body.joint.parent = link.name;
      context_.scene.bodies.push_back(link);
      context_.remark(RobotVerdict::approximated, *joint.xml, "",
                      "several joints in one body: a link of 1e-9 of its mass between them");
    }
    for (std::size_t i = first; i < context_.joints.size(); ++i) {
      const JointPlace& joint = context_.joints[i];
      if (joint.name.empty() || context_.joint_index.emplace(joint.name, static_cast<int>(i)).second)
        continue;
      fail(*joint.xml, "name", fmt::format("another joint is called '{}' too", joint.name));
    }
  }

  void check_key() const {
    const auto& key = context_.key_qpos;
    int nq = 0;
    for (const JointPlace& joint : context_.joints) {
      nq += joint.kind == "free" ? 7 : joint.kind == "ball" ? 4 : 1;
    }
    if (key.empty() || static_cast<int>(key.size()) == nq) return;
    fail(*context_.key, "qpos", fmt::format("it holds {} numbers, and the joints have {}", key.size(), nq));
  }

  MjcfContext& context_;
  GeomReader geoms_;
  std::size_t count_ = 0;
  int groups_ = 0;
};

}  // namespace

void read_bodies(MjcfContext& context) {
  BodyReader(context).read();
}

}  // namespace pawl::internal
