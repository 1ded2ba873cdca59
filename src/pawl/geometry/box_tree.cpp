#include <pawl/geometry/box_tree.h>

#include <bit>
#include <limits>
#include <utility>

#include <pawl/geometry/lanes.h>

namespace pawl {
namespace {

constexpr int kWide = BoxGroup::kLanes;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Box kNowhere{{kNan, kNan, kNan}, {kNan, kNan, kNan}};  // overlaps nothing
constexpr Box kNoneYet{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
/// How much a tree may cost, of what it cost when its items were put in order, before that is done anew.
constexpr double kWorn = 1.1;
constexpr int kCurveBits = 7;       // an axis
constexpr std::size_t kManyIn = 4;  // items: when one in so many changed, all are placed
constexpr std::size_t kSoon = 16;   // items ahead
constexpr std::size_t kFew = 1024;  // seeds: sorted faster by comparing than by counting

bool is_somewhere(const Box& box) {
  return box.low.x <= box.high.x;
}

Vec3 middle(const Box& box) {
  return 0.5 * box.low + 0.5 * box.high;
}

/// Whole numbers of eight items a coordinate: one instruction does all eight.
using Cells = std::array<std::array<std::uint32_t, kWide>, 3>;

/// The places of cells on Hilbert's curve, on which cells that follow each other touch, as x[0]: Skilling,
/// "Programming the Hilbert curve" (2004), without branches.
void find_places_on_curve(Cells& x) {
  for (int bit = kCurveBits - 1; bit > 0; --bit) {
    const std::uint32_t rest = (1U << bit) - 1;
    for (int axis = 0; axis < 3; ++axis) {
      for (int i = 0; i < kWide; ++i) {
        const std::uint32_t is_set = -(x[axis][i] >> bit & 1U);  // all bits, or none
        const std::uint32_t swapped = (x[0][i] ^ x[axis][i]) & rest & ~is_set;
        x[axis][i] ^= swapped;
        x[0][i] ^= swapped | (rest & is_set);
      }
    }
  }
  for (int i = 0; i < kWide; ++i) {
    x[1][i] ^= x[0][i];
    x[2][i] ^= x[1][i];
    std::uint32_t turned = 0;
    for (int bit = kCurveBits - 1; bit > 0; --bit) turned ^= -(x[2][i] >> bit & 1U) & ((1U << bit) - 1);
    for (int axis = 0; axis < 3; ++axis) x[axis][i] ^= turned;
  }
  for (auto& numbers : x) {  // apart, two zeros after each bit
    for (std::uint32_t& bits : numbers) {
      bits = (bits | bits << 16) & 0x030000ffU;
      bits = (bits | bits << 8) & 0x0300f00fU;
      bits = (bits | bits << 4) & 0x030c30c3U;
      bits = (bits | bits << 2) & 0x09249249U;
    }
  }
  for (int i = 0; i < kWide; ++i) x[0][i] = x[0][i] << 2 | x[1][i] << 1 | x[2][i];
}

void set(BoxGroup& group, int lane, const Box& box) {
  for (int axis = 0; axis < 3; ++axis) {
    group.low[axis][lane] = box.low[axis];
    group.high[axis][lane] = box.high[axis];
  }
}

/// What is no number is passed over by min and max, which then take the other.
Box united(const BoxGroup& group) {
  const auto first_four = [](const std::array<double, kWide>& numbers) { return loaded(numbers.data()); };
  const auto last_four = [](const std::array<double, kWide>& numbers) { return loaded(&numbers[kWide / 2]); };
  Box box;
  for (int axis = 0; axis < 3; ++axis) {
    const auto &low = group.low[axis], &high = group.high[axis];
    box.low[axis] = least(min(first_four(low), min(last_four(low), all_lanes(kInfinity))))[0];
    box.high[axis] = largest(max(first_four(high), max(last_four(high), all_lanes(-kInfinity))))[0];
  }
  return is_somewhere(box) ? box : kNowhere;
}

/// A box that many groups are held against.
class Probe {
 public:
  explicit Probe(const Box& box) {
    for (int axis = 0; axis < 3; ++axis) {
      low_[axis] = all_lanes(box.low[axis]);
      high_[axis] = all_lanes(box.high[axis]);
    }
  }
  /// The lanes that it overlaps, a bit each.
  unsigned operator()(const BoxGroup& group) const {
    unsigned lanes = 0;
    for (int lane = 0; lane < kWide; lane += kLanes) lanes |= from(lane, group) << lane;
    return lanes;
  }

 private:
  static constexpr int kLanes = 4;
  unsigned from(int lane, const BoxGroup& group) const {
    const auto meets = [&](int axis) {
      return (loaded(&group.low[axis][lane]) <= high_[axis]) &
             (loaded(&group.high[axis][lane]) >= low_[axis]);
    };
    return bits(meets(0) & (meets(1) & meets(2)));
  }
  Lanes low_[3], high_[3];
};

/// What is no number goes last.
std::uint32_t cell(double at) {
  constexpr double kLast = (1 << kCurveBits) - 1;
  return static_cast<std::uint32_t>(at < kLast ? at : kLast);
}

/// value(lane) of the lanes whose bit is set, to a list with room for eight more. How many there are is
/// anybody's guess, and a wrong guess costs more than two numbers: so two are written in any case, and stay
/// where there is a lane.
template <class List, class Of>
std::size_t append(unsigned lanes, List& list, std::size_t end, Of&& value) {
  for (int i = 0; i < 2; ++i) {
    list[end] = value(std::countr_zero(lanes) % kWide);
    end += lanes != 0 ? 1 : 0;
    lanes &= lanes - 1;
  }
  for (; lanes != 0; lanes &= lanes - 1) list[end++] = value(std::countr_zero(lanes));
  return end;
}

template <class Value>
void make_room(std::vector<Value>& list, std::size_t end) {
  if (end + kWide > list.capacity()) list.reserve(2 * (end + kWide));
  if (end + kWide > list.size()) list.resize(list.capacity());
}

unsigned lanes_after(int lane) {
  return ~0U << (lane + 1);
}

}  // namespace

/// Pairs on their way to a list. They are put in order and handed over many at a time, while they are near.
class BoxTree::Chunk {
 public:
  explicit Chunk(LongList<ShapePair>& list) : list_(list) {}
  /// pair(lane) of the lanes whose bit is set.
  template <class Of>
  void add(unsigned lanes, Of&& pair) {
    if (count_ + kWide > pairs_.size()) hand_over();
    count_ = append(lanes, pairs_, count_, pair);
  }
  void hand_over() {
    const std::span<ShapePair> pairs = std::span(pairs_).first(count_);
    for (ShapePair& pair : pairs) pair = ordered(pair.a, pair.b);
    list_.insert(list_.end(), pairs.begin(), pairs.end());
    count_ = 0;
  }

 private:
  LongList<ShapePair>& list_;
  std::array<ShapePair, 512> pairs_;
  std::size_t count_ = 0;
};

/// From the groups queue_[begin, end), all of one level, to those of the level below in the lanes that
/// `picks` picks. They are put behind `end`; returns where they end.
template <class Picks>
std::size_t BoxTree::go_down(std::size_t begin, std::size_t end, Picks&& picks) {
  const std::size_t stop = end;
  for (; begin < stop; ++begin) {
    const BoxGroup& group = groups_[queue_[begin]];
    end = append(picks(group), queue_, end, [&](int lane) { return group.below + lane; });
  }
  return end;
}

/// From the root to leaf groups: the part of queue_ where they are.
template <class Picks>
std::pair<std::size_t, std::size_t> BoxTree::go_down_to_leaves(Picks&& picks) {
  if (items_.empty()) return {0, 0};
  queue_[0] = static_cast<int>(groups_.size()) - 1;
  std::size_t begin = 0, end = 1;
  for (std::size_t level = 2; level < level_begin_.size(); ++level)
    begin = std::exchange(end, go_down(begin, end, picks));
  return {begin, end};
}

template <class Picks>
void BoxTree::find_items(Picks&& picks, std::vector<int>& items) {
  const auto [begin, end] = go_down_to_leaves(picks);
  std::size_t count = items.size();
  for (std::size_t i = begin; i < end; ++i) {
    const BoxGroup& group = groups_[queue_[i]];
    make_room(items, count);
    count = append(picks(group), items, count, [&](int lane) { return items_[group.below + lane]; });
  }
  items.resize(count);
}

void BoxTree::find_overlapping(const Box& box, std::vector<int>& items) {
  find_items(Probe(box), items);
}

void BoxTree::find_below(const Vec3& n, double offset, std::vector<int>& items) {
  const auto picks = [&](const BoxGroup& group) {
    unsigned lanes = 0;
    for (int lane = 0; lane < kWide; ++lane)
      lanes |= (height_over(group.box(lane), n, offset) <= 0 ? 1U : 0U) << lane;
    return lanes;
  };
  find_items(picks, items);
}

/// Each leaf group with itself and with all that come after it.
void BoxTree::find_pairs(LongList<ShapePair>& pairs) {
  Chunk chunk(pairs);
  for (int leaf = 0; leaf < level_begin_[1]; ++leaf) {
    const Probe probe(united(groups_[leaf]));
    std::size_t begin = 0, end = 0;
    for (int level = static_cast<int>(level_begin_.size()) - 2; level > 0; --level) {
      const std::size_t stop = end;
      end = go_down(begin, end, probe);
      begin = stop;
      const int place =
          leaf >> (3 * (level - 1));  // in the level below this, of what is above the leaf group
      const BoxGroup& above = groups_[level_begin_[level] + place / kWide];
      end = append(probe(above) & lanes_after(place % kWide), queue_, end,
                   [&](int lane) { return above.below + lane; });
    }
    pairs_within(leaf, chunk);
    pairs_of(leaf, *this, begin, end, chunk);
  }
  chunk.hand_over();
}

void BoxTree::find_pairs_with(BoxTree& other, LongList<ShapePair>& pairs) {
  Chunk chunk(pairs);
  for (int leaf = 0; leaf < level_begin_[1]; ++leaf) {
    const auto [begin, end] = other.go_down_to_leaves(Probe(united(groups_[leaf])));
    pairs_of(leaf, other, begin, end, chunk);
  }
  chunk.hand_over();
}

void BoxTree::pairs_within(int leaf, Chunk& chunk) {
  const BoxGroup& group = groups_[leaf];
  for (int a = 0; a + 1 < kWide; ++a) {
    const unsigned lanes = Probe(group.box(a))(group) & lanes_after(a);
    chunk.add(lanes, [&](int b) { return ShapePair{items_[group.below + a], items_[group.below + b]}; });
  }
}

/// Of a leaf group here and those in a part of the other tree's queue.
void BoxTree::pairs_of(int leaf, const BoxTree& other, std::size_t begin, std::size_t end, Chunk& chunk) {
  const BoxGroup& here = groups_[leaf];
  std::size_t looks = 0;
  looks_.resize(std::max(looks_.size(), kWide * (end - begin) + kWide));
  for (; begin < end; ++begin) {
    const int there = other.queue_[begin];
    const Box box = other.groups_[other.level_begin_[1] + there / kWide].box(there % kWide);
    looks = append(Probe(box)(here), looks_, looks, [&](int lane) { return Look{lane, there}; });
  }
  for (std::size_t i = 0; i < looks; ++i) {
    const auto [lane, there] = looks_[i];
    const BoxGroup& group = other.groups_[there];
    const int a = items_[here.below + lane];
    chunk.add(Probe(here.box(lane))(group), [&](int b) {
      return ShapePair{a, other.items_[group.below + b]};
    });
  }
}

void BoxTree::build(std::span<const int> items, std::span<const Box> boxes) {
  count_ = items.size();
  items_.assign(items.begin(), items.end());
  items_.resize((count_ + kWide - 1) / kWide * kWide);
  given_.assign(items.begin(), items.end());
  place_of_.resize(boxes.size());
  make_levels();
  order_anew(boxes);
}

void BoxTree::update(std::span<const int> changed, std::span<const Box> boxes) {
  if (kManyIn * changed.size() > count_) {
    place_all(boxes);
  } else {
    for (const int item : changed) place(item, boxes[item]);
  }
  refit();
  if (cost_ > kWorn * built_cost_) order_anew(boxes);
}

void BoxTree::arrange(LongList<int>& items) {
  is_asked_.assign(items_.size(), 0);
  for (const int item : items) is_asked_[place_of_[item]] = 1;
  items.clear();
  for (std::size_t place = 0; place < count_; ++place) {
    if (is_asked_[place]) items.push_back(items_[place]);
  }
}

/// There is always a group that is no leaf, unless there is nothing at all.
void BoxTree::make_levels() {
  groups_.clear();
  level_begin_.assign(2, 0);
  if (items_.empty()) return;
  level_begin_.pop_back();
  BoxGroup nothing;
  for (int lane = 0; lane < kWide; ++lane) set(nothing, lane, kNowhere);
  int count = static_cast<int>(count_);
  do {
    const int begin = level_begin_.size() == 1 ? 0 : level_begin_[level_begin_.size() - 2];
    count = (count + kWide - 1) / kWide;
    for (int i = 0; i < count; ++i) {
      groups_.push_back(nothing);
      groups_.back().below = begin + kWide * i;
    }
    level_begin_.push_back(static_cast<int>(groups_.size()));
  } while (count > 1 || level_begin_.size() == 2);
  queue_.resize(groups_.size() + kWide);
}

void BoxTree::place(int item, const Box& box) {
  set(groups_[place_of_[item] / kWide], place_of_[item] % kWide, is_proper(box) ? box : kNowhere);
}

/// In the order of memory: reads of boxes from here and there are fewer than writes to all the lanes.
void BoxTree::place_all(std::span<const Box> boxes) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (i + kSoon < count_) send_for(boxes[items_[i + kSoon]]);
    place(items_[i], boxes[items_[i]]);
  }
}

void BoxTree::refit() {
  cost_ = 0;
  for (std::size_t level = 1; level + 1 < level_begin_.size(); ++level) {
    for (int below = level_begin_[level - 1]; below < level_begin_[level]; ++below) {
      const int place = below - level_begin_[level - 1];
      const Box box = united(groups_[below]);
      set(groups_[level_begin_[level] + place / kWide], place % kWide, box);
      if (is_somewhere(box)) cost_ += girth(box);
    }
  }
}

void BoxTree::order_anew(std::span<const Box> boxes) {
  seeds_.clear();
  sorted_seeds_.resize(count_);
  for (const bool proper : {true, false}) {  // those that are nowhere go last
    for (const int item : given_) {
      if (is_proper(boxes[item]) == proper) seeds_.push_back({0, item});
    }
    if (proper) sort_along_curve(seeds_, boxes);
  }
  for (int i = 0; i < static_cast<int>(count_); ++i) {
    items_[i] = seeds_[i].item;
    place_of_[items_[i]] = i;
  }
  place_all(boxes);
  refit();
  built_cost_ = cost_;
}

/// Those in one cell, as a crowd is in a world with one far outlier, again and among themselves.
void BoxTree::sort_along_curve(std::span<Seed> seeds, std::span<const Box> boxes) {
  Box spread = kNoneYet;
  for (const Seed& seed : seeds) {
    const Vec3 at = middle(boxes[seed.item]);
    spread = united(spread, {at, at});
  }
  const Vec3 side = spread.high - spread.low;
  const double scale = (1 << kCurveBits) / std::max({side.x, side.y, side.z});
  if (!(scale < kInfinity)) return;  // all in one point
  for (std::size_t begin = 0; begin < seeds.size(); begin += kWide) {
    const std::span<Seed> some = seeds.subspan(begin, std::min<std::size_t>(kWide, seeds.size() - begin));
    Cells cells{};
    for (std::size_t i = 0; i < some.size(); ++i) {
      const Vec3 at = scale * (middle(boxes[some[i].item]) - spread.low);
      for (int axis = 0; axis < 3; ++axis) cells[axis][i] = cell(at[axis]);
    }
    find_places_on_curve(cells);
    for (std::size_t i = 0; i < some.size(); ++i) some[i].code = cells[0][i];
  }
  if (seeds.size() < kFew) {
    std::ranges::sort(seeds, {}, [](const Seed& seed) { return std::pair(seed.code, seed.item); });
  } else {
    sort_by_counting(seeds);
  }
  for (std::size_t begin = 0, end = 0; begin < seeds.size(); begin = end) {
    while (end < seeds.size() && seeds[end].code == seeds[begin].code) ++end;
    if (end - begin > kWide && end - begin < seeds.size())
      sort_along_curve(seeds.subspan(begin, end - begin), boxes);
  }
}

/// By half of the bits at a time, the last ones first, each time counting how many come before.
void BoxTree::sort_by_counting(std::span<Seed> seeds) {
  constexpr int kBits = 11, kCounts = 1 << kBits;
  static_assert(3 * kCurveBits <= 2 * kBits);
  std::span<Seed> from = seeds, to = std::span(sorted_seeds_).first(seeds.size());
  for (const int shift : {0, kBits}) {
    const auto digit = [shift](const Seed& seed) { return seed.code >> shift & (kCounts - 1); };
    std::array<int, kCounts + 1> places{};
    for (const Seed& seed : from) ++places[digit(seed) + 1];
    for (int i = 0; i < kCounts; ++i) places[i + 1] += places[i];
    for (const Seed& seed : from) to[places[digit(seed)]++] = seed;
    std::swap(from, to);
  }
}

}  // namespace pawl
