#include <pawl/collision/broad_phase/broad_phase.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include <unit/record/allocation_count.h>

#include "unit/collision/broad_phase/random_boxes.h"

namespace pawl::internal {
namespace broad_phase_test {

using testing::brute_force_pairs;
using testing::Random;
using testing::random_box;
using testing::translated;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<ShapePair> found(const BroadPhase& broad_phase) {
  return {broad_phase.pairs().begin(), broad_phase.pairs().end()};
}

/// Boxes in a cube, some of them fixed.
struct World {
  std::vector<Aabb> boxes;
  std::vector<bool> fixed;
  std::vector<ShapeRole> roles;

  World(Random& random, int count, double room, double smallest, double largest,
        double fixed_fraction = 0.2) {
    for (int i = 0; i < count; ++i) {
      boxes.push_back(random_box(random, room, smallest, largest));
      fixed.push_back(random.uniform(0, 1) < fixed_fraction);
      roles.push_back(fixed[i] ? ShapeRole::fixed : ShapeRole::moving);
    }
  }
  /// Moves each moving box with probability `fraction`.
  void move(Random& random, double distance, double fraction) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (!fixed[i] && random.uniform(0, 1) < fraction) boxes[i] = translated(boxes[i], random.vec(distance));
    }
  }
};

TEST(BroadPhase, FindsThePairsOfBruteForceAtEveryStep) {
  Random random(1);
  struct Motion {
    double distance, fraction;
  };
  for (const int count : {0, 1, 2, 10, 200}) {
    for (const double scale : {1e-3, 1., 1e3}) {
      World world(random, count, 3 * scale, 0.1 * scale, scale);
      BroadPhase broad_phase;
      broad_phase.reset(world.roles);
      for (const auto& [distance, fraction] : {Motion{0, 0},
                                               {1e-9, 1},
                                               {0.01, 1},
                                               {0.01, 0.05},
                                               {0.1, 1},
                                               {0.3, 0.02},
                                               {1, 1},
                                               {10, 0.02} /* jumps */,
                                               {0.02, 1}}) {
        for (int step = 0; step < 10; ++step) {
          world.move(random, distance * scale, fraction);
          const double contact_margin = step % 3 == 0 ? 0 : random.uniform(0, 0.2 * scale);
          ASSERT_TRUE(broad_phase.update(world.boxes, contact_margin));
          ASSERT_EQ(found(broad_phase), brute_force_pairs(world.boxes, contact_margin, world.fixed))
              << count << " boxes, " << distance << ", " << fraction << ", step " << step;
        }
      }
    }
  }
}

TEST(BroadPhase, FindsPairsWhileAllMoveFastAndWhenTheyStop) {
  Random random(14);
  World world(random, 200, 3, 0.3, 0.6);
  BroadPhase broad_phase;
  broad_phase.reset(world.roles);
  for (int step = 0; step < 300; ++step) {
    const std::array distances{0.5, 0.5, 0.5, 0., 0.5, 1e-3, 1e-3, 0.02, 0.02, 0.02};
    const double contact_margin = step % 50 < 25 ? 0.1 : 0.05;
    world.move(random, distances[step / 3 % distances.size()], step % 7 == 0 ? 0.5 : 1);
    ASSERT_TRUE(broad_phase.update(world.boxes, contact_margin));
    ASSERT_EQ(found(broad_phase), brute_force_pairs(world.boxes, contact_margin, world.fixed)) << step;
  }
}

TEST(BroadPhase, FindsPairsOfSizesThatDifferAMillionfold) {
  Random random(2);
  World world(random, 300, 100, 1e-3, 1e3, 0.1);
  BroadPhase broad_phase;
  broad_phase.reset(world.roles);
  for (int step = 0; step < 50; ++step) {
    world.move(random, random.scale(1e-4, 10), step % 2 == 0 ? 1 : 0.05);
    ASSERT_TRUE(broad_phase.update(world.boxes, 1e-3));
    ASSERT_EQ(found(broad_phase), brute_force_pairs(world.boxes, 1e-3, world.fixed)) << step;
  }
}

TEST(BroadPhase, FindsAllPairsOfEqualBoxesAndNoneOfScatteredPoints) {
  const std::vector<ShapeRole> roles(100, ShapeRole::moving);
  BroadPhase broad_phase;
  broad_phase.reset(roles);
  std::vector<Aabb> boxes(100, Aabb{{0, 0, 0}, {1, 1, 1}});
  ASSERT_TRUE(broad_phase.update(boxes, 0));
  EXPECT_EQ(found(broad_phase), brute_force_pairs(boxes, 0));
  EXPECT_EQ(broad_phase.pairs().size(), 4950U);
  for (int i = 0; i < 100; ++i) boxes[i] = {{1. * i, 0, 0}, {1. * i, 0, 0}};
  ASSERT_TRUE(broad_phase.update(boxes, 0));
  EXPECT_TRUE(broad_phase.pairs().empty());
  ASSERT_TRUE(broad_phase.update(boxes, 1));
  EXPECT_EQ(broad_phase.pairs().size(), 99U) << "each with the next";
}

TEST(BroadPhase, DetectsOverlapsToTheLastBitAtAnyScale) {
  Random random(11);
  for (const double scale : {1e-300, 1e-42 /* denormal as a float */, 1e-3, 1., 1e3, 1e39, 1e300}) {
    constexpr int kCount = 12;  // in a row, each touching the next or not
    std::vector<Aabb> boxes(kCount);
    BroadPhase broad_phase;
    broad_phase.reset(std::vector<ShapeRole>(kCount, ShapeRole::moving));
    std::size_t most = 0, least = kCount;
    for (int step = 0; step < 2000; ++step) {
      for (int i = 0; i < kCount; ++i) {
        if (step > 0 && random.below(3) == 0) continue;  // at rest
        const double off = random.below(3) == 0 ? 0 : random.scale(1e-17, 1e-2) * random.uniform(-1, 1);
        boxes[i] = {{scale * (i + off), 0, 0}, {scale * (i + 1.), scale, scale}};
      }
      ASSERT_TRUE(broad_phase.update(boxes, 0));
      ASSERT_EQ(found(broad_phase), brute_force_pairs(boxes, 0)) << scale << ", step " << step;
      most = std::max(most, broad_phase.pairs().size());
      least = std::min(least, broad_phase.pairs().size());
    }
    EXPECT_GE(most, least + 5) << "they do meet and part";
  }
}

TEST(BroadPhase, FollowsTheContactMarginOverBoxesAtRest) {
  Random random(12);
  World world(random, 200, 3, 0.1, 0.5);
  BroadPhase broad_phase;
  broad_phase.reset(world.roles);
  for (int step = 0; step < 200; ++step) {
    const double contact_margin = step % 4 == 0 ? 0.1 : random.scale(1e-12, 0.3);
    ASSERT_TRUE(broad_phase.update(world.boxes, contact_margin));
    ASSERT_EQ(found(broad_phase), brute_force_pairs(world.boxes, contact_margin, world.fixed)) << step;
  }
}

/// Rows of up to 8 pairs, of up to 16, and longer ones are sorted by different code.
TEST(BroadPhase, OrdersPairsOfCrowdsOfEverySize) {
  Random random(13);
  for (int crowd = 1; crowd < 40; ++crowd) {
    std::vector<Aabb> boxes;
    for (int i = 0; i < 3 * crowd; ++i) boxes.push_back(random_box(random, 0.1, 0.5, 0.6));
    for (int i = 0; i < 3 * crowd; ++i) boxes[i] = translated(boxes[i], {10. * random.below(3), 0, 0});
    BroadPhase broad_phase;
    broad_phase.reset(std::vector<ShapeRole>(boxes.size(), ShapeRole::moving));
    for (const double shift : {0., 0.3}) {
      for (std::size_t i = 0; i < boxes.size(); i += 5) boxes[i] = translated(boxes[i], {0, shift, 0});
      ASSERT_TRUE(broad_phase.update(boxes, 0));
      ASSERT_EQ(found(broad_phase), brute_force_pairs(boxes, 0)) << crowd;
    }
  }
}

TEST(BroadPhase, AsksThePredicateOnlyWhenBoxesComeNear) {
  Random random(3);
  World world(random, 100, 2, 0.1, 0.5);
  int asked = 0;
  const auto pair_filter = [&](int a, int b) {
    EXPECT_LT(a, b);
    ++asked;
    return (a + b) % 3 != 0;
  };
  BroadPhase broad_phase;
  broad_phase.reset(world.roles, pair_filter);
  broad_phase.update(world.boxes, 0.1);
  EXPECT_GT(asked, 0);
  asked = 0;
  for (int step = 0; step < 10; ++step) {
    world.move(random, 1e-6, 1);
    broad_phase.update(world.boxes, 0.1);
    std::vector<ShapePair> expected = brute_force_pairs(world.boxes, 0.1, world.fixed);
    std::erase_if(expected, [](const ShapePair& pair) { return (pair.a + pair.b) % 3 == 0; });
    ASSERT_EQ(found(broad_phase), expected);
  }
  EXPECT_EQ(asked, 0);
}

TEST(BroadPhase, ReportsInvalidAabbsAndIgnoresThem) {
  Random random(4);
  World world(random, 60, 1, 0.1, 0.5);
  world.fixed[0] = false;
  world.roles[0] = ShapeRole::moving;
  BroadPhase broad_phase;
  broad_phase.reset(world.roles);
  const Aabb good = world.boxes[0];
  const Aabb inside_out{good.low + 0.6 * (good.high - good.low), good.low + 0.4 * (good.high - good.low)};
  for (const Aabb& bad : {Aabb{{kNan, kNan, kNan}, {kNan, kNan, kNan}}, inside_out,
                          Aabb{good.low, {std::numeric_limits<double>::infinity(), 0, 0}}}) {
    for (const bool reset_first : {true, false}) {
      if (reset_first) broad_phase.reset(world.roles);
      for (const Aabb& box : {good, bad, bad, good}) {
        world.boxes[0] = box;
        ASSERT_EQ(broad_phase.update(world.boxes, 0), is_valid(box));
        ASSERT_EQ(found(broad_phase), brute_force_pairs(world.boxes, 0, world.fixed));
      }
    }
  }
  world.roles[0] = ShapeRole::fixed;
  world.fixed[0] = true;
  world.boxes[0].low.y = kNan;
  broad_phase.reset(world.roles);
  for (int step = 0; step < 3; ++step) {
    EXPECT_FALSE(broad_phase.update(world.boxes, 0)) << "a fixed one";
    EXPECT_EQ(found(broad_phase), brute_force_pairs(world.boxes, 0, world.fixed));
  }
  world.roles[0] = ShapeRole::excluded;
  broad_phase.reset(world.roles);
  EXPECT_TRUE(broad_phase.update(world.boxes, 0)) << "nobody asks";
}

TEST(BroadPhase, FindsTheMovingShapesNearAHalfSpace) {
  Random random(5);
  World world(random, 200, 3, 0.01, 1);
  BroadPhase broad_phase;
  broad_phase.reset(world.roles);
  std::vector<int> near;
  for (int step = 0; step < 50; ++step) {
    world.move(random, 0.1, 0.5);
    broad_phase.update(world.boxes, 0);
    const HalfSpace half_space{random.unit(), random.uniform(-3, 3)};
    const double contact_margin = random.uniform(0, 0.5);
    broad_phase.query_half_space(half_space, contact_margin, near);
    std::vector<int> expected;
    for (int i = 0; i < 200; ++i) {
      if (world.fixed[i]) continue;
      if (height_over(world.boxes[i], half_space.normal, half_space.offset + contact_margin) <= 0)
        expected.push_back(i);
    }
    ASSERT_EQ(near, expected);
  }
}

/// The gap of the balls inscribed in the boxes.
double ball_gap(const Aabb& a, const Aabb& b) {
  const auto radius = [](const Aabb& box) { return 0.5 * (box.high.x - box.low.x); };
  return norm(0.5 * (a.low + a.high) - 0.5 * (b.low + b.high)) - radius(a) - radius(b);
}

TEST(BroadPhase, FindsTheMinimumGapEvaluatingFewPairs) {
  Random random(6);
  long evaluated = 0, worlds = 0;
  for (const double radius : {0.01, 0.05, 0.5 /* they overlap */}) {
    for (int round = 0; round < 20; ++round) {
      World world(random, 300, 2, radius, radius);
      BroadPhase broad_phase;
      broad_phase.reset(world.roles, [](int a, int b) { return (a + b) % 5 != 0; });
      broad_phase.update(world.boxes, 0);
      double least = std::numeric_limits<double>::infinity();
      int boxes_nearer = 0;
      const auto for_all = [&](auto&& visit) {
        for (int a = 0; a < 300; ++a) {
          for (int b = a + 1; b < 300; ++b) {
            if ((a + b) % 5 != 0 && !(world.fixed[a] && world.fixed[b])) visit(a, b);
          }
        }
      };
      for_all([&](int a, int b) { least = std::min(least, ball_gap(world.boxes[a], world.boxes[b])); });
      for_all([&](int a, int b) { boxes_nearer += gap(world.boxes[a], world.boxes[b]) < least ? 1 : 0; });
      const auto exact = [&](int a, int b) {
        EXPECT_LT(a, b);
        return ball_gap(world.boxes[a], world.boxes[b]);
      };
      const ClosestPair closest = broad_phase.closest(1e9, exact);
      ASSERT_EQ(closest.gap, least);
      ASSERT_EQ(exact(closest.pair.a, closest.pair.b), least);
      ASSERT_LE(closest.evaluated, boxes_nearer + 1) << "no search that trusts boxes alone can do with fewer";
      const ClosestPair none = broad_phase.closest(least, exact);
      ASSERT_EQ(none.pair, (ShapePair{-1, -1}));
      ASSERT_EQ(none.gap, least);
      if (radius < 0.5) {
        evaluated += closest.evaluated;
        ++worlds;
      }
    }
  }
  EXPECT_LE(evaluated, 10 * worlds) << "of 44,850 pairs a world";
}

TEST(BroadPhase, BoundsTheClosestPairSearchByTheWorldSize) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Aabb small{{0, 0, 0}, {0.1, 0.1, 0.1}}, away{{3, 4, 0}, {3.1, 4.1, 0.1}};
  const auto gap = [](int, int) { return 0.0; };
  BroadPhase broad_phase;
  for (const std::vector<Aabb>& boxes : {std::vector<Aabb>{small}, std::vector<Aabb>{small, away}}) {
    broad_phase.reset(std::vector<ShapeRole>(boxes.size(), ShapeRole::moving),
                      [](int, int) { return false; });
    broad_phase.update(boxes, 0);
    const ClosestPair none = broad_phase.closest(infinity, gap);
    EXPECT_EQ(none.gap, infinity);
    EXPECT_EQ(none.evaluated, 0);
    EXPECT_LE(none.rounds, 8) << "5 m in doubling steps from 0.1 m";
  }
}

TEST(BroadPhase, DoesNotDependOnEarlierUpdates) {
  Random random(8);
  World world(random, 200, 3, 0.1, 0.1);
  BroadPhase old;
  old.reset(world.roles);
  for (int step = 0; step < 50; ++step) {
    world.move(random, 0.1, step % 2 == 0 ? 1 : 0.03);
    BroadPhase fresh;
    fresh.reset(world.roles);
    std::array<std::vector<ShapePair>, 2> looked_at;
    std::array<ClosestPair, 2> closest;
    for (int i = 0; i < 2; ++i) {
      BroadPhase& broad_phase = i == 0 ? old : fresh;
      broad_phase.update(world.boxes, 0.1);
      closest[i] = broad_phase.closest(1e9, [&](int a, int b) {
        looked_at[i].push_back({a, b});
        return ball_gap(world.boxes[a], world.boxes[b]);
      });
    }
    ASSERT_EQ(found(old), found(fresh));
    ASSERT_EQ(looked_at[0], looked_at[1]);
    ASSERT_EQ(closest[0].pair, closest[1].pair);
    ASSERT_EQ(closest[0].gap, closest[1].gap);
  }
}

TEST(BroadPhase, FindsTheFirstOfEqualGapsInOneEvaluation) {
  constexpr int kSide = 10;
  std::vector<Aabb> boxes;
  for (int i = 0; i < kSide * kSide * kSide; ++i) {
    const Vec3 low{2. * (i % kSide), 2. * (i / kSide % kSide), 2. * (i / kSide / kSide)};
    boxes.push_back({low, low + Vec3{1, 1, 1}});
  }
  BroadPhase broad_phase;
  broad_phase.reset(std::vector<ShapeRole>(boxes.size(), ShapeRole::moving));
  broad_phase.update(boxes, 0);
  const ClosestPair closest = broad_phase.closest(1e9, [&](int a, int b) { return gap(boxes[a], boxes[b]); });
  EXPECT_EQ(closest.gap, 1);
  EXPECT_EQ(closest.pair, (ShapePair{0, 1}));
  EXPECT_EQ(closest.evaluated, 1);
}

TEST(BroadPhase, FindsTheMinimumGapAtAnyDistance) {
  Random random(9);
  for (const double room : {1., 1e3, 1e9, 1e140}) {
    for (const double size : {1e-3, 0.1}) {
      World world(random, 40, room, size, size);
      if (size == 1e-3) {
        for (Aabb& box : world.boxes) box.high = box.low;  // points
      }
      world.boxes[7] = translated(world.boxes[7], {0, 0, 1e6 * room});
      BroadPhase broad_phase;
      broad_phase.reset(world.roles);
      broad_phase.update(world.boxes, 0);
      double least = std::numeric_limits<double>::infinity();
      for (int a = 0; a < 40; ++a) {
        for (int b = a + 1; b < 40; ++b) {
          if (!world.fixed[a] || !world.fixed[b])
            least = std::min(least, gap(world.boxes[a], world.boxes[b]));
        }
      }
      const auto exact = [&](int a, int b) { return gap(world.boxes[a], world.boxes[b]); };
      const ClosestPair closest = broad_phase.closest(std::numeric_limits<double>::infinity(), exact);
      EXPECT_EQ(closest.gap, least);
      EXPECT_EQ(closest.evaluated, 1);
    }
  }
}

TEST(BroadPhase, EndsItsSearchWhereNoPairMayCollide) {
  Random random(10);
  World world(random, 40, 1, 0.01, 0.1);
  BroadPhase broad_phase;
  broad_phase.reset(world.roles, [](int, int) { return false; });
  broad_phase.update(world.boxes, 0);
  const auto never = [](int, int) -> double { throw std::logic_error("no pair may meet"); };
  EXPECT_EQ(broad_phase.closest(std::numeric_limits<double>::infinity(), never).evaluated, 0);
  EXPECT_TRUE(broad_phase.pairs().empty());
}

TEST(BroadPhase, FindsNoMinimumGapWithoutPairs) {
  BroadPhase broad_phase;
  const auto never = [](int, int) -> double { throw std::logic_error("there is no pair"); };
  for (const int count : {0, 1}) {
    broad_phase.reset(std::vector<ShapeRole>(count, ShapeRole::moving));
    broad_phase.update(std::vector<Aabb>(count), 0);
    EXPECT_EQ(broad_phase.closest(7, never).gap, 7);
  }
  broad_phase.reset(std::vector<ShapeRole>(2, ShapeRole::fixed));
  broad_phase.update(std::vector<Aabb>(2), 0);
  EXPECT_EQ(broad_phase.closest(7, never).evaluated, 0);
}

TEST(BroadPhase, AllocatesNothingOnceWarm) {
  Random random(7);
  std::vector<std::vector<Aabb>> steps;
  World world(random, 500, 4, 0.1, 0.5);
  for (int step = 0; step < 60; ++step) {
    world.move(random, step < 20 ? 0.2 : 0.02, step % 2 == 0 ? 1 : 0.05);
    steps.push_back(world.boxes);
  }
  BroadPhase broad_phase;
  broad_phase.reset(world.roles);
  std::vector<int> near;
  double sum = 0;
  const auto run = [&] {
    const long before = allocation_count();
    for (const std::vector<Aabb>& boxes : steps) {
      broad_phase.update(boxes, 0.05);
      broad_phase.query_half_space({{0, 0, 1}, 0}, 0.1, near);
      sum += broad_phase.closest(1e9, [&](int a, int b) { return gap(boxes[a], boxes[b]); }).gap;
    }
    return allocation_count() - before;
  };
  EXPECT_GT(run(), 0);
  broad_phase.update(steps[0], 0.05);
  run();  // starts from another state than the first run
  EXPECT_EQ(run(), 0);
}

}  // namespace broad_phase_test
}  // namespace pawl::internal
