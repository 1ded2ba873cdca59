#pragma once
// The table of shape kinds of a scene: names, keys and lengths. Not installed.

#include <span>
#include <string_view>
#include <vector>

#include <pawl/scene.h>

namespace pawl::internal {

/// A key with one length of a shape, m.
struct ShapeLength {
  std::string_view key;
  double SceneShape::*member;
  std::string_view what;    // with its article, for messages
  std::string_view symbol;  // for tables
  bool may_be_zero = false;
};

struct ShapeKindRow {
  ShapeKind kind;
  std::string_view spatial, planar;  // its type in these worlds; empty: none
  std::vector<ShapeLength> lengths;
  /// Further keys of its own, by world.
  std::vector<std::string_view> spatial_keys, planar_keys;
  bool is_static_only = false;
  bool has_pose = true;  // its own position and orientation in the body's frame
};

/// All kinds, in the order of ShapeKind.
std::span<const ShapeKindRow> shape_kinds();
const ShapeKindRow& shape_kind(ShapeKind kind);

/// The keys of a shape type. A type of both worlds has the keys of both.
struct ShapeTypeKeys {
  std::string_view type;
  std::vector<std::string_view> keys;
};
std::vector<ShapeTypeKeys> shape_type_keys();

}  // namespace pawl::internal
