#include <pawl/poses/drop_scene.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/collision/mesh/mesh.h>
#include <pawl/collision/mesh/mesh_file.h>
#include <pawl/error.h>
#include <pawl/model/mass_properties.h>

namespace pawl::internal {
namespace {

constexpr double kGravity = 9.81;

std::string list_text(const Vec3& v) {
  return fmt::format("[{}, {}, {}]", v.x, v.y, v.z);
}

const SceneBody& choose_body(const Scene& scene, const std::string& name) {
  const SceneBody* chosen = nullptr;
  std::string names;
  for (const SceneBody& body : scene.bodies) {
    if (body.joint.kind == JointKind::weld) continue;
    names += (names.empty() ? "" : ", ") + body.name;
    if (!name.empty() && body.name != name) continue;
    if (chosen != nullptr)
      throw SceneError(scene.file, {}, "bodies",
                       fmt::format("which of the bodies? Give --body, one of {}", names));
    chosen = &body;
  }
  if (chosen == nullptr)
    throw SceneError(scene.file, {}, "bodies",
                     name.empty()
                         ? "no body moves"
                         : fmt::format("no body that moves is called '{}': there are {}", name, names));
  return *chosen;
}

void add_corners(const Scene& scene, const SceneBody& body, const SceneShape& shape,
                 std::vector<Vec3>& points) {
  std::vector<Vec3> corners = shape.points;
  if (shape.kind == ShapeKind::box) {
    for (int i = 0; i < 8; ++i)
      corners.push_back(Vec3{(i & 1) == 0 ? -shape.size.x : shape.size.x,
                             (i & 2) == 0 ? -shape.size.y : shape.size.y,
                             (i & 4) == 0 ? -shape.size.z : shape.size.z} /
                        2);
  } else if (shape.kind != ShapeKind::hull) {
    throw SceneError(
        scene.file, shape.location, fmt::format("bodies.{}.shapes", body.name),
        fmt::format("a {} has no flat faces to rest on: boxes and hulls have", to_string(shape.kind)));
  }
  if (shape.rounding_radius > 0)
    throw SceneError(scene.file, shape.location, fmt::format("bodies.{}.shapes", body.name),
                     "a shape with rounded edges has no corners: leave out its margin");
  const Mat3 R = to_matrix(shape.orientation);
  for (const Vec3& corner : corners) points.push_back(R * corner + shape.position);
}

}  // namespace

Part load_part(const std::string& path, double scale, double density) {
  const TriangleMesh mesh = load_mesh(path, scale);
  check_solid(mesh);
  Part part{path, mesh.vertices, mesh_mass_properties(mesh)};
  part.body.mass *= density;
  part.body.inertia = density * part.body.inertia;
  return part;
}

Part part_of_scene(const Scene& scene, const std::string& name) {
  if (scene.dimension == Dimension::planar)
    throw SceneError(scene.file, {}, "world.dimension", "rest poses are those of spatial worlds");
  const SceneBody& body = choose_body(scene, name);
  Part part{body.name, {}, mass_properties(body, scene.dimension)};
  for (const SceneShape& shape : body.shapes) add_corners(scene, body, shape, part.points);
  if (part.points.empty())
    throw SceneError(scene.file, body.location, fmt::format("bodies.{}.shapes", body.name),
                     "the body has no shape");
  return part;
}

std::string drop_scene(const Part& part, const RestFaces& faces, const DropOptions& options) {
  double radius = 0;
  for (const Vec3& v : faces.vertices) radius = std::max(radius, norm(v - part.body.center));
  const double time = std::sqrt(radius / kGravity);  // of a fall of half the radius
  const Mat3& I = part.body.inertia;
  std::string points, classes;
  for (const Vec3& v : faces.vertices)
    points += (points.empty() ? "" : ", ") + list_text(v - part.body.center);
  for (std::size_t f = 0; f < faces.faces.size(); ++f) {
    if (faces.faces[f].is_stable())
      classes += fmt::format("      face{}: {}\n", f, list_text(-faces.faces[f].normal));
  }
  return fmt::format(
      "pawl: 1\n"
      "name: Rest poses\n"
      "parameters:\n"
      "  turn: {{rotation: random}}\n"
      "  height: {{uniform: [{}, {}]}}\n"
      "  speed: {{uniform: [0, {}]}}\n"
      "materials:\n"
      "  table: {{friction: {}, restitution: {}}}\n"
      "bodies:\n"
      "  table:\n"
      "    joint: {{type: weld}}\n"
      "    shapes: [{{type: half-space, material: table}}]\n"
      "  part:\n"
      "    mass: {}\n"
      "    inertia: [[{}, {}, {}], [{}, {}, {}], [{}, {}, {}]]\n"
      "    position: [0, 0, height]\n"
      "    orientation: turn\n"
      "    velocity: [speed, 0, 0]\n"
      "    shapes: [{{type: hull, material: table, points: [{}]}}]\n"
      "outcomes:\n"
      "  rested: {{type: rest, speed: {}, for: {}, stop: true}}\n"
      "  face:\n"
      "    type: pose\n"
      "    body: part\n"
      "    at: rested\n"
      "    within_deg: 2\n"
      "    classes:\n{}"
      "run: {{step: {}, until: {}}}\n",
      2 * radius, 5 * radius, std::sqrt(kGravity * radius), options.friction, options.restitution,
      part.body.mass, I(0, 0), I(0, 1), I(0, 2), I(1, 0), I(1, 1), I(1, 2), I(2, 0), I(2, 1), I(2, 2), points,
      std::min(0.01, 0.03 * std::sqrt(kGravity * radius)), time, classes, time / 20, 200 * time);
}

}  // namespace pawl::internal
