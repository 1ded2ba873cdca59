#include <pawl/urdf/collision_shapes.h>

#include <fmt/format.h>

#include <pawl/collision/mesh/mesh_file.h>
#include <pawl/urdf/link_tree.h>

namespace pawl::internal {
namespace {

double size_of(const Element& element, std::string_view attribute) {
  if (!element.has(attribute)) element.fail(attribute, "missing (m)");
  const double size = element.number(attribute, 0);
  if (!(size > 0)) element.fail(attribute, fmt::format("{} is not a size: it must be > 0 (m)", size));
  return size;
}

}  // namespace

const HullPoints& CollisionShapes::mesh(const XmlElement& xml) {
  const Element element(xml);
  if (!element.has("filename")) element.fail("filename", "missing: the path of a mesh is needed");
  const Vec3 scale = element.vector("scale", {1, 1, 1});
  if (scale.x == 0 || scale.y == 0 || scale.z == 0) element.fail("scale", "a factor of 0 makes it flat");
  const std::string path = packages_.find(xml, "filename", element.text("filename"));
  const auto [place, is_new] = meshes_.try_emplace({path, scale.x, scale.y, scale.z});
  if (!is_new) return place->second;
  try {
    std::vector<Vec3> points = load_points(path);
    for (Vec3& point : points) point = {scale.x * point.x, scale.y * point.y, scale.z * point.z};
    place->second = hull_of(points);
  } catch (const Error& error) {
    element.fail("filename", error.what());
  }
  return place->second;
}

std::optional<SceneShape> CollisionShapes::read(const XmlElement& collision) {
  const XmlElement* geometry = only_child(collision, "geometry");
  if (geometry == nullptr || geometry->children.empty()) {
    fail(collision, "",
         "<geometry> is missing in it, or empty: box, cylinder, sphere, capsule or mesh is needed");
  }
  if (geometry->children.size() > 1)
    fail(geometry->children[1], "", "<geometry> has two shapes: it must be one");
  const XmlElement& xml = geometry->children[0];
  const Element element(xml);
  SceneShape shape;
  shape.location = {collision.line, 0};
  if (xml.name == "box") {
    shape.kind = ShapeKind::box;
    shape.size = element.vector("size");
    if (!(std::min({shape.size.x, shape.size.y, shape.size.z}) > 0)) {
      element.fail("size", "it must be three lengths > 0 (m)");
    }
  } else if (xml.name == "sphere") {
    shape.kind = ShapeKind::sphere;
    shape.radius = size_of(element, "radius");
  } else if (xml.name == "cylinder" || xml.name == "capsule") {
    shape.kind = xml.name == "cylinder" ? ShapeKind::cylinder : ShapeKind::capsule;
    shape.radius = size_of(element, "radius");
    (xml.name == "cylinder" ? shape.height : shape.length) = size_of(element, "length");
  } else if (xml.name == "mesh") {
    const HullPoints& hull = mesh(xml);
    shape.kind = ShapeKind::hull;
    shape.points = hull.points;
    shape.faces = hull.faces;
    context_.remark(RobotVerdict::approximated, xml, "filename", "its convex hull");
  } else {
    context_.remark(RobotVerdict::ignored, xml, "", "no contact with it");
    return std::nullopt;
  }
  const Frame X = read_origin(collision);
  shape.position = X.p;
  shape.orientation = X.q;
  return shape;
}

}  // namespace pawl::internal
