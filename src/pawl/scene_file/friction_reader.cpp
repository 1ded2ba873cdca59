#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <pawl/base/tolerances.h>
#include <pawl/scene/friction_set_kinds.h>
#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr Quantity kFrictionRadius{"a radius of friction", "", Quantity::Range::positive};
constexpr Quantity kSpinRadius{"a radius of friction about the normal", "m", Quantity::Range::non_negative};
constexpr Quantity kLatitude{"a latitude", "rad"};
constexpr Quantity kDirection{"a friction direction", ""};
constexpr Quantity kAlong{"a direction", ""};
constexpr double kQuarterTurn = std::numbers::pi / 2;

void read_rings(const Field& field, SceneFrictionSet& set) {
  field.expect_object("directions");
  const Field rings = field.require("rings", "a list of rings, [{latitude, count}, …], is needed");
  int total = 0;
  for (const Field& entry : rings.items("rings of directions")) {
    entry.expect_object("ring");
    LatitudeRing ring;
    ring.latitude = entry.find_angle("latitude", kLatitude).value_or(0);
    // Tolerates a rounded pole.
    if (!(std::abs(ring.latitude) <= kQuarterTurn * (1 + tolerances::kFine))) {
      entry.fail_at(entry.has("latitude_deg") ? "latitude_deg" : "latitude",
                    "it must lie between the poles, from -90° to 90°");
    }
    ring.latitude = std::clamp(ring.latitude, -kQuarterTurn, kQuarterTurn);
    ring.count = entry.require("count", "how many directions lie on the ring is needed")
                     .integer("a number of directions", 1, kMaxFrictionDirections);
    total += ring.count;
    set.rings.push_back(ring);
  }
  if (total > kMaxFrictionDirections) {
    rings.fail(
        fmt::format("these are {} directions: there can be {} at most", total, kMaxFrictionDirections));
  }
}

/// Directions are given as a count in the plane, as rings on the ellipsoid, or one by one.
void read_directions(const Field& field, SceneFrictionSet& set) {
  if (!field.is_sequence() && !field.is_map()) {
    set.count = field.integer("a number of directions", kMinFrictionDirections, kMaxFrictionDirections);
    return;
  }
  if (field.is_map()) return read_rings(field, set);
  for (const Field& entry : field.items("friction directions")) {
    const bool spins = entry.items("a direction [t, o] or [t, o, r]").size() == 3;
    const Vec3 d = entry.vector(kDirection, spins ? 3 : 2);
    set.directions.push_back({d.x, d.y, d.z});
  }
  if (static_cast<int>(set.directions.size()) > kMaxFrictionDirections) {
    field.fail(fmt::format("these are {} directions: there can be {} at most", set.directions.size(),
                           kMaxFrictionDirections));
  }
}

/// Reads the alignment of the tangents t and o on the surface.
void read_frame(const Field& field, const Scene& scene, const ScenePair& pair, SceneFrictionSet& set) {
  const auto along = field.find("along");
  const auto of = field.find("of");
  if (!along) {
    if (of) of->fail("it says whose direction 'along' is, and there is no 'along'");
    return;
  }
  set.along = along->direction(kAlong, coordinates(scene));
  if (of) {
    set.of = read_material_name(*of, scene);
    if (set.of != pair.first && set.of != pair.second) {
      of->fail(fmt::format("it must be one of the two materials, {} or {}", pair.first, pair.second));
    }
  } else if (pair.first != pair.second) {
    field.fail_at("of", fmt::format("missing: 'along' is fixed in a body, that of {} or that of {}",
                                    pair.first, pair.second));
  } else {
    set.of = pair.first;
  }
}

}  // namespace

SceneFrictionSet read_friction_set(const Field& field, const Scene& scene, const ScenePair& pair) {
  field.expect_object("friction_set");
  std::vector<Choice<FrictionSetKind>> choices;
  for (const FrictionSetKindRow& row : friction_set_kinds()) choices.push_back({row.name, row.kind});
  SceneFrictionSet set;
  set.location = field.location();
  const Field type = field.require("type", "a type of friction set is needed");
  set.kind = type.choice<FrictionSetKind>("a type of friction set", choices);
  field.expect_variant("friction_set", to_string(set.kind));
  const bool planar_world = scene.dimension == Dimension::planar;
  if (planar_world && set.kind != FrictionSetKind::planar && set.kind != FrictionSetKind::none) {
    type.fail("friction has one direction in a planar world: it must be planar or none");
  }
  set.radii[0] = field.find_number("e_t", kFrictionRadius).value_or(1);
  set.radii[1] = field.find_number("e_o", kFrictionRadius).value_or(1);
  set.radii[2] = field.find_number("e_r", kSpinRadius).value_or(0);
  if (const auto directions = field.find("directions")) read_directions(*directions, set);
  read_frame(field, scene, pair, set);

  if (needs_spin(friction_set_kind(set.kind).exact) && !(set.radii[2] > 0)) {
    field.fail_at("e_r",
                  fmt::format("a {} set needs a radius about the normal, e_r > 0 (m)", to_string(set.kind)));
  }
  if (set.kind == FrictionSetKind::polyhedron && !field.has("directions")) {
    field.fail_at("directions", "missing: a polyhedron is the hull of its directions");
  }
  if (!set.rings.empty() && !(set.radii[2] > 0)) {
    field.fail_at("e_r", "rings of latitude lie on an ellipsoid with a radius about the normal, e_r > 0 (m)");
  }
  if (set.kind == FrictionSetKind::planar && !planar_world && set.along == Vec3{}) {
    field.fail_at("along",
                  "missing: in space, planar friction acts along one direction, which it must be told");
  }
  return set;
}

}  // namespace pawl::internal
