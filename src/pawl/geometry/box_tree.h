#pragma once
// Boxes in a binary tree, each node the box of the two below it: finds those near a place without looking at
// all of them.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <pawl/geometry/box.h>

namespace pawl {

/// A box with room to move in: `fatness` times the mean side on every side, and several times the last motion
/// ahead. Who is so fast that this would be far out gets no room at all, since it would not serve for long.
Box fattened(const Box& tight, const Vec3& motion, double fatness);

/// Items are small numbers ≥ 0, such as those of shapes; each is in the tree once or not at all. The same
/// calls give the same tree. Visits come in an order that depends on the tree's history: sort where it
/// matters. Nothing is allocated once the tree and the caller's stacks have been as large before.
class BoxTree {
 public:
  /// Nodes, or pairs of them, still to be visited: the caller's scratch, so that several may ask at once.
  using Stack = std::vector<int>;
  using PairQueue = std::vector<std::pair<int, int>>;

  int size() const { return root_ == kNone ? 0 : nodes_[root_].leaves; }
  /// Nodes on the longest way from the root to a leaf. Looks at all of them.
  int depth() const;
  bool holds(int item) const { return item < static_cast<int>(leaf_of_.size()) && leaf_of_[item] != kNone; }
  const Box& box(int item) const { return nodes_[leaf_of_[item]].box; }

  void clear();
  /// All anew, from items that differ and boxes that are proper; [items] each.
  void build(std::span<const int> items, std::span<const Box> boxes);
  /// Also where it is in the tree already. False: the box is not proper, and the item is not in the tree.
  bool insert(int item, const Box& box);
  /// Nothing where it is not in the tree.
  void remove(int item);
  enum class Move { stayed, reinserted, refused };
  /// Inserts the item with a fat box, unless the box that it has still contains the tight one. Refused is
  /// what insert() refuses.
  Move move(int item, const Box& tight, const Vec3& motion, double fatness);

  /// visit(item) of all whose box overlaps `box`. False: the box is not proper, and overlaps nothing.
  template <class Visit>
  bool for_each_overlapping(const Box& box, Stack& stack, Visit&& visit) const {
    if (!is_proper(box)) return false;
    for_each_where([&](const Box& node) { return overlap(node, box); }, stack, visit);
    return true;
  }
  /// visit(item) of all whose box comes below n · x ≤ offset, n a unit vector.
  template <class Visit>
  void for_each_below(const Vec3& n, double offset, Stack& stack, Visit&& visit) const {
    for_each_where([&](const Box& node) { return height_over(node, n, offset) <= 0; }, stack, visit);
  }
  /// visit(item, item) of all pairs whose boxes overlap, each once, in any order.
  template <class Visit>
  void for_each_pair(PairQueue& queue, Visit&& visit) const;
  /// The same of an item here and one of another tree.
  template <class Visit>
  void for_each_pair_with(const BoxTree& other, PairQueue& queue, Visit&& visit) const;

 private:
  friend class ClosestSearch;
  static constexpr int kNone = -1;

  struct Node {
    Box box;
    int parent = kNone;  // of a free node: the next free one
    int left = kNone;    // kNone: a leaf
    int right = kNone;   // of a leaf: its item
    int leaves = 0;      // below it; 0: the node is free
    bool is_leaf() const { return left == kNone; }
  };

  template <class Holds, class Visit>
  void for_each_where(Holds&& holds, Stack& stack, Visit&& visit) const;
  template <class Visit>
  static void descend(const Node* a_nodes, const Node* b_nodes, PairQueue& queue, std::size_t tail,
                      Visit&& visit);

  int new_node();
  void free_node(int node);
  int best_sibling(const Box& box) const;
  void replace_child(int parent, int old_child, int new_child);
  void adopt(int parent, int left, int right);
  void mend_upwards(int node);
  void rotate(int node);
  bool refit(std::span<const int> items, std::span<const Box> boxes);
  void sort_seeds(std::span<const int> items, std::span<const Box> boxes);
  int build_below(int begin, int end, std::span<const Box> boxes);
  int split_by_bit(int begin, int end, std::uint64_t differ) const;
  int split_in_half(int begin, int end, std::span<const Box> boxes);

  struct Seed {
    std::uint64_t code = 0;
    int item = 0, place = 0;  // place: its index in what build() is given
  };

  std::vector<Node> nodes_;
  std::vector<int> leaf_of_;                // [items]
  std::vector<Seed> seeds_, sorted_seeds_;  // scratch of build()
  int root_ = kNone, free_ = kNone;
  double built_cost_ = 0;
  bool is_as_built_ = false;  // but for its boxes
};

// Half of the tests on the way down fail, in no pattern that a processor could guess: so every node is
// written to the stack, and stays there where its test holds.

template <class Holds, class Visit>
void BoxTree::for_each_where(Holds&& holds, Stack& stack, Visit&& visit) const {
  if (root_ == kNone || !holds(nodes_[root_].box)) return;
  if (stack.empty()) stack.resize(64);
  std::size_t top = 0;
  stack[top++] = root_;
  while (top > 0) {
    if (top + 2 > stack.size()) stack.resize(2 * stack.size());
    const Node& node = nodes_[stack[--top]];
    if (node.is_leaf()) {
      visit(node.right);
      continue;
    }
    for (const int child : {node.left, node.right}) {
      stack[top] = child;
      top += holds(nodes_[child].box) ? 1 : 0;
    }
  }
}

/// All pairs below those in the queue, whose boxes overlap. First come, first served: pairs of one level
/// follow each other, and none waits for the test of the one before it.
template <class Visit>
void BoxTree::descend(const Node* a_nodes, const Node* b_nodes, PairQueue& queue, std::size_t tail,
                      Visit&& visit) {
  std::size_t head = 0;
  while (head < tail) {
    if (tail + 4 > queue.size()) queue.resize(2 * queue.size() + 4);
    const auto [a, b] = queue[head++];
    const Node &node_a = a_nodes[a], &node_b = b_nodes[b];
    const auto push_if_overlap = [&](int child_a, int child_b) {
      queue[tail] = {child_a, child_b};
      tail += overlap(a_nodes[child_a].box, b_nodes[child_b].box) ? 1 : 0;
    };
    if (node_a.is_leaf() && node_b.is_leaf()) {
      visit(node_a.right, node_b.right);
    } else if (node_b.is_leaf()) {
      push_if_overlap(node_a.left, b);
      push_if_overlap(node_a.right, b);
    } else if (node_a.is_leaf()) {
      push_if_overlap(a, node_b.left);
      push_if_overlap(a, node_b.right);
    } else {
      push_if_overlap(node_a.left, node_b.left);
      push_if_overlap(node_a.left, node_b.right);
      push_if_overlap(node_a.right, node_b.left);
      push_if_overlap(node_a.right, node_b.right);
    }
  }
}

template <class Visit>
void BoxTree::for_each_pair(PairQueue& queue, Visit&& visit) const {
  if (queue.size() < nodes_.size() + 1) queue.resize(nodes_.size() + 1);
  std::size_t tail = 0;
  for (const Node& node : nodes_) {  // two leaves part ways in exactly one node
    if (node.leaves < 2) continue;
    queue[tail] = {node.left, node.right};
    tail += overlap(nodes_[node.left].box, nodes_[node.right].box) ? 1 : 0;
  }
  descend(nodes_.data(), nodes_.data(), queue, tail, visit);
}

template <class Visit>
void BoxTree::for_each_pair_with(const BoxTree& other, PairQueue& queue, Visit&& visit) const {
  if (root_ == kNone || other.root_ == kNone) return;
  if (!overlap(nodes_[root_].box, other.nodes_[other.root_].box)) return;
  if (queue.empty()) queue.resize(1);
  queue[0] = {root_, other.root_};
  descend(nodes_.data(), other.nodes_.data(), queue, 1, visit);
}

}  // namespace pawl
