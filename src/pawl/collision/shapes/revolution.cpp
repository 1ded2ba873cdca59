#include <pawl/collision/shapes/revolution.h>

#include <algorithm>
#include <numbers>

#include <pawl/collision/shapes/moments.h>

namespace pawl::internal {
namespace {

/// Moments of a solid of revolution with x, y perpendicular to the axis and the profile (ρ(s), z(s)), from
/// bottom to top:
/// ∫ dV = π ∫ ρ² dz, ∫ z dV = π ∫ ρ² z dz, ∫ z² dV = π ∫ ρ² z² dz, ∫ x² dV = π/4 ∫ ρ⁴ dz.
class RevolvedMoments {
 public:
  /// Adds a part of the profile, t from 0 to 1, by five-point Gauss-Legendre quadrature on `intervals`
  /// intervals. The rule is exact for straight parts, and exact to rounding for arcs of 1/64 of a circle.
  template <class Curve>
  void add(int intervals, Curve curve) {
    constexpr double kPi = std::numbers::pi;
    constexpr double kNode[] = {0, 0.53846931010568309104, 0.90617984593866399280};
    constexpr double kWeight[] = {128.0 / 225, 0.47862867049936646804, 0.23692688505618908751};
    for (int interval = 0; interval < intervals; ++interval) {
      for (int i = -2; i <= 2; ++i) {
        const double node = i < 0 ? -kNode[-i] : kNode[i];
        const auto [rho, z, dz] = curve((interval + 0.5 * (1 + node)) / intervals);
        const double w = 0.5 / intervals * kWeight[std::abs(i)] * dz * kPi * rho * rho;
        moments_ += {w, {0, 0, w * z}, Mat3::diagonal({w * rho * rho / 4, w * rho * rho / 4, w * z * z})};
      }
    }
  }
  const Moments& moments() const { return moments_; }

 private:
  Moments moments_;
};

struct ProfilePoint {
  double rho, z, dz;
};

}  // namespace

Vec3 disc_half_extents(const Vec3& axis, double radius) {
  const auto along = [&](double a) { return radius * std::sqrt(std::max(0.0, 1 - a * a)); };
  return {along(axis.x), along(axis.y), along(axis.z)};
}

double distance_inside_cap(const Convex&, const FlatFace& face, const Vec3& x) {
  return face.radius - std::sqrt(x.x * x.x + x.y * x.y);
}

void visit_cap_normals(const Convex&, const Mat3& R, double, VectorVisitor visit) {
  visit(column(R, 2));
  visit(-column(R, 2));
}

CoreFeature slanted_side(const Rim& below, const Rim& above, const Vec3& outward, const Vec3& witness) {
  const double taper = below.radius - above.radius;
  const double across = std::sqrt(outward.x * outward.x + outward.y * outward.y);
  const double rho = std::sqrt(witness.x * witness.x + witness.y * witness.y);
  const Vec3 along{-taper * (outward.x / across), -taper * (outward.y / across), above.height - below.height};
  return CoreFeature::line(normalized(along), rho / across);
}

MassProperties solid_of_revolution(std::span<const ProfileArc> arcs, double rounding_radius) {
  RevolvedMoments sum;
  const auto on_arc = [&](const ProfileArc& arc, double angle) {
    return ProfilePoint{arc.r + rounding_radius * std::cos(angle), arc.z + rounding_radius * std::sin(angle),
                        rounding_radius * std::cos(angle)};
  };
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const ProfileArc& arc = arcs[i];
    const double turn = arc.to - arc.from;
    sum.add(16, [&](double t) {
      const ProfilePoint p = on_arc(arc, arc.from + t * turn);
      return ProfilePoint{p.rho, p.z, p.dz * turn};
    });
    if (i + 1 == arcs.size()) break;
    const ProfilePoint a = on_arc(arc, arc.to), b = on_arc(arcs[i + 1], arcs[i + 1].from);
    sum.add(1, [&](double t) {
      return ProfilePoint{a.rho + t * (b.rho - a.rho), a.z + t * (b.z - a.z), b.z - a.z};
    });
  }
  return to_mass_properties(sum.moments(), {}, false);
}

}  // namespace pawl::internal
