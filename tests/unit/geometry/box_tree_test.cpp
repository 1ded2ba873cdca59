#include <pawl/geometry/box_tree.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "random_boxes.h"

namespace pawl {
namespace {

using testing::moved;
using testing::pairs_by_force;
using testing::Random;
using testing::random_box;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Box kBad{{kNan, 0, 0}, {}};

std::vector<int> numbers(int count) {
  std::vector<int> items(count);
  std::iota(items.begin(), items.end(), 0);
  return items;
}

std::vector<int> overlapping(BoxTree& tree, const Box& box) {
  std::vector<int> items;
  tree.find_overlapping(box, items);
  std::ranges::sort(items);
  return items;
}

std::vector<ShapePair> sorted(const LongList<ShapePair>& pairs) {
  std::vector<ShapePair> in_order(pairs.begin(), pairs.end());
  std::ranges::sort(in_order);
  return in_order;
}

std::vector<ShapePair> pairs_of(BoxTree& tree) {
  LongList<ShapePair> pairs;
  tree.find_pairs(pairs);
  return sorted(pairs);
}

/// Every query, against a search through all boxes.
void expect_right(BoxTree& tree, const std::vector<Box>& boxes, Random& random) {
  for (int i = 0; i < 10 && !boxes.empty(); ++i) {
    const Box& box = boxes[random.below(static_cast<int>(boxes.size()))];
    const Box query = grown(is_proper(box) ? box : Box{}, random.scale(1e-3, 1));
    std::vector<int> expected, below, expected_below;
    const Vec3 n = random.unit();
    const double offset = dot(n, query.low);
    for (int item = 0; item < static_cast<int>(boxes.size()); ++item) {
      if (!is_proper(boxes[item])) continue;
      if (overlap(boxes[item], query)) expected.push_back(item);
      if (height_over(boxes[item], n, offset) <= 0) expected_below.push_back(item);
    }
    ASSERT_EQ(overlapping(tree, query), expected);
    tree.find_below(n, offset, below);
    std::ranges::sort(below);
    ASSERT_EQ(below, expected_below);
  }
  ASSERT_EQ(pairs_of(tree), pairs_by_force(boxes, 0));
}

TEST(BoxTree, FindsWhatASearchThroughAllFindsAfterChangesOfSomeAndOfAll) {
  Random random(1);
  for (const int count : {0, 1, 2, 7, 8, 9, 63, 64, 65, 200, 513}) {
    BoxTree tree;
    std::vector<Box> boxes(count, kBad);
    tree.build(numbers(count), boxes);
    expect_right(tree, boxes, random);
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
          case 2:  // where another is
            boxes[item] = boxes[random.below(count)];
            break;
          default:
            boxes[item] = moved(boxes[item], random.vec(0.1));
        }
      }
      tree.update(changed, boxes);
      ASSERT_NO_FATAL_FAILURE(expect_right(tree, boxes, random)) << count << " boxes, round " << round;
    }
  }
}

TEST(BoxTree, FindsTheSameWhenItsBoxesTravelFar) {
  Random random(2);
  std::vector<Box> boxes = random_boxes(random, 300, 10, 1e-3, 10);
  BoxTree tree;
  tree.build(numbers(300), boxes);
  for (const double motion : {0., 0.01, 0.1, 1., 100., 0.01, 1e6}) {
    for (Box& box : boxes) box = moved(box, random.vec(motion));
    tree.update(numbers(300), boxes);
    ASSERT_NO_FATAL_FAILURE(expect_right(tree, boxes, random)) << "moved by " << motion;
  }
}

TEST(BoxTree, BuiltTwiceFromOtherItemsForgetsTheFirst) {
  BoxTree tree;
  const Box box{{0, 0, 0}, {1, 1, 1}};
  const std::vector<Box> boxes(10, box);
  tree.build(std::vector{4, 9, 2}, boxes);
  tree.build(std::vector{9, 5}, boxes);
  EXPECT_EQ(overlapping(tree, box), (std::vector{5, 9}));
  tree.build({}, boxes);
  EXPECT_TRUE(overlapping(tree, box).empty());
}

TEST(BoxTree, FindsPairsWithAnotherTree) {
  Random random(3);
  std::vector<Box> boxes;
  std::array<std::vector<int>, 2> items;
  for (int i = 0; i < 200; ++i) {
    boxes.push_back(random_box(random, 2, 0.1, 1));
    items[i % 2].push_back(i);
  }
  BoxTree even, odd, none;
  even.build(items[0], boxes);
  odd.build(items[1], boxes);
  LongList<ShapePair> pairs;
  even.find_pairs_with(none, pairs);
  none.find_pairs_with(even, pairs);
  EXPECT_TRUE(pairs.empty());
  even.find_pairs_with(odd, pairs);
  std::vector<ShapePair> expected = pairs_by_force(boxes, 0);
  std::erase_if(expected, [](const ShapePair& pair) { return pair.a % 2 == pair.b % 2; });
  EXPECT_GT(expected.size(), 100U);
  EXPECT_EQ(sorted(pairs), expected);
}

TEST(BoxTree, ArrangesItemsSoThatNeighboursFollowEachOther) {
  Random random(4);
  std::vector<Box> boxes = random_boxes(random, 4096, 10, 0.1, 0.1);
  BoxTree tree;
  tree.build(numbers(4096), boxes);
  const std::vector<int> every = numbers(4096);
  LongList<int> all(every.begin(), every.end()), some{17, 4000, 3, 999};
  const auto way = [&] {
    double sum = 0;
    for (std::size_t i = 1; i < all.size(); ++i) sum += norm(boxes[all[i]].low - boxes[all[i - 1]].low);
    return sum / 4095;
  };
  EXPECT_GT(way(), 10) << "in a room of 20 m";
  tree.arrange(all);
  EXPECT_LT(way(), 1.5) << "a cell of one item has 1.25 m";
  EXPECT_TRUE(std::ranges::is_permutation(all, every));
  tree.arrange(some);
  EXPECT_TRUE(std::ranges::is_permutation(some, std::vector{17, 4000, 3, 999}));
}

TEST(BoxTree, OneFarOutlierDoesNotBlurTheCrowd) {
  Random random(5);
  std::vector<Box> boxes = random_boxes(random, 2000, 10, 0.1, 1);
  BoxTree with, without;
  boxes[1000] = moved(boxes[1000], {1e12, 0, 0});
  with.build(numbers(2000), boxes);
  EXPECT_EQ(pairs_of(with), pairs_by_force(boxes, 0));
  boxes[1000] = kBad;
  with.update(std::vector{1000}, boxes);  // keeps the order of the rest
  without.build(numbers(2000), boxes);
  EXPECT_LE(with.cost(), 1.05 * without.cost());
}

TEST(BoxTree, PutsItsItemsInOrderAnewBeforeItIsWorn) {
  Random random(7);
  std::vector<Box> boxes = random_boxes(random, 2000, 10, 0.1, 0.2);
  BoxTree old;
  old.build(numbers(2000), boxes);
  for (int step = 0; step < 30; ++step) {
    std::vector<int> changed;
    for (int i = step % 3; i < 2000; i += 3) {
      boxes[i] = moved(boxes[i], random.vec(1));
      changed.push_back(i);
    }
    old.update(changed, boxes);
    BoxTree fresh;
    fresh.build(numbers(2000), boxes);
    ASSERT_LE(old.cost(), 1.2 * fresh.cost()) << step;
  }
}

TEST(BoxTree, IsTheSameAfterTheSameCalls) {
  std::array<std::vector<int>, 2> visits;
  for (std::vector<int>& visited : visits) {
    Random random(6);
    BoxTree tree;
    std::vector<Box> boxes = random_boxes(random, 300, 3, 0.1, 1);
    tree.build(numbers(300), boxes);
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

TEST(BoxTree, SurvivesNestedBoxesOfEverySize) {
  BoxTree tree;
  std::vector<Box> boxes;
  for (int i = 0; i < 2000; ++i) {
    const double half = std::ldexp(1., i % 2 == 0 ? i / 2 : -i / 2);  // 2⁻⁹⁹⁹ … 2⁹⁹⁹
    boxes.push_back({{-half, -half, -half}, {half, half, half}});
  }
  tree.build(numbers(2000), boxes);
  EXPECT_EQ(overlapping(tree, {}).size(), 2000U);
  EXPECT_EQ(pairs_of(tree).size(), 2000U * 1999 / 2);
  for (Box& box : boxes)
    box = moved(box, box.low);  // corners in line, each as far from the next as it is large
  tree.update(numbers(2000), boxes);
  EXPECT_EQ(pairs_of(tree), pairs_by_force(boxes, 0));
}

}  // namespace
}  // namespace pawl
