#include <pawl/collision/distance/face_contact.h>

#include <limits>

namespace pawl::internal {
namespace {

/// How deep a point lies in a core: the radius of a ball about it that fits, or less; negative: none.
double inscribed_radius_at(const Convex& shape, const Vec3& x) {
  const auto radius = core_ops(shape).inscribed_radius;
  return radius ? radius(shape, x) : -1;
}

Vec3 support_near(const Convex& shape, const Vec3& d, const Vec3& target, double rounding) {
  const auto near = core_ops(shape).support_near;
  return near ? near(shape, d, target, rounding) : support(shape, d).point;
}

}  // namespace

std::optional<FlatFace> face_towards(const Convex& shape, const Vec3& x) {
  const auto towards = core_ops(shape).face_towards;
  return towards ? towards(shape, x) : std::nullopt;
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
    const double distance = core_ops(own).distance_inside_face(own, *face, foot);
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
