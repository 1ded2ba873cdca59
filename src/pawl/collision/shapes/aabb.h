#pragma once
// Axis-aligned bounding boxes (AABBs) in the world frame.

#include <algorithm>
#include <limits>

#include <pawl/math.h>

namespace pawl::internal {

/// The points with low ≤ x ≤ high in every coordinate, m.
struct Aabb {
  Vec3 low, high;
  constexpr bool operator==(const Aabb&) const = default;
};

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Overlaps and contains nothing.
inline constexpr Aabb kInvalidAabb{{kNan, kNan, kNan}, {kNan, kNan, kNan}};

/// True if all coordinates are finite and low ≤ high; the functions below require it.
inline bool is_valid(const Aabb& box) {
  return is_finite(box.low) && is_finite(box.high) && box.low.x <= box.high.x && box.low.y <= box.high.y &&
         box.low.z <= box.high.z;
}

constexpr Aabb aabb_about(const Vec3& center, const Vec3& half_extent) {
  return {center - half_extent, center + half_extent};
}

constexpr Vec3 middle(const Aabb& box) {
  return 0.5 * box.low + 0.5 * box.high;
}

/// Moves all six faces outwards by the length `by`, m.
constexpr Aabb expand(const Aabb& box, double by) {
  const Vec3 all{by, by, by};
  return {box.low - all, box.high + all};
}

constexpr Aabb merge(const Aabb& a, const Aabb& b) {
  return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
          {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

// & instead of &&: the failing comparison is unpredictable, and a branch misprediction costs more than five
// comparisons.

/// True also for boxes that touch.
constexpr bool overlap(const Aabb& a, const Aabb& b) {
  return (a.low.x <= b.high.x) & (b.low.x <= a.high.x) & (a.low.y <= b.high.y) & (b.low.y <= a.high.y) &
         (a.low.z <= b.high.z) & (b.low.z <= a.high.z);
}

constexpr bool contains(const Aabb& outer, const Aabb& inner) {
  return (outer.low.x <= inner.low.x) & (inner.high.x <= outer.high.x) & (outer.low.y <= inner.low.y) &
         (inner.high.y <= outer.high.y) & (outer.low.z <= inner.low.z) & (inner.high.z <= outer.high.z);
}

/// Surface area, m².
constexpr double area(const Aabb& box) {
  const Vec3 side = box.high - box.low;
  return 2 * (side.x * side.y + side.y * side.z + side.z * side.x);
}

/// The sum of the three side lengths, m. Like the area it measures how likely an overlap is, but it is 0 for
/// points only.
constexpr double half_perimeter(const Aabb& box) {
  const Vec3 side = box.high - box.low;
  return side.x + side.y + side.z;
}

/// The distance of the boxes, m, or minus the shortest separating translation along an axis. It is a lower
/// bound of the gap between their contents, whose difference set lies within that of the boxes.
inline double gap(const Aabb& a, const Aabb& b) {
  const auto along = [&](int i) { return std::max(a.low[i] - b.high[i], b.low[i] - a.high[i]); };
  const Vec3 d{along(0), along(1), along(2)};
  const double max_axis_gap = std::max({d.x, d.y, d.z});
  return max_axis_gap <= 0 ? max_axis_gap : norm({std::max(d.x, 0.), std::max(d.y, 0.), std::max(d.z, 0.)});
}

/// min n · x - offset over the box: the height of its lowest point above the plane, m; negative below.
constexpr double height_over(const Aabb& box, const Vec3& n, double offset) {
  return n.x * (n.x > 0 ? box.low.x : box.high.x) + n.y * (n.y > 0 ? box.low.y : box.high.y) +
         n.z * (n.z > 0 ? box.low.z : box.high.z) - offset;
}

}  // namespace pawl::internal
