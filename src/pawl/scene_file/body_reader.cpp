#include <algorithm>

#include <fmt/format.h>

#include <pawl/scene_file/nearest.h>
#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr Quantity kCenter{"a centre of mass", "m"};

JointKind free_joint(Dimension dimension) {
  return dimension == Dimension::planar ? JointKind::planar : JointKind::free;
}

void read_motion(const Field& field, const Scene& scene, SceneBody& body) {
  if (body.joint.kind != free_joint(scene.dimension)) {
    for (std::string_view key : {"velocity", "angular_velocity"}) {
      if (!field.has(key)) continue;
      field.fail_at(
          key, fmt::format("only a {} body has one: a {} joint {}", to_string(free_joint(scene.dimension)),
                           to_string(body.joint.kind),
                           body.joint.kind == JointKind::weld   ? "does not move"
                           : body.joint.kind == JointKind::ball ? "moves by 'joint.angular_velocity'"
                                                                : "moves by 'joint.velocity'"));
    }
    return;
  }
  body.velocity = field.find_vector("velocity", kVelocity, coordinates(scene)).value_or(Vec3{});
  if (scene.dimension == Dimension::planar) {
    body.angular_velocity.z = field.find_number("angular_velocity", kAngularVelocity).value_or(0);
  } else {
    body.angular_velocity = field.find_vector("angular_velocity", kAngularVelocity, 3).value_or(Vec3{});
  }
}

SceneBody read_body(const std::string& name, const Field& field, const Scene& scene,
                    const BodyIndex& bodies) {
  field.expect_object("body");
  SceneBody body;
  body.name = name;
  body.location = field.location();
  body.joint.location = body.location;
  body.joint.kind = free_joint(scene.dimension);
  if (const auto joint = field.find("joint")) body.joint = read_tree_joint(*joint, scene, bodies);
  body.mass = field.find_number("mass", kMass);
  if (const auto inertia = field.find("inertia")) body.inertia = read_inertia(*inertia, scene.dimension);
  body.center_of_mass = field.find_vector("center_of_mass", kCenter, coordinates(scene)).value_or(Vec3{});
  read_mass_from(field, scene, body);
  body.position = field.find_vector("position", kPosition, coordinates(scene)).value_or(Vec3{});
  body.orientation = read_orientation(field, scene.dimension);
  if (scene.dimension == Dimension::planar) body.angle = read_planar_angle(field);
  read_motion(field, scene, body);
  if (const auto shapes = field.find("shapes")) {
    for (const Field& shape : shapes->items("shapes")) body.shapes.push_back(read_shape(shape, scene));
  }
  return body;
}

/// For every body, whether it is welded to the world, directly or through other bodies. Fails if the parents
/// form a cycle.
std::vector<bool> find_fixed(const std::vector<std::pair<std::string, Field>>& entries, const Scene& scene,
                             const BodyIndex& index) {
  enum class Mark { unknown, on_path, moves, fixed };
  std::vector<Mark> marks(scene.bodies.size(), Mark::unknown);
  for (std::size_t start = 0; start < scene.bodies.size(); ++start) {
    std::vector<std::size_t> path;  // from the body up to the first ancestor with a known mark, or the world
    Mark above = Mark::fixed;
    for (std::size_t i = start;;) {
      if (marks[i] == Mark::on_path) {
        std::string circle = scene.bodies[i].name;
        for (auto at = std::find(path.begin(), path.end(), i) + 1; at != path.end(); ++at) {
          circle += " -> " + scene.bodies[*at].name;
        }
        entries[i].second.find("joint")->fail_at(
            "parent", fmt::format("the parents run in a circle: {} -> {}", circle, scene.bodies[i].name));
      }
      if (marks[i] != Mark::unknown) {
        above = marks[i];
        break;
      }
      marks[i] = Mark::on_path;
      path.push_back(i);
      if (scene.bodies[i].joint.parent == kWorld) break;
      i = index.find(scene.bodies[i].joint.parent)->second;
    }
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      if (scene.bodies[*at].joint.kind != JointKind::weld) above = Mark::moves;
      marks[*at] = above;
    }
  }
  std::vector<bool> fixed;
  for (Mark mark : marks) fixed.push_back(mark == Mark::fixed);
  return fixed;
}

Field mass_field(const Field& body) {
  return *body.find(body.has("mass_from") ? "mass_from" : "mass");
}

void check_mass(const Field& field, const SceneBody& body, bool fixed) {
  bool has_volume = false;
  bool weighs = false;
  const auto shapes_field = field.find("shapes");
  const std::vector<Field> shape_fields = shapes_field ? shapes_field->items("shapes") : std::vector<Field>{};
  for (std::size_t i = 0; i < body.shapes.size(); ++i) {
    const SceneShape& shape = body.shapes[i];
    const Field& shape_field = shape_fields[i];
    if (is_static_only(shape.kind)) {
      if (!fixed) {
        shape_field.fail(shape.kind == ShapeKind::half_space
                             ? "it is infinitely heavy: only a body welded to the world can have it"
                             : "it is a surface and no solid: only a body welded to the world can have it");
      }
      continue;
    }
    has_volume = true;
    weighs = weighs || shape.density.value_or(0) > 0;
    if (shape.density && body.mass) {
      shape_field.fail_at("density", fmt::format("the body's mass is written {}: keep one of the two",
                                                 mass_field(field).location_text()));
    }
    if (!shape.density && !body.mass && !fixed) {
      shape_field.fail_at("density",
                          "missing: without the body's 'mass' each of its shapes needs one (0 for a shape "
                          "that weighs nothing)");
    }
  }
  if (!body.mass && body.inertia) field.fail_at("inertia", "means nothing without 'mass'");
  if (!body.inertia && field.has("center_of_mass")) {
    field.fail_at("center_of_mass", "means nothing without 'mass' and 'inertia': the shapes say where it is");
  }
  if (fixed) return;
  if (body.mass && !body.inertia && !has_volume) {
    field.fail_at("inertia", "missing: the body has no shape to take it from");
  }
  if (!body.mass && !weighs) {
    field.fail_at("mass",
                  "missing: a body that moves needs 'mass' and 'inertia', or shapes with 'density' > 0, or "
                  "'mass_from' (or weld it: joint: {type: weld})");
  }
}

}  // namespace

std::string read_body_name(const Field& field, const BodyIndex& bodies) {
  const std::string name = field.word("a body's name");
  if (name == kWorld || bodies.contains(name)) return name;
  std::vector<std::string_view> names{kWorld};
  for (const auto& [known, index] : bodies) names.push_back(known);
  field.fail(fmt::format("no body is called '{}'{}", name, hint(name, names, "there are")));
}

BodyIndex read_bodies(const Field& field, Scene& scene) {
  const std::vector<std::pair<std::string, Field>> entries = field.named_entries("bodies");
  BodyIndex index;
  for (const auto& [name, body] : entries) {
    if (name == kWorld) field.fail_at(name, "the name of the fixed frame: call the body something else");
    index.emplace(name, index.size());
  }
  for (const auto& [name, body] : entries) scene.bodies.push_back(read_body(name, body, scene, index));
  const std::vector<bool> fixed = find_fixed(entries, scene, index);
  for (std::size_t i = 0; i < entries.size(); ++i) check_mass(entries[i].second, scene.bodies[i], fixed[i]);
  return index;
}

}  // namespace pawl::internal
