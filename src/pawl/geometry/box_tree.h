#pragma once
// Boxes in a flat tree: finds those that overlap without looking at all of them.

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <pawl/base/large_pages.h>
#include <pawl/geometry/box.h>

namespace pawl {

/// Two shapes, or items of a tree, by their numbers.
struct ShapePair {
  int a = 0, b = 0;
  constexpr auto operator<=>(const ShapePair&) const = default;
};

/// The smaller first, without a branch: half of them would be guessed wrong.
constexpr ShapePair ordered(int a, int b) {
  const int swapped = (a ^ b) & -static_cast<int>(a > b);
  return {a ^ swapped, b ^ swapped};
}

/// Both lines of the cache that a box may lie in, so that they are near when it is looked at: in the second
/// cache, since the first waits for fewer lines at a time and forgets what else is sent for.
inline void send_for(const Box& box) {
  constexpr int kToRead = 0, kSecondCache = 2;
  __builtin_prefetch(&box.low.x, kToRead, kSecondCache);
  __builtin_prefetch(&box.high.z, kToRead, kSecondCache);
}

/// Eight boxes, coordinates side by side, so that one instruction compares several. Lanes that hold nothing
/// are inside out, and overlap nothing.
struct BoxGroup {
  static constexpr int kLanes = 8;
  std::array<std::array<double, kLanes>, 3> low, high;
  int below = 0;  // the group below lane 0, others follow; of a leaf group: the place of its first item
  Box box(int lane) const {
    return {{low[0][lane], low[1][lane], low[2][lane]}, {high[0][lane], high[1][lane], high[2][lane]}};
  }
};

/// Boxes in the order of a curve through space, eight to a group, and the boxes of these groups eight to a
/// group again, up to one: neighbours in space are neighbours in memory, and one look tells of eight. Items
/// are small numbers ≥ 0, such as those of shapes. Boxes that are not proper overlap nothing. Answers come in
/// an order that depends on the tree's history: sort where it matters. Nothing is allocated once the tree and
/// the caller's lists have been as large before.
class BoxTree {
 public:
  /// Forgets everything. Items differ, and their boxes are boxes[item].
  void build(std::span<const int> items, std::span<const Box> boxes);
  /// Takes the boxes of those that changed, boxes[item]. All others are as they were.
  void update(std::span<const int> changed, std::span<const Box> boxes);

  /// The girths of all groups, m, which say how many are looked at. Not the areas, which are 0 of all that
  /// lies in a line.
  double cost() const { return cost_; }

  /// Puts items of the tree in the order of the curve: asked for in that order, neighbours look at the same
  /// groups.
  void arrange(LongList<int>& items);

  /// Appends the items whose box overlaps `box`, which is proper.
  void find_overlapping(const Box& box, std::vector<int>& items);
  /// Appends those whose box comes below n · x ≤ offset, n a unit vector.
  void find_below(const Vec3& n, double offset, std::vector<int>& items);
  /// Appends all pairs a < b whose boxes overlap, each once.
  void find_pairs(LongList<ShapePair>& pairs);
  /// Appends those of an item here and one of another tree, of other items.
  void find_pairs_with(BoxTree& other, LongList<ShapePair>& pairs);

 private:
  struct Seed {
    std::uint32_t code = 0;
    int item = 0;
  };

  struct Look {
    int lane = 0, group = 0;
  };

  template <class Picks>
  std::size_t go_down(std::size_t begin, std::size_t end, Picks&& picks);
  template <class Picks>
  std::pair<std::size_t, std::size_t> go_down_to_leaves(Picks&& picks);
  template <class Picks>
  void find_items(Picks&& picks, std::vector<int>& items);
  class Chunk;
  void pairs_within(int leaf, Chunk& chunk);
  void pairs_of(int leaf, const BoxTree& other, std::size_t begin, std::size_t end, Chunk& chunk);

  void make_levels();
  void place(int item, const Box& box);
  void place_all(std::span<const Box> boxes);
  void refit();
  void order_anew(std::span<const Box> boxes);
  void sort_along_curve(std::span<Seed> seeds, std::span<const Box> boxes);
  void sort_by_counting(std::span<Seed> seeds);

  LongList<BoxGroup> groups_;           // of all levels, leaves first and the root last
  std::vector<int> level_begin_{0, 0};  // [levels + 1], of groups_
  std::size_t count_ = 0;               // of items
  LongList<int> given_;                 // items, as they were given
  LongList<int> items_;                 // in the order of the curve; room for whole groups
  LongList<int> place_of_;              // of an item, in items_
  LongList<Seed> seeds_, sorted_seeds_;
  LongList<char> is_asked_;  // [places]
  LongList<int> queue_;      // groups still to be looked at
  LongList<Look> looks_;
  double cost_ = 0, built_cost_ = 0;
};

}  // namespace pawl
