#include <algorithm>

#include <fmt/format.h>

#include <pawl/scene/nearest.h>
#include <pawl/scene/readers.h>

namespace pawl::detail {
namespace {

constexpr Quantity kRadius{"a radius", "m", Quantity::Range::positive};
constexpr Quantity kLength{"a length", "m", Quantity::Range::non_negative};
constexpr Quantity kOffset{"an offset", "m"};
constexpr Quantity kPosition{"a position", "m"};
constexpr Quantity kNormal{"a normal", ""};

// A third of a turn about (1, 1, 1) takes z to x exactly, in every bit; a quarter about y would leave 2e-16
// of z.
constexpr Quat kTurnZToX{0.5, 0.5, 0.5, 0.5};

ShapeKind read_kind(const Field& field, Dimension dimension) {
  const Choice<ShapeKind> choices[] = {{to_string(ShapeKind::sphere, dimension), ShapeKind::sphere},
                                       {to_string(ShapeKind::capsule, dimension), ShapeKind::capsule},
                                       {to_string(ShapeKind::half_space, dimension), ShapeKind::half_space}};
  const std::string what = fmt::format("a shape type of a {} world", to_string(dimension));
  return field.require("type", what + " is needed").choice<ShapeKind>(what, choices);
}

std::string read_material(const Field& shape, const Scene& scene) {
  if (const auto material = shape.find("material")) return read_material_name(*material, scene);
  if (scene.materials.size() == 1) return scene.materials[0].name;
  shape.fail_at("material",
                scene.materials.empty()
                    ? "missing: add a material under 'materials', as in plain: {friction: 0.5}"
                    : "missing: the scene has several materials, so every shape must name one of them");
}

}  // namespace

std::string read_material_name(const Field& field, const Scene& scene) {
  const std::string name = field.word("a material's name");
  std::vector<std::string_view> names;
  for (const SceneMaterial& material : scene.materials) names.push_back(material.name);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    field.fail(fmt::format("no material is called '{}'{}", name, hint(name, names, "there are")));
  }
  return name;
}

SceneShape read_shape(const Field& field, const Scene& scene) {
  const int size = coordinates(scene);
  field.expect_object("shape");
  SceneShape shape;
  shape.place = field.place();
  shape.kind = read_kind(field, scene.dimension);
  field.expect_variant("shape", to_string(shape.kind, scene.dimension));
  shape.material = read_material(field, scene);
  if (shape.kind == ShapeKind::half_space) {
    if (size == 2) shape.normal = {0, 1, 0};
    if (const auto normal = field.find("normal")) shape.normal = normal->direction(kNormal, size);
    shape.offset = field.find_number("offset", kOffset).value_or(0);
    return shape;
  }
  shape.radius = field.require_number("radius", kRadius);
  shape.position = field.find_vector("position", kPosition, size).value_or(Vec3{});
  shape.orientation = read_orientation(field, scene.dimension);
  if (shape.kind == ShapeKind::capsule) {
    shape.length = field.require_number("length", kLength);
    if (scene.dimension == Dimension::planar) shape.orientation = shape.orientation * kTurnZToX;
  }
  const std::string_view unit = size == 2 ? "kg/m²" : "kg/m³";
  shape.density = field.find_number("density", {"a density", unit, Quantity::Range::non_negative});
  return shape;
}

}  // namespace pawl::detail
