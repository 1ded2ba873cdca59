#include <pawl/geometry/contact_points.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace pawl {
namespace {

/// Points nearer to each other than this times the smaller shape carry as one.
constexpr double kSamePlace = 1e-6;

/// Of two measures the larger wins only if rounding does not explain it; otherwise the earlier feature stays.
bool clearly_larger(double x, double y, double scale) {
  return x > y + 1e-9 * scale;
}

}  // namespace

void ContactPoints::start(const Vec3& origin, double margin_a, double margin_b, double reach, double size,
                          double extent) {
  points_.clear();
  origin_ = origin;
  margin_a_ = margin_a;
  margin_b_ = margin_b;
  reach_ = reach;
  extent_ = extent;
  rounding_ = 1e-13 * size;
}

void ContactPoints::add(const Separation& pair, std::uint32_t name_a, std::uint32_t name_b) {
  const Vec3 &n = pair.normal, a = pair.point_a - origin_, b = pair.point_b - origin_;
  add(pair.gap + margin_a_ + margin_b_, n, a + margin_a_ * n, b - margin_b_ * n, name_a, name_b);
}

void ContactPoints::drop_below(double gap) {
  std::erase_if(points_, [&](const ContactPoint& point) { return point.gap < gap - rounding_; });
}

bool ContactPoints::reach_down_to(double gap) const {
  return std::ranges::any_of(points_,
                             [&](const ContactPoint& point) { return point.gap <= gap + rounding_; });
}

void ContactPoints::sort_by_feature() {
  const int count = static_cast<int>(points_.size());
  order_.resize(points_.size());
  if (count > 32) {
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::sort(order_, {}, [&](int i) { return std::pair(points_[i].feature, i); });
    return;
  }
  for (int i = 0; i < count; ++i) {  // by insertion, which is the fastest for a few
    int place = i;
    for (; place > 0 && points_[i].feature < points_[order_[place - 1]].feature; --place) {
      order_[place] = order_[place - 1];
    }
    order_[place] = i;
  }
}

/// Of points in one place, or of one feature, the deepest stays; among equal ones the one of the earlier
/// feature.
void ContactPoints::merge_neighbours() {
  const double near2 = kSamePlace * kSamePlace * extent_ * extent_;
  const auto are_same = [&](const ContactPoint& x, const ContactPoint& y) {
    const Vec3 d = x.point_a - y.point_a;
    return dot(d, d) <= near2 || x.feature == y.feature;
  };
  std::size_t end = 0;
  bool replaced = false;
  for (const int i : order_) {
    std::size_t same = 0;
    while (same < end && !are_same(points_[order_[same]], points_[i])) ++same;
    if (same == end) {
      order_[end++] = i;
    } else if (points_[i].gap < points_[order_[same]].gap - rounding_) {
      order_[same] = i;
      replaced = true;
    }
  }
  order_.resize(end);
  if (replaced) std::ranges::sort(order_, {}, [&](int i) { return points_[i].feature; });
}

void ContactPoints::flatten(const Vec3& normal) {
  const Vec3 across = std::abs(normal.z) < 0.9 ? Vec3{-normal.y, normal.x, 0} : Vec3{0, -normal.z, normal.y};
  const Vec3 e = normalized(across), f = cross(normal, e);
  flat_.clear();
  for (const int i : order_) {
    const Vec3 d = points_[i].point_a - points_[order_[0]].point_a;
    flat_.push_back({dot(d, e), dot(d, f), false});
  }
}

/// Twice the area that a point adds to a convex polygon, counter-clockwise: the largest triangle with one of
/// its sides, which begins at corner `after`.
double ContactPoints::added_area(const std::array<FlatPoint, ContactSet::kMost>& polygon, int count,
                                 const FlatPoint& x, int& after) {
  double most = 0;
  after = count - 1;
  for (int i = 0; i < count; ++i) {
    const FlatPoint& from = polygon[i];
    const FlatPoint& to = polygon[i + 1 < count ? i + 1 : 0];
    const double area = (x.u - from.u) * (to.v - from.v) - (x.v - from.v) * (to.u - from.u);
    if (area > most) most = area, after = i;
  }
  return most;
}

/// Greedy: the deepest, the farthest from it, then whatever widens the line or polygon so far the most.
void ContactPoints::pick_widest(int most) {
  const int total = static_cast<int>(flat_.size());
  int next = 0;
  for (int i = 1; i < total; ++i) {
    if (points_[order_[i]].gap < points_[order_[next]].gap - rounding_) next = i;
  }
  const FlatPoint first = flat_[next];
  std::array<FlatPoint, ContactSet::kMost> polygon;
  int place = 0;
  for (int count = 0;; ++count) {
    for (int i = count; i > place; --i) polygon[i] = polygon[i - 1];
    polygon[place] = flat_[next];
    flat_[next].picked = true;
    if (count + 1 == most) return;
    double best = 0;
    for (int i = 0; i < total; ++i) {
      const FlatPoint& x = flat_[i];
      if (x.picked) continue;
      int after = count;
      const double measure = count == 0
                                 ? (x.u - first.u) * (x.u - first.u) + (x.v - first.v) * (x.v - first.v)
                                 : added_area(polygon, count + 1, x, after);
      if (clearly_larger(measure, best, extent_ * extent_)) best = measure, next = i, place = after + 1;
    }
    if (best == 0) return;  // the rest lies within
  }
}

void ContactPoints::choose(const Vec3& normal, int most, ContactSet& set) {
  sort_by_feature();
  if (points_.size() > 1) merge_neighbours();
  most = std::clamp(most, 1, ContactSet::kMost);
  const bool all = static_cast<int>(order_.size()) <= most;
  if (!all) {
    flatten(normal);
    pick_widest(most);
  }
  set.count = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (!all && !flat_[i].picked) continue;
    const ContactPoint& core = points_[order_[i]];
    set.points[set.count++] = {core.gap, core.normal, origin_ + (core.point_a - margin_a_ * core.normal),
                               origin_ + (core.point_b + margin_b_ * core.normal), core.feature};
  }
}

}  // namespace pawl
