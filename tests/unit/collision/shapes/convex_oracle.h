#pragma once
// Test oracle of convex shapes: support functions, membership, and a slow search for the least separation.
// Shares no code with the library.

#include <algorithm>
#include <string>
#include <vector>

#include <pawl/collision/shapes/polytope.h>
#include <pawl/geometry.h>
#include <unit/base/random.h>

namespace pawl::internal::testing {

/// max n · x over the core, in its own frame.
inline double core_support(const Convex& c, const Vec3& n) {
  const Vec3& h = c.half;
  switch (c.core) {
    case CoreKind::point:
      return 0;
    case CoreKind::segment:
      return c.planar ? h.x * std::abs(n.x) : h.z * std::abs(n.z);
    case CoreKind::box:
      return h.x * std::abs(n.x) + h.y * std::abs(n.y) + h.z * std::abs(n.z);
    case CoreKind::ellipsoid:
      return std::hypot(h.x * n.x, h.y * n.y, h.z * n.z);
    case CoreKind::cylinder:
      return h.x * std::hypot(n.x, n.y) + h.z * std::abs(n.z);
    case CoreKind::cone:
      return std::max(h.x * std::hypot(n.x, n.y) - h.z * n.z, h.z * n.z);
    case CoreKind::frustum:
      return std::max(h.x * std::hypot(n.x, n.y) - h.z * n.z, h.y * std::hypot(n.x, n.y) + h.z * n.z);
    case CoreKind::polytope: {
      double max_value = -1e300;
      for (const Vec3& v : c.polytope->vertices) max_value = std::max(max_value, dot(v, n));
      return max_value;
    }
  }
  return 0;
}

/// How far a point (shape frame) lies outside the core, m; 0 inside. First-order for the ellipsoid; for cones
/// and polytopes the largest height above a face or side.
inline double outside(const Convex& c, const Vec3& x) {
  const Vec3& h = c.half;
  const double across = std::hypot(x.x, x.y);
  const auto over = [](double value) { return std::max(value, 0.0); };
  switch (c.core) {
    case CoreKind::point:
      return norm(x);
    case CoreKind::segment:
      return c.planar ? std::hypot(over(std::abs(x.x) - h.x), x.y, x.z)
                      : std::hypot(across, over(std::abs(x.z) - h.z));
    case CoreKind::box:
      return std::hypot(over(std::abs(x.x) - h.x), over(std::abs(x.y) - h.y), over(std::abs(x.z) - h.z));
    case CoreKind::ellipsoid: {
      const Vec3 y{x.x / h.x, x.y / h.y, c.planar ? 0 : x.z / h.z};
      const Vec3 slope{y.x / h.x, y.y / h.y, c.planar ? 0 : y.z / h.z};
      const double f = norm(y);
      return f > 1 ? (f - 1) * f / norm(slope) : 0;
    }
    case CoreKind::cylinder:
      return std::hypot(over(across - h.x), over(std::abs(x.z) - h.z));
    case CoreKind::cone:
      return over(
          std::max(-h.z - x.z, ((across - h.x) * 2 * h.z + (x.z + h.z) * h.x) / std::hypot(2 * h.z, h.x)));
    case CoreKind::frustum:
      return over(std::max(std::abs(x.z) - h.z, ((across - h.x) * 2 * h.z + (x.z + h.z) * (h.x - h.y)) /
                                                    std::hypot(2 * h.z, h.x - h.y)));
    case CoreKind::polytope: {
      double max_value = 0;
      for (const Polytope::Face& face : c.polytope->faces) {
        max_value =
            std::max(max_value, dot(face.normal, x - c.polytope->vertices[c.polytope->loops[face.begin]]));
      }
      return std::max(max_value, c.planar ? std::abs(x.z) : 0.0);
    }
  }
  return 0;
}

inline double size_of(const Convex& c) {
  double max_value = c.rounding_radius;
  if (c.core == CoreKind::polytope) return max_value + c.polytope->outer_radius;
  return max_value + std::max({c.half.x, c.half.y, c.half.z});
}

/// The separation along n, with rounding radii: a lower bound of the gap.
inline double separation_along(const PosedConvex& a, const PosedConvex& b, const Vec3& n) {
  const double along = dot(n, a.X_WS.p - b.X_WS.p);
  const double support_a = core_support(a.shape, transpose(a.X_WS.R) * -n);
  const double support_b = core_support(b.shape, transpose(b.X_WS.R) * n);
  return along - support_a - support_b - a.shape.rounding_radius - b.shape.rounding_radius;
}

/// The largest separation found by a search over directions: samples of the sphere, then random ascents with
/// decreasing steps. The ascents start from the best samples and from `start`.
inline double searched_gap(Random& random, const PosedConvex& a, const PosedConvex& b, const Vec3& start,
                           int samples = 400, int ascents = 4) {
  const bool planar = a.shape.planar;
  const auto direction = [&] {
    if (!planar) return random.unit();
    const double turn = random.uniform(-std::numbers::pi, std::numbers::pi);
    return Vec3{std::cos(turn), std::sin(turn), 0};
  };
  std::vector<std::pair<double, Vec3>> found;
  for (int i = 0; i < samples; ++i) {
    const Vec3 n = direction();
    found.emplace_back(separation_along(a, b, n), n);
  }
  std::ranges::sort(found, std::greater{}, [](const auto& f) { return f.first; });
  std::vector<Vec3> starts{start};
  for (const auto& [s, n] : found) {
    const bool near =
        std::ranges::any_of(starts, [&, m = n](const Vec3& other) { return norm(m - other) < 0.3; });
    if (!near) starts.push_back(n);
    if (static_cast<int>(starts.size()) > ascents) break;
  }
  double best = -1e300;
  for (Vec3 n : starts) {
    double s = separation_along(a, b, n);
    for (double stride = 0.3; stride > 1e-9;) {
      bool up = false;
      for (int i = 0; i < 8; ++i) {
        Vec3 step = random.vec(stride);
        if (planar) step.z = 0;
        const Vec3 m = normalized(n + step);
        if (const double t = separation_along(a, b, m); t > s) s = t, n = m, up = true;
      }
      stride *= up ? 1.2 : 0.5;
    }
    best = std::max(best, s);
  }
  return best;
}

}  // namespace pawl::internal::testing
