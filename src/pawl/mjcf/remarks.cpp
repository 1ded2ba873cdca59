#include <array>

#include <pawl/mjcf/context.h>

namespace pawl::internal {
namespace {

constexpr std::string_view kPose = "pos quat axisangle xyaxes zaxis euler";
constexpr std::string_view kSeen = "only seen";
constexpr std::string_view kSoft = "contacts, joints and limits are hard";
constexpr std::string_view kSolver = "of MuJoCo's solver";
constexpr std::string_view kMedium = "no medium around the bodies";
constexpr std::string_view kMeasured = "nothing is measured or named by it";

constexpr AttributeRow kRows[] = {
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
    {"body", "name childclass"},
    {"body", kPose},
    {"body", "user mocap gravcomp", "not taken"},
    {"frame", "name childclass"},
    {"frame", kPose},
    {"inertial", "mass diaginertia fullinertia"},
    {"inertial", kPose},
    {"geom",
     "name class type size fromto mass density contype conaffinity condim friction priority mesh group"},
    {"geom", kPose},
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
    {"pair", "name class geom1 geom2 friction condim"},
    {"pair", "solref solimp solreffriction margin gap", kSoft},
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

constexpr IgnoredElement kIgnored[] = {
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

}  // namespace

void remark_attributes(MjcfContext& context) {
  remark_attributes(context, {kRows, kIgnored, kSections});
}

}  // namespace pawl::internal
