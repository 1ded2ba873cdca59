// Rest faces of parts whose answers are known in closed form.

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pawl/error.h>
#include <pawl/poses/drop_scene.h>
#include <pawl/scene_file.h>

namespace pawl::internal {
namespace rest_faces_test {

using std::numbers::pi;

std::vector<Vec3> box(const Vec3& size) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i)
    points.push_back({(i & 1) == 0 ? 0 : size.x, (i & 2) == 0 ? 0 : size.y, (i & 4) == 0 ? 0 : size.z});
  return points;
}

Mat3 box_inertia(const Vec3& s) {
  Mat3 I = Mat3::identity();
  I(0, 0) = (s.y * s.y + s.z * s.z) / 12;
  I(1, 1) = (s.x * s.x + s.z * s.z) / 12;
  I(2, 2) = (s.x * s.x + s.y * s.y) / 12;
  return I;
}

RestFaces faces_of_box(const Vec3& size) {
  return find_rest_faces(box(size), {1, size / 2, box_inertia(size)});
}

/// Share of the sphere of an a × b rectangle seen from the height h above its middle.
double solid_angle(double a, double b, double h) {
  return 4 * std::asin(a * b / std::sqrt((a * a + 4 * h * h) * (b * b + 4 * h * h))) / (4 * pi);
}

TEST(RestFaces, OfACubeAreOnePose) {
  const RestFaces cube = faces_of_box({2, 2, 2});
  ASSERT_EQ(cube.faces.size(), 6u);
  EXPECT_EQ(cube.poses, 1);
  for (const RestFace& face : cube.faces) {
    EXPECT_NEAR(face.height, 1, 1e-15);
    EXPECT_NEAR(face.margin, 1, 1e-15);
    EXPECT_NEAR(face.tilt(), pi / 4, 1e-15);
    EXPECT_NEAR(face.solid_angle, 1.0 / 6, 1e-15);
    EXPECT_NEAR(face.captured, 1.0 / 6, 1e-15);
  }
}

TEST(RestFaces, OfABoxAreThreePoses) {
  const RestFaces faces = faces_of_box({6, 4, 2});
  ASSERT_EQ(faces.faces.size(), 6u);
  EXPECT_EQ(faces.poses, 3);
  EXPECT_NEAR(faces.faces[0].captured, solid_angle(6, 4, 1), 1e-15);
  EXPECT_NEAR(faces.faces[0].margin, 2, 1e-15);
  EXPECT_NEAR(faces.faces[4].captured, solid_angle(4, 2, 3), 1e-15);
  EXPECT_NEAR(faces.faces[4].tilt(), std::atan2(1, 3), 1e-15);
}

TEST(RestFaces, RollToTheNeighbourBelow) {
  // A sheared prism, whose base and top do not lie below its centre of mass.
  std::vector<Vec3> points;
  for (const double y : {0.0, 2.0}) {
    points.push_back({0, y, 0});
    points.push_back({1, y, 0});
    points.push_back({4, y, 3});  // leans out over its base
    points.push_back({3, y, 3});
  }
  const RestFaces faces = find_rest_faces(points, {1, {2, 1, 1.5}, Mat3::identity()});
  int unstable = 0;
  double captured = 0;
  for (const RestFace& face : faces.faces) {
    captured += face.captured;
    if (face.is_stable()) continue;
    ++unstable;
    EXPECT_EQ(face.captured, 0);
    EXPECT_NEAR(std::abs(face.normal.z), 1, 1e-15);
    EXPECT_NEAR(face.margin, -1, 1e-15);
  }
  EXPECT_EQ(unstable, 2);
  EXPECT_NEAR(captured, 1, 1e-14);
  for (const RestFace& face : faces.faces) {
    // A half turn about y maps the slanted faces to each other. Each takes one unstable face.
    if (std::abs(face.normal.x) < 0.1) continue;
    EXPECT_EQ(face.pose, 0);
    double of_base = 0;
    for (const RestFace& other : faces.faces) {
      if (!other.is_stable()) of_base = other.solid_angle;
    }
    EXPECT_NEAR(face.captured, face.solid_angle + of_base, 1e-14);
  }
}

TEST(RestFaces, AreOnePoseOnlyIfTheCentreOfMassAllowsIt) {
  // With its centre of mass out of every plane of symmetry, a box has no rotation to itself.
  std::vector<Vec3> points = box({6, 4, 2});
  const RestFaces faces = find_rest_faces(points, {1, {3.1, 2.05, 1.02}, box_inertia({6, 4, 2})});
  EXPECT_EQ(faces.poses, 6);
}

TEST(RestFaces, MergeFacetsOfRoundedCoordinates) {
  // A turned cube in single precision, as an STL file has it.
  const Mat3 R = to_matrix(quat_exp({0.3, -0.5, 0.7}));
  std::vector<Vec3> points;
  for (const Vec3& p : box({2, 2, 2})) {
    const Vec3 turned = R * p;
    points.push_back(
        {static_cast<float>(turned.x), static_cast<float>(turned.y), static_cast<float>(turned.z)});
  }
  const RestFaces faces = find_rest_faces(points, {1, R * Vec3{1, 1, 1}, box_inertia({2, 2, 2})});
  EXPECT_EQ(faces.faces.size(), 6u);
  EXPECT_EQ(faces.poses, 1);
}

TEST(RestFaces, RefuseACentreOfMassOutside) {
  EXPECT_THROW(find_rest_faces(box({1, 1, 1}), {1, {2, 0.5, 0.5}, Mat3::identity()}), Error);
}

TEST(DropScene, IsAValidSceneOfThePart) {
  const Scene scene = parse_scene(
      "pawl: 1\nmaterials: {m: {friction: 0.5}}\nbodies:\n  brick: {position: [1, 2, 3], shapes: [{type: "
      "box, size: "
      "[0.06, 0.04, 0.02], density: 1000, material: m, position: [0.1, 0, 0]}]}\n",
      "brick.yaml");
  const Part part = part_of_scene(scene, "");
  EXPECT_NEAR(part.body.mass, 0.048, 1e-15);
  EXPECT_NEAR(part.body.center.x, 0.1, 1e-15);
  const RestFaces faces = find_rest_faces(part.points, part.body);
  EXPECT_EQ(faces.poses, 3);
  const Scene drop = parse_scene(drop_scene(part, faces, {}), "drop.yaml");
  EXPECT_EQ(drop.outcomes.at(1).classes.size(), 6u);
  EXPECT_NEAR(*drop.bodies.at(1).mass, 0.048, 1e-15);
  EXPECT_THROW(part_of_scene(scene, "stone"), SceneError);
}

}  // namespace rest_faces_test
}  // namespace pawl::internal
