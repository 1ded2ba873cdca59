#include <pawl/geometry/contact_points.h>

#include <algorithm>
#include <utility>

namespace pawl {
namespace {

/// Points nearer to each other than this times the smaller shape carry as one.
constexpr double kSamePlace = 1e-6;

/// Of two measures the larger wins only if rounding does not explain it; otherwise the earlier feature stays.
bool clearly_larger(double x, double y, double scale) {
  return x > y + 1e-9 * scale;
}

/// Twice the area that a point adds to a convex polygon, counter-clockwise: the largest triangle with one of
/// its sides, which begins at corner `after`.
double added_area(const std::array<FlatPoint, ContactSet::kMost>& polygon, int count, const FlatPoint& x,
                  int& after) {
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

}  // namespace

std::uint64_t feature_of(std::uint32_t name_a, std::uint32_t name_b) {
  return (static_cast<std::uint64_t>(name_a) << 32) | name_b;
}

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

void ContactPoints::add(double core_gap, const Vec3& normal, const Vec3& core_a, const Vec3& core_b,
                        std::uint32_t name_a, std::uint32_t name_b) {
  const double gap = core_gap - margin_a_ - margin_b_;
  if (!(gap <= reach_)) return;
  points_.push_back({gap, normal, origin_ + (core_a - margin_a_ * normal),
                     origin_ + (core_b + margin_b_ * normal), feature_of(name_a, name_b)});
}

void ContactPoints::add(const Separation& pair, std::uint32_t name_a, std::uint32_t name_b) {
  if (!(pair.gap <= reach_)) return;
  points_.push_back({pair.gap, pair.normal, pair.point_a, pair.point_b, feature_of(name_a, name_b)});
}

void ContactPoints::drop_below(double gap) {
  std::erase_if(points_, [&](const ContactPoint& point) { return point.gap < gap - rounding_; });
}

bool ContactPoints::reach_down_to(double gap) const {
  return std::ranges::any_of(points_,
                             [&](const ContactPoint& point) { return point.gap <= gap + rounding_; });
}

/// Of points in one place, or of one feature, the deepest stays; among equal ones the one of the earlier
/// feature.
void ContactPoints::merge_neighbours() {
  const double near2 = kSamePlace * kSamePlace * extent_ * extent_;
  std::size_t end = 0;
  bool replaced = false;
  for (const ContactPoint& point : points_) {
    const auto same = std::find_if(points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(end),
                                   [&](const ContactPoint& kept) {
                                     const Vec3 d = kept.point_a - point.point_a;
                                     return dot(d, d) <= near2 || kept.feature == point.feature;
                                   });
    if (same == points_.begin() + static_cast<std::ptrdiff_t>(end)) {
      if (&points_[end] != &point) points_[end] = point;
      ++end;
    } else if (point.gap < same->gap - rounding_) {
      *same = point;
      replaced = true;
    }
  }
  points_.resize(end);
  if (replaced) std::ranges::sort(points_, {}, &ContactPoint::feature);
}

void ContactPoints::flatten(const Vec3& normal) {
  const Vec3 across = std::abs(normal.z) < 0.9 ? Vec3{-normal.y, normal.x, 0} : Vec3{0, -normal.z, normal.y};
  const Vec3 e = normalized(across), f = cross(normal, e);
  flat_.clear();
  for (const ContactPoint& point : points_) {
    const Vec3 d = point.point_a - points_[0].point_a;
    flat_.push_back({dot(d, e), dot(d, f), false});
  }
}

/// Greedy: the deepest, the farthest from it, then whatever widens the line or polygon so far the most.
void ContactPoints::pick_widest(int most) {
  FlatPoint* next = &flat_[0];
  for (FlatPoint& x : flat_) {
    if (points_[&x - flat_.data()].gap < points_[next - flat_.data()].gap - rounding_) next = &x;
  }
  const FlatPoint first = *next;
  std::array<FlatPoint, ContactSet::kMost> polygon;
  int place = 0;
  for (int count = 0;; ++count) {
    for (int i = count; i > place; --i) polygon[i] = polygon[i - 1];
    polygon[place] = *next;
    next->picked = true;
    if (count + 1 == most) return;
    double best = 0;
    for (FlatPoint& x : flat_) {
      if (x.picked) continue;
      int after = count;
      const double measure = count == 0
                                 ? (x.u - first.u) * (x.u - first.u) + (x.v - first.v) * (x.v - first.v)
                                 : added_area(polygon, count + 1, x, after);
      if (clearly_larger(measure, best, extent_ * extent_)) best = measure, next = &x, place = after + 1;
    }
    if (best == 0) return;  // the rest lies within
  }
}

void ContactPoints::choose(const Vec3& normal, int most, ContactSet& set) {
  if (points_.size() > 1) {
    std::ranges::sort(points_, {}, &ContactPoint::feature);
    merge_neighbours();
  }
  most = std::clamp(most, 1, ContactSet::kMost);
  set.count = 0;
  if (static_cast<int>(points_.size()) <= most) {
    for (const ContactPoint& point : points_) set.points[set.count++] = point;
    return;
  }
  flatten(normal);
  pick_widest(most);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (flat_[i].picked) set.points[set.count++] = points_[i];
  }
}

}  // namespace pawl
