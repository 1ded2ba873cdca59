#include <pawl/collision/manifold/manifold_builder.h>

#include <algorithm>
#include <array>
#include <limits>

namespace pawl::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kAsDeep =
    1e-6;  // difference of gaps of points that count as equally deep, of the smaller shape

}  // namespace

void ManifoldBuilder::start(const Vec3& origin, const Pose& X, double rounding_radius_a,
                            double rounding_radius_b, double contact_margin, double size, double extent) {
  points_.clear();
  ring_ = 0;
  deepest_first_ = false;
  origin_ = origin;
  X_ = X;
  rounding_radius_a_ = rounding_radius_a;
  rounding_radius_b_ = rounding_radius_b;
  contact_margin_ = contact_margin;
  extent_ = extent;
  rounding_ = kGapRounding * size;
}

void ManifoldBuilder::add_in_world(double core_gap, const Vec3& normal, const Vec3& core_a,
                                   const Vec3& core_b, std::uint32_t id_a, std::uint32_t id_b) {
  const Mat3 Rt = transpose(X_.R);
  add(core_gap, Rt * normal, Rt * (core_a - X_.p), Rt * (core_b - X_.p), id_a, id_b);
}

void ManifoldBuilder::add(const Separation& pair, std::uint32_t id_a, std::uint32_t id_b) {
  const Vec3 &n = pair.normal, a = pair.point_a - origin_, b = pair.point_b - origin_;
  add_in_world(pair.gap + rounding_radius_a_ + rounding_radius_b_, n, a + rounding_radius_a_ * n,
               b - rounding_radius_b_ * n, id_a, id_b);
}

void ManifoldBuilder::drop_deeper_than(double gap) {
  const bool are_ring = ring_ == points_.size();
  std::erase_if(points_, [&](const ManifoldPoint& point) { return point.gap < gap - rounding_; });
  if (are_ring) mark_as_polygon();
}

bool ManifoldBuilder::has_gap_at_most(double gap) const {
  return std::ranges::any_of(points_,
                             [&](const ManifoldPoint& point) { return point.gap <= gap + rounding_; });
}

Vec3 ManifoldBuilder::normal_of_deepest() const {
  const auto deepest = std::ranges::min_element(points_, {}, &ManifoldPoint::gap);
  return deepest == points_.end() ? Vec3{} : deepest->normal;
}

void ManifoldBuilder::project(const Vec3& normal) {
  const int count = static_cast<int>(points_.size());
  candidates_.resize(points_.size());
  if (normal.z == 1 || count == 1) {
    for (int i = 0; i < count; ++i) {
      const ManifoldPoint& point = points_[i];
      candidates_[i] = {point.point_a.x, point.point_a.y, point.gap, i};
    }
    return;
  }
  const Vec3 e =
      normalized(std::abs(normal.z) < 0.9 ? Vec3{-normal.y, normal.x, 0} : Vec3{0, -normal.z, normal.y});
  const Vec3 f = cross(normal, e);
  for (int i = 0; i < count; ++i) {
    const ManifoldPoint& point = points_[i];
    const Vec3 d = point.point_a - points_[0].point_a;
    candidates_[i] = {dot(d, e), dot(d, f), point.gap, i};
  }
}

/// True if the points coincide on both shapes or have the same feature.
inline bool ManifoldBuilder::coincide(const Candidate& x, const Candidate& y) const {
  const ManifoldPoint &p = points_[x.index], &q = points_[y.index];
  const Vec3 d_a = p.point_a - q.point_a, d_b = p.point_b - q.point_b;
  const double same2 = kMergeDistance * kMergeDistance * extent_ * extent_;
  return (dot(d_a, d_a) <= same2 && dot(d_b, d_b) <= same2) || p.feature == q.feature;
}

/// The deeper point has priority; among equal depths, within rounding, the lower feature.
bool ManifoldBuilder::has_priority(const Candidate& x, const Candidate& y) const {
  const double deeper = y.gap - x.gap;
  if (std::abs(deeper) > rounding_) return deeper > 0;
  return feature(x) < feature(y);
}

/// Of coincident points, or points of one feature, only that with priority is kept.
void ManifoldBuilder::merge_neighbours() {
  Candidate* const begin = candidates_.data();
  Candidate* end = begin;
  const int count = static_cast<int>(points_.size()), ring = static_cast<int>(ring_);
  for (int i = 0; i < count; ++i) {
    // In a ring, compare with the previous point and, for the last, with the first; otherwise with all.
    Candidate* same = i > 0 && i < ring ? end - 1 : begin;
    while (same != end && !coincide(candidates_[i], *same)) ++same;
    if (i + 1 == ring && same == end && end != begin && coincide(candidates_[i], *begin)) same = begin;
    if (same == end) {
      *end++ = candidates_[i];
      continue;
    }
    if (has_priority(candidates_[i], *same)) *same = candidates_[i];
  }
  candidates_.resize(static_cast<std::size_t>(end - begin));
}

/// The polygon of the points picked so far, counter-clockwise, and the lines of its sides.
struct ManifoldBuilder::Polygon {
  /// Twice the area of the triangle of a point (u, v) with the side, positive outside.
  struct Line {
    double u = 0, v = 0, at_0 = 0;

    double area(const Candidate& x) const { return u * x.u + v * x.v + at_0; }
  };
  std::array<const Candidate*, Manifold::kMaxPoints> corners;
  std::array<Line, Manifold::kMaxPoints> sides;  // from each corner to the next
  int count = 0;

  void insert(const Candidate& x) {
    int place = count;  // after the start of the side that x is farthest beyond
    for (int i = 0; i + 1 < count; ++i) {
      if (sides[i].area(x) > sides[place - 1].area(x)) place = i + 1;
    }
    for (int i = count; i > place; --i) corners[i] = corners[i - 1], sides[i] = sides[i - 1];
    corners[place] = &x;
    ++count;
    set_side(place == 0 ? count - 1 : place - 1);
    set_side(place);
  }
  /// Twice the area that a point adds.
  double added_area(const Candidate& x) const {
    if (count == 2) return std::abs(sides[0].area(x));
    double most = sides[0].area(x);
    for (int i = 1; i < count; ++i) most = std::max(most, sides[i].area(x));
    return most;
  }

 private:
  void set_side(int i) {
    const Candidate &from = *corners[i], &to = *corners[i + 1 < count ? i + 1 : 0];
    const double u = to.v - from.v, v = from.u - to.u;
    sides[i] = {u, v, -(u * from.u + v * from.v)};
  }
};

/// Of the candidates with a gap up to `most_gap`, that of largest measure, or null if all are zero within
/// rounding. Ties within rounding go to the lowest feature.
template <class Measure>
ManifoldBuilder::Candidate* ManifoldBuilder::widest(double most_gap, Measure measure) {
  const double rounding = kAreaRounding * extent_ * extent_;
  double most = 0;
  for (Candidate& x : candidates_) {
    x.score = x.picked || x.gap > most_gap ? 0 : measure(x);
    most = std::max(most, x.score);
  }
  const double threshold = most - rounding;
  if (!(threshold > 0)) return nullptr;
  Candidate* best = nullptr;
  for (Candidate& x : candidates_) {
    if (x.score >= threshold && (!best || feature(x) < feature(*best))) best = &x;
  }
  return best;
}

/// Greedy selection: first the deepest point, with ties going to the lowest feature (vertices before edges).
/// Then the point farthest from it, and each time the point that adds the most area. If all are collinear,
/// the other end of their line. Returns the number of picked points and their indices in `picked`.
int ManifoldBuilder::pick_widest(int most, std::array<int, Manifold::kMaxPoints>& picked) {
  double deepest = candidates_.front().gap;
  for (const Candidate& x : candidates_) deepest = std::min(deepest, x.gap);
  Candidate* next = nullptr;
  for (Candidate& x : candidates_) {
    if (x.gap <= deepest + rounding_ && (!next || feature(x) < feature(*next))) next = &x;
  }
  const auto distance2 = [](const Candidate& x, const Candidate& y) {
    return (x.u - y.u) * (x.u - y.u) + (x.v - y.v) * (x.v - y.v);
  };
  const Candidate& first = *next;
  double most_gap = deepest_first_ ? deepest + kAsDeep * extent_ : kInfinity;
  Polygon polygon;
  const auto widest_next = [&](const Candidate& last) {
    if (polygon.count == 1) return widest(most_gap, [&](const Candidate& x) { return distance2(x, first); });
    Candidate* best = widest(most_gap, [&](const Candidate& x) { return polygon.added_area(x); });
    if (!best && polygon.count == 2) {  // collinear: the end beyond the first
      const double length2 = distance2(first, last);
      best = widest(most_gap, [&](const Candidate& x) { return distance2(x, last) - length2; });
    }
    return best;
  };
  while (next) {
    const Candidate& last = *next;
    picked[polygon.count] = last.index;
    next->picked = true;
    polygon.insert(last);
    if (polygon.count == most) break;
    next = widest_next(last);
    if (!next && most_gap < kInfinity) {
      most_gap = kInfinity;
      next = widest_next(last);
    }
  }
  return polygon.count;
}

/// In the world frame, on the shapes themselves.
ManifoldPoint ManifoldBuilder::to_world(const ManifoldPoint& core) const {
  const Vec3 normal = X_.R * core.normal, a = origin_ + (X_ * core.point_a - rounding_radius_a_ * normal);
  return {core.gap, normal, a, a - core.gap * normal, core.feature};
}

void ManifoldBuilder::reduce(const Vec3& normal, int most, bool mirrored, Manifold& manifold) {
  most = std::clamp(most, 1, Manifold::kMaxPoints);
  project(normal);
  if (candidates_.size() > 1) merge_neighbours();
  std::array<int, Manifold::kMaxPoints> chosen;
  manifold.count = static_cast<int>(candidates_.size());
  if (manifold.count > most) {
    manifold.count = pick_widest(most, chosen);
  } else {
    for (int i = 0; i < manifold.count; ++i) chosen[i] = candidates_[i].index;
  }
  const auto id = [&](int i) {
    const std::uint64_t feature = points_[i].feature;
    return mirrored ? (feature << 32) | (feature >> 32) : feature;
  };
  for (int i = 1; i < manifold.count; ++i) {  // sort by feature
    const int index = chosen[i];
    int place = i;
    for (; place > 0 && id(index) < id(chosen[place - 1]); --place) chosen[place] = chosen[place - 1];
    chosen[place] = index;
  }
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint point = to_world(points_[chosen[i]]);
    manifold.points[i] =
        mirrored ? ManifoldPoint{point.gap, -point.normal, point.point_b, point.point_a, id(chosen[i])}
                 : point;
  }
}

}  // namespace pawl::internal
