#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>

#include <pawl/mjcf/context.h>

namespace pawl::internal {
namespace {

constexpr std::string_view kPose = " pos quat axisangle xyaxes zaxis euler";
constexpr std::string_view kSeen = "only seen";
constexpr std::string_view kSoft = "contacts, joints and limits are hard";
constexpr std::string_view kSolver = "of MuJoCo's solver";
constexpr std::string_view kMedium = "no medium around the bodies";
constexpr std::string_view kMeasured = "nothing is measured or named by it";

/// Attributes of an element with one verdict.
struct Row {
  std::string_view element, attributes;
  std::string_view ignored_reason = {};  // empty: taken
  bool with_pose = false;
};

constexpr Row kRows[] = {
    {"mujoco", "model"},
    {"compiler",
     "angle eulerseq coordinate meshdir assetdir strippath autolimits inertiafromgeom "
     "balanceinertia boundmass boundinertia settotalmass inertiagrouprange fusestatic"},
    {"compiler", "texturedir discardvisual saveinertial usethread alignfree", "changes no motion"},
    {"option", "timestep gravity"},
    {"option", "density viscosity wind magnetic", kMedium},
    {"option",
     "cone impratio integrator solver iterations ls_iterations noslip_iterations ccd_iterations tolerance "
     "ls_tolerance noslip_tolerance ccd_tolerance jacobian o_margin o_solref o_solimp o_friction apirate "
     "sdf_iterations sdf_initpoints actuatorgroupdisable",
     kSolver},
    {"default", "class"},
    {"body", "name childclass", {}, true},
    {"body", "user mocap gravcomp", "not taken"},
    {"frame", "name childclass", {}, true},
    {"inertial", "mass diaginertia fullinertia", {}, true},
    {"geom",
     "name class type size fromto mass density contype conaffinity condim friction priority mesh group",
     {},
     true},
    {"geom", "material rgba", kSeen},
    {"geom", "solref solimp solmix margin gap", kSoft},
    {"geom", "hfield fitscale shellinertia user", "not taken"},
    {"geom", "fluidshape fluidcoef", kMedium},
    {"joint", "name class type pos axis range limited ref springref stiffness damping armature frictionloss"},
    {"joint", "solref solimp solreflimit solimplimit solreffriction solimpfriction margin", kSoft},
    {"joint", "group user actuatorfrcrange actuatorfrclimited actuatorgravcomp springdamper", "not taken"},
    {"joint", "joint1 joint2 polycoef active joint coef"},
    {"freejoint", "name"},
    {"freejoint", "group align", "not taken"},
    {"mesh", "name class file vertex scale refpos refquat"},
    {"mesh", "normal texcoord face smoothnormal maxhullvert inertia content_type material", "not taken"},
    {"exclude", "name body1 body2"},
    {"connect", "name class active body1 body2 anchor"},
    {"weld", "name class active body1 body2 anchor relpose"},
    {"weld", "torquescale", kSoft},
    {"connect", "solref solimp", kSoft},
    {"weld", "solref solimp", kSoft},
    {"equality", "active"},
    {"equality", "solref solimp", kSoft},
    {"motor", "name class joint jointinparent gear ctrlrange ctrllimited forcerange forcelimited"},
    {"position",
     "name class joint jointinparent gear ctrlrange ctrllimited forcerange forcelimited kp kv dampratio "
     "timeconst inheritrange"},
    {"velocity", "name class joint jointinparent gear ctrlrange ctrllimited forcerange forcelimited kv"},
    {"general",
     "name class joint jointinparent gear ctrlrange ctrllimited forcerange forcelimited gaintype gainprm "
     "biastype biasprm dyntype"},
    {"general", "dynprm actlimited actrange actdim actearly", "the control acts at once"},
    {"motor", "group user lengthrange", "not taken"},
    {"position", "group user lengthrange", "not taken"},
    {"velocity", "group user lengthrange", "not taken"},
    {"general", "group user lengthrange", "not taken"},
    {"key", "name qpos qvel ctrl"},
    {"key", "time act mpos mquat", "not taken"},
};

/// Elements that are left out with all that is in them.
struct WholeElement {
  std::string_view name, reason;
};
constexpr WholeElement kWhole[] = {
    {"visual", kSeen},
    {"statistic", kSeen},
    {"light", kSeen},
    {"camera", kSeen},
    {"texture", kSeen},
    {"material", kSeen},
    {"skin", kSeen},
    {"site", kMeasured},
    {"sensor", kMeasured},
    {"custom", kMeasured},
    {"size", "no limits of memory"},
    {"tendon", "no tendons"},
    {"deformable", "no soft bodies"},
    {"extension", "no plugins"},
    {"hfield", "no height fields from files"},
    {"flag", kSolver},
    {"model", "no <attach>"},
    {"fixed", "no tendons"},
    {"spatial", "no tendons"},
    {"numeric", kMeasured},
    {"plugin", "no plugins"},
};

constexpr std::array<std::string_view, 6> kSections{"asset",    "worldbody", "contact",
                                                    "actuator", "keyframe",  "equality"};

bool holds(std::string_view words, std::string_view word) {
  std::istringstream list{std::string(words)};
  for (std::string each; list >> each;) {
    if (each == word) return true;
  }
  return false;
}

void remark_element(MjcfContext& context, const XmlElement& xml) {
  for (const WholeElement& whole : kWhole) {
    if (xml.name != whole.name) continue;
    context.remark(MjcfVerdict::ignored, xml, "", whole.reason);
    return;
  }
  const bool known = std::ranges::any_of(kRows, [&](const Row& row) { return row.element == xml.name; }) ||
                     std::ranges::find(kSections, xml.name) != kSections.end();
  if (!known) {
    const bool told = std::ranges::any_of(context.remarks, [&](const MjcfRemark& each) {
      return each.element == xml.name && each.attribute.empty();
    });
    if (!told) context.remark(MjcfVerdict::ignored, xml, "", "not known here");
    return;
  }
  for (const XmlAttribute& attribute : xml.attributes) {
    const auto row = std::ranges::find_if(kRows, [&](const Row& each) {
      return each.element == xml.name &&
             (holds(each.attributes, attribute.name) || (each.with_pose && holds(kPose, attribute.name)));
    });
    if (row == std::end(kRows)) {
      context.remark(MjcfVerdict::ignored, xml, attribute.name, "not known here");
    } else {
      context.remark(row->ignored_reason.empty() ? MjcfVerdict::taken : MjcfVerdict::ignored, xml,
                     attribute.name, row->ignored_reason);
    }
  }
  for (const XmlElement& child : xml.children) remark_element(context, child);
}

}  // namespace

void MjcfContext::remark(MjcfVerdict verdict, const XmlElement& element, std::string_view attribute,
                         std::string_view reason) {
  for (MjcfRemark& each : remarks) {
    if (each.verdict == verdict && each.element == element.name && each.attribute == attribute &&
        each.reason == reason) {
      ++each.count;
      return;
    }
  }
  remarks.push_back(
      {verdict, element.name, std::string(attribute), std::string(reason), element.file, element.line, 1});
}

void remark_attributes(MjcfContext& context) {
  remark_element(context, context.root);
  std::ranges::stable_sort(context.remarks, std::ranges::greater{}, &MjcfRemark::verdict);
}

}  // namespace pawl::internal
