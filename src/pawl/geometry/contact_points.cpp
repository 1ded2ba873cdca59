#include <pawl/geometry/contact_points.h>

#include <algorithm>
#include <array>

namespace pawl {

void ContactPoints::start(const Vec3& origin, const Pose& X, double margin_a, double margin_b, double reach,
                          double size, double extent) {
  points_.clear();
  ring_ = 0;
  origin_ = origin;
  X_ = X;
  margin_a_ = margin_a;
  margin_b_ = margin_b;
  reach_ = reach;
  extent_ = extent;
  rounding_ = kGapRounding * size;
}

void ContactPoints::add_placed(double core_gap, const Vec3& normal, const Vec3& core_a, const Vec3& core_b,
                               std::uint32_t name_a, std::uint32_t name_b) {
  const Mat3 Rt = transpose(X_.R);
  add(core_gap, Rt * normal, Rt * (core_a - X_.p), Rt * (core_b - X_.p), name_a, name_b);
}

void ContactPoints::add(const Separation& pair, std::uint32_t name_a, std::uint32_t name_b) {
  const Vec3 &n = pair.normal, a = pair.point_a - origin_, b = pair.point_b - origin_;
  add_placed(pair.gap + margin_a_ + margin_b_, n, a + margin_a_ * n, b - margin_b_ * n, name_a, name_b);
}

void ContactPoints::drop_below(double gap) {
  const bool are_ring = ring_ == points_.size();
  std::erase_if(points_, [&](const ContactPoint& point) { return point.gap < gap - rounding_; });
  if (are_ring) close_ring();
}

bool ContactPoints::reach_down_to(double gap) const {
  return std::ranges::any_of(points_,
                             [&](const ContactPoint& point) { return point.gap <= gap + rounding_; });
}

Vec3 ContactPoints::normal_of_deepest() const {
  const auto deepest = std::ranges::min_element(points_, {}, &ContactPoint::gap);
  return deepest == points_.end() ? Vec3{} : deepest->normal;
}

void ContactPoints::flatten(const Vec3& normal) {
  const int count = static_cast<int>(points_.size());
  candidates_.resize(points_.size());
  if (normal.z == 1 || count == 1) {
    for (int i = 0; i < count; ++i) {
      const ContactPoint& point = points_[i];
      candidates_[i] = {point.point_a.x, point.point_a.y, point.gap, i};
    }
    return;
  }
  const Vec3 e =
      normalized(std::abs(normal.z) < 0.9 ? Vec3{-normal.y, normal.x, 0} : Vec3{0, -normal.z, normal.y});
  const Vec3 f = cross(normal, e);
  for (int i = 0; i < count; ++i) {
    const ContactPoint& point = points_[i];
    const Vec3 d = point.point_a - points_[0].point_a;
    candidates_[i] = {dot(d, e), dot(d, f), point.gap, i};
  }
}

/// In one place on both shapes.
inline bool ContactPoints::are_same(const Candidate& x, const Candidate& y) const {
  const ContactPoint &p = points_[x.number], &q = points_[y.number];
  const Vec3 d_a = p.point_a - q.point_a, d_b = p.point_b - q.point_b;
  const double same2 = kSamePlace * kSamePlace * extent_ * extent_;
  return (dot(d_a, d_a) <= same2 && dot(d_b, d_b) <= same2) || p.feature == q.feature;
}

/// The deeper one; of two as deep, but for rounding, the one of the earlier feature.
bool ContactPoints::goes_first(const Candidate& x, const Candidate& y) const {
  const double deeper = y.gap - x.gap;
  if (std::abs(deeper) > rounding_) return deeper > 0;
  return feature(x) < feature(y);
}

/// Of points in one place, or of one feature, the one that goes first stays.
void ContactPoints::merge_neighbours() {
  Candidate* const begin = candidates_.data();
  Candidate* end = begin;
  const int count = static_cast<int>(points_.size()), ring = static_cast<int>(ring_);
  for (int i = 0; i < count; ++i) {
    // In a ring the one before and, of the last, the first; otherwise all.
    Candidate* same = i > 0 && i < ring ? end - 1 : begin;
    while (same != end && !are_same(candidates_[i], *same)) ++same;
    if (i + 1 == ring && same == end && end != begin && are_same(candidates_[i], *begin)) same = begin;
    if (same == end) {
      *end++ = candidates_[i];
      continue;
    }
    if (goes_first(candidates_[i], *same)) *same = candidates_[i];
  }
  candidates_.resize(static_cast<std::size_t>(end - begin));
}

/// What is picked so far, counter-clockwise, and the lines along its sides.
struct ContactPoints::Polygon {
  /// For a point (u, v): twice the area of its triangle with the side, positive outside.
  struct Line {
    double u = 0, v = 0, at_0 = 0;

    double area(const Candidate& x) const { return u * x.u + v * x.v + at_0; }
  };
  std::array<const Candidate*, ContactSet::kMost> corners;
  std::array<Line, ContactSet::kMost> sides;  // from each corner to the next
  int count = 0;

  void insert(const Candidate& x) {
    int place = count;  // behind the corner where the side begins that x is the farthest beyond
    for (int i = 0; i + 1 < count; ++i) {
      if (sides[i].area(x) > sides[place - 1].area(x)) place = i + 1;
    }
    for (int i = count; i > place; --i) corners[i] = corners[i - 1], sides[i] = sides[i - 1];
    corners[place] = &x;
    ++count;
    set_side(place == 0 ? count - 1 : place - 1);
    set_side(place);
  }
  /// What a point adds to the area, twice.
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

/// The one of the largest measure, null where all are zero but for rounding; of those as large, but for
/// rounding, the one of the earliest feature.
template <class Measure>
ContactPoints::Candidate* ContactPoints::widest(Measure measure) {
  const double rounding = kAreaRounding * extent_ * extent_;
  double most = 0;
  for (Candidate& x : candidates_) {
    x.wide = x.picked ? 0 : measure(x);
    most = std::max(most, x.wide);
  }
  const double enough = most - rounding;
  if (!(enough > 0)) return nullptr;
  Candidate* best = nullptr;
  for (Candidate& x : candidates_) {
    if (x.wide >= enough && (!best || feature(x) < feature(*best))) best = &x;
  }
  return best;
}

/// Greedy: the deepest (of those as deep the one of the earliest feature: vertices before edges), the
/// farthest from it, then whatever adds the most area to the line or polygon so far, or where all are in one
/// line its other end. The numbers of those picked, and how many.
int ContactPoints::pick_widest(int most, std::array<int, ContactSet::kMost>& picked) {
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
  Polygon polygon;
  while (next) {
    const Candidate& last = *next;
    picked[polygon.count] = last.number;
    next->picked = true;
    polygon.insert(last);
    if (polygon.count == most) break;
    if (polygon.count == 1) {
      next = widest([&](const Candidate& x) { return distance2(x, first); });
      continue;
    }
    next = widest([&](const Candidate& x) { return polygon.added_area(x); });
    if (!next && polygon.count == 2) {  // all in one line: the end beyond the first
      const double length2 = distance2(first, last);
      next = widest([&](const Candidate& x) { return distance2(x, last) - length2; });
    }
  }
  return polygon.count;
}

/// In the world, on the shapes themselves.
ContactPoint ContactPoints::placed(const ContactPoint& core) const {
  const Vec3 normal = X_.R * core.normal, a = origin_ + (X_ * core.point_a - margin_a_ * normal);
  return {core.gap, normal, a, a - core.gap * normal, core.feature};
}

void ContactPoints::choose(const Vec3& normal, int most, bool mirrored, ContactSet& set) {
  most = std::clamp(most, 1, ContactSet::kMost);
  flatten(normal);
  if (candidates_.size() > 1) merge_neighbours();
  std::array<int, ContactSet::kMost> chosen;
  set.count = static_cast<int>(candidates_.size());
  if (set.count > most) {
    set.count = pick_widest(most, chosen);
  } else {
    for (int i = 0; i < set.count; ++i) chosen[i] = candidates_[i].number;
  }
  const auto name = [&](int i) {
    const std::uint64_t feature = points_[i].feature;
    return mirrored ? (feature << 32) | (feature >> 32) : feature;
  };
  for (int i = 1; i < set.count; ++i) {  // in the order of features
    const int number = chosen[i];
    int place = i;
    for (; place > 0 && name(number) < name(chosen[place - 1]); --place) chosen[place] = chosen[place - 1];
    chosen[place] = number;
  }
  for (int i = 0; i < set.count; ++i) {
    const ContactPoint point = placed(points_[chosen[i]]);
    set.points[i] =
        mirrored ? ContactPoint{point.gap, -point.normal, point.point_b, point.point_a, name(chosen[i])}
                 : point;
  }
}

}  // namespace pawl
