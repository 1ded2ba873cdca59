// SIMD scans of large polytopes against plain loops.

#include <gtest/gtest.h>

#include <pawl/collision/shapes/polytope.h>
#include <unit/collision/shapes/random_convex.h>

namespace pawl::internal {
namespace polytope_test {

using testing::Random;
using testing::random_hull;

template <class Look>
void for_each_hull(Look look) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const double size = random.scale(1e-3, 1e2);
    look(random, random_hull(random, {size, size, size * random.scale(0.1, 1)}));
  }
}

TEST(Polytope, FourWideScansMatchScalarLoops) {
  int scans = 0;
  for_each_hull([&](Random& random, const Polytope& polytope) {
    if (polytope.vertex_blocks.empty()) return;
    const Polytope::Edge& edge = polytope.edges[0];
    const Vec3 along = polytope.vertices[edge.to] - polytope.vertices[edge.from];
    // Perpendicular to an edge two vertices tie; along the zero vector all do.
    for (const Vec3& d : {random.unit(), cross(along, random.unit()), Vec3{}}) {
      int first = 0, highest = 0, farthest = 0;
      std::vector<double> heights(4 * polytope.face_blocks.size());
      const auto height = [&](int f) { return dot(polytope.faces[f].normal, d) - polytope.faces[f].offset; };
      for (int f = 1; f < static_cast<int>(polytope.faces.size()); ++f) {
        if (dot(polytope.faces[f].normal, d) > dot(polytope.faces[first].normal, d)) first = f;
        if (height(f) > height(highest)) highest = f;
      }
      for (int v = 1; v < static_cast<int>(polytope.vertices.size()); ++v) {
        if (dot(polytope.vertices[v], d) > dot(polytope.vertices[farthest], d)) farthest = v;
      }
      EXPECT_EQ(argmax_dot(polytope.face_blocks, d), first);
      EXPECT_EQ(argmax_dot(polytope.vertex_blocks, d), farthest);
      EXPECT_EQ(argmax_height(polytope.face_blocks, d, heights.data()), highest);
      for (int f = 0; f < static_cast<int>(polytope.faces.size()); ++f) EXPECT_EQ(heights[f], height(f));
      ++scans;
    }
  });
  EXPECT_GT(scans, 500);
}

TEST(Polytope, ArgmaxOfTiesIsTheFirst) {
  for (int i = 0; i < 16; ++i) {
    for (int j = i + 1; j < 16; ++j) {
      std::vector<Vec3x4> list(4);
      for (const int k : {i, j}) list[static_cast<std::size_t>(k / 4)].x[static_cast<std::size_t>(k % 4)] = 1;
      EXPECT_EQ(argmax_dot(list, {1, 0, 0}), i);
    }
  }
}

TEST(Polytope, SidesOfFacesReferToTheirEdges) {
  for_each_hull([](Random&, const Polytope& polytope) {
    for (int f = 0; f < static_cast<int>(polytope.faces.size()); ++f) {
      const Polytope::Face& face = polytope.faces[f];
      for (int i = face.begin; i < face.end; ++i) {
        const Polytope::Edge& edge = polytope.edges[polytope.side_edges[i]];
        const int from = polytope.loops[i], to = polytope.loops[i + 1 < face.end ? i + 1 : face.begin];
        EXPECT_EQ(edge.left == f ? edge.from : edge.to, from);
        EXPECT_EQ(edge.left == f ? edge.to : edge.from, to);
        EXPECT_TRUE(edge.left == f || edge.right == f);
        EXPECT_GE(edge.cosine, polytope.min_cosine);
      }
    }
  });
}

}  // namespace polytope_test
}  // namespace pawl::internal
