#include <pawl/collision/mesh/surface.h>

#include <numbers>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <pawl/collision/shapes/polytope.h>
#include <pawl/error.h>

#include "unit/collision/mesh/meshes.h"

namespace pawl::internal {
namespace surface_test {

Vec3 random_vec(std::mt19937& random) {
  std::uniform_real_distribution<double> in(-1, 1);
  const double x = in(random), y = in(random);
  return {x, y, in(random)};
}

std::multiset<int> found_in(const Surface& surface, const Aabb& where) {
  std::multiset<int> found;
  for_each_piece_in(surface, where, [&](int piece) { found.insert(piece); });
  return found;
}

std::multiset<int> found_by_brute_force(const Surface& surface, const Aabb& where) {
  std::multiset<int> found;
  for (int piece = 0; piece < static_cast<int>(surface.pieces.size()); ++piece) {
    if (overlap(bounding_box(surface, piece), where)) found.insert(piece);
  }
  return found;
}

/// Boxes of all sizes, some that only touch, some far outside or infinite.
void expect_like_brute_force(const Surface& surface, double size, std::uint32_t seed) {
  std::mt19937 random(seed);
  int hits = 0;
  for (int i = 0; i < 500; ++i) {
    const Vec3 near = surface.vertices[random() % surface.vertices.size()];
    const Vec3 a = i % 3 == 0 ? 1.2 * size * random_vec(random) : near + 0.05 * size * random_vec(random);
    const Vec3 b = a + (i % 5 == 0 ? 2.0 : 0.1) * size * random_vec(random);
    Aabb where = merge({a, a}, {b, b});
    if (i % 7 == 0) where.high = near;  // touches at a vertex, or is empty
    if (i % 7 == 1) where.low = near;
    const auto found = found_in(surface, where);
    EXPECT_EQ(found, found_by_brute_force(surface, where)) << i;
    hits += !found.empty();
  }
  EXPECT_GT(hits, 100);
  const double huge = std::numeric_limits<double>::max();
  EXPECT_EQ(found_in(surface, {{-huge, -huge, -huge}, {huge, huge, huge}}).size(), surface.pieces.size());
  EXPECT_EQ(found_in(surface, {{huge, huge, huge}, {huge, huge, huge}}).size(), 0u);
}

Surface wavy_field(int rows, int columns, double spacing_x, double spacing_y) {
  std::vector<double> heights;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) heights.push_back(0.3 * std::sin(0.9 * i) * std::cos(0.7 * j));
  }
  return height_field(heights, rows, columns, spacing_x, spacing_y);
}

TEST(Surface, FindsTheTrianglesOfABoxOfTheWorldAsBruteForceDoes) {
  for (const double size : {1e-3, 1.0, 100.0}) {
    TriangleMesh ball = test::ball_mesh(8);
    for (Vec3& v : ball.vertices) v *= size;
    expect_like_brute_force(make_surface(ball), size, 1);
  }
  expect_like_brute_force(make_surface(test::mesh_of(make_box({1, 1, 1}, false))), 1, 2);
}

TEST(Surface, FindsTheCellsOfAHeightFieldAsBruteForceDoes) {
  expect_like_brute_force(wavy_field(20, 30, 0.05, 0.1), 1.5, 3);
  expect_like_brute_force(wavy_field(2, 2, 1, 2), 1, 4);
  expect_like_brute_force(wavy_field(40, 3, 0.3, 0.025), 1, 5);
}

TEST(Surface, OfABoxHasTwelveConvexEdgesAndSixFlatOnes) {
  for (const double size : {1e-3, 1.0, 100.0}) {
    for (const double away : {0.0, 1e4}) {
      TriangleMesh mesh = test::mesh_of(make_box({1, 2, 3}, false));
      const Mat3 R = to_matrix(quat_exp({0.3, -0.8, 0.5}));
      for (Vec3& v : mesh.vertices) v = size * (R * v + Vec3{away, 0, 0});
      const Surface surface = make_surface(mesh);
      int convex = 0, flat = 0;
      for (int p = 0; p < 12; ++p) {
        for (int k = 0; k < 3; ++k) {
          const int other = surface.pieces[p].neighbour[k];
          ASSERT_GE(other, 0);
          const auto& back = surface.pieces[other].neighbour;
          EXPECT_EQ(std::ranges::count(back, p), 1);
          convex += surface.pieces[p].edge[k] == EdgeKind::convex;
          flat += surface.pieces[p].edge[k] == EdgeKind::flat;
        }
      }
      EXPECT_EQ(convex, 24) << size << " " << away;
      EXPECT_EQ(flat, 12) << size << " " << away;
    }
  }
}

TEST(Surface, OfARoomHasConcaveEdges) {
  TriangleMesh mesh = test::mesh_of(make_box({1, 1, 1}, false));
  for (auto& [a, b, c] : mesh.triangles) std::swap(b, c);
  int concave = 0;
  for (const auto& piece : make_surface(mesh).pieces)
    concave += static_cast<int>(std::ranges::count(piece.edge, EdgeKind::concave));
  EXPECT_EQ(concave, 24);
}

TEST(Surface, NormalsOfNarrowTrianglesArePerpendicularToTheirSides) {
  std::mt19937 random(6);
  for (int i = 0; i < 1000; ++i) {
    const Mat3 R = to_matrix(quat_exp(3 * random_vec(random)));
    const double narrow = std::pow(10., -0.012 * i);
    TriangleMesh mesh{{R * Vec3{}, R * Vec3{1, 0, 0}, R * Vec3{random_vec(random).x, narrow, 0}},
                      {{0, 1, 2}}};
    const Surface surface = make_surface(mesh);
    const Vec3 n = surface.pieces[0].normal;
    EXPECT_NEAR(norm(n), 1, 1e-15);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(dot(n, surface.vertices[k] - surface.vertices[(k + 1) % 3]), 0, 1e-15) << narrow;
    }
  }
}

/// Two triangles that meet along the y axis, folded down by an angle on either side (negative: up).
Surface roof(double fold_angle) {
  const double c = std::cos(fold_angle), s = std::sin(fold_angle);
  return make_surface({{{0, 0, 0}, {0, 1, 0}, {-c, 0.5, -s}, {c, 0.5, -s}}, {{0, 1, 2}, {1, 0, 3}}});
}

TEST(Surface, GivesAnEdgeTheNormalsBetweenItsTwoTrianglesOnlyWhereItIsConvex) {
  const Surface convex = roof(0.5);
  ASSERT_EQ(convex.pieces[0].edge[0], EdgeKind::convex);
  EXPECT_NEAR(convex.pieces[0].normal.x, -std::sin(0.5), 1e-15);
  EXPECT_NEAR(norm(side_normal(convex, 0, 0, {0.1, 7, 1}) - normalized(Vec3{0.1, 0, 1})), 0, 1e-15);
  EXPECT_NEAR(norm(side_normal(convex, 1, 0, {0.1, 7, 1}) - normalized(Vec3{0.1, 0, 1})), 0, 1e-15);
  EXPECT_EQ(side_normal(convex, 0, 0, {1, 0, 0}), convex.pieces[1].normal);
  EXPECT_EQ(side_normal(convex, 0, 0, {-1, 0, 0}), convex.pieces[0].normal);
  EXPECT_EQ(side_normal(convex, 0, 0, {-0.1, 0, -1}), convex.pieces[0].normal);
  EXPECT_EQ(side_normal(convex, 0, 0, {0.1, 0, -1}), convex.pieces[1].normal);
  EXPECT_EQ(side_normal(convex, 0, 0, {0, 1, 0}), convex.pieces[0].normal);  // parallel to the side
  for (const double fold_angle : {0.0, -0.5}) {
    const Surface other = roof(fold_angle);
    ASSERT_EQ(other.pieces[0].edge[0], fold_angle == 0 ? EdgeKind::flat : EdgeKind::concave);
    for (const Vec3& u : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 0, 1}, Vec3{0.1, 0.2, 1}}) {
      EXPECT_EQ(side_normal(other, 0, 0, u), other.pieces[0].normal);
      EXPECT_EQ(side_normal(other, 1, 0, u), other.pieces[1].normal);
    }
  }
}

TEST(Surface, GivesAnOpenEdgeTheNormalsUpToStraightOut) {
  const Surface flat = make_surface({{{}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}});
  EXPECT_EQ(flat.pieces[0].edge[0], EdgeKind::open);
  EXPECT_NEAR(norm(side_normal(flat, 0, 0, {5, -1, 1}) - normalized(Vec3{0, -1, 1})), 0, 1e-15);
  EXPECT_EQ(side_normal(flat, 0, 0, {0, -1, -0.5}), (Vec3{0, -1, 0}));
  EXPECT_EQ(side_normal(flat, 0, 0, {0, 0.2, 1}), (Vec3{0, 0, 1}));
}

/// At a corner of a box all directions of its octant are admissible; inner edges of a flat field add none.
TEST(Surface, GivesACornerTheNormalsOfItsConeAndNoOthers) {
  const Surface box = make_surface(test::mesh_of(make_box({1, 1, 1}, false)));
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 u = normalized(random_vec(random));
    for (int p = 0; p < 12; ++p) {
      for (int k = 0; k < 3; ++k) {
        const Vec3 v = box.vertices[box.pieces[p].corner[k]];
        const Vec3 n = corner_normal(box, p, k, u);
        EXPECT_NEAR(norm(n), 1, 1e-15);
        const bool inside = u.x * v.x >= 0 && u.y * v.y >= 0 && u.z * v.z >= 0;
        if (inside) {
          EXPECT_NEAR(norm(n - u), 0, 1e-15);
        }
        EXPECT_TRUE(n.x * v.x >= -1e-15 && n.y * v.y >= -1e-15 && n.z * v.z >= -1e-15);
      }
    }
  }
  const Surface field = height_field(std::vector<double>(25, 0.5), 5, 5, 0.1, 0.1);
  for (int p = 0; p < 32; ++p) {
    for (int k = 0; k < 3; ++k) {
      const int v = field.pieces[p].corner[k];
      const bool at_border = v / 5 == 0 || v / 5 == 4 || v % 5 == 0 || v % 5 == 4;
      if (at_border) continue;
      EXPECT_EQ(corner_normal(field, p, k, {0.3, 0.2, 1}), (Vec3{0, 0, 1}));
      EXPECT_EQ(side_normal(field, p, k, {0.3, 0.2, 1}), (Vec3{0, 0, 1}));
    }
  }
}

TEST(Surface, OfAPolylineHasItsSolidOnTheRight) {
  const Surface ground =
      polyline_surface(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {3, 0, 0}, {4, -1, 0}}, false);
  ASSERT_EQ(ground.pieces.size(), 4u);
  EXPECT_EQ(ground.pieces[0].normal, (Vec3{0, 1, 0}));
  EXPECT_EQ(ground.pieces[0].edge[0], EdgeKind::open);
  EXPECT_EQ(ground.pieces[0].edge[1], EdgeKind::concave);
  EXPECT_EQ(ground.pieces[1].edge[0], EdgeKind::concave);
  EXPECT_EQ(ground.pieces[1].edge[1], EdgeKind::convex);
  EXPECT_EQ(ground.pieces[2].edge[1], EdgeKind::flat);
  EXPECT_EQ(ground.pieces[3].neighbour, (std::array{2, -1, -1}));
  EXPECT_NEAR(norm(corner_normal(ground, 1, 1, {0.1, 2, 0}) - normalized(Vec3{0.1, 2, 0})), 0, 1e-15);
  EXPECT_NEAR(norm(corner_normal(ground, 2, 0, {0.1, 2, 0}) - normalized(Vec3{0.1, 2, 0})), 0, 1e-15);
  EXPECT_EQ(corner_normal(ground, 1, 1, {1, 0, 0}), ground.pieces[2].normal);
  EXPECT_EQ(corner_normal(ground, 1, 0, {-1, 3, 0}), ground.pieces[1].normal);
  EXPECT_EQ(corner_normal(ground, 0, 0, {-1, 0, 0}), (Vec3{-1, 0, 0}));

  std::vector<Vec3> circle;  // clockwise: an island
  for (int i = 0; i < 100; ++i) circle.push_back({std::cos(-0.0628 * i), std::sin(-0.0628 * i), 0});
  const Surface island = polyline_surface(circle, true);
  for (const auto& piece : island.pieces) {
    EXPECT_GT(dot(piece.normal, island.vertices[piece.corner[0]]), 0);
    EXPECT_EQ(piece.edge[0], EdgeKind::convex);
    EXPECT_EQ(piece.edge[1], EdgeKind::convex);
  }
  expect_like_brute_force(island, 1, 8);
}

template <class Build>
std::string reason(Build build) {
  try {
    build();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Surface, RefusesInvalidInputAndSaysWhy) {
  const std::vector<double> four{0, 0, 0, std::nan("")};
  EXPECT_EQ(reason([&] { height_field(four, 1, 4, 1, 1); }),
            "height field: needs 2 rows and 2 columns at least, not 1 and 4");
  EXPECT_EQ(reason([&] { height_field(four, 2, 3, 1, 1); }),
            "height field: 2 rows and 3 columns need 6 heights, not 4");
  EXPECT_EQ(reason([&] { height_field(four, 2, 2, 1, 0); }),
            "height field: spacing must be positive and finite, not 1 and 0");
  EXPECT_EQ(reason([&] { height_field(four, 2, 2, 1, 1); }),
            "height field: the height of row 1, column 1 is not finite");
  EXPECT_EQ(reason([] { polyline_surface(std::vector<Vec3>{{}}, false); }), "polyline: 1 points are too few");
  EXPECT_EQ(reason([] {
              polyline_surface(std::vector<Vec3>{{}, {1, 0, 0}, {1, 0, 0}}, false);
            }),
            "polyline: points 1 and 2 are the same");
  EXPECT_EQ(reason([] {
              polyline_surface(std::vector<Vec3>{{}, {1, 0, 2}}, false);
            }),
            "polyline: point 1 must have z = 0");
  EXPECT_EQ(reason([] {
              polyline_surface(std::vector<Vec3>{{}, {1, HUGE_VAL, 0}}, false);
            }),
            "polyline: point 1 is not finite");
  EXPECT_EQ(reason([] { make_surface({}); }), "mesh: the mesh has no triangles");
  EXPECT_EQ(
      reason([] {
        make_surface({{{}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2}, {0, 1, 3}}});
      }),
      "mesh: triangle 0: the side from (0, 0, 0) to (1, 0, 0) is shared with one that faces the other way "
      "(mesh: triangle 1): turn one of them round");
}

}  // namespace surface_test
}  // namespace pawl::internal
