// The scenes shipped with Pawl.

#include <filesystem>
#include <numbers>

#include <gtest/gtest.h>

#include <pawl/scene.h>
#include <pawl/scene_file.h>

namespace pawl::internal {
namespace {

const std::string kScenes = PAWL_SOURCE_DIR "/scenes/";

TEST(ShippedScenes, AreAllRead) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kScenes)) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_NO_THROW(load_scene(entry.path().string())) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 5);
}

// [StewartTrinkle2000, section 4.1]; the height is inferred.
TEST(ShippedScenes, HoldTheFallingRodAsPublished) {
  const Scene scene = load_scene(kScenes + "papers/falling_rod.yaml");
  EXPECT_EQ(scene.dimension, Dimension::planar);
  ASSERT_EQ(scene.bodies.size(), 2u);
  const SceneBody& rod = scene.bodies[1];
  EXPECT_EQ(rod.mass, 1);
  EXPECT_EQ((*rod.inertia)(2, 2), 0.002);
  EXPECT_EQ(rod.position, (Vec3{0, 1, 0}));
  EXPECT_DOUBLE_EQ(rod.angle, std::numbers::pi / 6);
  EXPECT_EQ(rod.velocity, Vec3{});
  EXPECT_EQ(rod.angular_velocity, (Vec3{0, 0, 4}));
  EXPECT_EQ(rod.shapes.at(0).kind, ShapeKind::capsule);
  EXPECT_EQ(rod.shapes.at(0).length, 0.5);
  EXPECT_EQ(rod.shapes.at(0).radius, 0.05);
  EXPECT_EQ(contact_values(scene, "plain", "plain").friction, 0.6);
  EXPECT_EQ(scene.run.step, 0.0025);
  EXPECT_EQ(scene.run.until, 0.8);
}

// [StewartTrinkle2000, section 4.2]; gravity is inferred.
TEST(ShippedScenes, HoldTheFourBallsAsPublished) {
  const Scene scene = load_scene(kScenes + "papers/four_balls.yaml");
  EXPECT_EQ(scene.gravity, (Vec3{0, 0, -9.82}));
  EXPECT_EQ(scene.run.method, "stewart-trinkle");
  EXPECT_EQ(scene.run.step, 0.005);
  EXPECT_EQ(scene.run.until, 1);
  EXPECT_EQ(scene.run.friction_directions, 8);
  ASSERT_EQ(scene.bodies.size(), 5u);
  const Vec3 positions[] = {{0, 0, 1}, {1, 0, 0.1}, {1.2 + 1e-5, 0, 0.1}, {1.4 + 2e-5, 0, 0.1}};
  for (std::size_t i = 0; i < 4; ++i) {
    const SceneBody& ball = scene.bodies[i + 1];
    EXPECT_NEAR(norm(ball.position - positions[i]), 0, 1e-15);
    EXPECT_EQ(ball.velocity, (i == 0 ? Vec3{1.5, 0.1, 0} : Vec3{}));
    EXPECT_EQ(ball.mass, 1);
    EXPECT_EQ(ball.inertia, Mat3::diagonal({4e-3, 4e-3, 4e-3}));
    EXPECT_EQ(ball.shapes.at(0).radius, 0.1);
    EXPECT_EQ(contact_values(scene, ball.shapes[0].material, "plain").friction, 0.4);
  }
}

// The ball's centre is one radius from the slope, so the scene starts in contact.
TEST(ShippedScenes, LetTheBallTouchItsIncline) {
  const Scene scene = load_scene(kScenes + "ball_on_incline.yaml");
  const Vec3 normal = to_matrix(scene.bodies.at(0).orientation) * scene.bodies[0].shapes.at(0).normal;
  EXPECT_NEAR(dot(normal, scene.bodies.at(1).position), scene.bodies[1].shapes.at(0).radius, 1e-15);
  EXPECT_GT(normal.x, 0) << "it falls towards +x";
}

}  // namespace
}  // namespace pawl::internal
