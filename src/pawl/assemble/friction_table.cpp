#include <pawl/assemble/friction_table.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <pawl/collision/contact.h>

namespace pawl::internal {
namespace {

constexpr int kMaxInPlane = 30;  // with spin, two rings of half as many and two poles also fit
static_assert(2 * kMaxInPlane + 2 <= kMaxFrictionDirections);

using Directions = std::vector<FrictionVector>;

/// Evenly spaced directions at one latitude of force space, scaled onto the ellipsoid; their components are
/// in units of its radii [TrinkleTzitzourisPang2001, (5) and (6)].
void add_ring(const LatitudeRing& ring, const std::array<double, 3>& radii, Directions& directions) {
  for (int i = 0; i < ring.count; ++i) {
    const double longitude = 2 * std::numbers::pi * i / ring.count;
    const bool pole = std::abs(ring.latitude) == std::numbers::pi / 2;
    const double level = pole ? 0 : std::cos(ring.latitude);
    FrictionVector d{level * std::cos(longitude) / radii[0], level * std::sin(longitude) / radii[1],
                     std::sin(ring.latitude) / radii[2]};
    const double size = length(d);
    for (double& x : d) x /= size;
    directions.push_back(d);
  }
}

/// Directions that approximate an ellipsoid with spin: k in the plane, half as many at latitudes ±45°, and
/// the poles. Latitudes are in units of the radii, so that the directions are well distributed.
Directions ellipsoid_directions(int k) {
  const std::array<double, 3> unit{1, 1, 1};
  const int half = std::max(3, k / 2);
  Directions directions;
  for (const LatitudeRing& ring :
       {LatitudeRing{0, k}, LatitudeRing{std::numbers::pi / 4, half},
        LatitudeRing{-std::numbers::pi / 4, half}, LatitudeRing{std::numbers::pi / 2, 1},
        LatitudeRing{-std::numbers::pi / 2, 1}}) {
    add_ring(ring, unit, directions);
  }
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

/// The vertices of the polyhedron in units of set.radii; sets e_r if the radii lack it.
Directions polyhedron_directions(const SceneFrictionSet& source, int run_directions, FrictionSet& set) {
  Directions directions;
  if (!source.directions.empty()) {
    double maximum = 0;
    for (const auto& d : source.directions) maximum = std::max(maximum, std::abs(d[2]));
    if (set.radii[2] == 0) set.radii[2] = maximum > 0 ? maximum : 1;
    for (const auto& d : source.directions) {
      directions.push_back({d[0] / set.radii[0], d[1] / set.radii[1], d[2] / set.radii[2]});
    }
    return directions;
  }
  if (!source.rings.empty()) {
    for (const LatitudeRing& ring : source.rings) add_ring(ring, source.radii, directions);
    return directions;
  }
  const int k = source.count > 0 ? source.count : run_directions;
  const bool spin = source.radii[2] > 0;
  const int maximum = spin ? kMaxInPlane : kMaxFrictionDirections;
  if (k < kMinFrictionDirections || k > maximum) {
    throw Error(fmt::format("friction_directions is {}: it must be from {} to {}{}", k,
                            kMinFrictionDirections, maximum,
                            spin ? " where there is friction about the normal" : ""));
  }
  if (!spin) return FrictionPolyhedron::regular(k).directions();
  return source.kind == FrictionSetKind::mixed ? prism_directions(k) : ellipsoid_directions(k);
}

}  // namespace

FrictionTable::FrictionTable(const Model& model, FrictionForm form, int directions)
    : materials_(model.materials) {
  const auto keep = [&](Directions corners) {
    polyhedra_.push_back(std::make_unique<const FrictionPolyhedron>(std::move(corners)));
    return polyhedra_.back().get();
  };
  for (const ContactLaw& law : model.laws) {
    const SceneFrictionSet& source = law.friction_set;
    Entry entry;
    entry.set.mu = law.friction;
    entry.set.radii = source.radii;
    entry.rows = model.planar() || source.kind == FrictionSetKind::planar ? 2 : source.radii[2] > 0 ? 4 : 3;
    if (source.kind == FrictionSetKind::none) {
      entry.set.kind = FrictionKind::none;
    } else if (source.kind == FrictionSetKind::planar) {  // an interval is a polyhedron already
      entry.set.kind = FrictionKind::polyhedron;
      entry.set.polyhedron = keep(FrictionPolyhedron::regular(2).directions());
    } else if (form == FrictionForm::polyhedral || source.kind == FrictionSetKind::polyhedron) {
      entry.set.kind = FrictionKind::polyhedron;
      Directions corners = polyhedron_directions(source, directions, entry.set);
      try {
        entry.set.polyhedron = keep(std::move(corners));
      } catch (const Error& error) {
        throw SceneError(model.file, source.location, "friction_set.directions", error.what());
      }
      entry.rows = entry.set.polyhedron->dimensions() == 3 ? 4 : 3;
    } else {
      entry.set.kind = source.kind == FrictionSetKind::mixed ? FrictionKind::mixed : FrictionKind::ellipsoid;
    }
    if (entry.rows < 4) entry.set.radii[2] = 1;  // not used as a unit
    entries_.push_back(entry);
  }
}

Vec3 contact_tangent(const Model& model, const Kinematics& kinematics, const Contact& contact) {
  const Vec3& n = contact.normal;
  const ContactLaw& law = model.law(model.shapes[contact.id.shape_a], model.shapes[contact.id.shape_b]);
  if (law.friction_set.along != Vec3{}) {
    const int body = law.along_first ? contact.body_a : contact.body_b;
    const Vec3 along = kinematics.X_WB[body].R * law.friction_set.along;
    const Vec3 level = along - dot(along, n) * n;
    const double length = norm(level);
    if (length > kParallel) return level / length;
  }
  return tangent(n, model.planar());
}

}  // namespace pawl::internal
