#include <pawl/collision/distance/face_contact.h>

#include <limits>

namespace pawl::internal {
namespace {

/// Lower bound on the radius of the largest ball about x inside the core, m; negative if there is none.
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

/// For the witness point p of b, the set a - p is a subset of a - b. Suppose a ball about p with the
/// penetration depth as radius fits into a. Then a - b contains the same ball about the origin, and the
/// penetration is at least that deep in every direction. The same holds with a and b exchanged.
bool is_proven_optimal(const CorePair& pair, const SeparatingDirection& optimum) {
  const double depth = -optimum.s - pair.rounding;
  return inscribed_radius_at(pair.a, optimum.b) >= depth ||
         inscribed_radius_at(pair.b, transpose(pair.R_AB) * (optimum.a - pair.p_AB)) >= depth;
}

/// The face normal is a candidate where the other core's lowest point over the face projects onto the face.
/// The face of b is skipped if the centre of a lies lower over it than the separation along the face of a:
/// the separation along a face normal is at most that height, and the optimum is at least the first value.
std::optional<SeparatingDirection> optimum_on_a_face(const CorePair& pair) {
  if (pair.a.planar) return {};
  const Mat3 R_BA = transpose(pair.R_AB);
  double max_height = -std::numeric_limits<double>::infinity();
  const auto on_face_of = [&](bool of_a) -> std::optional<SeparatingDirection> {
    const Convex& own = of_a ? pair.a : pair.b;
    const Convex& other = of_a ? pair.b : pair.a;
    // R, p: from the other core's frame to the frame of the face; Rt: the inverse rotation.
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
