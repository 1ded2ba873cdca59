#pragma once
// Random convex shapes and poses of all kinds.

#include <array>
#include <cstdlib>
#include <string>

#include <pawl/collision/distance/signed_distance.h>
#include <pawl/collision/hull/convex_hull.h>
#include <pawl/collision/shapes/core_ops.h>
#include <unit/collision/shapes/convex_of.h>
#include <unit/collision/shapes/convex_oracle.h>

namespace pawl::internal::testing {

inline constexpr std::array kSpatialCores{CoreKind::point,    CoreKind::segment,   CoreKind::box,
                                          CoreKind::polytope, CoreKind::ellipsoid, CoreKind::cylinder,
                                          CoreKind::cone,     CoreKind::frustum};
inline constexpr std::array kPlanarCores{CoreKind::point, CoreKind::segment, CoreKind::box,
                                         CoreKind::polytope, CoreKind::ellipsoid};

/// Number of poses of a campaign: PAWL_POSES, or else `usual`.
inline int poses_per_pair(int usual) {
  const char* wish = std::getenv("PAWL_POSES");
  return wish ? std::atoi(wish) : usual;
}

inline std::string name_of(CoreKind kind) {
  return core_ops(kind).name;
}

/// A skewed frustum with 8 vertices and hand-written faces.
inline Polytope skewed_frustum(const Vec3& h, double top) {
  std::vector<Vec3> v;
  for (int i = 0; i < 8; ++i) {
    const double shrink = i & 4 ? top : 1;
    v.push_back({(i & 1 ? h.x : -h.x) * shrink + (i & 4 ? 0.2 * h.x : 0), (i & 2 ? h.y : -h.y) * shrink,
                 i & 4 ? h.z : -h.z});
  }
  return make_polytope(v,
                       {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

/// The hull of points on an ellipsoid and inside it.
inline Polytope random_hull(Random& random, const Vec3& h) {
  std::vector<Vec3> points;
  for (int i = 8 + random.below(80); i > 0; --i) {
    const Vec3 p = random.unit() * (random.below(3) == 0 ? random.uniform(0.5, 1) : 1);
    points.push_back({h.x * p.x, h.y * p.y, h.z * p.z});
  }
  return convex_hull(points);
}

inline Polytope random_polygon(Random& random, double size) {
  const int n = 3 + random.below(6);
  std::vector<Vec3> corners;
  for (int i = 0; i < n; ++i) {
    const double turn = 2 * std::numbers::pi * (i + random.uniform(0, 0.7)) / n;
    corners.push_back({size * std::cos(turn), 0.7 * size * std::sin(turn), 0});
  }
  return make_polygon(corners);
}

/// `slender` is the ratio of the largest to the least size that is allowed.
inline Convex random_convex(Random& random, CoreKind kind, bool planar, double size, double slender) {
  const auto length = [&] { return size * random.scale(1 / slender, 1); };
  Vec3 half{length(), length(), planar ? 0 : length()};
  double rounding_radius = random.below(3) == 0 ? 0.3 * length() : 0;
  if (random.below(8) == 0) half.y = half.x;
  if (kind == CoreKind::point) rounding_radius = length();
  if (kind != CoreKind::polytope) return convex_of(kind, half, rounding_radius, planar);
  const bool many = random.below(2) == 0;
  return Convex::hull(planar ? random_polygon(random, size)
                      : many ? random_hull(random, half)
                             : skewed_frustum(half, random.uniform(0.2, 0.9)),
                      rounding_radius, planar);
}

inline Mat3 random_turn(Random& random, bool planar) {
  if (!planar) return to_matrix(random.rotation());
  return to_matrix(quat_exp({0, 0, random.uniform(-3.2, 3.2)}));
}

/// Quarter turns about the axes.
inline Mat3 quarter_turn(Random& random, bool planar) {
  const auto about = [&](int axis) {
    Mat3 R = Mat3::identity();
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    for (int k = random.below(4); k > 0; --k) {
      Mat3 Q;
      Q(axis, axis) = 1;
      Q(i, j) = -1;
      Q(j, i) = 1;
      R = Q * R;
    }
    return R;
  };
  return planar ? about(2) : about(0) * about(1) * about(2);
}

enum class PoseKind { far, near, touching, shallow, deep, concentric, aligned, tilted };
inline constexpr int kPoseKinds = 8;

/// Poses of two shapes. For `near`, `touching` and `shallow` a line search finds the target gap.
inline void random_poses(Random& random, PoseKind kind, const Convex& a, const Convex& b, Pose& X_a,
                         Pose& X_b) {
  const bool planar = a.planar;
  const double size = std::max(size_of(a), size_of(b));
  const auto flat = [&](Vec3 v) {
    if (planar) v.z = 0;
    return v;
  };
  const bool axis_aligned = kind == PoseKind::aligned || kind == PoseKind::tilted;
  X_a.R = axis_aligned ? quarter_turn(random, planar) : random_turn(random, planar);
  X_b.R = axis_aligned ? quarter_turn(random, planar) : random_turn(random, planar);
  X_a.p = flat(random.vec(size));
  X_b.p = X_a.p;
  const Vec3 direction = normalized(flat(random.unit()) + Vec3{1e-3, 0, 0});
  switch (kind) {
    case PoseKind::far:
      X_b.p += size * random.scale(3, 100) * direction;
      return;
    case PoseKind::deep:
      X_b.p += flat(random.vec(0.7 * size));
      return;
    case PoseKind::concentric:
      if (random.below(2) == 0) X_b.p += size * random.scale(1e-17, 1e-3) * direction;
      return;
    case PoseKind::tilted:
      X_b.R =
          X_b.R * to_matrix(quat_exp(random.scale(1e-16, 0.1) * (planar ? Vec3{0, 0, 1} : random.unit())));
      [[fallthrough]];
    case PoseKind::aligned: {
      const auto steps = [&] { return 0.25 * (random.below(9) - 4); };
      const Vec3 h = a.core == CoreKind::polytope ? Vec3{size, size, size} : a.half;
      X_b.p += X_a.R * flat({steps() * h.x, steps() * h.y, steps() * h.z});
      if (random.below(2) == 0) return;
      break;
    }
    default:
      break;
  }
  const Vec3 axis =
      axis_aligned ? X_a.R * (planar || random.below(2) ? Vec3{1, 0, 0} : Vec3{0, 0, 1}) : direction;
  const double aim = kind == PoseKind::near      ? size * random.scale(1e-6, 0.3)
                     : kind == PoseKind::shallow ? -size * random.scale(1e-6, 0.1)
                     : random.below(3) == 0      ? 0
                                            : size * (random.below(2) ? 1 : -1) * random.scale(1e-17, 1e-6);
  for (int round = 0; round < 40; ++round) {  // moves b along the axis until the gap has the target value
    const Separation now = separation({a, X_a}, {b, X_b});
    const double slope = std::max(-dot(now.normal, axis), 0.2);
    const double step = std::clamp((aim - now.gap) / slope, -size, size);
    X_b.p += step * axis;
    if (std::abs(step) <= 1e-16 * size) return;
  }
}

}  // namespace pawl::internal::testing
