#include <pawl/scene_file/keys.h>

#include <algorithm>
#include <cassert>

#include <pawl/scene/friction_set_kinds.h>
#include <pawl/scene/shape_kinds.h>

namespace pawl::internal {
namespace {

/// The rows of all objects except friction sets and shapes.
std::vector<ObjectKeys> other_rows() {
  return {
      {"scene",
       "",
       {"pawl", "name", "description", "world", "materials", "pairs", "bodies", "joints", "no_collision",
        "collision", "forces", "run", "parameters", "outcomes"}},
      {"outcome", "pose", {"type", "body", "classes", "up", "within", "within_deg", "at"}},
      {"outcome", "value", {"type", "of", "take", "at"}},
      {"outcome", "event", {"type", "of", "above", "below", "stop"}},
      {"outcome", "rest", {"type", "bodies", "speed", "for", "stop"}},
      {"outcome", "gate", {"type", "body", "point", "normal", "radius", "stop"}},
      {"outcome", "force", {"type", "body"}},
      {"outcome", "jam", {"type", "body", "along", "progress", "speed", "for", "stop"}},
      {"parameter",
       "",
       {"value", "unit", "range", "uniform", "normal", "truncated_normal", "lognormal", "choice", "weights",
        "tolerance", "rotation", "box"}},
      {"world", "", {"dimension", "gravity"}},
      {"material", "", {"friction", "restitution"}},
      {"pair", "", {"between", "friction", "friction_set", "restitution", "restitution_law"}},
      {"directions", "", {"rings"}},
      {"ring", "", {"latitude", "latitude_deg", "count"}},
      {"body",
       "",
       {"joint", "mass", "inertia", "center_of_mass", "mass_from", "position", "orientation", "angle",
        "angle_deg", "velocity", "angular_velocity", "shapes"}},
      {"mass_from", "", {"file", "scale", "density", "mass", "position", "orientation"}},
      {"orientation", "", {"axis", "angle", "angle_deg", "quaternion", "rpy", "rpy_deg"}},
      {"joint", "free", {"type"}},
      {"joint", "planar", {"type"}},
      {"joint", "weld", {"type", "parent"}},
      {"joint", "revolute", {"type",
                             "parent",
                             "anchor",
                             "axis",
                             "position",
                             "position_deg",
                             "velocity",
                             "velocity_deg",
                             "lower",
                             "lower_deg",
                             "upper",
                             "upper_deg",
                             "restitution",
                             "friction",
                             "armature",
                             "damping",
                             "stiffness",
                             "rest_position",
                             "rest_position_deg",
                             "motor"}},
      {"joint",
       "prismatic",
       {"type", "parent", "axis", "position", "velocity", "lower", "upper", "restitution", "friction",
        "armature", "damping", "stiffness", "rest_position", "motor"}},
      {"joint",
       "cylindrical",
       {"type", "parent", "anchor", "axis", "position", "velocity", "angle", "angle_deg", "angular_velocity",
        "angular_velocity_deg"}},
      {"joint",
       "universal",
       {"type", "parent", "anchor", "axis", "second_axis", "position", "position_deg", "velocity",
        "velocity_deg"}},
      {"joint",
       "ball",
       {"type", "parent", "anchor", "orientation", "angular_velocity", "armature", "damping"}},
      {"row_joint", "ball", {"type", "between", "anchor", "collide"}},
      {"row_joint",
       "revolute",
       {"type", "between", "anchor", "axis", "lower", "lower_deg", "upper", "upper_deg", "restitution",
        "friction", "motor", "collide"}},
      {"row_joint",
       "prismatic",
       {"type", "between", "anchor", "axis", "lower", "upper", "restitution", "friction", "motor",
        "collide"}},
      {"row_joint", "cylindrical", {"type", "between", "anchor", "axis", "collide"}},
      {"row_joint", "universal", {"type", "between", "anchor", "axis", "second_axis", "collide"}},
      {"row_joint", "weld", {"type", "between", "anchor", "collide"}},
      {"row_joint",
       "distance",
       {"type", "between", "anchor", "second_anchor", "length", "lower", "upper", "restitution", "collide"}},
      {"row_joint", "point-in-plane", {"type", "between", "anchor", "axis", "collide"}},
      {"row_joint", "coupling", {"type", "between", "ratio", "offset", "offset_deg"}},
      {"motor",
       "",
       {"velocity", "velocity_deg", "position", "position_deg", "force", "max_force", "kp", "kv"}},
      {"signal", "", {"table", "sine"}},
      {"sine", "", {"amplitude", "frequency", "phase", "phase_deg", "offset"}},
      {"force", "wrench", {"type", "body", "at", "force", "torque", "frame", "over_time"}},
      {"force", "spring", {"type", "from", "to", "stiffness", "rest_length"}},
      {"force", "damper", {"type", "from", "to", "damping"}},
      {"attachment", "", {"body", "point"}},
      {"run",
       "",
       {"method", "step", "until", "tolerance", "accuracy", "gamma", "active_gap", "friction",
        "friction_directions", "contact_points", "impacts", "record", "on_uncertified"}},
      {"impacts", "", {"timing", "order", "most", "touch"}},
      {"record", "", {"every", "contacts", "forces", "impacts"}},
  };
}

}  // namespace

const std::vector<ObjectKeys>& key_table() {
  static const std::vector<ObjectKeys> table = [] {
    std::vector<ObjectKeys> rows = other_rows();
    for (const FrictionSetKindRow& set : friction_set_kinds())
      rows.push_back({"friction_set", set.name, set.keys});
    for (const ShapeTypeKeys& shape : shape_type_keys()) rows.push_back({"shape", shape.type, shape.keys});
    return rows;
  }();
  return table;
}

std::vector<std::string_view> keys_of(std::string_view object) {
  std::vector<std::string_view> keys;
  for (const ObjectKeys& row : key_table()) {
    if (row.object != object) continue;
    for (std::string_view key : row.keys) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  assert(!keys.empty());
  return keys;
}

const std::vector<std::string_view>& keys_of(std::string_view object, std::string_view variant) {
  const auto row = std::find_if(key_table().begin(), key_table().end(), [&](const ObjectKeys& candidate) {
    return candidate.object == object && candidate.variant == variant;
  });
  assert(row != key_table().end());
  return row->keys;
}

}  // namespace pawl::internal
