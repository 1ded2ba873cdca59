#include <pawl/assemble/friction_table.h>

#include <cmath>

#include <gtest/gtest.h>

#include <pawl/assemble/assemble.h>
#include <pawl/collision/contact_finder.h>
#include <pawl/scene_file.h>

namespace pawl::internal {
namespace {

/// A ball on a plane, as in System 1 of [TrinkleTzitzourisPang2001].
std::string scene_text(const std::string& set, const std::string& plane_pose = "") {
  return "pawl: 1\n"
         "materials: {ball: {friction: 0.2}, plane: {friction: 0.2}}\n"
         "pairs: [{between: [ball, plane], friction_set: " +
         set +
         "}]\n"
         "bodies:\n"
         "  ground: {joint: {type: weld}, " +
         plane_pose +
         "shapes: [{type: half-space, normal: [0, 0, 1], material: plane}]}\n"
         "  ball: {mass: 1, inertia: 0.4, position: [0, 0, 1], shapes: [{type: sphere, radius: 1, material: "
         "ball}]}\n";
}

struct Assembled {
  Assembled(const std::string& text, FrictionForm form)
      : model(compile(parse_scene(text, "s.yaml"))), table(model, form, 8) {
    const std::vector<double> v(model.nv, 0.0);
    position_kinematics(model, model.q_start, kinematics);
    velocity_kinematics(model, v, kinematics);
    free_motion(model, kinematics, model.q_start, v, {0, 0.01}, scratch, motion);
    ContactFinder(model).find({kinematics, nullptr, 1e-9}, contacts);
    assemble({.model = model,
              .method = find_method("stewart-trinkle"),
              .kinematics = kinematics,
              .contacts = contacts,
              .dynamics_kinematics = kinematics,
              .motion = motion,
              .v_hat = v,
              .blocks_v_hat = v,
              .h = 0.01,
              .friction = table},
             assembly);
  }
  const ContactProblem& problem() const { return assembly.islands.at(0).problem; }
  /// The generalised force of an impulse along t, o and r.
  std::vector<double> generalised(const FrictionVector& f) const {
    const auto& block = problem().motion.jacobian_blocks.at(0);
    std::vector<double> g(6, 0.0);
    for (int r = 1; r < problem().size_of(0); ++r) {
      for (int k = 0; k < 6; ++k) g[k] += problem().motion.jacobian[block.offset + r * 6 + k] * f[r - 1];
    }
    return g;
  }

  Model model;
  FrictionTable table;
  Kinematics kinematics;
  DynamicsScratch scratch;
  FreeMotion motion;
  std::vector<Contact> contacts;
  Assembly assembly;
};

/// Compares the generated matrix D with the printed one [TrinkleTzitzourisPang2001], in every digit.
template <std::size_t n>
void expect_printed(const std::string& rings, const double (&printed)[6][n]) {
  const Assembled at(
      scene_text("{type: ellipsoid, e_r: 0.4, along: [1, 1, 0], of: plane, directions: {rings: " + rings +
                 "}}"),
      FrictionForm::polyhedral);
  const FrictionSet& set = at.problem().friction.at(0);
  ASSERT_EQ(set.kind, FrictionKind::polyhedron);
  ASSERT_EQ(set.polyhedron->directions().size(), n);
  for (std::size_t j = 0; j < n; ++j) {
    FrictionVector d = set.polyhedron->directions()[j];
    for (int i = 0; i < 3; ++i) d[i] *= set.radii[i];
    const std::vector<double> column = at.generalised(d);
    for (int i = 0; i < 6; ++i)
      EXPECT_NEAR(column[i], printed[i][j], 0.5001e-4) << "row " << i << ", column " << j;
  }
}

TEST(FrictionTable, GeneratesTheDirectionsOfEquationFive) {
  constexpr double printed[6][20] = {
      {0.7071,  0,       -0.7071, -1,     -0.7071, 0,       0.7071,  1,      0.4177, -0.2682,
       -0.5835, -0.0924, 0.5264,  0.4177, -0.2682, -0.5835, -0.0924, 0.5264, 0,      0},
      {0.7071,  1,       0.7071,  0,      -0.7071, -1,      -0.7071, 0,       0.4177, 0.5264,
       -0.0924, -0.5835, -0.2682, 0.4177, 0.5264,  -0.0924, -0.5835, -0.2682, 0,      0},
      {},
      {0.7071,  1,       0.7071,  0,      -0.7071, -1,      -0.7071, 0,       0.4177, 0.5264,
       -0.0924, -0.5835, -0.2682, 0.4177, 0.5264,  -0.0924, -0.5835, -0.2682, 0,      0},
      {-0.7071, 0,      0.7071,  1,       0.7071, 0,      -0.7071, -1,      -0.4177, 0.2682,
       0.5835,  0.0924, -0.5264, -0.4177, 0.2682, 0.5835, 0.0924,  -0.5264, 0,       0},
      {0,      0,      0,      0,       0,       0,       0,       0,       0.3227, 0.3227,
       0.3227, 0.3227, 0.3227, -0.3227, -0.3227, -0.3227, -0.3227, -0.3227, 0.4,    -0.4}};
  expect_printed(
      "[{count: 8}, {latitude: 0.5, count: 5}, {latitude: -0.5, count: 5}, {latitude_deg: 90, count: 1},"
      " {latitude_deg: -90, count: 1}]",
      printed);
}

TEST(FrictionTable, GeneratesTheDirectionsOfEquationSix) {
  constexpr double printed[6][6] = {{0.3410, -0.4659, 0.1248, 0.3410, -0.4659, 0.1248},
                                    {0.3410, 0.1248, -0.4659, 0.3410, 0.1248, -0.4659},
                                    {},
                                    {0.3410, 0.1248, -0.4659, 0.3410, 0.1248, -0.4659},
                                    {-0.3410, 0.4659, -0.1248, -0.3410, 0.4659, -0.1248},
                                    {0.3504, 0.3504, 0.3504, -0.3504, -0.3504, -0.3504}};
  expect_printed("[{latitude_deg: 36, count: 3}, {latitude_deg: -36, count: 3}]", printed);
}

TEST(FrictionTable, GivesContactsTheRowsTheirFrictionHas) {
  const auto rows = [](const std::string& set, FrictionForm form) {
    return Assembled(scene_text(set), form).problem().rows();
  };
  for (const FrictionForm form : {FrictionForm::exact, FrictionForm::polyhedral}) {
    EXPECT_EQ(rows("{type: ellipsoid}", form), 3);
    EXPECT_EQ(rows("{type: ellipsoid, e_r: 0.1}", form), 4);
    EXPECT_EQ(rows("{type: mixed, e_r: 0.1}", form), 4);
    EXPECT_EQ(rows("{type: polyhedron, directions: 5}", form), 3);
    EXPECT_EQ(rows("{type: planar, along: [1, 0, 0], of: plane}", form), 2);
    EXPECT_EQ(rows("{type: none}", form), 3);
  }
}

TEST(FrictionTable, PutsAPrismInThePlaceOfAMixedSet) {
  const Assembled at(scene_text("{type: mixed, e_t: 2, e_r: 0.1}"), FrictionForm::polyhedral);
  const FrictionSet& set = at.problem().friction.at(0);
  EXPECT_EQ(set.polyhedron->directions().size(), 16u);
  EXPECT_EQ(set.radii, (std::array<double, 3>{2, 1, 0.1}));
  EXPECT_NEAR(set.polyhedron->support({0, 0, 1}), 1, 1e-15);
  EXPECT_NEAR(set.polyhedron->support({1, 0, 1}), 2, 1e-15);  // an ellipsoid would give √2
}

TEST(FrictionTable, TurnsTheFrameWithTheBodyItIsFixedIn) {
  const std::string set = "{type: ellipsoid, e_t: 2, along: [1, 0, 0], of: plane}";
  const Assembled straight(scene_text(set), FrictionForm::exact);
  EXPECT_NEAR(norm(straight.assembly.tangents.at(0) - Vec3{1, 0, 0}), 0, 1e-15);
  const Assembled turned(scene_text(set, "orientation: {axis: [0, 0, 1], angle_deg: 30}, "),
                         FrictionForm::exact);
  const Vec3 t{std::sqrt(0.75), 0.5, 0};
  EXPECT_NEAR(norm(turned.assembly.tangents.at(0) - t), 0, 1e-15);
}

TEST(FrictionTable, RefusesDirectionsThatDoNotSurroundZero) {
  const Model model =
      compile(parse_scene(scene_text("{type: polyhedron, directions: [[1, 0], [0, 1], [1, 1]]}"), "s.yaml"));
  try {
    FrictionTable(model, FrictionForm::polyhedral, 8);
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_EQ(error.file(), "s.yaml");
    EXPECT_EQ(error.location().line, 3);
    EXPECT_EQ(error.field(), "friction_set.directions");
  }
}

TEST(FrictionTable, RefusesAFrameAlongTheNormalOfAHalfSpace) {
  const Scene scene =
      parse_scene(scene_text("{type: ellipsoid, e_t: 2, along: [0, 0, -2], of: plane}"), "s.yaml");
  try {
    compile(scene);
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_STREQ(
        error.what(),
        "s.yaml:3:34: friction_set.along: it is parallel to the normal of a half-space of plane (body "
        "ground), and t lies in the surface: it must be another direction");
  }
}

TEST(FrictionTable, RefusesMoreDirectionsThanFit) {
  const Model model = compile(parse_scene(scene_text("{type: ellipsoid, e_r: 0.1}"), "s.yaml"));
  EXPECT_THROW(FrictionTable(model, FrictionForm::polyhedral, 31), Error);
  EXPECT_THROW(FrictionTable(model, FrictionForm::polyhedral, 2), Error);
  EXPECT_NO_THROW(FrictionTable(model, FrictionForm::polyhedral, 30));
  EXPECT_NO_THROW(FrictionTable(model, FrictionForm::exact, 31));
}

}  // namespace
}  // namespace pawl::internal
