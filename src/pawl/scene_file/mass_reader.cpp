#include <cmath>

#include <fmt/format.h>

#include <pawl/collision/mesh/mesh.h>
#include <pawl/collision/shapes/mass_properties.h>
#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr Quantity kDensity{"a density", "kg/m³", Quantity::Range::positive};

/// With `mass_from`, no other key may give mass, inertia or centre of mass.
void refuse_other_masses(const Field& body) {
  for (std::string_view key : {"mass", "inertia", "center_of_mass"}) {
    if (!body.has(key)) continue;
    body.fail_at(key,
                 fmt::format("mass, inertia and centre of mass come from 'mass_from', written {}: keep one "
                             "of the two",
                             body.find("mass_from")->location_text()));
  }
}

/// kg/m³
double read_density(const Field& field, double volume) {
  if (field.has("density") == field.has("mass")) {
    if (field.has("mass")) field.fail_at("mass", "the density is written already: keep one of the two");
    field.fail_at("density", "missing: the mesh gives the form, and 'density' or 'mass' the amount");
  }
  if (field.has("density")) return field.require_number("density", kDensity);
  return field.require_number("mass", kMass) / volume;
}

}  // namespace

void read_mass_from(const Field& body_field, const Scene& scene, SceneBody& body) {
  const auto field = body_field.find("mass_from");
  if (!field) return;
  if (scene.dimension == Dimension::planar) {
    field->fail(
        "belongs to spatial worlds: in a planar one write 'mass' and 'inertia', or densities of shapes");
  }
  field->expect_object("mass_from");
  refuse_other_masses(body_field);
  const TriangleMesh mesh = read_mesh(*field, scene);
  const Field file = *field->find("file");
  checked(file, [&] { check_solid(mesh); });
  const MassProperties solid = mesh_mass_properties(mesh);
  if (!is_physical_inertia(solid.inertia)) {
    file.fail(
        fmt::format("{}: the mesh gives the inertia of no body: its triangles cross one another, or parts of "
                    "it face inwards",
                    mesh.name));
  }
  const double density = read_density(*field, solid.mass);
  const Mat3 R = to_matrix(read_orientation(*field, scene.dimension));
  body.mass = density * solid.mass;
  body.center_of_mass = field->find_vector("position", kPosition, 3).value_or(Vec3{}) + R * solid.center;
  body.inertia = density * (R * solid.inertia * transpose(R));
}

}  // namespace pawl::internal
