#include <pawl/urdf.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pawl/base/temporary_folder.h>
#include <pawl/dynamics.h>
#include <pawl/scene_file.h>
#include <pawl/simulation.h>

namespace pawl::internal {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string inertial(double mass, const std::string& origin = "") {
  const double I = 0.1 * mass;
  return "<inertial>" + origin + "<mass value=\"" + std::to_string(mass) + "\"/><inertia ixx=\"" +
         std::to_string(I) + "\" iyy=\"" + std::to_string(I) + "\" izz=\"" + std::to_string(I) +
         "\"/></inertial>";
}
std::string link(const std::string& name, const std::string& inside) {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + inside + "</joint>\n";
}
std::string collision(const std::string& geometry, const std::string& origin = "") {
  return "<collision>" + origin + "<geometry>" + geometry + "</geometry></collision>";
}

class Urdf : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = fs::path(folder_.path()) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  RobotScene load(const std::string& inside, const std::vector<std::string>& overrides = {}) {
    return load_urdf(write("robot.urdf", "<robot name=\"r\">\n" + inside + "</robot>"), overrides);
  }
  std::string message_of(const std::string& inside) {
    try {
      load(inside);
    } catch (const SceneError& error) {
      return error.what();
    }
    return "no error";
  }
  static const SceneBody& body(const RobotScene& robot, const std::string& name) {
    return *std::ranges::find(robot.scene.bodies, name, &SceneBody::name);
  }
  static const RobotRemark* remark(const RobotScene& robot, RobotVerdict verdict, const std::string& element,
                                   const std::string& attribute) {
    for (const RobotRemark& each : robot.remarks) {
      if (each.verdict == verdict && each.element == element && each.attribute == attribute) return &each;
    }
    return nullptr;
  }
  /// A tetrahedron with corners at the origin and at 1 on each axis.
  const std::string kObj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

  TemporaryFolder folder_{"pawl-urdf"};
};

TEST_F(Urdf, LinksArePosedByTheOriginsOfTheirJoints) {
  const RobotScene robot =
      load(link("base", "") + link("a", inertial(1)) + link("b", inertial(2)) +
           joint("j1", "continuous", "base", "a",
                 "<origin xyz=\"1 0 0\" rpy=\"0 0 1.5707963267948966\"/><axis xyz=\"0 0 1\"/>") +
           joint("j2", "prismatic", "a", "b",
                 "<origin xyz=\"1 0 1\"/><axis xyz=\"2 0 0\"/><limit lower=\"-1\" upper=\"2\" effort=\"5\" "
                 "velocity=\"6\"/>"));
  ASSERT_EQ(robot.scene.bodies.size(), 2U);
  const SceneBody &a = robot.scene.bodies[0], &b = robot.scene.bodies[1];
  EXPECT_EQ(a.joint.kind, JointKind::revolute);
  EXPECT_EQ(a.joint.parent, "world");
  EXPECT_FALSE(a.joint.drive.lower);
  EXPECT_NEAR(norm(b.position - Vec3{1, 1, 1}), 0, 1e-15);
  EXPECT_NEAR(norm(b.joint.axis - Vec3{0, 1, 0}), 0, 1e-15);
  EXPECT_EQ(*b.joint.drive.lower, -1);
  EXPECT_EQ(*b.joint.drive.upper, 2);
  EXPECT_TRUE(remark(robot, RobotVerdict::ignored, "limit", "effort"));
  EXPECT_TRUE(remark(robot, RobotVerdict::ignored, "limit", "velocity"));
}

TEST_F(Urdf, RollPitchYawTurnAboutFixedAxes) {
  const double r = 0.3, p = -0.5, y = 1.1;
  const RobotScene robot = load(link("base", "") + link("a", inertial(1)) +
                                joint("j", "continuous", "base", "a", "<origin rpy=\"0.3 -0.5 1.1\"/>"));
  const Mat3 R = to_matrix(robot.scene.bodies[0].orientation);  // Rz(y) Ry(p) Rx(r)
  EXPECT_NEAR(R(0, 0), std::cos(y) * std::cos(p), 1e-15);
  EXPECT_NEAR(R(2, 0), -std::sin(p), 1e-15);
  EXPECT_NEAR(R(2, 1), std::cos(p) * std::sin(r), 1e-15);
  EXPECT_NEAR(R(1, 0), std::sin(y) * std::cos(p), 1e-15);
}

TEST_F(Urdf, InertiasHaveAnOrientation) {
  const RobotScene robot =
      load(link("base",
                "<inertial><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/><mass value=\"2\"/>"
                "<inertia ixx=\"1\" iyy=\"2\" izz=\"2.5\" ixy=\"0.1\" ixz=\"0\" iyz=\"0\"/></inertial>"));
  const SceneBody& base = robot.scene.bodies[0];
  EXPECT_EQ(base.joint.kind, JointKind::free);
  EXPECT_EQ(*base.mass, 2);
  EXPECT_EQ(base.center_of_mass, (Vec3{1, 2, 3}));
  EXPECT_NEAR((*base.inertia)(0, 0), 2, 1e-15);
  EXPECT_NEAR((*base.inertia)(1, 1), 1, 1e-15);
  EXPECT_NEAR((*base.inertia)(0, 1), -0.1, 1e-15);
}

TEST_F(Urdf, FixedLinksAreOneBody) {
  const RobotScene robot =
      load(link("base", inertial(1)) + link("tool", inertial(3) + collision("<sphere radius=\"0.1\"/>")) +
           link("tip", "") + joint("f", "fixed", "base", "tool", "<origin xyz=\"4 0 0\"/>") +
           joint("t", "fixed", "tool", "tip"));
  ASSERT_EQ(robot.scene.bodies.size(), 1U);
  const SceneBody& base = robot.scene.bodies[0];
  EXPECT_EQ(*base.mass, 4);
  EXPECT_EQ(base.center_of_mass, (Vec3{3, 0, 0}));
  EXPECT_NEAR((*base.inertia)(1, 1), 0.4 + 1 * 9.0 + 3 * 1.0, 1e-14);
  EXPECT_EQ(base.shapes[0].position, (Vec3{4, 0, 0}));
  EXPECT_EQ(remark(robot, RobotVerdict::taken, "link", "")->count, 2);
}

TEST_F(Urdf, TheRootIsFreeIfItHasAMassAndIsNotCalledWorld) {
  EXPECT_EQ(load(link("base", inertial(1))).scene.bodies[0].joint.kind, JointKind::free);
  EXPECT_EQ(load(link("base", inertial(1)), {"bodies.base.joint.type=weld"}).scene.bodies[0].joint.kind,
            JointKind::weld);
  const RobotScene fixed =
      load(link("world", "") + link("base", inertial(1) + collision("<sphere radius=\"1\"/>")) +
           joint("j", "fixed", "world", "base"));
  EXPECT_EQ(fixed.scene.bodies[0].joint.kind, JointKind::weld);
  EXPECT_EQ(compile(fixed.scene).nv, 0);
}

TEST_F(Urdf, FloatingJointsAreFreeBodies) {
  const RobotScene robot = load(link("world", "") + link("base", inertial(1)) +
                                joint("j", "floating", "world", "base", "<origin xyz=\"0 0 2\"/>"));
  EXPECT_EQ(robot.scene.bodies[0].joint.kind, JointKind::free);
  EXPECT_EQ(robot.scene.bodies[0].position, (Vec3{0, 0, 2}));
}

TEST_F(Urdf, PlanarJointsMoveInThePlaneAcrossTheirAxis) {
  const RobotScene robot = load(link("world", "") + link("base", inertial(2)) +
                                joint("j", "planar", "world", "base", "<axis xyz=\"0 0 1\"/>"));
  const Model model = compile(robot.scene);
  ASSERT_EQ(model.nv, 3);
  const std::vector<double> M = mass_matrix(model, initial_state(model));
  EXPECT_NEAR(M[0], 2, 1e-8);
  EXPECT_NEAR(M[4], 2, 1e-8);
  EXPECT_NEAR(M[8], 0.2, 1e-9);
  EXPECT_EQ(robot.scene.bodies[0].joint.axis, (Vec3{1, 0, 0}));
  EXPECT_EQ(robot.scene.bodies[1].joint.axis, (Vec3{0, 1, 0}));
  EXPECT_TRUE(remark(robot, RobotVerdict::approximated, "joint", "type"));
}

TEST_F(Urdf, DynamicsAreDampingAndFriction) {
  const RobotScene robot =
      load(link("base", "") + link("a", inertial(1)) +
           joint("j", "continuous", "base", "a", "<dynamics damping=\"0.7\" friction=\"0.2\"/>"));
  EXPECT_EQ(robot.scene.bodies[0].joint.drive.damping, 0.7);
  EXPECT_EQ(robot.scene.bodies[0].joint.drive.friction, 0.2);
}

const std::string kTwoHinges =
    link("base", "") + link("a", inertial(1)) + link("b", inertial(1)) +
    joint("ja", "revolute", "base", "a",
          "<axis xyz=\"0 1 0\"/><limit lower=\"0.2\" upper=\"1\" effort=\"1\" velocity=\"1\"/>");

TEST_F(Urdf, MimicJointsFollowFromTheStart) {
  const RobotScene robot = load(kTwoHinges + joint("jb", "continuous", "base", "b",
                                                   "<axis xyz=\"0 1 0\"/><origin xyz=\"0 5 0\"/>"
                                                   "<mimic joint=\"ja\" multiplier=\"-2\" offset=\"0.1\"/>"));
  EXPECT_DOUBLE_EQ(robot.scene.bodies[0].joint.position, 0.6) << "0 is beyond the limits";
  EXPECT_DOUBLE_EQ(robot.scene.bodies[1].joint.position, -1.1);
  const Model model = compile(robot.scene);
  Simulation simulation(model, robot.scene.run);
  State state = initial_state(model);
  state.v = {1, -2};
  simulation.reset(state);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(simulation.step().certified());
    EXPECT_NEAR(simulation.state().q[1], -2 * simulation.state().q[0] + 0.1, 1e-9);
  }
  EXPECT_NE(simulation.state().q[0], 0.6);
}

TEST_F(Urdf, LinksWithoutMassBetweenJointsAreLight) {
  const RobotScene robot = load(link("base", "") + link("cross", "") + link("a", inertial(2)) +
                                joint("j1", "continuous", "base", "cross", "<axis xyz=\"1 0 0\"/>") +
                                joint("j2", "continuous", "cross", "a", "<axis xyz=\"0 1 0\"/>"));
  EXPECT_DOUBLE_EQ(*robot.scene.bodies[0].mass, 2e-9);
  EXPECT_TRUE(remark(robot, RobotVerdict::approximated, "link", ""));
  const Model model = compile(robot.scene);
  Simulation simulation(model, robot.scene.run);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(simulation.step().certified());
}

TEST_F(Urdf, ShapesStandInTheirLinks) {
  const RobotScene robot =
      load(link("base", inertial(1) + collision("<box size=\"1 2 3\"/>", "<origin xyz=\"0 0 1\"/>") +
                            collision("<cylinder radius=\"0.1\" length=\"2\"/>") +
                            collision("<capsule radius=\"0.1\" length=\"2\"/>") +
                            collision("<sphere radius=\"0.3\"/>") +
                            "<visual><geometry><mesh filename=\"no.dae\"/></geometry></visual>"));
  const std::vector<SceneShape>& shapes = robot.scene.bodies[0].shapes;
  ASSERT_EQ(shapes.size(), 4U);
  EXPECT_EQ(shapes[0].size, (Vec3{1, 2, 3}));
  EXPECT_EQ(shapes[0].position, (Vec3{0, 0, 1}));
  EXPECT_EQ(shapes[1].height, 2);
  EXPECT_EQ(shapes[2].length, 2);
  EXPECT_EQ(shapes[3].radius, 0.3);
  EXPECT_TRUE(remark(robot, RobotVerdict::ignored, "visual", "")) << "its mesh is not even opened";
  EXPECT_EQ(contact_values(robot.scene, "default", "default").friction, 1);
}

TEST_F(Urdf, PackagesAreFoundAboveTheFileAndInThePath) {
  const std::string robot =
      "<robot name=\"r\">" +
      link("base", inertial(1) +
                       collision("<mesh filename=\"package://arm_description/m/t.obj\" scale=\"2 2 2\"/>")) +
      "</robot>";
  write("ws/arm_description/m/t.obj", kObj);
  const auto top = [&](const std::string& path, const std::vector<std::string>& folders = {}) {
    double highest = 0;
    const Scene scene = load_urdf(path, {}, {folders, ""}).scene;
    for (const Vec3& point : scene.bodies[0].shapes.at(0).points) highest = std::max(highest, point.z);
    return highest;
  };
  EXPECT_EQ(top(write("ws/arm_description/urdf/r.urdf", robot)), 2) << "the package holds the file";
  EXPECT_EQ(top(write("ws/other/urdf/r.urdf", robot)), 2) << "it stands beside that of the file";
  const std::string far = write("far/r.urdf", robot);
  EXPECT_THROW(top(far), SceneError);
  EXPECT_EQ(top(far, {folder_.path() + "/ws"}), 2);
  setenv("PAWL_PACKAGE_PATH", ("/nowhere:" + folder_.path() + "/ws").c_str(), 1);
  EXPECT_EQ(top(far), 2);
  unsetenv("PAWL_PACKAGE_PATH");
  write("checkout/package.xml", "<package><name>arm_description</name></package>");
  write("checkout/m/t.obj", kObj);
  EXPECT_EQ(top(write("checkout/urdf/r.urdf", robot)), 2) << "the folder has another name";
}

TEST_F(Urdf, LinksThatOverlapAtTheStartDoNotTouch) {
  const std::string ball = inertial(1) + collision("<sphere radius=\"0.5\"/>");
  const RobotScene robot = load(link("a", ball) + link("b", inertial(1)) + link("c", ball) + link("d", ball) +
                                joint("j", "continuous", "a", "b") +
                                joint("k", "continuous", "b", "c", "<origin xyz=\"0.2 0 0\"/>") +
                                joint("l", "continuous", "b", "d", "<origin xyz=\"0 5 0\"/>"));
  EXPECT_THAT(robot.scene.no_collision, ::testing::ElementsAre(SceneBodyPair{"a", "c"}));
  EXPECT_TRUE(remark(robot, RobotVerdict::approximated, "robot", ""));
}

TEST_F(Urdf, ItsTextIsTheSameSceneToTheLastBit) {
  const RobotScene robot =
      load(link("base", inertial(1.7, "<origin xyz=\"0.1 0 0.02\" rpy=\"0.1 0.2 0.3\"/>") +
                            collision("<box size=\"0.3 0.3 0.1\"/>")) +
           link("arm", inertial(0.6, "<origin xyz=\"0 0 0.3\"/>")) +
           joint("j", "revolute", "base", "arm",
                 "<origin xyz=\"0 0 0.07\" rpy=\"0.4 0 0\"/><axis xyz=\"1 1 0\"/>"
                 "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/><dynamics damping=\"0.1\"/>"));
  const Scene again = parse_scene(robot.scene.text, "robot.yaml");
  const Model first = compile(robot.scene), second = compile(again);
  Simulation a(first, robot.scene.run), b(second, again.run);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(a.step().certified());
    b.step();
  }
  EXPECT_EQ(a.state().q, b.state().q);
}

TEST_F(Urdf, NothingIsDroppedInSilence) {
  const RobotScene robot = load(
      "<material name=\"red\"/><transmission/><odd thing=\"1\"/>" +
      link("base", inertial(1) + "<sensor/>" + collision("<cone radius=\"1\"/>")) + link("a", inertial(1)) +
      joint("j", "continuous", "base", "a",
            "<calibration rising=\"0\"/><limit lower=\"1\" effort=\"3\" nonsense=\"1\"/>") +
      joint("k", "fixed", "base", "b", "<dynamics damping=\"1\"/><axis xyz=\"0 0 1\"/>") + link("b", ""));
  for (const char* element : {"material", "transmission", "odd", "sensor", "cone", "calibration"}) {
    EXPECT_TRUE(remark(robot, RobotVerdict::ignored, element, "")) << element;
  }
  EXPECT_TRUE(remark(robot, RobotVerdict::ignored, "limit", "lower"));
  EXPECT_FALSE(remark(robot, RobotVerdict::taken, "limit", "lower"));
  EXPECT_TRUE(remark(robot, RobotVerdict::ignored, "limit", "nonsense"));
  EXPECT_TRUE(remark(robot, RobotVerdict::ignored, "dynamics", "damping"));
  EXPECT_TRUE(remark(robot, RobotVerdict::ignored, "axis", "xyz"));
  EXPECT_TRUE(remark(robot, RobotVerdict::taken, "inertia", "ixx"));
}

TEST_F(Urdf, ErrorsNameFileLineElementAndAttribute) {
  const std::string two = link("a", inertial(1)) + link("b", inertial(1));
  EXPECT_THAT(message_of("\n<link name=\"a\"><inertial><mass value=\"nan\"/></inertial></link>"),
              HasSubstr("robot.urdf:3: mass.value: 'nan' is not a finite number"));
  EXPECT_THAT(message_of(two + joint("j", "revolut", "a", "b")),
              HasSubstr("joint[j].type: 'revolut' is none of its values: did you mean 'revolute'?"));
  EXPECT_THAT(message_of(two + joint("j", "fixed", "a", "bb")),
              HasSubstr("robot.urdf:4: child.link: no link is called 'bb'"));
  EXPECT_THAT(message_of(two), HasSubstr("it has no parent, nor has 'a': a robot has one root"));
  EXPECT_THAT(message_of(two + link("c", inertial(1)) + joint("j", "fixed", "a", "b") +
                         joint("k", "fixed", "c", "b")),
              HasSubstr("'b' is the child of joint 'j' already"));
  EXPECT_THAT(message_of(two + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a")),
              HasSubstr("a loop of links: "));
  EXPECT_THAT(message_of(two + link("c", inertial(1)) + joint("j", "fixed", "a", "b") +
                         joint("k", "fixed", "b", "a")),
              HasSubstr("a loop of links: "));
  EXPECT_THAT(message_of(two + joint("j", "fixed", "a", "a")), HasSubstr("a loop of links: a. They"));
  EXPECT_THAT(message_of(two + joint("j", "revolute", "a", "b")),
              HasSubstr("one without limits is 'continuous'"));
  EXPECT_THAT(message_of(two + joint("j", "prismatic", "a", "b", "<limit lower=\"2\" upper=\"1\"/>")),
              HasSubstr("limit.lower: 2 is above the upper limit 1"));
  EXPECT_THAT(message_of(two + joint("j", "continuous", "a", "b", "<axis xyz=\"0 0 0\"/>")),
              HasSubstr("axis.xyz: a direction of length zero"));
  EXPECT_THAT(message_of(two + joint("j", "continuous", "a", "b", "<mimic joint=\"j\"/>")),
              HasSubstr("it mimics itself"));
  EXPECT_THAT(message_of(link("a", "") + link("b", "") + joint("j", "continuous", "a", "b")),
              HasSubstr("link[b]: it moves and has no mass: it needs <inertial>"));
  EXPECT_THAT(message_of(link("a", inertial(1) + inertial(1))), HasSubstr("<link> has two of these"));
  EXPECT_THAT(message_of(link(
                  "a", "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"3\"/></inertial>")),
              HasSubstr("inertia: the inertia of no body"));
  EXPECT_THAT(
      message_of(link("a", collision("<mesh filename=\"package://none/x.stl\"/>"))),
      HasSubstr(
          "mesh.filename: the package 'none' is not found: name a folder that holds it by --package-path"));
  EXPECT_THAT(message_of(link("a", collision("<mesh filename=\"x.stl\"/>"))),
              HasSubstr("mesh.filename: there is no file"));
  EXPECT_THAT(message_of(link("a", collision("<mesh filename=\"http://x/x.stl\"/>"))),
              HasSubstr("is no path"));
  EXPECT_THAT(message_of(link("a", collision("<box size=\"1 0 1\"/>"))),
              HasSubstr("box.size: it must be three lengths > 0"));
  EXPECT_THAT(message_of("<xacro:macro/>" + two), HasSubstr("run xacro on the file first"));
  EXPECT_THAT(message_of("<link name=\"a\">"), HasSubstr("is the file cut off?"));
  EXPECT_THAT(message_of(""), HasSubstr("there is no <link> in it"));
  EXPECT_THROW(load_urdf(write("r.urdf", "<mujoco/>")), SceneError);
}

TEST_F(Urdf, TooManyLinksAreRefused) {
  std::string links;
  for (int i = 0; i <= 100'000; ++i) links += "<link name=\"l" + std::to_string(i) + "\"/>";
  EXPECT_THAT(message_of(links), HasSubstr("more than 100000 links"));
}

}  // namespace
}  // namespace pawl::internal
