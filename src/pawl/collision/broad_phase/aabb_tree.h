#pragma once
// Boxes in a flat tree: finds those that overlap without looking at all of them.

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <pawl/base/huge_page_vector.h>
#include <pawl/collision/shapes/aabb.h>

namespace pawl::internal {

/// Two shapes, or items of a tree, by their numbers.
struct ShapePair {
  int a = 0, b = 0;
  constexpr auto operator<=>(const ShapePair&) const = default;
};

/// The smaller first, without a branch: half of them would be guessed wrong.
constexpr ShapePair canonical_pair(int a, int b) {
  const int swapped = (a ^ b) & -static_cast<int>(a > b);
  return {a ^ swapped, b ^ swapped};
}

/// Both lines of the cache that a box may lie in, so that they are near when it is looked at: in the second
/// cache, since the first waits for fewer lines at a time and forgets what else is sent for.
inline void prefetch(const Aabb& box) {
  constexpr int kToRead = 0, kSecondCache = 2;
  __builtin_prefetch(&box.low.x, kToRead, kSecondCache);
  __builtin_prefetch(&box.high.z, kToRead, kSecondCache);
}

/// Eight boxes, coordinates side by side, so that one instruction compares several. Lanes that hold nothing
/// are inside out, and overlap nothing.
struct AabbNode {
  static constexpr int kLanes = 8;
  std::array<std::array<double, kLanes>, 3> low, high;
  int child = 0;  // the group below lane 0, others follow; of a leaf group: the place of its first item
  Aabb box(int lane) const {
    return {{low[0][lane], low[1][lane], low[2][lane]}, {high[0][lane], high[1][lane], high[2][lane]}};
  }
};

/// Boxes in the order of a curve through space, eight to a group, and the boxes of these groups eight to a
/// group again, up to one: neighbours in space are neighbours in memory, and one look tells of eight. Items
/// are small numbers ≥ 0, such as those of shapes. Boxes that are not proper overlap nothing. Answers come in
/// an order that depends on the tree's history: sort where it matters. Nothing is allocated once the tree and
/// the caller's lists have been as large before.
class AabbTree {
 public:
  /// Forgets everything. Items differ, and their boxes are boxes[item].
  void build(std::span<const int> items, std::span<const Aabb> boxes);
  /// Takes the boxes of those that changed, boxes[item]. All others are as they were.
  void update(std::span<const int> changed, std::span<const Aabb> boxes);

  /// The girths of all groups, m, which say how many are looked at. Not the areas, which are 0 of all that
  /// lies in a line.
  double cost() const { return cost_; }

  /// Puts items of the tree in the order of the curve: asked for in that order, neighbours look at the same
  /// groups.
  void sort_spatially(HugePageVector<int>& items);

  /// Appends the items whose box overlaps `box`, which is proper.
  void find_overlapping(const Aabb& box, std::vector<int>& items);
  /// Appends those whose box comes below n · x ≤ offset, n a unit vector.
  void find_below(const Vec3& n, double offset, std::vector<int>& items);
  /// Appends all pairs a < b whose boxes overlap, each once.
  void find_pairs(HugePageVector<ShapePair>& pairs);
  /// Appends those of an item here and one of another tree, of other items.
  void find_pairs_with(AabbTree& other, HugePageVector<ShapePair>& pairs);

 private:
  struct SortKey {
    std::uint32_t code = 0;
    int item = 0;
  };

  struct LeafPair {
    int lane = 0, node = 0;
  };

  template <class LaneTest>
  std::size_t descend(std::size_t begin, std::size_t end, LaneTest&& lane_test);
  template <class LaneTest>
  std::pair<std::size_t, std::size_t> descend_to_leaves(LaneTest&& lane_test);
  template <class LaneTest>
  void find_items(LaneTest&& lane_test, std::vector<int>& items);
  class PairBuffer;
  void find_pairs_in_leaf(int leaf, PairBuffer& buffer);
  void find_pairs_of_leaf(int leaf, const AabbTree& other, std::size_t begin, std::size_t end,
                          PairBuffer& buffer);

  void make_levels();
  void place(int item, const Aabb& box);
  void store_all(std::span<const Aabb> boxes);
  void refit();
  void rebuild_order(std::span<const Aabb> boxes);
  void sort_by_hilbert_code(std::span<SortKey> keys, std::span<const Aabb> boxes);
  void radix_sort(std::span<SortKey> keys);

  HugePageVector<AabbNode> nodes_;      // of all levels, leaves first and the root last
  std::vector<int> level_begin_{0, 0};  // [levels + 1], of nodes_
  std::size_t count_ = 0;               // of items
  HugePageVector<int> input_items_;     // items, as they were given
  HugePageVector<int> items_;           // in the order of the curve; room for whole groups
  HugePageVector<int> slot_of_;         // of an item, in items_
  HugePageVector<SortKey> keys_, sorted_keys_;
  HugePageVector<char> is_requested_;  // [places]
  HugePageVector<int> queue_;          // groups still to be looked at
  HugePageVector<LeafPair> leaf_pairs_;
  double cost_ = 0, built_cost_ = 0;
};

}  // namespace pawl::internal
