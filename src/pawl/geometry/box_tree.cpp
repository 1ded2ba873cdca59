#include <pawl/geometry/box_tree.h>

#include <array>
#include <bit>
#include <cmath>

namespace pawl {

namespace {

/// How many motions a fat box looks ahead.
constexpr double kAhead = 4;
/// But no farther than this, in mean sides.
constexpr double kMostAhead = 0.5;
/// How much a tree may cost, of what it cost when it was built, before it is built anew.
constexpr double kWorn = 1.1;

/// What a node costs whoever walks by. Not the area, which is 0 for all that lies in a line.
double cost(const Box& box) {
  return girth(box);
}

Vec3 middle(const Box& box) {
  return 0.5 * box.low + 0.5 * box.high;
}

/// Three numbers of 14 bits, bit by bit in turn: points that are near each other come near each other in
/// order (Morton 1966).
std::uint64_t morton_code(const Vec3& middle, const Vec3& low, double scale) {
  constexpr double kLast = 16383;
  std::uint64_t code = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double cell = (middle[axis] - low[axis]) * scale;
    auto bits = static_cast<std::uint64_t>(cell < kLast ? cell : kLast);  // what is no number goes last
    bits = (bits | bits << 16) & 0x0000'0000'ff00'00ffU;
    bits = (bits | bits << 8) & 0x0000'00f0'0f00'f00fU;
    bits = (bits | bits << 4) & 0x0000'0c30'c30c'30c3U;
    bits = (bits | bits << 2) & 0x0000'2492'4924'9249U;
    code |= bits << axis;
  }
  return code;
}

}  // namespace

Box fattened(const Box& tight, const Vec3& motion, double fatness) {
  const double side = girth(tight) / 3;
  const Vec3 ahead = kAhead * motion;
  if (!(std::max({std::abs(ahead.x), std::abs(ahead.y), std::abs(ahead.z)}) <= kMostAhead * side))
    return tight;
  const Box fat = grown(tight, fatness * side);
  return united(fat, {fat.low + ahead, fat.high + ahead});
}

int BoxTree::depth() const {
  int deepest = 0;
  for (const int leaf : leaf_of_) {
    int nodes = 0;
    for (int node = leaf; node != kNone; node = nodes_[node].parent) ++nodes;
    deepest = std::max(deepest, nodes);
  }
  return deepest;
}

void BoxTree::clear() {
  nodes_.clear();
  leaf_of_.clear();
  root_ = free_ = kNone;
  is_as_built_ = false;
}

int BoxTree::new_node() {
  if (free_ == kNone) {
    nodes_.emplace_back();
    return static_cast<int>(nodes_.size()) - 1;
  }
  const int node = free_;
  free_ = nodes_[node].parent;
  nodes_[node] = {};
  return node;
}

void BoxTree::free_node(int node) {
  nodes_[node] = {};
  nodes_[node].parent = free_;
  free_ = node;
}

void BoxTree::replace_child(int parent, int old_child, int new_child) {
  nodes_[new_child].parent = parent;
  if (parent == kNone) {
    root_ = new_child;
  } else if (nodes_[parent].left == old_child) {
    nodes_[parent].left = new_child;
  } else {
    nodes_[parent].right = new_child;
  }
}

void BoxTree::adopt(int parent, int left, int right) {
  Node& node = nodes_[parent];
  node.left = left;
  node.right = right;
  node.box = united(nodes_[left].box, nodes_[right].box);
  node.leaves = nodes_[left].leaves + nodes_[right].leaves;
  nodes_[left].parent = nodes_[right].parent = parent;
}

/// Walks down to where a new parent of the node and the box costs least: its own box, and by how much those
/// above it grow. Greedy, since it never turns back; ties go to the emptier side, so that equal boxes give a
/// balanced tree.
int BoxTree::best_sibling(const Box& box) const {
  int node = root_;
  double with = cost(united(nodes_[node].box, box));  // of the node, were the box below it
  while (!nodes_[node].is_leaf()) {
    const Node& here = nodes_[node];
    const double growth = with - cost(here.box);
    const Node &left = nodes_[here.left], &right = nodes_[here.right];
    const double with_left = cost(united(left.box, box)), with_right = cost(united(right.box, box));
    // The least that going on can cost: a leaf gets a parent; anything else grows, and has a parent of no
    // less than the box below it.
    const double least_left = with_left - (left.is_leaf() ? 0 : cost(left.box) - cost(box));
    const double least_right = with_right - (right.is_leaf() ? 0 : cost(right.box) - cost(box));
    if (with < growth + std::min(least_left, least_right)) return node;
    const bool go_left =
        least_left < least_right || (least_left == least_right && left.leaves <= right.leaves);
    node = go_left ? here.left : here.right;
    with = go_left ? with_left : with_right;
  }
  return node;
}

/// Swaps a child with a grandchild of the other side where that makes the other child's box smaller (Kopta et
/// al., "Fast, effective BVH updates for animated scenes", 2012).
void BoxTree::rotate(int node) {
  const int left = nodes_[node].left, right = nodes_[node].right;
  double most = 0;
  int child = kNone, grandchild = kNone;
  const auto consider = [&](int a, int b) {  // a takes the place of one of the children of b
    const Node& other = nodes_[b];
    if (other.is_leaf()) return;
    for (const auto& [leaves, stays] : {std::pair{other.left, other.right}, {other.right, other.left}}) {
      const double saved = cost(other.box) - cost(united(nodes_[a].box, nodes_[stays].box));
      if (saved > most) {
        most = saved;
        child = a;
        grandchild = leaves;
      }
    }
  };
  consider(left, right);
  consider(right, left);
  if (child == kNone) return;
  const int other = nodes_[grandchild].parent;
  const int stays = nodes_[other].left == grandchild ? nodes_[other].right : nodes_[other].left;
  adopt(other, child, stays);
  adopt(node, grandchild, other);
}

void BoxTree::mend_upwards(int node) {
  for (; node != kNone; node = nodes_[node].parent) {
    adopt(node, nodes_[node].left, nodes_[node].right);
    rotate(node);
  }
}

bool BoxTree::insert(int item, const Box& box) {
  remove(item);
  if (!is_proper(box)) return false;
  if (item >= static_cast<int>(leaf_of_.size())) leaf_of_.resize(item + 1, kNone);
  const int leaf = new_node();
  nodes_[leaf].box = box;
  nodes_[leaf].right = item;
  nodes_[leaf].leaves = 1;
  leaf_of_[item] = leaf;
  is_as_built_ = false;
  if (root_ == kNone) {
    root_ = leaf;
    return true;
  }
  const int sibling = best_sibling(box);
  const int parent = new_node();
  replace_child(nodes_[sibling].parent, sibling, parent);
  adopt(parent, sibling, leaf);
  mend_upwards(nodes_[parent].parent);
  return true;
}

void BoxTree::remove(int item) {
  if (!holds(item)) return;
  const int leaf = leaf_of_[item], parent = nodes_[leaf].parent;
  leaf_of_[item] = kNone;
  is_as_built_ = false;
  free_node(leaf);
  if (parent == kNone) {
    root_ = kNone;
    return;
  }
  const int sibling = nodes_[parent].left == leaf ? nodes_[parent].right : nodes_[parent].left;
  const int above = nodes_[parent].parent;
  replace_child(above, parent, sibling);
  free_node(parent);
  mend_upwards(above);
}

BoxTree::Move BoxTree::move(int item, const Box& tight, const Vec3& motion, double fatness) {
  if (is_proper(tight) && holds(item) && contains(box(item), tight)) return Move::stayed;
  const Box fat = fattened(tight, motion, fatness);
  return insert(item, is_proper(fat) ? fat : tight) ? Move::reinserted : Move::refused;
}

void BoxTree::build(std::span<const int> items, std::span<const Box> boxes) {
  if (refit(items, boxes)) return;
  nodes_.clear();
  free_ = root_ = kNone;
  std::fill(leaf_of_.begin(), leaf_of_.end(), kNone);
  if (!items.empty()) {
    leaf_of_.resize(std::max<std::size_t>(leaf_of_.size(), std::ranges::max(items) + 1), kNone);
    sort_seeds(items, boxes);
    root_ = build_below(0, static_cast<int>(seeds_.size()), boxes);
  }
  built_cost_ = 0;
  for (const Node& node : nodes_) built_cost_ += cost(node.box);
  is_as_built_ = true;
}

void BoxTree::sort_seeds(std::span<const int> items, std::span<const Box> boxes) {
  Box spread{middle(boxes[0]), middle(boxes[0])};
  for (const Box& box : boxes) spread = united(spread, {middle(box), middle(box)});
  const Vec3 side = spread.high - spread.low;
  const double scale = 16384 / std::max({side.x, side.y, side.z});
  seeds_.clear();
  for (int i = 0; i < static_cast<int>(items.size()); ++i) {
    seeds_.push_back({morton_code(middle(boxes[i]), spread.low, scale), items[i], i});
  }
  // By 11 bits at a time, the last ones first, each time counting how many come before.
  constexpr int kBits = 11, kCounts = 1 << kBits;
  sorted_seeds_.resize(seeds_.size());
  for (int shift = 0; shift < 42; shift += kBits) {
    const auto digit = [shift](const Seed& seed) { return seed.code >> shift & (kCounts - 1); };
    std::array<int, kCounts + 1> places{};
    for (const Seed& seed : seeds_) ++places[digit(seed) + 1];
    for (int i = 0; i < kCounts; ++i) places[i + 1] += places[i];
    for (const Seed& seed : seeds_) sorted_seeds_[places[digit(seed)]++] = seed;
    std::swap(seeds_, sorted_seeds_);
  }
}

/// Where only the boxes changed and little, the tree still serves. Nodes stand behind their parents then.
bool BoxTree::refit(std::span<const int> items, std::span<const Box> boxes) {
  const auto is_here = [this](int item) { return holds(item); };
  if (!is_as_built_ || static_cast<int>(items.size()) != size() || !std::ranges::all_of(items, is_here)) {
    return false;
  }
  for (std::size_t i = 0; i < items.size(); ++i) nodes_[leaf_of_[items[i]]].box = boxes[i];
  double total = 0;
  for (int i = static_cast<int>(nodes_.size()) - 1; i >= 0; --i) {
    Node& node = nodes_[i];
    if (!node.is_leaf()) node.box = united(nodes_[node.left].box, nodes_[node.right].box);
    total += cost(node.box);
  }
  return total <= kWorn * built_cost_;
}

/// The node over seeds_[begin … end). Nodes come parent first, the left side next: who walks down walks on in
/// memory.
int BoxTree::build_below(int begin, int end, std::span<const Box> boxes) {
  const int node = new_node();
  if (end - begin == 1) {
    const Seed& seed = seeds_[begin];
    nodes_[node].box = boxes[seed.place];
    nodes_[node].right = seed.item;
    nodes_[node].leaves = 1;
    leaf_of_[seed.item] = node;
    return node;
  }
  const std::uint64_t differ = seeds_[begin].code ^ seeds_[end - 1].code;
  const int half = differ == 0 ? split_in_half(begin, end, boxes) : split_by_bit(begin, end, differ);
  const int left = build_below(begin, half, boxes), right = build_below(half, end, boxes);
  adopt(node, left, right);
  return node;
}

/// Where the first bit in which codes differ turns from 0 to 1.
int BoxTree::split_by_bit(int begin, int end, std::uint64_t differ) const {
  const std::uint64_t first = std::bit_floor(differ);
  const auto split = std::partition_point(seeds_.begin() + begin, seeds_.begin() + end,
                                          [first](const Seed& seed) { return (seed.code & first) == 0; });
  return static_cast<int>(split - seeds_.begin());
}

/// Of seeds in one cell, as a crowd is in a world with one far outlier: along the axis in which they spread
/// the most. Ties by item: the halves are the same on every standard library.
int BoxTree::split_in_half(int begin, int end, std::span<const Box> boxes) {
  const auto middle_of = [&](const Seed& seed) { return middle(boxes[seed.place]); };
  Box spread{middle_of(seeds_[begin]), middle_of(seeds_[begin])};
  for (int i = begin + 1; i < end; ++i) spread = united(spread, {middle_of(seeds_[i]), middle_of(seeds_[i])});
  const Vec3 side = spread.high - spread.low;
  const int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
  const int half = begin + (end - begin) / 2;
  std::nth_element(seeds_.begin() + begin, seeds_.begin() + half, seeds_.begin() + end,
                   [&](const Seed& a, const Seed& b) {
                     const double x_a = middle_of(a)[axis], x_b = middle_of(b)[axis];
                     return x_a != x_b ? x_a < x_b : a.item < b.item;
                   });
  return half;
}

}  // namespace pawl
