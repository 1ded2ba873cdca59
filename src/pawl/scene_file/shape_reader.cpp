#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <pawl/collision/mesh/mesh_file.h>
#include <pawl/collision/mesh/polyline_crossing.h>
#include <pawl/scene/shape_kinds.h>
#include <pawl/scene_file.h>
#include <pawl/scene_file/nearest.h>
#include <pawl/scene_file/quantity.h>
#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr Quantity kElevation{"a height", "m"};
constexpr Quantity kSide{"a size", "m", Quantity::Range::positive};
constexpr Quantity kSemiAxis{"a list of semi-axes", "m", Quantity::Range::positive};
constexpr Quantity kSpacing{"a spacing", "m", Quantity::Range::positive};
constexpr Quantity kMargin{"a margin", "m", Quantity::Range::non_negative};
constexpr Quantity kScale{"a scale", "", Quantity::Range::positive};
constexpr Quantity kOffset{"an offset", "m"};
constexpr Quantity kNormal{"a normal", ""};
constexpr int kGroups = 32;

ShapeKind read_kind(const Field& field, Dimension dimension) {
  std::vector<Choice<ShapeKind>> choices;
  for (const ShapeKindRow& row : shape_kinds()) {
    const std::string_view type = dimension == Dimension::planar ? row.planar : row.spatial;
    if (!type.empty()) choices.push_back({type, row.kind});
  }
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

/// Three numbers, or two in the plane, each in the range of `quantity`.
Vec3 read_sizes(const Field& field, std::string_view key, std::string_view what, const Quantity& quantity,
                int count) {
  const std::vector<double> numbers = field.require(key, what).numbers(quantity, count);
  return {numbers[0], numbers[1], count == 3 ? numbers[2] : 0};
}

std::vector<Vec3> read_points(const Field& field, std::size_t min_points, int size) {
  std::vector<Vec3> points;
  for (const Field& point : field.items("points")) points.push_back(point.vector(kPoint, size));
  if (points.size() < min_points)
    field.fail(fmt::format("{} points are too few: it takes {}", points.size(), min_points));
  return points;
}

double read_scale(const Field& field) {
  return field.find_number("scale", kScale).value_or(1);
}

/// Returns load(path, scale) for the `file` of `field`.
template <class Load>
auto read_file(const Field& field, const Scene& scene, Load load) {
  const Field file =
      field.require("file", "the path of an OBJ or STL file is needed, seen from the scene's folder");
  const double scale = read_scale(field);
  const auto path = std::filesystem::path(scene.file).parent_path() / file.word("a file's path");
  return checked(file, [&] { return load(path.string(), scale); });
}

/// `scale` and the file's numbers are within their ranges, and their product need not be.
void check_extent(const Field& field, std::span<const Vec3> points) {
  const double max = magnitude_of(kPoint).max;
  for (const Vec3& p : points) {
    if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) <= max) continue;
    field.fail(fmt::format("[{:g}, {:g}, {:g}] is a point of it: coordinates must be from {:g} to {:g} (m)",
                           p.x, p.y, p.z, -max, max));
  }
}

/// Points and faces of the convex hull of a file's points.
struct HullPoints {
  std::vector<Vec3> points;
  std::vector<std::vector<int>> faces;
};
HullPoints load_hull(const std::string& path, double scale) {
  HullPoints hull{load_points(path, scale), {}};
  try {
    hull.faces = convex_hull_faces(hull.points, false);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
  return hull;
}

void read_hull(const Field& field, const Scene& scene, SceneShape& shape) {
  const bool planar = scene.dimension == Dimension::planar;
  if (planar || field.has("points")) {
    if (field.has("file")) field.fail_at("file", "the points are written already: keep one of the two");
    const Field points = field.require("points", "the corners are needed, as [x, y, z] each");
    shape.points = read_points(points, planar ? 3 : 4, coordinates(scene));
    const double scale = read_scale(field);
    for (Vec3& point : shape.points) point *= scale;
    check_extent(points, shape.points);
    shape.faces = checked(points, [&] { return convex_hull_faces(shape.points, planar); });
    return;
  }
  if (!field.has("file"))
    field.fail_at("points", "missing: a hull needs its 'points', or a 'file' (OBJ or STL)");
  HullPoints hull = read_file(field, scene, load_hull);
  check_extent(*field.find("file"), hull.points);
  shape.points = std::move(hull.points);
  shape.faces = std::move(hull.faces);
}

void read_polyline(const Field& points, SceneShape& shape) {
  shape.points = read_points(points, 2, 2);
  const auto crossing = checked(points, [&] { return crossing_pieces(shape.points); });
  if (!crossing) return;
  const auto [later, earlier] = *crossing;
  points.fail(
      fmt::format("the piece from point {} to {} crosses that from {} to {}: a surface must not cross itself",
                  later, later + 1, earlier, earlier + 1));
}

void read_height_field(const Field& field, SceneShape& shape) {
  const Field heights =
      field.require("heights", "a list of rows is needed, each of them heights along x (m)");
  const std::vector<Field> rows = heights.items("heights");
  if (rows.size() < 2) heights.fail("it takes two rows or more");
  for (const Field& row : rows) {
    const std::vector<Field> entries = row.items("heights");
    if (entries.size() < 2) row.fail("a row takes two heights or more");
    if (shape.columns == 0) shape.columns = static_cast<int>(entries.size());
    if (static_cast<int>(entries.size()) != shape.columns) {
      row.fail(fmt::format("{} heights, where the first row has {}: all rows must be of one length",
                           entries.size(), shape.columns));
    }
    for (const Field& entry : entries) shape.heights.push_back(entry.number(kElevation));
  }
  shape.spacing = read_sizes(field, "spacing", "[dx, dy] from height to height is needed (m)", kSpacing, 2);
}

void read_groups(const Field& field, SceneShape& shape) {
  if (const auto group = field.find("group")) {
    shape.group = std::uint32_t{1} << group->integer("a group", 0, kGroups - 1);
  }
  if (const auto groups = field.find("collides_with")) {
    shape.collides_with = 0;
    for (const Field& group : groups->items("groups")) {
      shape.collides_with |= std::uint32_t{1} << group.integer("a group", 0, kGroups - 1);
    }
  }
}

void read_lengths(const Field& field, SceneShape& shape) {
  for (const ShapeLength& length : shape_kind(shape.kind).lengths) {
    const auto range = length.may_be_zero ? Quantity::Range::non_negative : Quantity::Range::positive;
    shape.*length.member = field.require_number(length.key, {length.what, "m", range});
  }
}

/// Reads all but the lengths.
void read_geometry(const Field& field, const Scene& scene, SceneShape& shape) {
  const int size = coordinates(scene);
  switch (shape.kind) {
    case ShapeKind::box:
      shape.size = read_sizes(field, "size", "its sides are needed (m)", kSide, size);
      break;
    case ShapeKind::ellipsoid:
      shape.size = read_sizes(field, "semi_axes", "its semi-axes are needed (m)", kSemiAxis, size);
      break;
    case ShapeKind::hull:
      read_hull(field, scene, shape);
      break;
    case ShapeKind::half_space:
      if (size == 2) shape.normal = {0, 1, 0};
      if (const auto normal = field.find("normal")) shape.normal = normal->direction(kNormal, size);
      shape.offset = field.find_number("offset", kOffset).value_or(0);
      break;
    case ShapeKind::mesh:
      if (size == 2) {
        read_polyline(field.require("points", "the corners are needed, as [x, y] each"), shape);
      } else {
        shape.mesh = read_mesh(field, scene);
        checked(*field.find("file"), [&] { check_surface(shape.mesh); });
      }
      break;
    case ShapeKind::height_field:
      read_height_field(field, shape);
      break;
    default:
      break;
  }
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

TriangleMesh read_mesh(const Field& field, const Scene& scene) {
  TriangleMesh mesh = read_file(field, scene, load_mesh);
  check_extent(*field.find("file"), mesh.vertices);
  return mesh;
}

SceneShape read_shape(const Field& field, const Scene& scene) {
  field.expect_object("shape");
  SceneShape shape;
  shape.location = field.location();
  shape.kind = read_kind(field, scene.dimension);
  field.expect_variant("shape", to_string(shape.kind, scene.dimension));
  shape.material = read_material(field, scene);
  read_lengths(field, shape);
  read_geometry(field, scene, shape);
  read_groups(field, shape);
  shape.rounding_radius = field.find_number("margin", kMargin).value_or(0);
  if (!shape_kind(shape.kind).has_pose) return shape;
  const int size = coordinates(scene);
  shape.position = field.find_vector("position", kPosition, size).value_or(Vec3{});
  shape.orientation = read_orientation(field, scene.dimension);
  const std::string_view unit = size == 2 ? "kg/m²" : "kg/m³";
  shape.density = field.find_number("density", {"a density", unit, Quantity::Range::non_negative});
  return shape;
}

}  // namespace pawl::internal
