#include <pawl/geometry/box_tree.h>

#include <algorithm>
#include <array>
#include <functional>
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

std::vector<int> overlapping(const BoxTree& tree, const Box& box) {
  BoxTree::Stack stack;
  std::vector<int> items;
  tree.for_each_overlapping(box, stack, [&](int item) { items.push_back(item); });
  std::ranges::sort(items);
  return items;
}

std::vector<ShapePair> pairs_of(const BoxTree& tree) {
  BoxTree::PairQueue stack;
  std::vector<ShapePair> pairs;
  tree.for_each_pair(stack, [&](int a, int b) { pairs.push_back({std::min(a, b), std::max(a, b)}); });
  std::ranges::sort(pairs);
  return pairs;
}

/// Every query, against a search through all boxes; boxes that are not proper are not in the tree.
void expect_right(const BoxTree& tree, const std::vector<Box>& boxes, Random& random) {
  ASSERT_EQ(tree.size(), std::ranges::count_if(boxes, is_proper));
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
    BoxTree::Stack stack;
    tree.for_each_below(n, offset, stack, [&](int item) { below.push_back(item); });
    std::ranges::sort(below);
    ASSERT_EQ(below, expected_below);
  }
  ASSERT_EQ(pairs_of(tree), pairs_by_force(boxes, 0));
}

TEST(BoxTree, FindsWhatASearchThroughAllFindsAfterInsertionsMovesAndRemovals) {
  Random random(1);
  for (const int count : {0, 1, 2, 3, 50, 200}) {
    BoxTree tree;
    std::vector<Box> boxes(count, Box{{kNan, 0, 0}, {}});  // not proper: not in the tree
    expect_right(tree, boxes, random);
    for (int round = 0; round < 20 && count > 0; ++round) {
      for (int i = 0; i < count; ++i) {
        const int item = random.below(count);
        switch (random.below(5)) {
          case 0:
            tree.remove(item);
            boxes[item].low.x = kNan;
            break;
          case 1:  // large and small together
            boxes[item] = random_box(random, 10, 1e-3, 10);
            ASSERT_TRUE(tree.insert(item, boxes[item]));
            break;
          case 2:  // where another is
            boxes[item] = boxes[random.below(count)];
            ASSERT_EQ(tree.insert(item, boxes[item]), is_proper(boxes[item]));
            break;
          default:
            boxes[item] = moved(boxes[item], random.vec(0.1));
            ASSERT_EQ(tree.insert(item, boxes[item]), is_proper(boxes[item]));
        }
      }
      ASSERT_NO_FATAL_FAILURE(expect_right(tree, boxes, random)) << count << " boxes, round " << round;
    }
  }
}

TEST(BoxTree, FindsTheSameWhenItIsBuiltAtOnceAndWhenItsBoxesChange) {
  Random random(2);
  for (const int count : {0, 1, 2, 3, 7, 300}) {
    BoxTree tree;
    std::vector<Box> boxes;
    std::vector<int> items(count);
    std::iota(items.begin(), items.end(), 0);
    for (int i = 0; i < count; ++i) boxes.push_back(random_box(random, 10, 1e-3, 10));
    for (const double motion : {0., 0.01, 0.1, 1., 100., 0.01, 1e6}) {
      for (Box& box : boxes) box = moved(box, random.vec(motion));
      tree.build(items, boxes);
      ASSERT_NO_FATAL_FAILURE(expect_right(tree, boxes, random)) << count << " boxes moved by " << motion;
    }
    if (count > 2) {
      tree.remove(1);
      tree.insert(2, boxes[2] = boxes[0]);
      boxes[1].high.y = kNan;
      expect_right(tree, boxes, random);
    }
  }
}

TEST(BoxTree, BuiltTwiceFromOtherItemsForgetsTheFirst) {
  BoxTree tree;
  const Box box{{0, 0, 0}, {1, 1, 1}};
  tree.build(std::vector{4, 9}, std::vector{box, box});
  tree.build(std::vector{9, 5}, std::vector{box, box});
  EXPECT_EQ(overlapping(tree, box), (std::vector{5, 9}));
  EXPECT_FALSE(tree.holds(4));
}

TEST(BoxTree, FindsPairsWithAnotherTree) {
  Random random(3);
  std::vector<Box> boxes;
  BoxTree even, odd;
  for (int i = 0; i < 200; ++i) {
    boxes.push_back(random_box(random, 2, 0.1, 1));
    (i % 2 == 0 ? even : odd).insert(i, boxes[i]);
  }
  BoxTree::PairQueue stack;
  std::vector<ShapePair> pairs;
  even.for_each_pair_with(odd, stack, [&](int a, int b) {
    EXPECT_TRUE(a % 2 == 0 && b % 2 == 1);
    pairs.push_back({std::min(a, b), std::max(a, b)});
  });
  std::ranges::sort(pairs);
  std::vector<ShapePair> expected = pairs_by_force(boxes, 0);
  std::erase_if(expected, [](const ShapePair& pair) { return pair.a % 2 == pair.b % 2; });
  EXPECT_GT(expected.size(), 100U);
  EXPECT_EQ(pairs, expected);
}

TEST(BoxTree, RefusesWhatIsNoBoxAndLetsGoOfItsItem) {
  BoxTree tree;
  const Box good{{0, 0, 0}, {1, 1, 1}};
  for (const Box& bad : {Box{{kNan, 0, 0}, {1, 1, 1}}, Box{{0, 2, 0}, {1, 1, 1}},
                         Box{{0, 0, 0}, {1, 1, std::numeric_limits<double>::infinity()}}}) {
    ASSERT_TRUE(tree.insert(7, good));
    EXPECT_FALSE(tree.insert(7, bad));
    EXPECT_FALSE(tree.holds(7));
    ASSERT_TRUE(tree.insert(7, good));
    EXPECT_EQ(tree.move(7, bad, {}, 0.1), BoxTree::Move::refused);
    EXPECT_EQ(tree.size(), 0);
  }
  EXPECT_EQ(tree.move(7, good, {kNan, kNan, kNan}, 0.1), BoxTree::Move::reinserted);
}

TEST(BoxTree, FindsNothingInWhatIsNoBox) {
  BoxTree tree;
  tree.insert(0, {{0, 0, 0}, {3, 3, 3}});
  BoxTree::Stack stack;
  const auto never = [](int) { FAIL(); };
  EXPECT_FALSE(tree.for_each_overlapping({{2, 1, 1}, {1, 2, 2}}, stack, never)) << "inside out";
  EXPECT_FALSE(tree.for_each_overlapping({{1, kNan, 1}, {2, 2, 2}}, stack, never));
}

TEST(BoxTree, ReinsertsOnlyWhatLeavesItsFatBox) {
  for (const double size : {1e-3, 1., 1e3}) {
    BoxTree tree;
    const Box box{{0, 0, 0}, {size, size, size}};
    const Vec3 right{0.01 * size, 0, 0};
    EXPECT_EQ(tree.move(0, box, {}, 0.1), BoxTree::Move::reinserted);
    EXPECT_EQ(tree.move(0, moved(box, 9 * right), {}, 0.1), BoxTree::Move::stayed);
    EXPECT_EQ(tree.move(0, moved(box, 11 * right), right, 0.1), BoxTree::Move::reinserted);
    EXPECT_EQ(tree.move(0, moved(box, 11 * right + 13 * right), right, 0.1), BoxTree::Move::stayed)
        << "room ahead of a motion";
    EXPECT_EQ(tree.move(0, moved(box, 11 * right - 11 * right), right, 0.1), BoxTree::Move::reinserted)
        << "and none behind";
  }
}

/// Where all boxes are the same, or stand in line, any tree is as good as another by the size of its boxes.
TEST(BoxTree, StaysShallowWhateverTheOrderOfInsertions) {
  constexpr int kCount = 4096;  // at best 13 nodes deep
  Random random(4);
  const std::vector<std::pair<const char*, std::function<Box(int)>>> kinds = {
      {"apart in line",
       [](int i) {
         return Box{{2. * i, 0, 0}, {2. * i + 1, 1, 1}};
       }},
      {"overlapping in line",
       [](int i) {
         return Box{{1e-3 * i, 0, 0}, {1e-3 * i + 1, 1, 1}};
       }},
      {"in line backwards",
       [](int i) {
         return Box{{-2. * i, 0, 0}, {-2. * i + 1, 1, 1}};
       }},
      {"points in line",
       [](int i) {
         return Box{{1. * i, 0, 0}, {1. * i, 0, 0}};
       }},
      {"all the same",
       [](int) {
         return Box{{0, 0, 0}, {1, 1, 1}};
       }},
      {"all the same point",
       [](int) {
         return Box{{1, 1, 1}, {1, 1, 1}};
       }},
      {"rows of a wall",
       [](int i) {
         return Box{{2. * (i % 64), 0, 2. * (i / 64)}, {2. * (i % 64) + 1, 1, 2. * (i / 64) + 1}};
       }},
      {"at random", [&](int) { return random_box(random, 100, 1e-3, 10); }},
  };
  for (const auto& [name, box] : kinds) {
    BoxTree tree;
    for (int i = 0; i < kCount; ++i) tree.insert(i, box(i));
    EXPECT_LE(tree.depth(), 26) << name;
    for (int i = 0; i < kCount; i += 2) tree.remove(i);
    EXPECT_LE(tree.depth(), 26) << name << ", half of them removed";
  }
}

TEST(BoxTree, OneFarOutlierDoesNotBlurTheCrowd) {
  Random random(5);
  std::vector<Box> boxes;
  for (int i = 0; i < 2000; ++i) boxes.push_back(random_box(random, 10, 0.1, 1));
  std::vector<int> items(boxes.size());
  std::iota(items.begin(), items.end(), 0);
  BoxTree tree;
  BoxTree::PairQueue without, with;  // grow with the pairs of nodes that are looked at
  tree.build(items, boxes);
  tree.for_each_pair(without, [](int, int) {});
  boxes[1000] = moved(boxes[1000], {1e12, 0, 0});
  tree.build(items, boxes);
  tree.for_each_pair(with, [](int, int) {});
  EXPECT_LE(with.size(), 2 * without.size());
  EXPECT_LE(tree.depth(), 26);
  EXPECT_EQ(pairs_of(tree), pairs_by_force(boxes, 0));
}

TEST(BoxTree, IsTheSameAfterTheSameCalls) {
  std::array<std::vector<int>, 2> visits;
  for (std::vector<int>& visited : visits) {
    Random random(6);
    BoxTree tree;
    BoxTree::Stack stack;
    for (int i = 0; i < 2000; ++i) {
      const int item = random.below(300);
      if (random.below(4) == 0) tree.remove(item);
      if (random.below(2) == 0) tree.insert(item, random_box(random, 3, 0.1, 1));
    }
    tree.for_each_overlapping({{-9, -9, -9}, {9, 9, 9}}, stack, [&](int item) { visited.push_back(item); });
  }
  EXPECT_GT(visits[0].size(), 100U);
  EXPECT_EQ(visits[0], visits[1]);
}

TEST(BoxTree, SurvivesNestedBoxesOfEverySize) {
  BoxTree tree;
  std::vector<Box> boxes;
  for (int i = 0; i < 2000; ++i) {
    const double half = std::ldexp(1., i % 2 == 0 ? i / 2 : -i / 2);  // 2⁻⁹⁹⁹ … 2⁹⁹⁹
    boxes.push_back({{-half, -half, -half}, {half, half, half}});
    ASSERT_TRUE(tree.insert(i, boxes[i]));
  }
  EXPECT_EQ(overlapping(tree, {}).size(), 2000U);
  EXPECT_EQ(pairs_of(tree).size(), 2000U * 1999 / 2);
  for (int i = 0; i < 2000; ++i) tree.remove((i * 7) % 2000);
  EXPECT_EQ(tree.size(), 0);
}

}  // namespace
}  // namespace pawl
