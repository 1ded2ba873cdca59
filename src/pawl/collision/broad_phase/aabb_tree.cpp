#include <pawl/collision/broad_phase/aabb_tree.h>

#include <bit>
#include <limits>
#include <utility>

#include <pawl/base/numeric_util.h>
#include <pawl/base/simd.h>

namespace pawl::internal {
namespace {

constexpr int kWidth = AabbNode::kLanes;
constexpr Aabb kEmptyAabb{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
/// The order is rebuilt when the cost exceeds this multiple of the cost after the last rebuild.
constexpr double kRebuildCostRatio = 1.1;
constexpr int kCurveBits = 7;                  // per axis
constexpr std::size_t kFullUpdateDivisor = 4;  // if more than 1/4 of the items changed, all are stored again
constexpr std::size_t kPrefetchDistanceItems = 16;  // items ahead
constexpr std::size_t kComparisonSortLimit = 1024;  // keys; below it a comparison sort is faster

bool is_nonempty(const Aabb& box) {
  return box.low.x <= box.high.x;
}

/// Cell coordinates of eight items, [axis][item], for SIMD.
using Cells = std::array<std::array<std::uint32_t, kWidth>, 3>;

/// Replaces x[0] by the Hilbert index of each cell; consecutive cells on the curve touch. Algorithm of
/// Skilling, "Programming the Hilbert curve" (2004), without branches.
void to_hilbert_codes(Cells& x) {
  for (int bit = kCurveBits - 1; bit > 0; --bit) {
    const std::uint32_t rest = (1U << bit) - 1;
    for (int axis = 0; axis < 3; ++axis) {
      for (int i = 0; i < kWidth; ++i) {
        const std::uint32_t is_set = -(x[axis][i] >> bit & 1U);  // all bits or none
        const std::uint32_t swapped = (x[0][i] ^ x[axis][i]) & rest & ~is_set;
        x[axis][i] ^= swapped;
        x[0][i] ^= swapped | (rest & is_set);
      }
    }
  }
  for (int i = 0; i < kWidth; ++i) {
    x[1][i] ^= x[0][i];
    x[2][i] ^= x[1][i];
    std::uint32_t turned = 0;
    for (int bit = kCurveBits - 1; bit > 0; --bit) turned ^= -(x[2][i] >> bit & 1U) & ((1U << bit) - 1);
    for (int axis = 0; axis < 3; ++axis) x[axis][i] ^= turned;
  }
  for (auto& values : x) {  // insert two zeros after each bit
    for (std::uint32_t& bits : values) {
      bits = (bits | bits << 16) & 0x030000ffU;
      bits = (bits | bits << 8) & 0x0300f00fU;
      bits = (bits | bits << 4) & 0x030c30c3U;
      bits = (bits | bits << 2) & 0x09249249U;
    }
  }
  for (int i = 0; i < kWidth; ++i) x[0][i] = x[0][i] << 2 | x[1][i] << 1 | x[2][i];
}

void set(AabbNode& node, int lane, const Aabb& box) {
  for (int axis = 0; axis < 3; ++axis) {
    node.low[axis][lane] = box.low[axis];
    node.high[axis][lane] = box.high[axis];
  }
}

/// The union of all lanes. NaN lanes are ignored: min and max return the second operand if the first is NaN.
Aabb merge(const AabbNode& node) {
  const auto first_four = [](const std::array<double, kWidth>& values) { return load(values.data()); };
  const auto last_four = [](const std::array<double, kWidth>& values) { return load(&values[kWidth / 2]); };
  Aabb box;
  for (int axis = 0; axis < 3; ++axis) {
    const auto &low = node.low[axis], &high = node.high[axis];
    box.low[axis] = reduce_min(min(first_four(low), min(last_four(low), broadcast(kInfinity))))[0];
    box.high[axis] = reduce_max(max(first_four(high), max(last_four(high), broadcast(-kInfinity))))[0];
  }
  return is_nonempty(box) ? box : kInvalidAabb;
}

/// A box to be tested against many nodes.
class Probe {
 public:
  explicit Probe(const Aabb& box) {
    for (int axis = 0; axis < 3; ++axis) {
      low_[axis] = broadcast(box.low[axis]);
      high_[axis] = broadcast(box.high[axis]);
    }
  }
  /// One bit per lane, set where the boxes overlap.
  unsigned operator()(const AabbNode& node) const {
    unsigned lanes = 0;
    for (int lane = 0; lane < kWidth; lane += kLanes) lanes |= from(lane, node) << lane;
    return lanes;
  }

 private:
  static constexpr int kLanes = 4;
  unsigned from(int lane, const AabbNode& node) const {
    const auto meets = [&](int axis) {
      return (load(&node.low[axis][lane]) <= high_[axis]) & (load(&node.high[axis][lane]) >= low_[axis]);
    };
    return bits(meets(0) & (meets(1) & meets(2)));
  }
  Vec4d low_[3], high_[3];
};

/// Clamped to the last cell; NaN maps to the last cell too.
std::uint32_t cell(double at) {
  constexpr double kLast = (1 << kCurveBits) - 1;
  return static_cast<std::uint32_t>(at < kLast ? at : kLast);
}

/// Appends value(lane) for each set bit; the list must have room for eight more. The number of bits is
/// unpredictable, and a misprediction costs more than two writes. So two values are always written, and `end`
/// advances only for set bits.
template <class List, class Of>
std::size_t append(unsigned lanes, List& list, std::size_t end, Of&& value) {
  for (int i = 0; i < 2; ++i) {
    list[end] = value(std::countr_zero(lanes) % kWidth);
    end += lanes != 0 ? 1 : 0;
    lanes &= lanes - 1;
  }
  for (; lanes != 0; lanes &= lanes - 1) list[end++] = value(std::countr_zero(lanes));
  return end;
}

template <class Value>
void make_room(std::vector<Value>& list, std::size_t end) {
  if (end + kWidth > list.capacity()) list.reserve(2 * (end + kWidth));
  if (end + kWidth > list.size()) list.resize(list.capacity());
}

unsigned lanes_after(int lane) {
  return ~0U << (lane + 1);
}

}  // namespace

/// Buffers pairs before they are appended to a list, so that they are ordered while still in cache.
class AabbTree::PairBuffer {
 public:
  explicit PairBuffer(HugePageVector<ShapePair>& list) : list_(list) {}
  /// Adds pair(lane) for each set bit.
  template <class Of>
  void add(unsigned lanes, Of&& pair) {
    if (count_ + kWidth > pairs_.size()) flush();
    count_ = append(lanes, pairs_, count_, pair);
  }
  void flush() {
    const std::span<ShapePair> pairs = std::span(pairs_).first(count_);
    for (ShapePair& pair : pairs) pair = canonical_pair(pair.a, pair.b);
    list_.insert(list_.end(), pairs.begin(), pairs.end());
    count_ = 0;
  }

 private:
  HugePageVector<ShapePair>& list_;
  std::array<ShapePair, 512> pairs_;
  std::size_t count_ = 0;
};

/// Expands the nodes queue_[begin, end), all of one level. Appends the child nodes in the lanes that
/// `lane_test` selects behind `end` and returns the new end.
template <class LaneTest>
std::size_t AabbTree::descend(std::size_t begin, std::size_t end, LaneTest&& lane_test) {
  const std::size_t stop = end;
  for (; begin < stop; ++begin) {
    const AabbNode& node = nodes_[queue_[begin]];
    end = append(lane_test(node), queue_, end, [&](int lane) { return node.child + lane; });
  }
  return end;
}

/// From the root to the leaves. Returns the range of queue_ that holds the selected leaves.
template <class LaneTest>
std::pair<std::size_t, std::size_t> AabbTree::descend_to_leaves(LaneTest&& lane_test) {
  if (items_.empty()) return {0, 0};
  queue_[0] = static_cast<int>(nodes_.size()) - 1;
  std::size_t begin = 0, end = 1;
  for (std::size_t level = 2; level < level_begin_.size(); ++level)
    begin = std::exchange(end, descend(begin, end, lane_test));
  return {begin, end};
}

template <class LaneTest>
void AabbTree::find_items(LaneTest&& lane_test, std::vector<int>& items) {
  const auto [begin, end] = descend_to_leaves(lane_test);
  std::size_t count = items.size();
  for (std::size_t i = begin; i < end; ++i) {
    const AabbNode& node = nodes_[queue_[i]];
    make_room(items, count);
    count = append(lane_test(node), items, count, [&](int lane) { return items_[node.child + lane]; });
  }
  items.resize(count);
}

void AabbTree::find_overlapping(const Aabb& box, std::vector<int>& items) {
  find_items(Probe(box), items);
}

void AabbTree::find_below(const Vec3& n, double offset, std::vector<int>& items) {
  const auto lane_test = [&](const AabbNode& node) {
    unsigned lanes = 0;
    for (int lane = 0; lane < kWidth; ++lane)
      lanes |= (height_over(node.box(lane), n, offset) <= 0 ? 1U : 0U) << lane;
    return lanes;
  };
  find_items(lane_test, items);
}

/// Tests each leaf against itself and against all later leaves.
void AabbTree::find_pairs(HugePageVector<ShapePair>& pairs) {
  PairBuffer buffer(pairs);
  for (int leaf = 0; leaf < level_begin_[1]; ++leaf) {
    const Probe probe(merge(nodes_[leaf]));
    std::size_t begin = 0, end = 0;
    for (int level = static_cast<int>(level_begin_.size()) - 2; level > 0; --level) {
      const std::size_t stop = end;
      end = descend(begin, end, probe);
      begin = stop;
      // Index, in the level below this one, of the node above the leaf.
      const int place = leaf >> (3 * (level - 1));
      const AabbNode& above = nodes_[level_begin_[level] + place / kWidth];
      end = append(probe(above) & lanes_after(place % kWidth), queue_, end,
                   [&](int lane) { return above.child + lane; });
    }
    find_pairs_in_leaf(leaf, buffer);
    find_pairs_of_leaf(leaf, *this, begin, end, buffer);
  }
  buffer.flush();
}

void AabbTree::find_pairs_with(AabbTree& other, HugePageVector<ShapePair>& pairs) {
  PairBuffer buffer(pairs);
  for (int leaf = 0; leaf < level_begin_[1]; ++leaf) {
    const auto [begin, end] = other.descend_to_leaves(Probe(merge(nodes_[leaf])));
    find_pairs_of_leaf(leaf, other, begin, end, buffer);
  }
  buffer.flush();
}

void AabbTree::find_pairs_in_leaf(int leaf, PairBuffer& buffer) {
  const AabbNode& node = nodes_[leaf];
  for (int a = 0; a + 1 < kWidth; ++a) {
    const unsigned lanes = Probe(node.box(a))(node) & lanes_after(a);
    buffer.add(lanes, [&](int b) { return ShapePair{items_[node.child + a], items_[node.child + b]}; });
  }
}

/// Pairs of a leaf of this tree with the leaves in a range of the other tree's queue.
void AabbTree::find_pairs_of_leaf(int leaf, const AabbTree& other, std::size_t begin, std::size_t end,
                                  PairBuffer& buffer) {
  const AabbNode& here = nodes_[leaf];
  std::size_t leaf_pair_count = 0;
  leaf_pairs_.resize(std::max(leaf_pairs_.size(), kWidth * (end - begin) + kWidth));
  for (; begin < end; ++begin) {
    const int there = other.queue_[begin];
    const Aabb box = other.nodes_[other.level_begin_[1] + there / kWidth].box(there % kWidth);
    leaf_pair_count = append(Probe(box)(here), leaf_pairs_, leaf_pair_count, [&](int lane) {
      return LeafPair{lane, there};
    });
  }
  for (std::size_t i = 0; i < leaf_pair_count; ++i) {
    const auto [lane, there] = leaf_pairs_[i];
    const AabbNode& node = other.nodes_[there];
    const int a = items_[here.child + lane];
    buffer.add(Probe(here.box(lane))(node), [&](int b) {
      return ShapePair{a, other.items_[node.child + b]};
    });
  }
}

void AabbTree::build(std::span<const int> items, std::span<const Aabb> boxes) {
  count_ = items.size();
  items_.assign(items.begin(), items.end());
  items_.resize((count_ + kWidth - 1) / kWidth * kWidth);
  input_items_.assign(items.begin(), items.end());
  slot_of_.resize(boxes.size());
  make_levels();
  rebuild_order(boxes);
}

void AabbTree::update(std::span<const int> changed, std::span<const Aabb> boxes) {
  if (kFullUpdateDivisor * changed.size() > count_) {
    store_all(boxes);
  } else {
    for (const int item : changed) place(item, boxes[item]);
  }
  refit();
  if (cost_ > kRebuildCostRatio * built_cost_) rebuild_order(boxes);
}

void AabbTree::sort_spatially(HugePageVector<int>& items) {
  is_requested_.assign(items_.size(), 0);
  for (const int item : items) is_requested_[slot_of_[item]] = 1;
  items.clear();
  for (std::size_t place = 0; place < count_; ++place) {
    if (is_requested_[place]) items.push_back(items_[place]);
  }
}

/// There is always an inner node, unless the tree is empty.
void AabbTree::make_levels() {
  nodes_.clear();
  level_begin_.assign(2, 0);
  if (items_.empty()) return;
  level_begin_.pop_back();
  AabbNode nothing;
  for (int lane = 0; lane < kWidth; ++lane) set(nothing, lane, kInvalidAabb);
  int count = static_cast<int>(count_);
  do {
    const int begin = level_begin_.size() == 1 ? 0 : level_begin_[level_begin_.size() - 2];
    count = (count + kWidth - 1) / kWidth;
    for (int i = 0; i < count; ++i) {
      nodes_.push_back(nothing);
      nodes_.back().child = begin + kWidth * i;
    }
    level_begin_.push_back(static_cast<int>(nodes_.size()));
  } while (count > 1 || level_begin_.size() == 2);
  queue_.resize(nodes_.size() + kWidth);
}

void AabbTree::place(int item, const Aabb& box) {
  set(nodes_[slot_of_[item] / kWidth], slot_of_[item] % kWidth, is_valid(box) ? box : kInvalidAabb);
}

/// In slot order: scattered reads of boxes touch less memory than scattered writes to all lanes would.
void AabbTree::store_all(std::span<const Aabb> boxes) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (i + kPrefetchDistanceItems < count_) prefetch(boxes[items_[i + kPrefetchDistanceItems]]);
    place(items_[i], boxes[items_[i]]);
  }
}

void AabbTree::refit() {
  cost_ = 0;
  for (std::size_t level = 1; level + 1 < level_begin_.size(); ++level) {
    for (int child = level_begin_[level - 1]; child < level_begin_[level]; ++child) {
      const int place = child - level_begin_[level - 1];
      const Aabb box = merge(nodes_[child]);
      set(nodes_[level_begin_[level] + place / kWidth], place % kWidth, box);
      if (is_nonempty(box)) cost_ += half_perimeter(box);
    }
  }
}

void AabbTree::rebuild_order(std::span<const Aabb> boxes) {
  keys_.clear();
  sorted_keys_.resize(count_);
  for (const bool proper : {true, false}) {  // invalid boxes go last
    for (const int item : input_items_) {
      if (is_valid(boxes[item]) == proper) keys_.push_back({0, item});
    }
    if (proper) sort_by_hilbert_code(keys_, boxes);
  }
  for (int i = 0; i < static_cast<int>(count_); ++i) {
    items_[i] = keys_[i].item;
    slot_of_[items_[i]] = i;
  }
  store_all(boxes);
  refit();
  built_cost_ = cost_;
}

/// Items that share a cell are sorted again among themselves, on a finer grid. This happens to a cluster in a
/// world with one far outlier.
void AabbTree::sort_by_hilbert_code(std::span<SortKey> keys, std::span<const Aabb> boxes) {
  Aabb centroid_bounds = kEmptyAabb;
  for (const SortKey& key : keys) {
    const Vec3 at = middle(boxes[key.item]);
    centroid_bounds = merge(centroid_bounds, {at, at});
  }
  const Vec3 side = centroid_bounds.high - centroid_bounds.low;
  const double scale = (1 << kCurveBits) / std::max({side.x, side.y, side.z});
  if (!(scale < kInfinity)) return;  // all centres coincide
  for (std::size_t begin = 0; begin < keys.size(); begin += kWidth) {
    const std::span<SortKey> some = keys.subspan(begin, std::min<std::size_t>(kWidth, keys.size() - begin));
    Cells cells{};
    for (std::size_t i = 0; i < some.size(); ++i) {
      const Vec3 at = scale * (middle(boxes[some[i].item]) - centroid_bounds.low);
      for (int axis = 0; axis < 3; ++axis) cells[axis][i] = cell(at[axis]);
    }
    to_hilbert_codes(cells);
    for (std::size_t i = 0; i < some.size(); ++i) some[i].code = cells[0][i];
  }
  if (keys.size() < kComparisonSortLimit) {
    std::ranges::sort(keys, {}, [](const SortKey& key) { return std::pair(key.code, key.item); });
  } else {
    radix_sort(keys);
  }
  for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    while (end < keys.size() && keys[end].code == keys[begin].code) ++end;
    if (end - begin > kWidth && end - begin < keys.size())
      sort_by_hilbert_code(keys.subspan(begin, end - begin), boxes);
  }
}

/// LSD radix sort: two passes of 11 bits each.
void AabbTree::radix_sort(std::span<SortKey> keys) {
  constexpr int kBits = 11, kCounts = 1 << kBits;
  static_assert(3 * kCurveBits <= 2 * kBits);
  std::span<SortKey> from = keys, to = std::span(sorted_keys_).first(keys.size());
  for (const int shift : {0, kBits}) {
    const auto digit = [shift](const SortKey& key) { return key.code >> shift & (kCounts - 1); };
    std::array<int, kCounts + 1> offsets{};
    for (const SortKey& key : from) ++offsets[digit(key) + 1];
    for (int i = 0; i < kCounts; ++i) offsets[i + 1] += offsets[i];
    for (const SortKey& key : from) to[offsets[digit(key)]++] = key;
    std::swap(from, to);
  }
}

}  // namespace pawl::internal
