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

MassProperties moved(const MassProperties& mass, const Frame& X) {
  const Mat3 R = to_matrix(X.q);
  return {mass.mass, X * mass.center, R * mass.inertia * transpose(R)};
}

}  // namespace

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
                  static_cast<unsigned>(element.integer("conaffinity", 1))};
  if (bits.type == 0 && bits.affinity == 0) {
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
  surface.dimension = element.integer("condim", 3);
  surface.priority = element.integer("priority", 0);
  if (surface.dimension != 1 && surface.dimension != 3 && surface.dimension != 4 && surface.dimension != 6) {
    element.fail("condim", fmt::format("{} is none of 1, 3, 4 and 6", surface.dimension));
  }
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
    element.fail("contype", "more than 32 different pairs of contype and conaffinity");
  }
  bits_.push_back(bits);
  return static_cast<int>(bits_.size()) - 1;
}

/// The rule of MuJoCo: of the geom of higher priority, else the larger value of each.
GeomReader::Surface GeomReader::combined(const Surface& a, const Surface& b) {
  if (a.priority != b.priority) return a.priority > b.priority ? a : b;
  return {std::max(a.slide, b.slide), std::max(a.torsion, b.torsion), std::max(a.roll, b.roll),
          std::max(a.dimension, b.dimension), a.priority};
}

void GeomReader::finish() {
  Scene& scene = context_.scene;
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    scene.add(SceneMaterial{fmt::format("material{}", i + 1), surfaces_[i].slide});
    for (std::size_t j = 0; j <= i; ++j) {
      const Surface surface = combined(surfaces_[j], surfaces_[i]);
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
  const auto meet = [](const Bits& a, const Bits& b) {
    return (a.type & b.affinity) != 0 || (b.type & a.affinity) != 0;
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
