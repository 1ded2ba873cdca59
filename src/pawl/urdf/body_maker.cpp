#include <pawl/urdf/body_maker.h>

#include <cmath>

#include <fmt/format.h>

#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr const char* kMaterial = "default";
// Mass of links that stand for nothing, relative to the next link with mass.
constexpr double kLinkMass = 1e-9;

MassProperties moved(const MassProperties& mass, const Frame& X) {
  const Mat3 R = to_matrix(X.q);
  return {mass.mass, X * mass.center, R * mass.inertia * transpose(R)};
}

void set_mass(const MassProperties& mass, SceneBody& body) {
  body.mass = mass.mass;
  body.center_of_mass = mass.center;
  body.inertia = mass.inertia;
  for (int i = 0; i < 3; ++i) {  // symmetric to the last bit
    for (int j = 0; j < i; ++j) (*body.inertia)(i, j) = (*body.inertia)(j, i);
  }
}

/// The first of two directions of a plane: x, unless the normal is nearer to x than to y or z.
Vec3 first_direction(const Vec3& normal) {
  const Vec3 size = absolute(normal);
  const Vec3 e = size.x <= size.y || size.x <= size.z ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  return normalized(e - dot(e, normal) * normal);
}

}  // namespace

void BodyMaker::make() {
  for (const int i : tree_.order) add_link(i);
  for (auto i = tree_.order.rbegin(); i != tree_.order.rend(); ++i) {
    const UrdfLink& each = link(*i);
    if (each.group != *i || each.joint < 0) continue;
    const Group& own = group(*i);
    const MassProperties& mass = own.mass.mass > 0 ? own.mass : own.mass_below;
    if (!(mass.mass > 0)) continue;
    const UrdfJoint& in = joint(each.joint);
    Group& parent = group(link(in.parent).group);
    parent.mass_below = parent.mass_below + moved(mass, link(in.parent).X_GL * in.X_PJ);
  }
  for (const int i : tree_.order) {
    if (link(i).group == i) link(i).joint < 0 ? make_root(i) : make_body(i);
  }
  add_couplings();
}

void BodyMaker::add_link(int index) {
  const UrdfLink& each = link(index);
  Group& own = group(each.group);
  if (each.group != index) {
    context_.remark(RobotVerdict::taken, *each.xml, "", "fixed to its parent: part of that body");
  }
  if (const MassProperties mass = mass_of(each); mass.mass > 0) own.mass = own.mass + moved(mass, each.X_GL);
  for (const XmlElement& child : each.xml->children) {
    if (child.name != "collision") continue;
    std::optional<SceneShape> shape = shapes_.read(child);
    if (!shape) continue;
    const Frame X = each.X_GL * Frame{shape->orientation, shape->position};
    shape->orientation = X.q;
    shape->position = X.p;
    shape->material = kMaterial;
    own.shapes.push_back(std::move(*shape));
    context_.remark(RobotVerdict::approximated, child, "", "friction 1: URDF has none");
  }
}

MassProperties BodyMaker::mass_of(const UrdfLink& each) {
  const XmlElement* inertial = only_child(*each.xml, "inertial");
  if (inertial == nullptr) return {};
  const XmlElement* mass_xml = only_child(*inertial, "mass");
  const XmlElement* inertia_xml = only_child(*inertial, "inertia");
  if (mass_xml == nullptr) fail(*inertial, "", "<mass value=\"…\"> is missing in it (kg)");
  const Element mass_element(*mass_xml);
  MassProperties own;
  own.mass = mass_element.number("value", -1);
  if (!(own.mass >= 0)) mass_element.fail("value", "missing, or negative: the mass is needed (kg)");
  if (own.mass == 0) return {};
  if (inertia_xml == nullptr)
    fail(*inertial, "", "<inertia> is missing in it: ixx, ixy, … are needed (kg m²)");
  const Element I(*inertia_xml);
  for (const std::string_view moment : {"ixx", "iyy", "izz"}) {
    if (!I.has(moment)) I.fail(moment, "missing (kg m²)");
  }
  const double xy = I.number("ixy", 0), xz = I.number("ixz", 0), yz = I.number("iyz", 0);
  own.inertia = {
      {{{I.number("ixx", 0), xy, xz}, {xy, I.number("iyy", 0), yz}, {xz, yz, I.number("izz", 0)}}}};
  const bool is_point = own.inertia == Mat3{};
  if (!is_point && !is_physical_inertia(own.inertia)) {
    I.fail("",
           "the inertia of no body: the principal moments must be > 0, and each at most the sum of the other "
           "two");
  }
  return moved(own, read_origin(*inertial));
}

void BodyMaker::make_root(int index) {
  Group& own = group(index);
  const UrdfLink& root = link(index);
  own.moves = own.mass.mass > 0 && root.name != "world";
  if (!own.moves && own.shapes.empty()) return;
  SceneBody body;
  body.name = own.body = context_.scene_name(root.name);
  body.location = {root.xml->line, 0};
  body.shapes = std::move(own.shapes);
  if (own.moves) {
    if (!is_physical_inertia(own.mass.inertia)) fail(*root.xml, "", "it has a mass and no inertia");
    set_mass(own.mass, body);
    context_.remark(
        RobotVerdict::taken, *root.xml, "",
        fmt::format(
            "the root moves freely; fixed by --set bodies.{}.joint.type=weld, or where it is called 'world'",
            body.name));
  } else {
    body.joint.kind = JointKind::weld;
  }
  context_.scene.bodies.push_back(std::move(body));
}

void BodyMaker::make_body(int index) {
  Group& own = group(index);
  const UrdfLink& first = link(index);
  const UrdfJoint& in = joint(first.joint);
  MassProperties mass = own.mass;
  if (!(mass.mass > 0)) {
    const MassProperties& below = own.mass_below;
    mass = {kLinkMass * below.mass, below.center, kLinkMass * below.inertia};
    if (!(mass.mass > 0)) fail(*first.xml, "", "it moves and has no mass: it needs <inertial>");
    context_.remark(RobotVerdict::approximated, *first.xml, "",
                    "without mass between joints: 1e-9 of the mass of the next link");
  }
  if (!is_physical_inertia(mass.inertia))
    fail(*first.xml, "", "it moves and has no inertia: ixx, iyy, izz are needed");
  SceneBody body;
  body.location = {first.xml->line, 0};
  body.position = first.X_WL.p;
  body.orientation = first.X_WL.q;
  body.shapes = std::move(own.shapes);
  set_mass(mass, body);
  std::string parent = group(link(in.parent).group).body;
  body.name = own.body = context_.scene_name(first.name);
  const Vec3 axis = to_matrix(first.X_WL.q) * in.axis;
  body.joint.location = {in.xml->line, 0};
  if (in.type != "floating") {
    body.joint.anchor = first.X_WL.p;
    body.joint.axis = axis;
    body.joint.kind = in.type == "prismatic" ? JointKind::prismatic : JointKind::revolute;
    if (in.type == "planar") parent = add_links_of_planar(in, first.X_WL, parent, body);
    body.joint.parent = parent;
    body.joint.drive = in.drive;
    body.joint.position = in.start;
  }
  context_.scene.bodies.push_back(std::move(body));
}

/// Two slides below the hinge of the body itself: x and y in the plane. Gives the name of the second.
std::string BodyMaker::add_links_of_planar(const UrdfJoint& in, const Frame& X_WJ, const std::string& parent,
                                           const SceneBody& body) {
  const Vec3 x = first_direction(in.axis), y = cross(in.axis, x);
  std::string last = parent;
  for (const Vec3& direction : {x, y}) {
    SceneBody slide;
    slide.name = context_.scene_name(fmt::format("{}-link", body.name));
    slide.location = body.joint.location;
    slide.joint.location = body.joint.location;
    slide.joint.kind = JointKind::prismatic;
    slide.joint.parent = last;
    slide.joint.axis = to_matrix(X_WJ.q) * direction;
    slide.mass = kLinkMass * *body.mass;
    slide.inertia = kLinkMass * *body.inertia;
    slide.center_of_mass = body.center_of_mass;
    slide.position = body.position;
    slide.orientation = body.orientation;
    last = slide.name;
    context_.scene.bodies.push_back(std::move(slide));
  }
  context_.remark(RobotVerdict::approximated, *in.xml, "type",
                  "planar: two slides and a hinge, with links of 1e-9 of the mass between them");
  return last;
}

void BodyMaker::add_couplings() {
  for (const UrdfJoint& each : tree_.joints) {
    if (each.leader < 0) continue;
    SceneConstraintJoint coupling;
    coupling.kind = ConstraintJointKind::coupling;
    coupling.first = group(each.child).body;
    coupling.second = group(joint(each.leader).child).body;
    coupling.ratio = each.multiplier;
    coupling.offset = each.offset;
    coupling.location = {each.mimic->line, 0};
    context_.scene.joints.push_back(coupling);
  }
}

}  // namespace pawl::internal
