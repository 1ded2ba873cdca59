#include <pawl/friction_set.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <pawl/base/tolerances.h>
#include <pawl/error.h>

namespace pawl {

using namespace internal;

namespace {

/// Max distance of a point from a plane it counts as lying in, relative to the longest direction.
constexpr double kCoplanarTolerance = tolerances::kOnEdge;

FrictionVector cross(const FrictionVector& a, const FrictionVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
FrictionVector plus(const FrictionVector& a, double s, const FrictionVector& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}
FrictionVector times(double s, const FrictionVector& a) {
  return {s * a[0], s * a[1], s * a[2]};
}

/// Orthonormal axes of the plane perpendicular to `normal`; (first, second, normal) is right-handed.
std::array<FrictionVector, 2> plane_axes(const FrictionVector& normal, const FrictionVector& along) {
  const FrictionVector first = times(1 / length(along), along), second = cross(normal, first);
  return {first, times(1 / length(second), second)};
}

using Vec2 = std::array<double, 2>;

double cross(const Vec2& a, const Vec2& b) {
  return a[0] * b[1] - a[1] * b[0];
}
Vec2 difference(const Vec2& a, const Vec2& b) {
  return {a[0] - b[0], a[1] - b[1]};
}

/// Indices of the corners of the convex hull, counter-clockwise (Andrew's monotone chain).
std::vector<std::size_t> convex_hull(const std::vector<Vec2>& points) {
  std::vector<std::size_t> order(points.size()), hull;
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return points[i]; });
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const std::size_t i : order) {
      while (hull.size() >= start + 2) {
        const Vec2 &last = points[hull.back()], &before = points[hull[hull.size() - 2]];
        if (cross(difference(last, before), difference(points[i], last)) > 0) break;
        hull.pop_back();
      }
      hull.push_back(i);
    }
    hull.pop_back();
    std::ranges::reverse(order);
  }
  return hull;
}

/// The point nearest to x on the segment from s a to s b. `at` is its parameter: 0 at a, 1 at b.
FrictionVector nearest_on_segment(const FrictionVector& x, double s, const FrictionVector& a,
                                  const FrictionVector& b, double& at) {
  const FrictionVector edge = minus(b, a);
  at = std::clamp(dot(minus(x, times(s, a)), edge) / (s * dot(edge, edge)), 0.0, 1.0);
  return times(s, at == 1 ? b : plus(a, at, edge));
}

}  // namespace

FrictionPolyhedron FrictionPolyhedron::regular(int k) {
  std::vector<FrictionVector> directions;
  for (int i = 0; i < k; ++i) {
    const double angle = 2 * std::numbers::pi * i / k;
    const auto exact = [](double x) { return std::abs(x) < tolerances::kData ? 0.0 : x; };
    directions.push_back({exact(std::cos(angle)), exact(std::sin(angle)), 0});
  }
  return FrictionPolyhedron(std::move(directions));
}

FrictionPolyhedron::FrictionPolyhedron(std::vector<FrictionVector> directions)
    : directions_(std::move(directions)) {
  dimensions_ = 1;
  for (const FrictionVector& d : directions_) {
    for (int i = 0; i < 3; ++i) {
      if (!std::isfinite(d[i])) throw Error("a friction direction is not finite");
      if (d[i] != 0) dimensions_ = std::max(dimensions_, i + 1);
    }
  }
  const bool surrounds = dimensions_ == 1   ? make_interval()
                         : dimensions_ == 2 ? make_polygon()
                                            : make_polyhedron();
  if (!surrounds) {
    throw Error(fmt::format("the {} friction directions do not surround 0: their hull must contain it inside",
                            directions_.size()));
  }
}

void FrictionPolyhedron::add_facet(const FrictionVector& a, std::span<const FrictionVector> corners) {
  const int begin = static_cast<int>(facet_corners_.size());
  for (const FrictionVector& corner : corners) {
    facet_corners_.push_back(corner);
    if (std::ranges::find(corners_, corner) == corners_.end()) corners_.push_back(corner);
  }
  facets_.push_back({a, begin, static_cast<int>(facet_corners_.size())});
}

bool FrictionPolyhedron::make_interval() {
  FrictionVector low{}, high{};
  for (const FrictionVector& d : directions_) {
    low[0] = std::min(low[0], d[0]);
    high[0] = std::max(high[0], d[0]);
  }
  if (!(low[0] < 0 && high[0] > 0)) return false;
  add_facet({1 / low[0], 0, 0}, {&low, 1});
  add_facet({1 / high[0], 0, 0}, {&high, 1});
  return true;
}

bool FrictionPolyhedron::make_polygon() {
  std::vector<Vec2> points;
  for (const FrictionVector& d : directions_) points.push_back({d[0], d[1]});
  const std::vector<std::size_t> hull = convex_hull(points);
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const FrictionVector corners[] = {directions_[hull[i]], directions_[hull[(i + 1) % hull.size()]]};
    const auto& [a, b] = corners;
    // Twice the area of the triangle (0, a, b). All are > 0 if and only if 0 is inside.
    const double area = a[0] * b[1] - a[1] * b[0];
    if (!(area > 0)) return false;
    add_facet({(b[1] - a[1]) / area, (a[0] - b[0]) / area, 0}, corners);
  }
  return hull.size() >= 3;
}

/// A plane through three directions holds a facet if all other directions lie on one side of it. A few dozen
/// directions give some ten thousand triples, tested once per scene.
bool FrictionPolyhedron::make_polyhedron() {
  double largest = 0;
  for (const FrictionVector& d : directions_) largest = std::max(largest, length(d));
  const double coplanar_tolerance = kCoplanarTolerance * largest;
  const std::size_t n = directions_.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      for (std::size_t k = j + 1; k < n; ++k) {
        const FrictionVector &d = directions_[i], first = minus(directions_[j], d);
        FrictionVector normal = cross(first, minus(directions_[k], d));
        const double area = length(normal);
        if (!(area > coplanar_tolerance * largest)) continue;
        normal = times(1 / area, normal);
        double above = 0, below = 0;
        for (const FrictionVector& other : directions_) {
          const double height = dot(normal, minus(other, d));
          above = std::max(above, height);
          below = std::min(below, height);
        }
        if (above > coplanar_tolerance && below < -coplanar_tolerance) continue;
        if (above > coplanar_tolerance) normal = times(-1, normal);
        const double offset = dot(normal, d);
        if (!(offset > coplanar_tolerance)) return false;  // 0 is outside this facet or on it
        add_facet_in_plane(times(1 / offset, normal), plane_axes(normal, first), coplanar_tolerance);
      }
    }
  }
  return !facets_.empty();
}

/// Adds the facet in a plane, the hull of the directions in that plane, unless it exists already.
void FrictionPolyhedron::add_facet_in_plane(const FrictionVector& a,
                                            const std::array<FrictionVector, 2>& axes,
                                            double coplanar_tolerance) {
  for (const Facet& facet : facets_) {
    if (length(minus(facet.a, a)) <= tolerances::kSamePoint * length(a)) return;
  }
  const double offset = 1 / length(a);
  std::vector<FrictionVector> members, corners;
  std::vector<Vec2> points;
  for (const FrictionVector& d : directions_) {
    if (dot(a, d) * offset < offset - coplanar_tolerance) continue;
    members.push_back(d);
    points.push_back({dot(axes[0], d), dot(axes[1], d)});
  }
  for (const std::size_t i : convex_hull(points)) corners.push_back(members[i]);
  add_facet(a, corners);
}

double FrictionPolyhedron::support(const FrictionVector& u) const {
  return dot(supporting_corner(u), u);
}

const FrictionVector& FrictionPolyhedron::supporting_corner(const FrictionVector& u) const {
  const FrictionVector* best = &corners_[0];
  double most = dot(*best, u);
  for (const FrictionVector& corner : corners_) {
    if (const double along = dot(corner, u); along > most) most = along, best = &corner;
  }
  return *best;
}

double FrictionPolyhedron::gauge(const FrictionVector& x) const {
  for (int i = dimensions_; i < 3; ++i) {
    if (x[i] != 0) return std::numeric_limits<double>::infinity();
  }
  double most = 0;
  for (const Facet& facet : facets_) most = std::max(most, dot(facet.a, x));
  return most;
}

FrictionVector FrictionPolyhedron::project(const FrictionVector& x_given, double scale, Face* face) const {
  FrictionVector x = x_given;
  for (int i = dimensions_; i < 3; ++i) x[i] = 0;
  if (std::ranges::all_of(facets_, [&](const Facet& facet) { return dot(facet.a, x) <= scale; })) {
    if (face != nullptr) *face = {{}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, dimensions_};
    return x;
  }
  if (scale <= 0) {
    if (face != nullptr) *face = {supporting_corner(x), {}, 0};
    return {};
  }
  // With P the nearest point, x - P is a nonnegative sum of normals of the facets through P. So x lies above
  // at least one of them.
  FrictionVector best{};
  double best_distance = std::numeric_limits<double>::infinity();
  for (const Facet& facet : facets_) {
    if (!(dot(facet.a, x) > scale)) continue;
    Face on;
    const FrictionVector point = project_on(facet, x, scale, face != nullptr ? &on : nullptr);
    const FrictionVector away = minus(x, point);
    if (const double distance = dot(away, away); distance < best_distance) {
      best_distance = distance;
      best = point;
      if (face != nullptr) *face = on;
    }
  }
  return best;
}

/// The point nearest to x on `scale` times the facet.
FrictionVector FrictionPolyhedron::project_on(const Facet& facet, const FrictionVector& x, double scale,
                                              Face* face) const {
  const std::span<const FrictionVector> loop(facet_corners_.data() + facet.begin,
                                             facet_corners_.data() + facet.end);
  if (loop.size() == 1) {
    if (face != nullptr) *face = {loop[0], {}, 0};
    return times(scale, loop[0]);
  }
  if (loop.size() > 2) {
    const FrictionVector point = plus(x, (scale - dot(facet.a, x)) / dot(facet.a, facet.a), facet.a);
    bool inside = true;
    for (std::size_t i = 0; i < loop.size() && inside; ++i) {
      const FrictionVector edge = minus(loop[(i + 1) % loop.size()], loop[i]);
      inside = dot(cross(edge, minus(point, times(scale, loop[i]))), facet.a) >= 0;
    }
    if (inside) {
      if (face != nullptr) {
        const auto axes = plane_axes(facet.a, minus(loop[1], loop[0]));
        *face = {loop[0], {axes[0], axes[1]}, 2};
      }
      return point;
    }
  }
  FrictionVector best{};
  double best_distance = std::numeric_limits<double>::infinity();
  const std::size_t edges = loop.size() == 2 ? 1 : loop.size();
  for (std::size_t i = 0; i < edges; ++i) {
    const FrictionVector &a = loop[i], &b = loop[(i + 1) % loop.size()];
    double at = 0;
    const FrictionVector point = nearest_on_segment(x, scale, a, b, at);
    const FrictionVector away = minus(x, point);
    if (const double distance = dot(away, away); distance < best_distance) {
      best_distance = distance;
      best = point;
      if (face == nullptr) continue;
      const FrictionVector edge = minus(b, a);
      *face = {at == 1 ? b : a, {times(1 / length(edge), edge)}, at == 0 || at == 1 ? 0 : 1};
    }
  }
  return best;
}

}  // namespace pawl
