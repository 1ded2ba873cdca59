#include <pawl/collision/mesh/polyline_crossing.h>

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace pawl::internal {
namespace polyline_crossing_test {

using Points = std::vector<Vec3>;

/// Exact for coordinates that are small integers.
long long turn(const Vec3& a, const Vec3& b, const Vec3& c) {
  return std::llround((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
}
bool cross_inside(const Points& x, int i, int j) {
  const auto differ = [](long long a, long long b) { return (a > 0 && b < 0) || (a < 0 && b > 0); };
  return differ(turn(x[i], x[i + 1], x[j]), turn(x[i], x[i + 1], x[j + 1])) &&
         differ(turn(x[j], x[j + 1], x[i]), turn(x[j], x[j + 1], x[i + 1]));
}

/// A rotation that rounds every coordinate, and a translation.
Points turned(Points x) {
  for (Vec3& p : x) {
    p = {std::cos(0.3) * p.x - std::sin(0.3) * p.y + 1000, std::sin(0.3) * p.x + std::cos(0.3) * p.y - 500,
         0};
  }
  return x;
}

TEST(PolylineCrossing, IsFoundWhereverTwoPiecesCrossInside) {
  std::mt19937 random(1);
  int crossing = 0;
  for (int round = 0; round < 3000; ++round) {
    std::uniform_int_distribution<int> step(-9, 9), count(3, 12);
    Points x{{}};
    for (int i = count(random); i > 0;) {
      const Vec3 d{double(step(random)), double(step(random)), 0};
      if (d == Vec3{}) continue;
      x.push_back(x.back() + d);
      --i;
    }
    bool expected = false;
    for (int j = 2; j + 1 < static_cast<int>(x.size()); ++j) {
      for (int i = 0; i + 1 < j; ++i) expected |= cross_inside(x, i, j);
    }
    crossing += expected;
    if (expected) {
      EXPECT_TRUE(crossing_pieces(x)) << round;
      EXPECT_TRUE(crossing_pieces(turned(x))) << round;
    }
  }
  EXPECT_GT(crossing, 500);
}

TEST(PolylineCrossing, NamesTheFirstPieceThatCrossesAndTheEarliestThatItDoes) {
  const Points x{{0, 0, 0}, {9, 0, 0}, {9, 1, 0}, {0, 1, 0}, {0, 2, 0}, {4, 2, 0}, {4, -1, 0}};
  EXPECT_EQ(crossing_pieces(x), std::pair(5, 0));
  EXPECT_EQ(crossing_pieces(turned(x)), std::pair(5, 0));
}

TEST(PolylineCrossing, IsNoneWherePiecesTouch) {
  // A corner on a side, a closed square, a line that goes back along itself.
  EXPECT_FALSE(crossing_pieces(Points{{0, 0, 0}, {4, 0, 0}, {4, 2, 0}, {2, 0, 0}, {1, 1, 0}}));
  EXPECT_FALSE(crossing_pieces(Points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}}));
  EXPECT_FALSE(crossing_pieces(Points{{0, 0, 0}, {4, 0, 0}, {2, 0, 0}, {2, 1, 0}}));
  EXPECT_TRUE(crossing_pieces(Points{{0, 0, 0}, {4, 0, 0}, {4, 2, 0}, {2, 0, 0}, {1, -1, 0}}));
}

TEST(PolylineCrossing, IsLookedForInLongLinesToo) {
  Points spiral;
  for (int i = 0; i < 200000; ++i) {
    spiral.push_back({(1 + 1e-3 * i) * std::cos(0.01 * i), (1 + 1e-3 * i) * std::sin(0.01 * i), 0});
  }
  EXPECT_FALSE(crossing_pieces(spiral));
  spiral.push_back({});
  EXPECT_TRUE(crossing_pieces(spiral));
}

}  // namespace polyline_crossing_test
}  // namespace pawl::internal
