#pragma once
// A flat tree of AABBs, eight to a node, for overlap queries.

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <pawl/base/huge_page_vector.h>
#include <pawl/collision/shapes/aabb.h>

namespace pawl::internal {

/// Two shapes, or two items of a tree, by index.
struct ShapePair {
  int a = 0, b = 0;
  constexpr auto operator<=>(const ShapePair&) const = default;
};

/// The smaller index first. Branch-free, since the branch would be mispredicted half of the time.
constexpr ShapePair canonical_pair(int a, int b) {
  const int swapped = (a ^ b) & -static_cast<int>(a > b);
  return {a ^ swapped, b ^ swapped};
}

/// Prefetches both cache lines that a box may span. Into L2: L1 tracks fewer outstanding misses and drops
/// further prefetches.
inline void prefetch(const Aabb& box) {
  constexpr int kToRead = 0, kSecondCache = 2;
  __builtin_prefetch(&box.low.x, kToRead, kSecondCache);
  __builtin_prefetch(&box.high.z, kToRead, kSecondCache);
}

/// Eight boxes in structure-of-arrays layout, for SIMD comparisons. Empty lanes hold NaN and overlap nothing.
struct AabbNode {
  static constexpr int kLanes = 8;
  std::array<std::array<double, kLanes>, 3> low, high;
  // Inner node: index of the node below lane 0, the others follow. Leaf: slot of its first item.
  int child = 0;
  Aabb box(int lane) const {
    return {{low[0][lane], low[1][lane], low[2][lane]}, {high[0][lane], high[1][lane], high[2][lane]}};
  }
};

/// AABBs sorted along a Hilbert curve and grouped by eight; the boxes of the groups are grouped by eight
/// again, up to one root. Neighbours in space are neighbours in memory, and one node visit tests eight boxes.
/// Items are small indices ≥ 0, such as those of shapes. Invalid boxes overlap nothing. The order of results
/// depends on the tree's history: sort them where it matters. Queries allocate nothing once the tree and the
/// output lists have reached their size.
class AabbTree {
 public:
  /// Replaces all content. Items are distinct; the box of an item is boxes[item].
  void build(std::span<const int> items, std::span<const Aabb> boxes);
  /// Reads the boxes of the changed items, boxes[item]. All others must be unchanged.
  void update(std::span<const int> changed, std::span<const Aabb> boxes);

  /// Sum of the half perimeters of all nodes, m, a measure of the nodes visited by a query. Areas would be 0
  /// for items in a line.
  double cost() const { return cost_; }

  /// Sorts items of the tree along the curve: consecutive queries then visit the same nodes.
  void sort_spatially(HugePageVector<int>& items);

  /// Appends the items whose box overlaps `box`, which must be valid.
  void find_overlapping(const Aabb& box, std::vector<int>& items);
  /// Appends the items whose box meets n · x ≤ offset, n a unit vector.
  void find_below(const Vec3& n, double offset, std::vector<int>& items);
  /// Appends all pairs a < b whose boxes overlap, each once.
  void find_pairs(HugePageVector<ShapePair>& pairs);
  /// Appends the overlapping pairs of an item here and an item of `other`. The two trees share no items.
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

  HugePageVector<AabbNode> nodes_;      // all levels, leaves first, the root last
  std::vector<int> level_begin_{0, 0};  // [levels + 1], indices into nodes_
  std::size_t count_ = 0;               // items
  HugePageVector<int> input_items_;     // items, in the order given
  HugePageVector<int> items_;           // in curve order, padded to whole nodes
  HugePageVector<int> slot_of_;         // [items], index into items_
  HugePageVector<SortKey> keys_, sorted_keys_;
  HugePageVector<char> is_requested_;  // [slots]
  HugePageVector<int> queue_;          // nodes still to be visited
  HugePageVector<LeafPair> leaf_pairs_;
  double cost_ = 0, built_cost_ = 0;
};

}  // namespace pawl::internal
