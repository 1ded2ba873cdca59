#include <pawl/problem/friction_set.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <pawl/base/error.h>

namespace pawl {
namespace {

using Vec2 = FrictionPolygon::Vec2;

double dot(const Vec2& a, const Vec2& b) {
  return a[0] * b[0] + a[1] * b[1];
}
double cross(const Vec2& a, const Vec2& b) {
  return a[0] * b[1] - a[1] * b[0];
}
Vec2 minus(const Vec2& a, const Vec2& b) {
  return {a[0] - b[0], a[1] - b[1]};
}

/// Corners of the convex hull, counter-clockwise (Andrew's monotone chain).
std::vector<Vec2> convex_hull(std::vector<Vec2> points) {
  std::ranges::sort(points);
  std::vector<Vec2> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const Vec2& point : points) {
      while (hull.size() >= start + 2 &&
             cross(minus(hull.back(), hull[hull.size() - 2]), minus(point, hull.back())) <= 0) {
        hull.pop_back();
      }
      hull.push_back(point);
    }
    hull.pop_back();
    std::ranges::reverse(points);
  }
  return hull;
}

}  // namespace

FrictionPolygon FrictionPolygon::regular(int k) {
  std::vector<Vec2> directions;
  for (int i = 0; i < k; ++i) {
    const double angle = 2 * std::numbers::pi * i / k;
    const auto exact = [](double x) { return std::abs(x) < 1e-15 ? 0.0 : x; };
    directions.push_back({exact(std::cos(angle)), exact(std::sin(angle))});
  }
  return FrictionPolygon(std::move(directions));
}

FrictionPolygon::FrictionPolygon(std::vector<Vec2> directions) : directions_(std::move(directions)) {
  for (const Vec2& d : directions_) {
    if (!std::isfinite(d[0]) || !std::isfinite(d[1])) throw Error("a friction direction is not finite");
  }
  const bool line = std::ranges::all_of(directions_, [](const Vec2& d) { return d[1] == 0; });
  if (line) {
    double low = 0, high = 0;
    for (const Vec2& d : directions_) low = std::min(low, d[0]), high = std::max(high, d[0]);
    if (!(low < 0 && high > 0)) throw Error("friction directions on a line must point both ways");
    hull_ = {{low, 0}, {high, 0}};
    facets_ = {{1 / low, 0}, {1 / high, 0}};
    return;
  }
  hull_ = convex_hull(directions_);
  bool surrounds = hull_.size() >= 3;
  for (std::size_t i = 0; i < hull_.size(); ++i) {
    const Vec2 a = hull_[i], b = hull_[(i + 1) % hull_.size()];
    const double area = cross(a, b);  // twice that of the triangle with 0; 0 is inside where all are positive
    surrounds &= area > 0;
    facets_.push_back({(b[1] - a[1]) / area, (a[0] - b[0]) / area});
  }
  if (!surrounds) {
    throw Error(fmt::format("the {} friction directions do not surround 0: their hull must contain it inside",
                            directions_.size()));
  }
}

double FrictionPolygon::support(const Vec2& u) const {
  double best = dot(hull_[0], u);
  for (const Vec2& corner : hull_) best = std::max(best, dot(corner, u));
  return best;
}

double FrictionPolygon::gauge(const Vec2& x) const {
  double best = 0;
  for (const Vec2& facet : facets_) best = std::max(best, dot(facet, x));
  return best;
}

FrictionPolygon::Vec2 FrictionPolygon::project(const Vec2& x, double scale) const {
  if (gauge(x) <= scale) return x;
  Vec2 best{};
  double best_distance = -1;
  for (std::size_t i = 0; i < hull_.size(); ++i) {
    const Vec2 a{scale * hull_[i][0], scale * hull_[i][1]};
    const Vec2& next = hull_[(i + 1) % hull_.size()];
    const Vec2 edge = minus({scale * next[0], scale * next[1]}, a);
    const double length2 = dot(edge, edge);
    const double s = length2 > 0 ? std::clamp(dot(minus(x, a), edge) / length2, 0.0, 1.0) : 0.0;
    const Vec2 point{a[0] + s * edge[0], a[1] + s * edge[1]};
    const Vec2 d = minus(x, point);
    if (const double distance = dot(d, d); best_distance < 0 || distance < best_distance) {
      best_distance = distance;
      best = point;
    }
  }
  return best;
}

}  // namespace pawl
