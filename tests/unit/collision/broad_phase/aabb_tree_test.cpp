#include <pawl/collision/broad_phase/aabb_tree.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "unit/collision/broad_phase/random_boxes.h"

namespace pawl::internal {
namespace aabb_tree_test {

using testing::brute_force_pairs;
using testing::Random;
using testing::random_box;
using testing::translated;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Aabb kBad{{kNan, 0, 0}, {}};

std::vector<int> indices(int count) {
  std::vector<int> items(count);
  std::iota(items.begin(), items.end(), 0);
  return items;
}

std::vector<int> overlapping(AabbTree& tree, const Aabb& box) {
  std::vector<int> items;
  tree.find_overlapping(box, items);
  std::ranges::sort(items);
  return items;
}

std::vector<ShapePair> sorted(const HugePageVector<ShapePair>& pairs) {
  std::vector<ShapePair> result(pairs.begin(), pairs.end());
  std::ranges::sort(result);
  return result;
}

std::vector<ShapePair> pairs_of(AabbTree& tree) {
  HugePageVector<ShapePair> pairs;
  tree.find_pairs(pairs);
  return sorted(pairs);
}

/// Compares every query with a search through all boxes.
void expect_matches_brute_force(AabbTree& tree, const std::vector<Aabb>& boxes, Random& random) {
  for (int i = 0; i < 10 && !boxes.empty(); ++i) {
    const Aabb& box = boxes[random.below(static_cast<int>(boxes.size()))];
    const Aabb query = expand(is_valid(box) ? box : Aabb{}, random.scale(1e-3, 1));
    std::vector<int> expected, below, expected_below;
    const Vec3 n = random.unit();
    const double offset = dot(n, query.low);
    for (int item = 0; item < static_cast<int>(boxes.size()); ++item) {
      if (!is_valid(boxes[item])) continue;
      if (overlap(boxes[item], query)) expected.push_back(item);
      if (height_over(boxes[item], n, offset) <= 0) expected_below.push_back(item);
    }
    ASSERT_EQ(overlapping(tree, query), expected);
    tree.find_below(n, offset, below);
    std::ranges::sort(below);
    ASSERT_EQ(below, expected_below);
  }
  ASSERT_EQ(pairs_of(tree), brute_force_pairs(boxes, 0));
}

TEST(AabbTree, MatchesBruteForceAfterPartialAndFullUpdates) {
  Random random(1);
  for (const int count : {0, 1, 2, 7, 8, 9, 63, 64, 65, 200, 513}) {
    AabbTree tree;
    std::vector<Aabb> boxes(count, kBad);
    tree.build(indices(count), boxes);
    expect_matches_brute_force(tree, boxes, random);
    for (int round = 0; round < 20 && count > 0; ++round) {
      std::vector<int> changed;
      for (int item = 0; item < count; ++item) {
        if (round % 3 != 0 && random.below(5) != 0) continue;
        changed.push_back(item);
        switch (random.below(5)) {
          case 0:
            boxes[item] = kBad;
            break;
          case 1:  // large and small together
            boxes[item] = random_box(random, 10, 1e-3, 10);
            break;
          case 2:  // coincides with another
            boxes[item] = boxes[random.below(count)];
            break;
          default:
            boxes[item] = translated(boxes[item], random.vec(0.1));
        }
      }
      tree.update(changed, boxes);
      ASSERT_NO_FATAL_FAILURE(expect_matches_brute_force(tree, boxes, random))
          << count << " boxes, round " << round;
    }
  }
}

TEST(AabbTree, FindsTheSameWhenItsBoxesTravelFar) {
  Random random(2);
  std::vector<Aabb> boxes = random_boxes(random, 300, 10, 1e-3, 10);
  AabbTree tree;
  tree.build(indices(300), boxes);
  for (const double motion : {0., 0.01, 0.1, 1., 100., 0.01, 1e6}) {
    for (Aabb& box : boxes) box = translated(box, random.vec(motion));
    tree.update(indices(300), boxes);
    ASSERT_NO_FATAL_FAILURE(expect_matches_brute_force(tree, boxes, random)) << "moved by " << motion;
  }
}

TEST(AabbTree, BuiltTwiceFromOtherItemsForgetsTheFirst) {
  AabbTree tree;
  const Aabb box{{0, 0, 0}, {1, 1, 1}};
  const std::vector<Aabb> boxes(10, box);
  tree.build(std::vector{4, 9, 2}, boxes);
  tree.build(std::vector{9, 5}, boxes);
  EXPECT_EQ(overlapping(tree, box), (std::vector{5, 9}));
  tree.build({}, boxes);
  EXPECT_TRUE(overlapping(tree, box).empty());
}

TEST(AabbTree, FindsPairsWithAnotherTree) {
  Random random(3);
  std::vector<Aabb> boxes;
  std::array<std::vector<int>, 2> items;
  for (int i = 0; i < 200; ++i) {
    boxes.push_back(random_box(random, 2, 0.1, 1));
    items[i % 2].push_back(i);
  }
  AabbTree even, odd, none;
  even.build(items[0], boxes);
  odd.build(items[1], boxes);
  HugePageVector<ShapePair> pairs;
  even.find_pairs_with(none, pairs);
  none.find_pairs_with(even, pairs);
  EXPECT_TRUE(pairs.empty());
  even.find_pairs_with(odd, pairs);
  std::vector<ShapePair> expected = brute_force_pairs(boxes, 0);
  std::erase_if(expected, [](const ShapePair& pair) { return pair.a % 2 == pair.b % 2; });
  EXPECT_GT(expected.size(), 100U);
  EXPECT_EQ(sorted(pairs), expected);
}

TEST(AabbTree, SortsItemsSpatially) {
  Random random(4);
  std::vector<Aabb> boxes = random_boxes(random, 4096, 10, 0.1, 0.1);
  AabbTree tree;
  tree.build(indices(4096), boxes);
  const std::vector<int> every = indices(4096);
  HugePageVector<int> all(every.begin(), every.end()), some{17, 4000, 3, 999};
  const auto mean_step = [&] {
    double sum = 0;
    for (std::size_t i = 1; i < all.size(); ++i) sum += norm(boxes[all[i]].low - boxes[all[i - 1]].low);
    return sum / 4095;
  };
  EXPECT_GT(mean_step(), 10) << "in a room of 20 m";
  tree.sort_spatially(all);
  EXPECT_LT(mean_step(), 1.5) << "a cell of one item has 1.25 m";
  EXPECT_TRUE(std::ranges::is_permutation(all, every));
  tree.sort_spatially(some);
  EXPECT_TRUE(std::ranges::is_permutation(some, std::vector{17, 4000, 3, 999}));
}

TEST(AabbTree, OneFarOutlierDoesNotDegradeTheTree) {
  Random random(5);
  std::vector<Aabb> boxes = random_boxes(random, 2000, 10, 0.1, 1);
  AabbTree with, without;
  boxes[1000] = translated(boxes[1000], {1e12, 0, 0});
  with.build(indices(2000), boxes);
  EXPECT_EQ(pairs_of(with), brute_force_pairs(boxes, 0));
  boxes[1000] = kBad;
  with.update(std::vector{1000}, boxes);  // keeps the order of the others
  without.build(indices(2000), boxes);
  EXPECT_LE(with.cost(), 1.05 * without.cost());
}

TEST(AabbTree, ReordersBeforeItsCostDegrades) {
  Random random(7);
  std::vector<Aabb> boxes = random_boxes(random, 2000, 10, 0.1, 0.2);
  AabbTree old;
  old.build(indices(2000), boxes);
  for (int step = 0; step < 30; ++step) {
    std::vector<int> changed;
    for (int i = step % 3; i < 2000; i += 3) {
      boxes[i] = translated(boxes[i], random.vec(1));
      changed.push_back(i);
    }
    old.update(changed, boxes);
    AabbTree fresh;
    fresh.build(indices(2000), boxes);
    ASSERT_LE(old.cost(), 1.2 * fresh.cost()) << step;
  }
}

TEST(AabbTree, IsDeterministic) {
  std::array<std::vector<int>, 2> visits;
  for (std::vector<int>& visited : visits) {
    Random random(6);
    AabbTree tree;
    std::vector<Aabb> boxes = random_boxes(random, 300, 3, 0.1, 1);
    tree.build(indices(300), boxes);
    for (int i = 0; i < 50; ++i) {
      const int item = random.below(300);
      boxes[item] = random_box(random, 3, 0.1, 1);
      tree.update(std::vector{item}, boxes);
    }
    tree.find_overlapping({{-9, -9, -9}, {9, 9, 9}}, visited);
  }
  EXPECT_EQ(visits[0].size(), 300U);
  EXPECT_EQ(visits[0], visits[1]);
}

TEST(AabbTree, SurvivesNestedBoxesOfEverySize) {
  AabbTree tree;
  std::vector<Aabb> boxes;
  for (int i = 0; i < 2000; ++i) {
    const double half = std::ldexp(1., i % 2 == 0 ? i / 2 : -i / 2);  // 2⁻⁹⁹⁹ … 2⁹⁹⁹
    boxes.push_back({{-half, -half, -half}, {half, half, half}});
  }
  tree.build(indices(2000), boxes);
  EXPECT_EQ(overlapping(tree, {}).size(), 2000U);
  EXPECT_EQ(pairs_of(tree).size(), 2000U * 1999 / 2);
  for (Aabb& box : boxes)
    box = translated(box, box.low);  // corners in a line, each as far from the next as its box is large
  tree.update(indices(2000), boxes);
  EXPECT_EQ(pairs_of(tree), brute_force_pairs(boxes, 0));
}

}  // namespace aabb_tree_test
}  // namespace pawl::internal
