#include <pawl/mjcf/geom.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/model/mass_properties.h>

namespace pawl::internal {
namespace {

constexpr std::size_t kMaxGroups = 32;
constexpr double kDefaultDensity = 1000;  // kg/m³

const std::vector<std::string_view> kTypes{"sphere", "capsule", "cylinder", "box", "ellipsoid",
                                           "plane",  "mesh",    "hfield",   "sdf"};

double positive(const Element& element, double size) {
  if (!(size > 0)) element.fail("size", fmt::format("{} is not a size: it must be > 0 (m)", size));
  return size;
}

/// The numbers of `size`; the last one of a capsule or cylinder may come from fromto.
std::vector<double> read_size(const Element& element, std::size_t count, bool elongated) {
  const std::vector<double> ends = element.numbers("fromto", 6, 6);
  std::vector<double> size = element.numbers("size", 1, 3);
  if (!ends.empty() && elongated) {
    const double length = norm(Vec3{ends[0] - ends[3], ends[1] - ends[4], ends[2] - ends[5]});
    if (size.empty()) element.fail("size", "missing: the radius is needed (m)");
    if (count == 3) size = {size[0], size[size.size() > 1 && element.text("type") == "box" ? 1 : 0]};
    size.resize(count - 1, size[0]);
    size.push_back(0.5 * length);
  }
  if (size.size() < count) element.fail("size", fmt::format("it needs {} numbers (half lengths, m)", count));
  for (std::size_t i = 0; i < count; ++i) positive(element, size[i]);
  return size;
}

int read_dimension(const Element& element, int fallback) {
  const int dimension = element.integer("condim", fallback);
  if (dimension != 1 && dimension != 3 && dimension != 4 && dimension != 6) {
    element.fail("condim", fmt::format("{} is none of 1, 3, 4 and 6", dimension));
  }
  return dimension;
}

MassProperties moved(const MassProperties& mass, const Frame& X) {
  const Mat3 R = to_matrix(X.q);
  return {mass.mass, X * mass.center, R * mass.inertia * transpose(R)};
}

}  // namespace

GeomReader::GeomReader(MjcfContext& context) : context_(context), meshes_(context) {
  for (const XmlElement& section : context.root.children) {
    if (section.name != "contact") continue;
    for (const XmlElement& xml : section.children) {
      if (xml.name != "pair") continue;
      const std::string* class_name = xml.find("class");
      const Element element(
          xml,
          class_name == nullptr ? context.defaults.main() : context.defaults.find(xml, "class", *class_name),
          "pair");
      const auto number = [&](std::string_view attribute) {
        const std::string name = element.text(attribute);
        if (name.empty()) element.fail(attribute, "missing: the name of a geom is needed");
        return paired_.try_emplace(name, static_cast<int>(paired_.size()) + 1).first->second;
      };
      const int first = number("geom1"), second = number("geom2");
      pairs_.push_back({element, first, second});
    }
  }
}

int GeomReader::paired(const Element& geom) const {
  const std::string* name = geom.xml().find("name");
  const auto found = name == nullptr ? paired_.end() : paired_.find(*name);
  return found == paired_.end() ? 0 : found->second;
}

const GeomReader::Pair* GeomReader::find_pair(int first, int second) const {
  if (first == 0 || second == 0) return nullptr;
  const auto found = std::ranges::find_if(pairs_, [&](const Pair& pair) {
    return std::minmax(pair.first, pair.second) == std::minmax(first, second);
  });
  return found == pairs_.end() ? nullptr : &*found;
}

/// What the pair does not say is that of its geoms.
GeomReader::Surface GeomReader::surface_of(const Pair& pair, const Surface& combined) const {
  Surface surface = combined;
  const Element& element = pair.element;
  const std::vector<double> friction = element.numbers("friction", 1, 5);
  if (!friction.empty()) surface.slide = friction[0];
  if (friction.size() > 2) surface.torsion = friction[2];
  if (friction.size() > 3) surface.roll = friction[3];
  if (std::ranges::any_of(friction, [](double value) { return value < 0; })) {
    element.fail("friction", "coefficients must not be negative");
  }
  if (friction.size() > 1 && friction[1] != friction[0]) {
    context_.remark(RobotVerdict::approximated, element.xml(), "friction", "the same in all directions");
  }
  surface.dimension = read_dimension(element, surface.dimension);
  return surface;
}

void GeomReader::check_pairs() {
  const Scene& scene = context_.scene;
  for (const Pair& pair : pairs_) {
    for (const auto& [name, number] : paired_) {
      if ((number == pair.first || number == pair.second) && !paired_bodies_.contains(number)) {
        pair.element.fail(number == pair.first ? "geom1" : "geom2",
                          fmt::format("no geom that can touch is called '{}'", name));
      }
    }
    const std::string &a = paired_bodies_.at(pair.first), &b = paired_bodies_.at(pair.second);
    const SceneBodyPair bodies = std::minmax(a, b);
    const bool adjacent =
        context_.scene_body(a).joint.parent == b || context_.scene_body(b).joint.parent == a;
    const auto holds = [&](const std::vector<SceneBodyPair>& list) {
      return std::ranges::find(list, bodies) != list.end();
    };
    if (a == b || holds(scene.no_collision) || (adjacent && !holds(scene.collision))) {
      context_.remark(RobotVerdict::ignored, pair.element.xml(), "",
                      "its bodies do not touch: they are parent and child, excluded, or one");
    }
  }
}

/// The shape in the geom's own frame; none for kinds without one here.
std::optional<SceneShape> GeomReader::shape_of(const Geom& geom) {
  const Element& element = geom.element;
  const std::string type = element.choice("type", "sphere", kTypes);
  SceneShape shape;
  shape.location = {element.xml().line, 0};
  if (type != "mesh" && element.has("mesh")) {
    element.fail("mesh", fmt::format("a {} fitted to a mesh is not read: write its size", type));
  }
  if (type == "sphere") {
    shape.kind = ShapeKind::sphere;
    shape.radius = read_size(element, 1, false)[0];
  } else if (type == "capsule" || type == "cylinder") {
    const std::vector<double> size = read_size(element, 2, true);
    shape.kind = type == "capsule" ? ShapeKind::capsule : ShapeKind::cylinder;
    shape.radius = size[0];
    (type == "capsule" ? shape.length : shape.height) = 2 * size[1];
  } else if (type == "box" || type == "ellipsoid") {
    const std::vector<double> size = read_size(element, 3, true);
    shape.kind = type == "box" ? ShapeKind::box : ShapeKind::ellipsoid;
    shape.size = (type == "box" ? 2.0 : 1.0) * Vec3{size[0], size[1], size[2]};
  } else if (type == "plane") {
    shape.kind = ShapeKind::half_space;
  } else if (type == "mesh") {
    const MeshAsset& mesh = meshes_.load(element);
    shape.kind = ShapeKind::hull;
    shape.points = mesh.points;
    shape.faces = mesh.faces;
  } else {
    return std::nullopt;
  }
  return shape;
}

MassProperties GeomReader::mass(const Geom& geom) {
  const Element& element = geom.element;
  const std::string type = element.choice("type", "sphere", kTypes);
  const std::vector<double> given = element.numbers("mass", 1, 1);
  const double density = element.number("density", kDefaultDensity);
  if ((!given.empty() && given[0] < 0) || density < 0) {
    element.fail(given.empty() ? "density" : "mass", "it must not be negative");
  }
  if (type == "plane" || type == "hfield" || type == "sdf") return {};
  if (!given.empty() ? given[0] == 0 : density == 0) return {};
  MassProperties unit;
  if (type == "mesh") {
    unit = *meshes_.load(element).volume;
  } else {
    unit = mass_properties(*shape_of(geom), 1, Dimension::spatial);
  }
  if (!(unit.mass > 0)) element.fail("", "it has no volume, and so no mass");
  const double factor = given.empty() ? density : given[0] / unit.mass;
  unit.mass *= factor;
  unit.inertia = factor * unit.inertia;
  return moved(unit, geom.X_BG);
}

void GeomReader::add_shape(const Geom& geom, const Frame& X_SB, bool moves, SceneBody& body) {
  const Element& element = geom.element;
  const std::string type = element.choice("type", "sphere", kTypes);
  if (type == "mesh") meshes_.check(element);
  const Bits bits{static_cast<unsigned>(element.integer("contype", 1)),
                  static_cast<unsigned>(element.integer("conaffinity", 1)), paired(element)};
  if (bits.type == 0 && bits.affinity == 0 && bits.paired == 0) {
    context_.remark(RobotVerdict::ignored, element.xml(), "", "only seen: contype and conaffinity are 0");
    return;
  }
  if (type == "plane" && moves) element.fail("type", "a plane is infinite: only a static body can have it");
  std::optional<SceneShape> shape = shape_of(geom);
  if (!shape) {
    context_.remark(RobotVerdict::ignored, element.xml(), "type", fmt::format("no contact with a {}", type));
    return;
  }
  if (type == "mesh") {
    context_.remark(RobotVerdict::approximated, element.xml(), "mesh", "the convex hull, as in MuJoCo");
  }
  const Frame X = X_SB * geom.X_BG;
  if (type == "plane") {  // a half-space has no pose of its own
    shape->normal = to_matrix(X.q) * Vec3{0, 0, 1};
    shape->offset = dot(shape->normal, X.p);
  } else {
    shape->position = X.p;
    shape->orientation = X.q;
  }
  shape->material = fmt::format("material{}", material(element) + 1);
  shape->group = std::uint32_t{1} << group(element, bits);
  if (bits.paired > 0) paired_bodies_[bits.paired] = body.name;
  body.shapes.push_back(std::move(*shape));
}

int GeomReader::material(const Element& element) {
  Surface surface;
  const std::vector<double> friction = element.numbers("friction", 1, 3);
  if (!friction.empty()) surface.slide = friction[0];
  if (friction.size() > 1) surface.torsion = friction[1];
  if (friction.size() > 2) surface.roll = friction[2];
  if (std::min({surface.slide, surface.torsion, surface.roll}) < 0) {
    element.fail("friction", "coefficients must not be negative");
  }
  surface.dimension = read_dimension(element, 3);
  surface.priority = element.integer("priority", 0);
  surface.paired = paired(element);
  if (surface.dimension == 6) {
    context_.remark(RobotVerdict::approximated, element.xml(), "condim", "6 as 4: no rolling friction");
  }
  const auto found = std::ranges::find(surfaces_, surface);
  if (found == surfaces_.end()) surfaces_.push_back(surface);
  return static_cast<int>(std::ranges::find(surfaces_, surface) - surfaces_.begin());
}

int GeomReader::group(const Element& element, const Bits& bits) {
  const auto found = std::ranges::find(bits_, bits);
  if (found != bits_.end()) return static_cast<int>(found - bits_.begin());
  if (bits_.size() == kMaxGroups) {
    element.fail("contype",
                 "more than 32 different combinations of contype and conaffinity, and of geoms in <pair>");
  }
  bits_.push_back(bits);
  return static_cast<int>(bits_.size()) - 1;
}

/// The rule of MuJoCo: of the geom of higher priority, else the larger value of each.
GeomReader::Surface GeomReader::combined(const Surface& a, const Surface& b) {
  if (a.priority != b.priority) return a.priority > b.priority ? a : b;
  return {std::max(a.slide, b.slide),
          std::max(a.torsion, b.torsion),
          std::max(a.roll, b.roll),
          std::max(a.dimension, b.dimension),
          a.priority,
          0};
}

void GeomReader::finish() {
  Scene& scene = context_.scene;
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    scene.add(SceneMaterial{fmt::format("material{}", i + 1), surfaces_[i].slide});
    for (std::size_t j = 0; j <= i; ++j) {
      Surface surface = combined(surfaces_[j], surfaces_[i]);
      if (const Pair* own = find_pair(surfaces_[i].paired, surfaces_[j].paired))
        surface = surface_of(*own, surface);
      ScenePair pair;
      pair.first = fmt::format("material{}", j + 1);
      pair.second = fmt::format("material{}", i + 1);
      pair.friction = surface.dimension == 1 ? 0 : surface.slide;
      if (surface.dimension >= 4 && pair.friction > 0) {
        pair.friction_set.radii[2] = surface.torsion / surface.slide;
      }
      scene.pairs.push_back(pair);
    }
  }
  const auto meet = [&](const Bits& a, const Bits& b) {
    return find_pair(a.paired, b.paired) != nullptr || (a.type & b.affinity) != 0 ||
           (b.type & a.affinity) != 0;
  };
  std::vector<std::uint32_t> masks(bits_.size());
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    for (std::size_t j = 0; j < bits_.size(); ++j) {
      if (meet(bits_[i], bits_[j])) masks[i] |= std::uint32_t{1} << j;
    }
  }
  for (SceneBody& body : scene.bodies) {
    for (SceneShape& shape : body.shapes) {
      shape.collides_with = masks[static_cast<std::size_t>(std::countr_zero(shape.group))];
    }
  }
}

}  // namespace pawl::internal
