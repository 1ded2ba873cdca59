// Reads the sections of a scene in order, and its smaller sections.

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include <pawl/scene_file.h>
#include <pawl/scene_file/outcome_reader.h>
#include <pawl/scene_file/parameter_reader.h>
#include <pawl/scene_file/readers.h>
#include <pawl/scene_file/text.h>

namespace pawl {

using namespace internal;

namespace {

constexpr Quantity kFriction{"a friction coefficient", "", Quantity::Range::non_negative};

const Choice<RestitutionLaw> kRestitutionLaws[] = {
    {to_string(RestitutionLaw::newton), RestitutionLaw::newton},
    {to_string(RestitutionLaw::poisson), RestitutionLaw::poisson},
    {to_string(RestitutionLaw::energetic), RestitutionLaw::energetic}};

/// A section of the scene, unless it is absent or empty.
std::optional<Field> find_section(const Field& root, std::string_view key) {
  std::optional<Field> section = root.find(key);
  if (section && section->is_null()) section.reset();
  return section;
}

void read_world(const std::optional<Field>& field, Scene& scene) {
  if (field) {
    field->expect_object("world");
    const Choice<Dimension> choices[] = {{to_string(Dimension::spatial), Dimension::spatial},
                                         {to_string(Dimension::planar), Dimension::planar}};
    if (const auto dimension = field->find("dimension")) {
      scene.dimension = dimension->choice<Dimension>("a dimension", choices);
    }
  }
  scene.gravity = scene.dimension == Dimension::planar ? Vec3{0, -9.81, 0} : Vec3{0, 0, -9.81};
  if (!field) return;
  const auto gravity = field->find_vector("gravity", {"a gravity", "m/s²"}, coordinates(scene));
  scene.gravity = gravity.value_or(scene.gravity);
}

void read_materials(const Field& field, Scene& scene) {
  for (const auto& [name, material] : field.named_entries("materials")) {
    material.expect_object("material");
    const double friction = material.require_number("friction", kFriction);
    scene.materials.push_back(
        {name, friction, material.find_number("restitution", kRestitution).value_or(0)});
  }
}

void read_pairs(const Field& field, Scene& scene) {
  const std::vector<Field> entries = field.items("pairs of materials");
  for (const Field& entry : entries) {
    entry.expect_object("pair");
    const Field between = entry.require("between", "the names of the two materials, [a, b], are needed");
    const std::vector<Field> names = between.items("two materials");
    if (names.size() != 2) between.fail("it must be a list of two materials, [a, b]");
    ScenePair pair;
    pair.location = entry.location();
    pair.first = read_material_name(names[0], scene);
    pair.second = read_material_name(names[1], scene);
    for (std::size_t i = 0; i < scene.pairs.size(); ++i) {
      const ScenePair& other = scene.pairs[i];
      if ((other.first == pair.first && other.second == pair.second) ||
          (other.first == pair.second && other.second == pair.first)) {
        between.fail(fmt::format("{} and {} are paired twice, first {}: keep one of the two", pair.first,
                                 pair.second, entries[i].find("between")->location_text()));
      }
    }
    if (!entry.has("friction") && !entry.has("restitution") && !entry.has("restitution_law") &&
        !entry.has("friction_set")) {
      entry.fail_at("friction",
                    "missing: a pair must change 'friction', 'friction_set', 'restitution', "
                    "'restitution_law' or several of them");
    }
    // Values that the pair does not give are the defaults of its two materials.
    const ContactValues plain = contact_values(scene, pair.first, pair.second);
    pair.friction = entry.find_number("friction", kFriction).value_or(plain.friction);
    pair.restitution = entry.find_number("restitution", kRestitution).value_or(plain.restitution);
    if (const auto law = entry.find("restitution_law")) {
      pair.restitution_law = law->choice<RestitutionLaw>("a law of restitution", kRestitutionLaws);
    }
    const auto set = entry.find("friction_set");
    pair.friction_set = set ? read_friction_set(*set, scene, pair) : plain.friction_set;
    scene.pairs.push_back(pair);
  }
}

}  // namespace

Scene parse_scene(std::string_view text, const std::string& file, const std::vector<std::string>& overrides) {
  check_text(text, file);
  Document document;
  document.sources.push_back(file);
  document.root = parse_yaml(document, text, 0, "");
  const DeclaredUnits units = declared_units(document.root);
  for (const std::string& each : overrides) apply_override(document, each);

  const Field root(document);
  if (root.is_null()) root.fail("the file is empty: a scene begins with 'pawl: 1'");
  root.expect_object("scene");
  root.require("pawl", "a scene begins with 'pawl: 1', the version of its format")
      .integer("a version of the scene format known here", 1, 1);

  Scene scene;
  scene.file = file;
  scene.text = text;
  scene.overrides = overrides;
  scene.name = std::filesystem::path(file).stem().string();
  if (const auto name = root.find("name")) scene.name = name->word("a name");
  if (const auto description = root.find("description"))
    scene.description = description->word("a description");
  if (const auto parameters = find_section(root, "parameters"))
    document.parameters = read_parameters(*parameters, units, scene);
  read_world(find_section(root, "world"), scene);
  if (const auto materials = find_section(root, "materials")) read_materials(*materials, scene);
  if (const auto pairs = find_section(root, "pairs")) read_pairs(*pairs, scene);
  BodyIndex bodies;
  if (const auto section = find_section(root, "bodies")) bodies = read_bodies(*section, scene);
  if (const auto joints = find_section(root, "joints")) read_constraint_joints(*joints, bodies, scene);
  if (const auto pairs = find_section(root, "no_collision")) {
    scene.no_collision = read_body_pairs(*pairs, bodies);
  }
  if (const auto pairs = find_section(root, "collision")) {
    scene.collision = read_body_pairs(*pairs, bodies);
  }
  if (const auto forces = find_section(root, "forces")) read_forces(*forces, bodies, scene);
  if (const auto outcomes = find_section(root, "outcomes")) read_outcomes(*outcomes, bodies, scene);
  if (const auto run = find_section(root, "run")) read_run(*run, scene.run);
  return scene;
}

Scene load_scene(const std::string& path, const std::vector<std::string>& overrides) {
  return parse_scene(read_text_file(path), path, overrides);
}

}  // namespace pawl
