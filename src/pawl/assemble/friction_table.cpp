#include <pawl/assemble/friction_table.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/collision/contact.h>
#include <pawl/problem/friction_kinds.h>
#include <pawl/scene/friction_set_kinds.h>

namespace pawl::internal {
namespace {

constexpr int kMaxInPlane = 30;  // with spin, two rings of half as many and two poles also fit
static_assert(2 * kMaxInPlane + 2 <= kMaxFrictionDirections);

using Directions = std::vector<FrictionVector>;

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
    for (const LatitudeRing& ring : source.rings)
      add_ring(ring.latitude, ring.count, source.radii, directions);
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
  return replacement_directions(friction_set_kind(source.kind).exact, k);
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
    const FrictionKind exact = friction_set_kind(source.kind).exact;
    if (source.kind == FrictionSetKind::planar) {  // an interval is a polyhedron already
      entry.set.kind = FrictionKind::polyhedron;
      entry.set.polyhedron = keep(FrictionPolyhedron::regular(2).directions());
    } else if (exact != FrictionKind::none &&
               (form == FrictionForm::polyhedral || exact == FrictionKind::polyhedron)) {
      entry.set.kind = FrictionKind::polyhedron;
      Directions corners = polyhedron_directions(source, directions, entry.set);
      try {
        entry.set.polyhedron = keep(std::move(corners));
      } catch (const Error& error) {
        throw SceneError(model.file, source.location, "friction_set.directions", error.what());
      }
      entry.rows = entry.set.polyhedron->dimensions() == 3 ? 4 : 3;
    } else {
      entry.set.kind = exact;
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
