#include <pawl/problem/friction_kinds.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace pawl {

using namespace internal;

namespace {

/// Length of the components along t and o.
double planar_length(const FrictionVector& x) {
  return std::sqrt(x[0] * x[0] + x[1] * x[1]);
}

/// Derivatives of s x/|x|, the projection of entries [at, at + n) on the ball of radius `scale`, for x
/// outside the ball.
void differentiate_ball(const FrictionVector& x, int at, int n, double size, double scale, Projection& out) {
  for (int i = at; i < at + n; ++i) {
    const double along = x[i] / size;
    out.point[i] = scale * along;
    out.d_dscale[i] = along;
    for (int j = at; j < at + n; ++j)
      out.d_dx[i][j] = scale / size * ((i == j ? 1.0 : 0.0) - along * (x[j] / size));
  }
}

void differentiate_polyhedron(const FrictionSet& set, const FrictionVector& x, double scale,
                              Projection& out) {
  FrictionPolyhedron::Face face;
  out.point = set.polyhedron->project(x, scale, &face);
  // point = s o + A Aᵀ (x - s o), where o is the origin of the face and A its axes.
  out.d_dscale = face.origin;
  for (int a = 0; a < face.dimensions; ++a) {
    const FrictionVector& axis = face.axes[a];
    const double along = dot(axis, face.origin);
    for (int i = 0; i < 3; ++i) {
      out.d_dscale[i] -= along * axis[i];
      for (int j = 0; j < 3; ++j) out.d_dx[i][j] += axis[i] * axis[j];
    }
  }
}

}  // namespace

bool is_ball(const FrictionSet& set, int rows) {
  if (set.kind != FrictionKind::polyhedron) return round_parts(set.kind, rows).count == 1;
  return rows == 1 && set.polyhedron->support({1, 0, 0}) == 1 && set.polyhedron->support({-1, 0, 0}) == 1;
}

double support(const FrictionSet& set, const FrictionVector& x) {
  switch (set.kind) {
    case FrictionKind::none:
      return 0;
    case FrictionKind::ellipsoid:
      return length(x);
    case FrictionKind::mixed:
      return planar_length(x) + std::abs(x[2]);
    case FrictionKind::polyhedron:
      return set.polyhedron->support(x);
  }
  return 0;
}

FrictionVector project(const FrictionSet& set, const FrictionVector& x, double scale) {
  switch (set.kind) {
    case FrictionKind::none:
      return {};
    case FrictionKind::ellipsoid: {
      const double size = length(x), by = size > scale ? scale / size : 1;
      return {by * x[0], by * x[1], by * x[2]};
    }
    case FrictionKind::mixed: {
      const double size = planar_length(x), by = size > scale ? scale / size : 1;
      return {by * x[0], by * x[1], std::clamp(x[2], -scale, scale)};
    }
    case FrictionKind::polyhedron:
      return set.polyhedron->project(x, scale);
  }
  return {};
}

Projection differentiate(const FrictionSet& set, const FrictionVector& x, double scale) {
  Projection out;
  const auto start_inside = [&] {
    out.point = x;
    for (int i = 0; i < 3; ++i) out.d_dx[i][i] = 1;
  };
  switch (set.kind) {
    case FrictionKind::none:
      break;
    case FrictionKind::ellipsoid:
      start_inside();
      if (const double size = length(x); size > scale) differentiate_ball(x, 0, 3, size, scale, out);
      break;
    case FrictionKind::mixed:
      start_inside();
      if (const double size = planar_length(x); size > scale) differentiate_ball(x, 0, 2, size, scale, out);
      if (std::abs(x[2]) > scale) differentiate_ball(x, 2, 1, std::abs(x[2]), scale, out);
      break;
    case FrictionKind::polyhedron:
      differentiate_polyhedron(set, x, scale, out);
      break;
  }
  return out;
}

void project_on_cone(const FrictionSet& set, double& x_n, FrictionVector& x) {
  if (set.frictionless()) {
    x_n = std::max(x_n, 0.0);
    x = {};
    return;
  }
  const double mu = set.mu;
  if (set.kind == FrictionKind::ellipsoid) {
    const double size = length(x);
    if (size <= mu * x_n) return;
    if (mu * size <= -x_n) {
      x_n = 0;
      x = {};
      return;
    }
    const double n = (x_n + mu * size) / (1 + mu * mu);
    for (double& entry : x) entry *= mu * n / size;
    x_n = n;
    return;
  }
  if (x_n >= 0 && project(set, x, mu * x_n) == x) return;
  // The squared distance to the section at n is convex in n, with derivative 2 g(n),
  //   g(n) = n - x_n - μ h(x - Π(x, μ n)), h the support function.
  // g increases, so it has one root.
  const auto slope = [&](double n) {
    const FrictionVector inside = project(set, x, mu * n);
    return n - x_n - mu * support(set, {x[0] - inside[0], x[1] - inside[1], x[2] - inside[2]});
  };
  if (slope(0) >= 0) {
    x_n = 0;
    x = {};
    return;
  }
  double low = std::max(x_n, 0.0), high = std::max(x_n, 0.0) + mu * support(set, x);
  while (low < high) {
    const double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) break;
    (slope(middle) < 0 ? low : high) = middle;
  }
  x_n = high;
  x = project(set, x, mu * high);
}

}  // namespace pawl

namespace pawl::internal {
namespace {

using Directions = std::vector<FrictionVector>;

/// k in the plane, half as many at latitudes ±45°, and the poles. Latitudes are in units of the radii, so
/// that the directions are well distributed.
Directions ellipsoid_directions(int k) {
  constexpr double kPole = std::numbers::pi / 2;
  const std::array<double, 3> unit{1, 1, 1};
  const int half = std::max(3, k / 2);
  Directions directions;
  add_ring(0, k, unit, directions);
  add_ring(kPole / 2, half, unit, directions);
  add_ring(-kPole / 2, half, unit, directions);
  add_ring(kPole, 1, unit, directions);
  add_ring(-kPole, 1, unit, directions);
  return directions;
}

/// The vertices of a prism over a regular k-gon.
Directions prism_directions(int k) {
  const FrictionPolyhedron polygon = FrictionPolyhedron::regular(k);
  Directions directions;
  for (const double level : {1.0, -1.0}) {
    for (FrictionVector d : polygon.directions()) {
      d[2] = level;
      directions.push_back(d);
    }
  }
  return directions;
}

/// The ends of [-1, 1], or points on the unit circle or sphere. If every direction is within an angle α of a
/// point, the hull of the points contains the ball of radius cos α.
FrictionCorners ball_corners(int dimensions, int ring_points, int rings) {
  FrictionCorners corners;
  if (dimensions == 1) {
    corners.points = {{1, 0, 0}, {-1, 0, 0}};
    return corners;
  }
  const double around = std::numbers::pi / ring_points, up = std::numbers::pi / (2 * rings);
  corners.growth = 1 / std::cos(dimensions == 3 ? std::hypot(around, up) : around);
  for (int i = 0; i < ring_points; ++i) {
    const double x = std::cos(2 * i * around), y = std::sin(2 * i * around);
    if (dimensions == 2) {
      corners.points.push_back({x, y, 0});
      continue;
    }
    for (int k = 1; k < rings; ++k) {
      const double latitude = 2 * k * up - std::numbers::pi / 2;
      corners.points.push_back({std::cos(latitude) * x, std::cos(latitude) * y, std::sin(latitude)});
    }
  }
  if (dimensions == 3) {
    corners.points.push_back({0, 0, 1});
    corners.points.push_back({0, 0, -1});
  }
  return corners;
}

/// The same for the product of the unit circle and [-1, 1].
FrictionCorners cylinder_corners(int ring_points) {
  FrictionCorners corners = ball_corners(2, ring_points, 1);
  const Directions circle = std::move(corners.points);
  corners.points.clear();
  corners.grows[2] = false;
  for (const FrictionVector& d : circle) {
    corners.points.push_back({d[0], d[1], 1});
    corners.points.push_back({d[0], d[1], -1});
  }
  return corners;
}

}  // namespace

double outer_radius(const FrictionSet& set, int friction_rows) {
  switch (set.kind) {
    case FrictionKind::none:
      return 0;
    case FrictionKind::ellipsoid:
      return 1;
    case FrictionKind::mixed:
      return friction_rows < 3 ? 1 : std::numbers::sqrt2;
    case FrictionKind::polyhedron: {
      double radius = 0;
      for (const FrictionVector& d : set.polyhedron->directions()) radius = std::max(radius, length(d));
      return radius;
    }
  }
  return 0;
}

void add_ring(double latitude, int count, const std::array<double, 3>& radii, Directions& directions) {
  for (int i = 0; i < count; ++i) {
    const double longitude = 2 * std::numbers::pi * i / count;
    const bool pole = std::abs(latitude) == std::numbers::pi / 2;
    const double level = pole ? 0 : std::cos(latitude);
    FrictionVector d{level * std::cos(longitude) / radii[0], level * std::sin(longitude) / radii[1],
                     std::sin(latitude) / radii[2]};
    const double size = length(d);
    for (double& x : d) x /= size;
    directions.push_back(d);
  }
}

Directions replacement_directions(FrictionKind kind, int k) {
  switch (kind) {
    case FrictionKind::none:
      break;
    case FrictionKind::ellipsoid:
    case FrictionKind::polyhedron:
      return ellipsoid_directions(k);
    case FrictionKind::mixed:
      return prism_directions(k);
  }
  return {};
}

FrictionCorners friction_corners(const FrictionSet& set, int friction_rows, int ring_points, int rings) {
  FrictionCorners corners;
  if (set.frictionless() || friction_rows == 0) {
    corners.points = {{}};
    return corners;
  }
  switch (set.kind) {
    case FrictionKind::none:
      break;
    case FrictionKind::ellipsoid:
      return ball_corners(friction_rows, ring_points, rings);
    case FrictionKind::mixed:
      return friction_rows < 3 ? ball_corners(friction_rows, ring_points, rings)
                               : cylinder_corners(ring_points);
    case FrictionKind::polyhedron:
      corners.points = set.polyhedron->directions();
      break;
  }
  return corners;
}

}  // namespace pawl::internal
