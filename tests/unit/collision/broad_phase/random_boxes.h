#pragma once
// Random boxes, and their overlapping pairs by brute force.

#include <vector>

#include <pawl/collision/broad_phase/aabb_tree.h>
#include <unit/base/random.h>

namespace pawl::internal::testing {

inline Aabb random_box(Random& random, double room, double smallest, double largest) {
  const Vec3 middle = random.vec(room);
  const Vec3 half{random.scale(smallest, largest), random.scale(smallest, largest),
                  random.scale(smallest, largest)};
  return {middle - half, middle + half};
}

inline std::vector<Aabb> random_boxes(Random& random, int count, double room, double smallest,
                                      double largest) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < count; ++i) boxes.push_back(random_box(random, room, smallest, largest));
  return boxes;
}

inline Aabb translated(const Aabb& box, const Vec3& by) {
  return {box.low + by, box.high + by};
}

/// Ordered pairs of boxes that overlap when each is grown by half the contact margin, without fixed-fixed
/// pairs.
inline std::vector<ShapePair> brute_force_pairs(const std::vector<Aabb>& boxes, double contact_margin,
                                                const std::vector<bool>& fixed = {}) {
  std::vector<ShapePair> pairs;
  const int count = static_cast<int>(boxes.size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      if (!fixed.empty() && fixed[a] && fixed[b]) continue;
      if (!is_valid(boxes[a]) || !is_valid(boxes[b])) continue;
      if (overlap(expand(boxes[a], 0.5 * contact_margin), expand(boxes[b], 0.5 * contact_margin)))
        pairs.push_back({a, b});
    }
  }
  return pairs;
}

}  // namespace pawl::internal::testing
