#include <pawl/assemble/assemble.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <pawl/collision/contact_finder.h>
#include <pawl/error.h>
#include <pawl/problem/delassus.h>
#include <pawl/scene_file.h>

namespace pawl::internal {
namespace {

/// Two balls side by side on a table, a capsule lying on it, and a capsule on an arm.
constexpr const char* kScene = R"(
pawl: 1
materials: {plain: {friction: 0.4}}
bodies:
  table: {joint: {type: weld}, shapes: [{type: half-space, normal: [0, 0, 1]}]}
  a: {mass: 1, position: [0, 0, 0.1], shapes: [{type: sphere, radius: 0.1}]}
  b: {mass: 2, position: [0.2, 0, 0.1], shapes: [{type: sphere, radius: 0.1}]}
  c:
    mass: 3
    position: [5, 0, 0.1]
    orientation: {axis: [0, 1, 0], angle_deg: 90}
    shapes: [{type: capsule, radius: 0.1, length: 0.5}]
  slide: {mass: 1, inertia: 0.1, position: [10, 0, 1], joint: {type: prismatic, axis: [1, 0, 0]}}
  arm:
    mass: 2
    inertia: [0.2, 0.3, 0.3]
    position: [10, 0, 0.5]
    joint: {type: revolute, parent: slide, anchor: [10, 0, 1], axis: [0, 1, 0], position: 0.2}
    shapes: [{type: capsule, radius: 0.1, length: 0.9}]
)";

class Assemble : public testing::Test {
 protected:
  Assemble() : scene_(parse_scene(kScene, "test.yaml")), model_(compile(scene_)) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> unit(-1, 1);
    q_ = model_.q_start;
    v_.resize(model_.nv);
    for (double& rate : v_) rate = unit(random);
  }

  void assemble_all(const char* method, double gap_limit) {
    position_kinematics(model_, q_, kinematics_);
    velocity_kinematics(model_, v_, kinematics_);
    free_motion(model_, kinematics_, q_, v_, {0, kStep}, scratch_, motion_);
    ContactFinder(model_).find({kinematics_, nullptr, gap_limit}, contacts_);
    assemble({.model = model_,
              .method = find_method(method),
              .kinematics = kinematics_,
              .contacts = contacts_,
              .dynamics_kinematics = kinematics_,
              .motion = motion_,
              .v_hat = v_,
              .blocks_v_hat = v_,
              .h = kStep,
              .friction = friction_},
             assembly_);
  }

  static constexpr double kStep = 0.01;
  Scene scene_;
  Model model_;
  std::vector<double> q_, v_;
  Kinematics kinematics_;
  DynamicsScratch scratch_;
  FreeMotion motion_;
  std::vector<Contact> contacts_;
  Assembly assembly_;
  FrictionTable friction_{model_, FrictionForm::polyhedral, 8};
};

TEST_F(Assemble, PutsContactsThatShareBodiesInOneIsland) {
  assemble_all("stewart-trinkle", 0.05);
  // Contacts: a-table, b-table and a-b; the two ends of c; the lower end of the arm.
  ASSERT_EQ(assembly_.count, 3);
  EXPECT_EQ(assembly_.islands[0].problem.contacts, 3);
  EXPECT_EQ(assembly_.islands[1].problem.contacts, 2);
  EXPECT_EQ(assembly_.islands[2].problem.contacts, 1);
  EXPECT_EQ(assembly_.islands[0].trees.size(), 2U);
}

TEST_F(Assemble, OrdersTheBlocksOfJByRowsThenByMassBlock) {
  assemble_all("stewart-trinkle", 100);
  for (int i = 0; i < assembly_.count; ++i) {
    const ContactProblem& problem = assembly_.islands[i].problem;
    EXPECT_TRUE(problem.primal());
    EXPECT_TRUE(problem.W.empty());
    const auto key = [](const auto& block) { return std::pair(block.block, block.mass_block); };
    EXPECT_TRUE(std::ranges::is_sorted(problem.motion.jacobian_blocks, std::ranges::less_equal{}, key));
  }
}

TEST_F(Assemble, NormalRowIsTheGradientOfTheGap) {
  assemble_all("stewart-trinkle", 0.05);
  const double step = 1e-6;
  std::vector<double> moved(model_.nq);
  integrate(model_, q_, v_, step, moved);
  Kinematics kinematics;
  position_kinematics(model_, moved, kinematics);
  std::vector<Contact> after;
  ContactFinder(model_).find({kinematics, nullptr, 0.06}, after);
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    std::vector<double> v_local, u(island.problem.rows());
    for (const int tree : island.trees) {
      const auto begin = v_.begin() + model_.trees[tree].v_begin;
      v_local.insert(v_local.end(), begin, begin + model_.trees[tree].nv);
    }
    contact_velocity(island.problem, v_local, u);
    for (std::size_t c = 0; c < island.contacts.size(); ++c) {
      const Contact& contact = contacts_[island.contacts[c]];
      const auto same = std::ranges::find(after, contact.id, &Contact::id);
      ASSERT_NE(same, after.end());
      EXPECT_NEAR(u[3 * c], (same->gap - contact.gap) / step, 1e-5);
    }
  }
}

TEST_F(Assemble, StabilisationFollowsTheMethodsRow) {
  assemble_all("stewart-trinkle", 0.05);
  // q⁺ = q ⊕ h (v⁺ + drift), so the gap at q⁺ is gap + h n · (v⁺ + drift − v̂).
  std::vector<double> v_less_drift = v_;
  for (int i = 0; i < model_.nv; ++i) v_less_drift[i] -= motion_.drift[i];
  EXPECT_NE(v_less_drift, v_);
  velocity_kinematics(model_, v_less_drift, kinematics_);
  for (int i = 0; i < assembly_.count; ++i) {
    const Island& island = assembly_.islands[i];
    for (std::size_t c = 0; c < island.contacts.size(); ++c) {
      const Contact& contact = contacts_[island.contacts[c]];
      const Vec3 rate = point_velocity(kinematics_, contact.body_a, contact.point_a) -
                        point_velocity(kinematics_, contact.body_b, contact.point_b);
      EXPECT_NEAR(island.problem.zeta[c], contact.gap / kStep - dot(contact.normal, rate), 1e-12);
    }
  }
  assemble_all("anitescu-potra", 0.05);
  for (int i = 0; i < assembly_.count; ++i) {
    for (const double zeta : assembly_.islands[i].problem.zeta) EXPECT_EQ(zeta, 0);
  }
}

TEST_F(Assemble, FreeMotionObeysNewton) {
  assemble_all("stewart-trinkle", 0.05);
  for (const Tree& tree : model_.trees) {
    const Body& root = model_.bodies[tree.body_begin];
    if (root.joint != JointKind::free || model_.body_names[tree.body_begin] == "c") continue;
    EXPECT_NEAR(motion_.v_free[tree.v_begin + 2], v_[tree.v_begin + 2] - 9.81 * kStep, 1e-14);
    for (int i = 3; i < 6; ++i) {  // balls: no torque, no gyroscopic term, no drift
      EXPECT_NEAR(motion_.v_free[tree.v_begin + i], v_[tree.v_begin + i], 1e-14);
      EXPECT_NEAR(motion_.drift[tree.v_begin + i], 0, 1e-14);
    }
  }
  EXPECT_TRUE(motion_.solved);
}

TEST_F(Assemble, UsesItsMemoryAgain) {
  assemble_all("stewart-trinkle", 0.05);
  const Assembly first = assembly_;
  assemble_all("stewart-trinkle", 100);  // all in at most two islands
  assemble_all("stewart-trinkle", 0.05);
  ASSERT_EQ(assembly_.count, first.count);
  for (int i = 0; i < first.count; ++i) {
    EXPECT_EQ(assembly_.islands[i].problem.begin, first.islands[i].problem.begin);
    EXPECT_EQ(assembly_.islands[i].problem.motion.jacobian, first.islands[i].problem.motion.jacobian);
    EXPECT_EQ(assembly_.islands[i].problem.b, first.islands[i].problem.b);
    EXPECT_EQ(assembly_.islands[i].contacts, first.islands[i].contacts);
  }
}

TEST(Method, UnknownNameIsAnsweredWithTheList) {
  try {
    find_method("euler");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("stewart-trinkle, stewart-trinkle-nonlinear, anitescu-potra, "
                        "anitescu-hart"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace pawl::internal
