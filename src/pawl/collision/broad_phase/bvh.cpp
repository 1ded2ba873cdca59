#include <pawl/collision/broad_phase/bvh.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace pawl::internal {
namespace {

constexpr std::size_t kMaxLeafItems = 4;

int longest_axis(const Aabb& box) {
  const Vec3 size = box.high - box.low;
  return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

}  // namespace

Bvh::Bvh(std::vector<Aabb> items) : items_(items.size()) {
  std::iota(items_.begin(), items_.end(), 0);
  if (!items.empty()) build(items, items_);
  boxes_.reserve(items.size());
  for (const int item : items_) boxes_.push_back(items[item]);
}

/// Recursive: the median split bounds the depth by log2 of the number of items.
void Bvh::build(const std::vector<Aabb>& boxes, std::span<int> items) {
  const std::size_t node_index = nodes_.size();
  nodes_.emplace_back();
  Aabb all = boxes[items[0]];
  Aabb middles{middle(all), middle(all)};
  for (const int item : items) {
    all = merge(all, boxes[item]);
    middles = merge(middles, {middle(boxes[item]), middle(boxes[item])});
  }
  nodes_[node_index].box = all;
  if (items.size() <= kMaxLeafItems) {
    nodes_[node_index].begin = static_cast<int>(items.data() - items_.data());
    nodes_[node_index].end = nodes_[node_index].begin + static_cast<int>(items.size());
  } else {
    const int axis = longest_axis(middles);
    const std::size_t half = items.size() / 2;
    const auto before = [&](int a, int b) {  // ties by index: the same order with any standard library
      return std::pair(middle(boxes[a])[axis], a) < std::pair(middle(boxes[b])[axis], b);
    };
    std::ranges::nth_element(items, items.begin() + static_cast<std::ptrdiff_t>(half), before);
    build(boxes, items.first(half));
    build(boxes, items.subspan(half));
  }
  nodes_[node_index].skip_to = static_cast<int>(nodes_.size());
}

}  // namespace pawl::internal
