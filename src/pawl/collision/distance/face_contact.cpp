#include <pawl/collision/distance/face_contact.h>

#include <algorithm>
#include <limits>

namespace pawl::internal {
namespace {

/// How far within the face a point of its plane is; negative outside.
double distance_inside_face(const Convex& shape, const FlatFace& face, const Vec3& x) {
  if (shape.core == CoreKind::polytope) {
    double distance = std::numeric_limits<double>::infinity();
    const std::vector<int>& loops = shape.polytope->loops;
    for (int i = face.of->begin; i < face.of->end; ++i) {
      const Vec3& from = shape.polytope->vertices[loops[i]];
      const Vec3& to = shape.polytope->vertices[loops[i + 1 < face.of->end ? i + 1 : face.of->begin]];
      const Vec3 inward = cross(face.normal, to - from);
      distance = std::min(distance, dot(inward, x - from) / norm(inward));
    }
    return distance;
  }
  if (shape.core != CoreKind::box) return shape.half.x - std::sqrt(x.x * x.x + x.y * x.y);
  const int i = (face.axis + 1) % 3, j = (face.axis + 2) % 3;
  return std::min(shape.half[i] - std::abs(x[i]), shape.half[j] - std::abs(x[j]));
}

/// The farthest point along d, and where many are as far but for rounding, the nearest of them to a target.
Vec3 support_near(const Convex& shape, const Vec3& d, const Vec3& target, double rounding) {
  if (shape.core == CoreKind::polytope || shape.core == CoreKind::ellipsoid || shape.core == CoreKind::cone) {
    return support(shape, d).point;
  }
  const auto along = [&](int i) {
    if (shape.half[i] * std::abs(d[i]) <= rounding)
      return std::clamp(target[i], -shape.half[i], shape.half[i]);
    return d[i] > 0 ? shape.half[i] : -shape.half[i];
  };
  if (shape.core != CoreKind::cylinder) return {along(0), along(1), along(2)};
  const double radius = shape.half.x, across = std::sqrt(d.x * d.x + d.y * d.y);
  if (radius * across > rounding) return {radius * (d.x / across), radius * (d.y / across), along(2)};
  const double out = std::max(std::sqrt(target.x * target.x + target.y * target.y) / radius, 1.0);
  return {target.x / out, target.y / out, along(2)};
}

/// How deep a point lies in a core: the radius of a ball about it that fits, or less; negative: none.
double inscribed_radius_at(const Convex& shape, const Vec3& x) {
  const Vec3& half = shape.half;
  switch (shape.core) {
    case CoreKind::box: {
      const double across = std::min(half.x - std::abs(x.x), half.y - std::abs(x.y));
      return shape.planar ? across : std::min(across, half.z - std::abs(x.z));
    }
    case CoreKind::cylinder:
      return std::min(half.x - std::sqrt(x.x * x.x + x.y * x.y), half.z - std::abs(x.z));
    case CoreKind::cone: {
      const double across = std::sqrt(x.x * x.x + x.y * x.y),
                   slant = std::sqrt(half.x * half.x + 4 * half.z * half.z);
      return std::min(x.z + half.z, ((half.z - x.z) * half.x - 2 * half.z * across) / slant);
    }
    case CoreKind::polytope: {
      double distance = std::numeric_limits<double>::infinity();
      for (const Polytope::Face& face : shape.polytope->faces) {
        distance = std::min(distance, face.offset - dot(face.normal, x));
      }
      return shape.polytope->faces.empty() ? -1 : distance;
    }
    default:
      return -1;
  }
}

}  // namespace

std::optional<FlatFace> face_towards(const Convex& shape, const Vec3& x) {
  const auto along = [&](int axis) {
    FlatFace face;
    face.normal[axis] = x[axis] > 0 ? 1 : -1;
    face.center[axis] = face.normal[axis] * shape.half[axis];
    face.axis = axis;
    if (shape.core == CoreKind::box) face.of = &shape.polytope->faces[2 * axis + (x[axis] > 0 ? 1 : 0)];
    return face;
  };
  switch (shape.core) {
    case CoreKind::box: {
      int axis = 0;
      for (int i = 1; i < 3; ++i) {
        if (std::abs(x[i]) - shape.half[i] > std::abs(x[axis]) - shape.half[axis]) axis = i;
      }
      return along(axis);
    }
    case CoreKind::cylinder:
      return along(2);
    case CoreKind::cone:
      return FlatFace{{0, 0, -1}, {0, 0, -shape.half.z}, 2, nullptr};
    case CoreKind::polytope: {
      const Polytope::Face* best = nullptr;
      double max_height = -std::numeric_limits<double>::infinity();
      for (const Polytope::Face& face : shape.polytope->faces) {
        if (const double height = dot(face.normal, x) - face.offset; height > max_height)
          max_height = height, best = &face;
      }
      if (!best) return {};
      const Vec3& corner = shape.polytope->vertices[shape.polytope->loops[best->begin]];
      return FlatFace{best->normal, corner, -1, best};
    }
    default:
      return {};
  }
}

/// All of a less the point of b is a part of a - b. So a ball about that point, as large as the depth and
/// within a, is one about the origin within a - b, which then is as deep as that in all directions.
bool is_proven_optimal(const CorePair& pair, const SeparatingDirection& optimum) {
  const double depth = -optimum.s - pair.rounding;
  return inscribed_radius_at(pair.a, optimum.b) >= depth ||
         inscribed_radius_at(pair.b, transpose(pair.R_AB) * (optimum.a - pair.p_AB)) >= depth;
}

/// A face and the point of the other core that is the farthest below it, or the nearest above, are an optimum
/// where the point's foot is on the face. Along the second face the cores are no farther apart than the
/// centre of the other lies above it, and along the best direction no nearer than along the first face.
std::optional<SeparatingDirection> optimum_on_a_face(const CorePair& pair) {
  if (pair.a.planar) return {};
  const Mat3 R_BA = transpose(pair.R_AB);
  double max_height = -std::numeric_limits<double>::infinity();
  const auto on_face_of = [&](bool of_a) -> std::optional<SeparatingDirection> {
    const Convex& own = of_a ? pair.a : pair.b;
    const Convex& other = of_a ? pair.b : pair.a;
    // From the other's frame to that of the face and back.
    const Mat3& R = of_a ? pair.R_AB : R_BA;
    const Mat3& Rt = of_a ? R_BA : pair.R_AB;
    const Vec3 p = of_a ? pair.p_AB : -(R_BA * pair.p_AB);
    const Vec3 center = R * core_center(other) + p;
    const std::optional<FlatFace> face = face_towards(own, center);
    if (!face || dot(face->normal, center - face->center) < max_height) return {};
    const Vec3 below = Rt * -face->normal;
    const Vec3 farthest = R * support_near(other, below, Rt * (face->center - p), pair.rounding) + p;
    const double s = dot(face->normal, farthest - face->center);
    max_height = s;
    const Vec3 foot = farthest - s * face->normal;
    const double distance = distance_inside_face(own, *face, foot);
    if (distance < 0) return {};
    SeparatingDirection optimum;
    optimum.n = of_a ? -face->normal : pair.R_AB * face->normal;
    optimum.s = s;
    optimum.a = of_a ? foot : farthest;
    optimum.b = of_a ? farthest : foot;
    if (!of_a) {
      optimum.a = pair.R_AB * optimum.a + pair.p_AB;
      optimum.b = pair.R_AB * optimum.b + pair.p_AB;
    }
    if (s <= 0 && !is_proven_optimal(pair, optimum)) return {};
    return optimum;
  };
  std::optional<SeparatingDirection> found = on_face_of(true);
  if (!found) found = on_face_of(false);
  return found;
}

}  // namespace pawl::internal
