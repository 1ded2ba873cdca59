#pragma once
// A bounding volume hierarchy of AABBs over static items.

#include <span>
#include <vector>

#include <pawl/collision/shapes/aabb.h>

namespace pawl::internal {

/// Built once, by median splits along the longest axis of the centres.
class Bvh {
 public:
  Bvh() = default;
  explicit Bvh(std::vector<Aabb> items);

  /// Calls `found(item)` for every item whose box overlaps `where`, in tree order. Allocates nothing.
  template <class Found>
  void for_each_overlapping(const Aabb& where, Found&& found) const {
    for (std::size_t n = 0; n < nodes_.size();) {
      const Node& node = nodes_[n];
      if (!overlap(node.box, where)) {
        n = static_cast<std::size_t>(node.skip_to);
        continue;
      }
      for (int i = node.begin; i < node.end; ++i) {
        if (overlap(boxes_[i], where)) found(items_[i]);
      }
      ++n;
    }
  }

 private:
  struct Node {  // in preorder: all nodes below it follow
    Aabb box;
    int skip_to = 0;         // the first node behind its subtree
    int begin = 0, end = 0;  // leaf: range of items_
  };
  void build(const std::vector<Aabb>& boxes, std::span<int> items);

  std::vector<Node> nodes_;
  std::vector<int> items_;
  std::vector<Aabb> boxes_;  // [items_]
};

}  // namespace pawl::internal
