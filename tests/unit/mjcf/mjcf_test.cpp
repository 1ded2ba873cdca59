#include <pawl/mjcf.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pawl/base/temporary_folder.h>
#include <pawl/dynamics.h>
#include <pawl/scene_file.h>
#include <pawl/simulation.h>

namespace pawl::internal {
namespace {

using ::testing::HasSubstr;

/// MJCF texts as files of one folder.
class Mjcf : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  RobotScene load(const std::string& inside) {
    return load_mjcf(write("robot.xml", "<mujoco model=\"robot\">\n" + inside + "\n</mujoco>"));
  }
  Scene bodies(const std::string& inside) {
    return load("<compiler angle=\"radian\"/><worldbody>\n" + inside + "\n</worldbody>").scene;
  }
  std::string message_of(const std::string& inside) {
    try {
      load(inside);
    } catch (const SceneError& error) {
      return error.what();
    }
    return "no error";
  }
  static bool has_remark(const RobotScene& robot, RobotVerdict verdict, const std::string& element,
                         const std::string& attribute) {
    return std::ranges::any_of(robot.remarks, [&](const RobotRemark& each) {
      return each.verdict == verdict && each.element == element && each.attribute == attribute;
    });
  }

  TemporaryFolder folder_{"pawl-mjcf"};
};

const std::string kInertial = "<inertial mass=\"2\" pos=\"0 0 -0.5\" diaginertia=\"0.1 0.1 0.02\"/>";

TEST_F(Mjcf, BodiesArePosedInTheirParents) {
  const Scene scene = bodies("<body name=\"a\" pos=\"1 0 0\" euler=\"0 0 1.5707963267948966\">" + kInertial +
                             "<joint/><frame pos=\"0 0 1\"><body name=\"b\" pos=\"1 0 0\">" + kInertial +
                             "<joint type=\"slide\" axis=\"1 0 0\"/></body></frame></body>");
  ASSERT_EQ(scene.bodies.size(), 2U);
  EXPECT_NEAR(norm(scene.bodies[1].position - Vec3{1, 1, 1}), 0, 1e-15);
  EXPECT_NEAR(norm(scene.bodies[1].joint.axis - Vec3{0, 1, 0}), 0, 1e-15);
  EXPECT_EQ(scene.bodies[1].joint.kind, JointKind::prismatic);
  EXPECT_EQ(scene.bodies[1].joint.parent, "a");
}

TEST_F(Mjcf, RotationsInAllFormsAreOne) {
  const double s = std::sqrt(0.5);
  for (const std::string form : {"quat=\"1 0 0 1\"", "axisangle=\"0 0 2 1.5707963267948966\"",
                                 "euler=\"0 0 1.5707963267948966\"", "xyaxes=\"0 1 0 -1 0 0\""}) {
    const Scene scene = bodies("<body name=\"a\" " + form + ">" + kInertial + "<joint/></body>");
    EXPECT_NEAR(scene.bodies[0].orientation.w, s, 1e-15) << form;
    EXPECT_NEAR(scene.bodies[0].orientation.z, s, 1e-15) << form;
  }
}

TEST_F(Mjcf, JointsTakeTheirValuesFromTheReference) {
  const Scene scene =
      bodies("<body name=\"a\">" + kInertial +
             "<joint ref=\"0.5\" range=\"0 2\" springref=\"0.7\" stiffness=\"3\" damping=\"4\" "
             "armature=\"5\" frictionloss=\"6\"/></body>");
  const SceneDrive& drive = scene.bodies[0].joint.drive;
  EXPECT_DOUBLE_EQ(*drive.lower, -0.5);
  EXPECT_DOUBLE_EQ(*drive.upper, 1.5);
  EXPECT_DOUBLE_EQ(drive.rest_position, 0.7 - 0.5);
  EXPECT_EQ(drive.stiffness, 3);
  EXPECT_EQ(drive.damping, 4);
  EXPECT_EQ(drive.armature, 5);
  EXPECT_EQ(drive.friction, 6);
}

TEST_F(Mjcf, AnglesAreDegreesByDefault) {
  const Scene scene =
      load("<worldbody><body>" + kInertial + "<joint range=\"-90 180\"/></body></worldbody>").scene;
  EXPECT_DOUBLE_EQ(*scene.bodies[0].joint.drive.upper, std::numbers::pi);
}

TEST_F(Mjcf, DefaultClassesNestAndChildclassesReachDown) {
  const Scene scene =
      load(
          "<default><joint damping=\"1\"/><default class=\"arm\"><joint armature=\"2\"/>"
          "<default class=\"stiff\"><joint damping=\"9\"/></default></default></default>"
          "<worldbody><body childclass=\"arm\">" +
          kInertial + "<joint/><body>" + kInertial + "<joint class=\"stiff\"/></body></body></worldbody>")
          .scene;
  EXPECT_EQ(scene.bodies[0].joint.drive.damping, 1);
  EXPECT_EQ(scene.bodies[0].joint.drive.armature, 2);
  EXPECT_EQ(scene.bodies[1].joint.drive.damping, 9);
  EXPECT_EQ(scene.bodies[1].joint.drive.armature, 2);
}

TEST_F(Mjcf, MassesComeFromGeomsWithoutInertial) {
  const Scene scene = bodies(
      "<body name=\"a\"><joint/><geom type=\"box\" size=\"0.5 0.5 0.5\" density=\"3\"/>"
      "<geom size=\"0.1\" mass=\"2\" pos=\"0 0 1\" contype=\"0\" conaffinity=\"0\"/></body>");
  EXPECT_NEAR(*scene.bodies[0].mass, 5, 1e-14);
  EXPECT_NEAR(scene.bodies[0].center_of_mass.z, 2.0 / 5, 1e-15);
  EXPECT_EQ(scene.bodies[0].shapes.size(), 1U) << "a geom that is only seen has mass and no shape";
}

TEST_F(Mjcf, FullInertiaAndItsFrameAreTaken) {
  const Scene scene = bodies(
      "<body><inertial mass=\"1\" pos=\"0 0 0\" quat=\"1 0 0 1\" "
      "diaginertia=\"1 2 2.5\"/><joint/></body>");
  EXPECT_NEAR((*scene.bodies[0].inertia)(0, 0), 2, 1e-14);
  EXPECT_NEAR((*scene.bodies[0].inertia)(1, 1), 1, 1e-14);
}

TEST_F(Mjcf, GroupsAreThoseOfContypeAndConaffinity) {
  const Scene scene = bodies(
      "<geom type=\"plane\" size=\"1 1 1\" contype=\"2\" conaffinity=\"0\"/><body><freejoint/>"
      "<geom size=\"1\" contype=\"0\" conaffinity=\"2\"/>"
      "<geom size=\"1\" contype=\"4\" conaffinity=\"1\"/></body>");
  const SceneShape &plane = scene.bodies[0].shapes[0], &meets = scene.bodies[1].shapes[0],
                   &misses = scene.bodies[1].shapes[1];
  const auto touch = [](const SceneShape& a, const SceneShape& b) {
    return (a.group & b.collides_with) != 0 && (b.group & a.collides_with) != 0;
  };
  EXPECT_TRUE(touch(plane, meets));
  EXPECT_FALSE(touch(plane, misses));
}

TEST_F(Mjcf, PairsTouchWhateverTheirTypesWithASurfaceOfTheirOwn) {
  const RobotScene robot = load(
      "<worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\" contype=\"0\" conaffinity=\"0\"/>"
      "<body name=\"b\"><freejoint/><geom name=\"foot\" size=\"1\" mass=\"1\" contype=\"0\" "
      "conaffinity=\"0\" "
      "friction=\"0.2\"/><geom size=\"2\" mass=\"1\" contype=\"0\" conaffinity=\"1\"/></body></worldbody>"
      "<contact><pair geom1=\"foot\" geom2=\"floor\" friction=\"0.7 0.7 0.03\" condim=\"4\"/></contact>");
  const Scene& scene = robot.scene;
  const SceneShape &floor = scene.bodies[0].shapes.at(0), &foot = scene.bodies[1].shapes.at(0),
                   &other = scene.bodies[1].shapes.at(1);
  const auto touch = [](const SceneShape& a, const SceneShape& b) {
    return (a.group & b.collides_with) != 0 && (b.group & a.collides_with) != 0;
  };
  EXPECT_TRUE(touch(floor, foot));
  EXPECT_FALSE(touch(floor, other));
  const ContactValues values = contact_values(scene, floor.material, foot.material);
  EXPECT_EQ(values.friction, 0.7);
  EXPECT_NEAR(values.friction_set.radii[2], 0.03 / 0.7, 1e-16);
  EXPECT_TRUE(has_remark(robot, RobotVerdict::taken, "pair", "friction"));
}

TEST_F(Mjcf, APairTakesWhatItDoesNotSayFromItsGeoms) {
  const Scene scene = load(
                          "<default><pair condim=\"1\"/></default><worldbody><geom name=\"floor\" "
                          "type=\"plane\" size=\"1 1 1\"/>"
                          "<body><freejoint/><geom name=\"a\" size=\"1\" mass=\"1\" friction=\"1.5\"/></body>"
                          "<body><freejoint/><geom name=\"b\" size=\"1\" mass=\"1\"/></body></worldbody>"
                          "<contact><pair geom1=\"a\" geom2=\"b\" condim=\"3\"/><pair geom1=\"b\" "
                          "geom2=\"floor\"/></contact>")
                          .scene;
  const auto material = [&](int body) { return scene.bodies[body].shapes.at(0).material; };
  EXPECT_EQ(contact_values(scene, material(1), material(2)).friction, 1.5);
  EXPECT_EQ(contact_values(scene, material(0), material(2)).friction, 0) << "condim 1 by the default";
  EXPECT_EQ(contact_values(scene, material(0), material(1)).friction, 1.5) << "no pair";
}

TEST_F(Mjcf, PairsOfBodiesThatDoNotTouchAreTold) {
  const std::string geom = "<geom size=\"0.1\" mass=\"1\" name=";
  const RobotScene robot = load(
      "<worldbody><body name=\"a\">" + geom + "\"ga\"/><freejoint/><body name=\"b\" pos=\"1 0 0\">" + geom +
      "\"gb\"/><joint/></body></body></worldbody><contact><pair geom1=\"ga\" geom2=\"gb\"/></contact>");
  EXPECT_TRUE(has_remark(robot, RobotVerdict::ignored, "pair", ""));
  EXPECT_THAT(
      message_of("<worldbody><body><freejoint/><geom name=\"a\" size=\"1\"/></body></worldbody><contact>"
                 "<pair geom1=\"a\" geom2=\"aa\"/></contact>"),
      HasSubstr("pair.geom2: no geom that can touch is called 'aa'"));
}

TEST_F(Mjcf, KeyframesAreNamed) {
  const std::string text = "<mujoco><compiler angle=\"radian\"/><worldbody><body>" + kInertial +
                           "<joint/></body></worldbody><keyframe><key qpos=\"0.1\"/><key name=\"up\" "
                           "qpos=\"0.2\"/></keyframe></mujoco>";
  const std::string path = write("keys.xml", text);
  EXPECT_EQ(load_mjcf(path).scene.bodies[0].joint.position, 0.1);
  EXPECT_EQ(load_mjcf(path, {}, {{}, "up"}).scene.bodies[0].joint.position, 0.2);
  EXPECT_THAT(
      [&] {
        load_mjcf(path, {}, {{}, "upp"});
      },
      ::testing::ThrowsMessage<SceneError>(HasSubstr("no keyframe is called 'upp': did you mean 'up'?")));
}

TEST_F(Mjcf, FrictionIsTheLargerOneOrThatOfPriority) {
  const Scene scene = bodies(
      "<geom type=\"plane\" size=\"1 1 1\" friction=\"0.3\"/>"
      "<body><freejoint/><geom size=\"1\" friction=\"0.8\"/></body>"
      "<body><freejoint/><geom size=\"1\" friction=\"0.1\" priority=\"1\" condim=\"4\"/></body>");
  EXPECT_EQ(contact_values(scene, "material1", "material2").friction, 0.8);
  EXPECT_EQ(contact_values(scene, "material1", "material3").friction, 0.1);
  EXPECT_NEAR(contact_values(scene, "material1", "material3").friction_set.radii[2], 0.005 / 0.1, 1e-16);
}

TEST_F(Mjcf, ParentAndChildDoNotTouchAcrossWelds) {
  const std::string geom = "<geom size=\"0.1\" mass=\"1\"/>";
  const Scene scene = bodies("<body name=\"a\">" + geom + "<freejoint/><body name=\"a2\" pos=\"1 0 0\">" +
                             geom + "<body name=\"b\">" + geom + "<joint/></body></body></body>");
  EXPECT_THAT(scene.no_collision,
              ::testing::UnorderedElementsAre(SceneBodyPair{"a", "b"}, SceneBodyPair{"a2", "b"}));
}

TEST_F(Mjcf, SeveralJointsOfABodyAreAChainOfLinks) {
  const RobotScene robot = load("<worldbody><body name=\"a\">" + kInertial +
                                "<joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 1 0\"/>"
                                "<joint axis=\"0 0 1\"/></body></worldbody>");
  const Model model = compile(robot.scene);
  EXPECT_EQ(model.nv, 3);
  EXPECT_EQ(robot.scene.bodies.back().joint.parent, "a-link-2");
  const std::vector<double> M = mass_matrix(model, initial_state(model));
  EXPECT_NEAR(M[0], 2, 1e-8);
  EXPECT_NEAR(M[8], 0.02, 1e-9);
  EXPECT_TRUE(has_remark(robot, RobotVerdict::approximated, "joint", ""));
}

TEST_F(Mjcf, ArmatureIsOnTheDiagonalOfM) {
  const Model model =
      compile(bodies("<body>" + kInertial + "<joint axis=\"0 1 0\" armature=\"0.3\"/></body>"));
  EXPECT_NEAR(mass_matrix(model, initial_state(model))[0], 0.1 + 2 * 0.25 + 0.3, 1e-15);
}

TEST_F(Mjcf, ABodyWithoutMassAndJointIsPartOfItsParent) {
  const Scene scene =
      bodies("<body name=\"a\">" + kInertial +
             "<joint/><body name=\"pad\" pos=\"0 0 1\"><geom size=\"0.1\" mass=\"0\"/></body></body>");
  ASSERT_EQ(scene.bodies.size(), 1U);
  EXPECT_EQ(scene.bodies[0].shapes[0].position, (Vec3{0, 0, 1}));
}

TEST_F(Mjcf, EqualitiesBecomeJoints) {
  const std::string body = kInertial + "<joint name=";
  const Scene scene =
      load("<worldbody><body name=\"a\">" + body + "\"ja\"/></body><body name=\"b\" pos=\"1 0 0\">" + body +
           "\"jb\"/></body></worldbody><equality><connect body1=\"b\" body2=\"a\" anchor=\"0 0 2\"/>"
           "<joint joint1=\"ja\" joint2=\"jb\" polycoef=\"0.1 -2 0 0 0\"/></equality>")
          .scene;
  ASSERT_EQ(scene.joints.size(), 2U);
  EXPECT_EQ(scene.joints[0].anchor, (Vec3{1, 0, 2}));
  EXPECT_TRUE(scene.joints[0].collide);
  EXPECT_EQ(scene.joints[1].ratio, -2);
  EXPECT_EQ(scene.joints[1].offset, 0.1);
}

TEST_F(Mjcf, ActuatorsBecomeMotorsAtTheControlsOfTheKeyframe) {
  const std::string body = kInertial + "<joint name=";
  const Scene scene =
      load("<compiler angle=\"radian\"/><worldbody><body>" + body + "\"a\" ref=\"0.1\"/></body><body>" +
           body + "\"b\"/></body><body>" + body +
           "\"c\"/></body></worldbody><actuator>"
           "<position joint=\"a\" kp=\"10\" kv=\"2\" gear=\"3\" forcerange=\"-4 4\"/>"
           "<velocity joint=\"b\" kv=\"5\"/><motor joint=\"c\" gear=\"2\" ctrlrange=\"-1 1\"/></actuator>"
           "<keyframe><key qpos=\"0.5 0 0\" ctrl=\"0.6 2 7\"/></keyframe>")
          .scene;
  const SceneDrive &a = scene.bodies[0].joint.drive, &b = scene.bodies[1].joint.drive,
                   &c = scene.bodies[2].joint.drive;
  EXPECT_DOUBLE_EQ(scene.bodies[0].joint.position, 0.4);
  EXPECT_DOUBLE_EQ(a.kp, 90);
  EXPECT_DOUBLE_EQ(a.kv, 18);
  EXPECT_DOUBLE_EQ(a.target.constant, 0.6 / 3 - 0.1);
  EXPECT_DOUBLE_EQ(*a.max_force, 12);
  EXPECT_EQ(b.motor, MotorMode::velocity);
  EXPECT_DOUBLE_EQ(b.target.constant, 2);
  EXPECT_EQ(c.motor, MotorMode::force);
  EXPECT_DOUBLE_EQ(c.target.constant, 2);
}

TEST_F(Mjcf, ItsTextIsTheSameSceneToTheLastBit) {
  const RobotScene robot = load(
      "<worldbody><geom type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 0.3\" euler=\"10 20 30\">"
      "<freejoint/><geom type=\"box\" size=\"0.1 0.07 0.03\"/><body pos=\"0.1 0 0\">" +
      kInertial +
      "<joint damping=\"1\" armature=\"0.1\" axis=\"0 1 1\"/>"
      "<geom type=\"capsule\" size=\"0.05\" fromto=\"0 0 0 0.2 0.1 0\"/></body></body></worldbody>");
  const Scene again = parse_scene(robot.scene.text, "robot.yaml");
  const Model first = compile(robot.scene), second = compile(again);
  Simulation a(first, robot.scene.run), b(second, again.run);
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(a.step().certified());
    b.step();
  }
  EXPECT_EQ(a.state().q, b.state().q);
  EXPECT_EQ(a.state().v, b.state().v);
}

TEST_F(Mjcf, IncludesStandInTheirPlaces) {
  write("arm.xml", "<mujocoinclude><body name=\"arm\">" + kInertial + "<joint/></body></mujocoinclude>");
  EXPECT_EQ(bodies("<include file=\"arm.xml\"/>").bodies[0].name, "arm");
}

TEST_F(Mjcf, NothingIsDroppedInSilence) {
  const RobotScene robot =
      load("<option cone=\"elliptic\"/><worldbody><light pos=\"0 0 1\"/><body gravcomp=\"1\">" + kInertial +
           "<joint solreflimit=\"1 1\" nonsense=\"3\"/></body></worldbody>"
           "<tendon><fixed/></tendon>");
  EXPECT_TRUE(has_remark(robot, RobotVerdict::ignored, "option", "cone"));
  EXPECT_TRUE(has_remark(robot, RobotVerdict::ignored, "light", ""));
  EXPECT_TRUE(has_remark(robot, RobotVerdict::ignored, "body", "gravcomp"));
  EXPECT_TRUE(has_remark(robot, RobotVerdict::ignored, "joint", "solreflimit"));
  EXPECT_TRUE(has_remark(robot, RobotVerdict::ignored, "joint", "nonsense"));
  EXPECT_TRUE(has_remark(robot, RobotVerdict::ignored, "tendon", ""));
  EXPECT_TRUE(has_remark(robot, RobotVerdict::taken, "inertial", "mass"));
}

TEST_F(Mjcf, ErrorsNameFileLineElementAndAttribute) {
  EXPECT_THAT(message_of("<worldbody>\n<body name=\"a\" pos=\"0 0 nan\"/></worldbody>"),
              HasSubstr("robot.xml:3: body[a].pos: 'nan' is not a finite number"));
  EXPECT_THAT(message_of("<worldbody><body>\n<joint/>\n</body></worldbody>"),
              HasSubstr("it moves and has no mass"));
  EXPECT_THAT(message_of("<worldbody><body>" + kInertial + "<joint type=\"hinged\"/></body></worldbody>"),
              HasSubstr("joint.type: 'hinged' is none of its values: did you mean 'hinge'?"));
  EXPECT_THAT(message_of("<asset><mesh file=\"no.stl\"/></asset><worldbody><body><joint/><geom type=\"mesh\" "
                         "mesh=\"no\"/></body></worldbody>"),
              HasSubstr("mesh.file: there is no file"));
  EXPECT_THAT(message_of("<worldbody><include file=\"robot.xml\"/></worldbody>"),
              HasSubstr("includes itself"));
  EXPECT_THAT(message_of("<worldbody><body>"), HasSubstr("is the file cut off?"));
  EXPECT_THAT(message_of("<worldbody><attach model=\"x\"/></worldbody>"), HasSubstr("write out the bodies"));
  EXPECT_THAT(message_of("<worldbody><body>" + kInertial +
                         "<joint/></body></worldbody><keyframe><key qpos=\"1 2\"/></keyframe>"),
              HasSubstr("key.qpos: it holds 2 numbers, and the joints have 1"));
}

/// Robots of MuJoCo Menagerie, where the variable PAWL_MODELS names their folder.
TEST(MenagerieModels, LoadAndStepCertified) {
  const char* const folder = std::getenv("PAWL_MODELS");
  if (folder == nullptr) GTEST_SKIP() << "PAWL_MODELS is not set";
  for (const char* model :
       {"agility_cassie/scene", "anybotics_anymal_c/scene", "iit_softfoot/softfoot", "kinova_gen3/scene",
        "robotiq_2f85/scene", "shadow_hand/scene_right", "trossen_wx250s/scene", "ufactory_xarm7/scene",
        "umi_gripper/scene", "wonik_allegro/scene_right"}) {
    SCOPED_TRACE(model);
    const RobotScene robot = load_mjcf(std::string(folder) + "/" + model + ".xml");
    const Model compiled = compile(robot.scene);
    Simulation simulation(compiled, robot.scene.run);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(simulation.step().certified()) << simulation.time();
  }
}

}  // namespace
}  // namespace pawl::internal
