#include <pawl/geometry/closest_search.h>

#include <functional>

namespace pawl {

void ClosestSearch::start(const BoxTree& moving, const BoxTree& fixed, std::span<const Box> boxes,
                          double upper) {
  moving_ = &moving;
  fixed_ = &fixed;
  boxes_ = boxes;
  heap_.clear();
  // Two leaves of one tree part ways in exactly one node.
  for (const BoxTree::Node& node : moving.nodes_) {
    if (node.leaves > 1) push_nodes(Kind::moving_nodes, node.left, node.right, upper);
  }
  if (moving.size() > 0 && fixed.size() > 0) push_nodes(Kind::fixed_nodes, moving.root_, fixed.root_, upper);
}

bool ClosestSearch::next(double upper, ShapePair& pair) {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const Entry entry = heap_.back();
    heap_.pop_back();
    if (!(entry.bound < upper)) return false;
    if (entry.kind == Kind::items) {
      pair = {entry.a, entry.b};
      return true;
    }
    expand(entry, upper);
  }
  return false;
}

void ClosestSearch::push(const Entry& entry, double upper) {
  if (!(entry.bound < upper)) return;
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void ClosestSearch::push_nodes(Kind kind, int a, int b, double upper) {
  const BoxTree& other = kind == Kind::fixed_nodes ? *fixed_ : *moving_;
  push({gap(moving_->nodes_[a].box, other.nodes_[b].box), kind, a, b}, upper);
}

void ClosestSearch::expand(const Entry& entry, double upper) {
  const BoxTree& other = entry.kind == Kind::fixed_nodes ? *fixed_ : *moving_;
  const BoxTree::Node &a = moving_->nodes_[entry.a], &b = other.nodes_[entry.b];
  if (a.is_leaf() && b.is_leaf()) {
    const auto [first, second] = std::minmax(a.right, b.right);
    push({gap(boxes_[first], boxes_[second]), Kind::items, first, second}, upper);
  } else if (b.is_leaf() || (!a.is_leaf() && a.leaves >= b.leaves)) {
    push_nodes(entry.kind, a.left, entry.b, upper);
    push_nodes(entry.kind, a.right, entry.b, upper);
  } else {
    push_nodes(entry.kind, entry.a, b.left, upper);
    push_nodes(entry.kind, entry.a, b.right, upper);
  }
}

}  // namespace pawl
