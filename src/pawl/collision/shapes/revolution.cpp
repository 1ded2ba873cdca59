#include <pawl/collision/shapes/revolution.h>

#include <cmath>
#include <numbers>
#include <span>

#include <pawl/collision/shapes/moments.h>

namespace pawl::internal {
namespace {

constexpr double kPi = std::numbers::pi;

/// Part of the profile that turns about the axis: an arc around (r, z), angles from the radial direction up.
struct Arc {
  double r, z, from, to;
};

/// With x, y across the axis and the profile (ρ(s), z(s)) from bottom to top:
/// ∫ dV = π ∫ ρ² dz, ∫ z dV = π ∫ ρ² z dz, ∫ z² dV = π ∫ ρ² z² dz, ∫ x² dV = π/4 ∫ ρ⁴ dz.
class RevolvedMoments {
 public:
  /// Adds a stretch of the profile, t from 0 to 1, by the Gauss-Legendre rule of five points on `intervals`
  /// pieces: exact for the polynomials of a straight one, and to rounding for arcs of 1/64 of a circle.
  template <class Curve>
  void add(int intervals, Curve curve) {
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

/// Arcs of radius `rounding_radius` from bottom to top, joined by straight lines.
MassProperties solid_of_revolution(std::span<const Arc> arcs, double rounding_radius) {
  RevolvedMoments sum;
  const auto on_arc = [&](const Arc& arc, double angle) {
    return ProfilePoint{arc.r + rounding_radius * std::cos(angle), arc.z + rounding_radius * std::sin(angle),
                        rounding_radius * std::cos(angle)};
  };
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const Arc& arc = arcs[i];
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

}  // namespace

MassProperties rounded_cylinder(double radius, double half_height, double rounding_radius) {
  const Arc arcs[] = {{radius, -half_height, -kPi / 2, 0}, {radius, half_height, 0, kPi / 2}};
  return solid_of_revolution(arcs, rounding_radius);
}

MassProperties rounded_cone(double radius, double half_height, double rounding_radius) {
  const double slope = std::atan2(radius, 2 * half_height);  // of the side's normal
  const Arc arcs[] = {{radius, -half_height, -kPi / 2, slope}, {0, half_height, slope, kPi / 2}};
  return solid_of_revolution(arcs, rounding_radius);
}

}  // namespace pawl::internal
