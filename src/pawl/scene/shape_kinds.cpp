#include <pawl/scene/shape_kinds.h>

#include <cassert>

namespace pawl::internal {
namespace {

constexpr ShapeLength kRadius{"radius", &SceneShape::radius, "a radius", "r"};
constexpr ShapeLength kTopRadius{"top_radius", &SceneShape::top_radius, "a radius", "r_top"};
constexpr ShapeLength kLength{"length", &SceneShape::length, "a length", "l", true};
constexpr ShapeLength kHeight{"height", &SceneShape::height, "a height", "h"};

ShapeTypeKeys keys_of_type(const ShapeKindRow& row, std::string_view type) {
  ShapeTypeKeys result{type, {"type"}};
  std::vector<std::string_view>& keys = result.keys;
  for (const ShapeLength& length : row.lengths) keys.push_back(length.key);
  const bool spatial = type == row.spatial, planar = type == row.planar;
  const auto& own = spatial ? row.spatial_keys : row.planar_keys;
  keys.insert(keys.end(), own.begin(), own.end());
  if (row.has_pose) {
    keys.push_back("position");
    if (spatial) keys.push_back("orientation");
    if (planar) keys.insert(keys.end(), {"angle", "angle_deg"});
  }
  keys.push_back("material");
  if (!row.is_static_only) keys.push_back("density");
  keys.insert(keys.end(), {"group", "collides_with"});
  return result;
}

}  // namespace

std::span<const ShapeKindRow> shape_kinds() {
  using enum ShapeKind;
  static const std::vector<ShapeKindRow> rows{
      {sphere, "sphere", "disc", {kRadius}, {}, {}},
      {capsule, "capsule", "capsule", {kRadius, kLength}, {}, {}},
      {box, "box", "box", {}, {"size", "margin"}, {"size", "margin"}},
      {cylinder, "cylinder", "", {kRadius, kHeight}, {"margin"}, {}},
      {cone, "cone", "", {kRadius, kHeight}, {"margin"}, {}},
      {frustum, "frustum", "", {kRadius, kTopRadius, kHeight}, {"margin"}, {}},
      {ellipsoid, "ellipsoid", "ellipse", {}, {"semi_axes", "margin"}, {"semi_axes", "margin"}},
      {hull, "hull", "polygon", {}, {"points", "file", "scale", "margin"}, {"points", "margin"}},
      {half_space, "half-space", "half-plane", {}, {"normal", "offset"}, {"normal", "offset"}, true, false},
      {mesh, "mesh", "polyline", {}, {"file", "scale"}, {"points"}, true},
      {height_field, "height-field", "", {}, {"heights", "spacing"}, {}, true},
  };
  return rows;
}

const ShapeKindRow& shape_kind(ShapeKind kind) {
  const ShapeKindRow& row = shape_kinds()[static_cast<std::size_t>(kind)];
  assert(row.kind == kind);
  return row;
}

std::vector<ShapeTypeKeys> shape_type_keys() {
  std::vector<ShapeTypeKeys> types;
  for (const ShapeKindRow& row : shape_kinds()) {
    types.push_back(keys_of_type(row, row.spatial));
    if (!row.planar.empty() && row.planar != row.spatial) types.push_back(keys_of_type(row, row.planar));
  }
  return types;
}

}  // namespace pawl::internal

namespace pawl {

std::string_view to_string(ShapeKind kind, Dimension dimension) {
  const internal::ShapeKindRow& row = internal::shape_kind(kind);
  return dimension == Dimension::planar && !row.planar.empty() ? row.planar : row.spatial;
}

bool is_static_only(ShapeKind kind) {
  return internal::shape_kind(kind).is_static_only;
}

}  // namespace pawl
