#include <pawl/view/shape_json.h>

#include <cmath>
#include <numbers>
#include <set>
#include <tuple>

#include <pawl/base/tolerances.h>
#include <pawl/collision/hull/convex_hull.h>
#include <pawl/collision/mesh/surface.h>
#include <pawl/collision/shapes/polytope.h>
#include <pawl/collision/shapes/support.h>

namespace pawl::internal {
namespace {

/// True if the page has a geometry for the kind. It gets every other convex shape as a hull.
bool is_drawn_by_kind(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::sphere:
    case ShapeKind::capsule:
    case ShapeKind::box:
    case ShapeKind::cylinder:
    case ShapeKind::cone:
    case ShapeKind::ellipsoid:
      return true;
    default:
      return is_static_only(kind);
  }
}

std::string_view kind_name(ShapeKind kind) {
  if (!is_drawn_by_kind(kind)) return "hull";
  switch (kind) {
    case ShapeKind::half_space:
      return "half_space";
    case ShapeKind::height_field:
      return "height_field";
    default:
      return to_string(kind);
  }
}

Json flatten(const std::vector<Vec3>& points) {
  Json list = Json::array();
  for (const Vec3& p : points) {
    for (int i = 0; i < 3; ++i) list.push_back(p[i]);
  }
  return list;
}

/// Triangulates each convex face as a fan around its first corner.
Json triangulate_faces(const Polytope& polytope) {
  Json list = Json::array();
  for (const Polytope::Face& face : polytope.faces) {
    for (int i = face.begin + 1; i + 1 < face.end; ++i) {
      for (const int corner : {face.begin, i, i + 1}) list.push_back(polytope.loops[corner]);
    }
  }
  return list;
}

/// The hull of the core's support points along a grid of directions. Circles about z become polygons of 64
/// sides.
Polytope sampled_hull(const Convex& shape) {
  constexpr int kLongitudes = 64, kLatitudes = 32;
  const double grid = tolerances::kSamePoint * core_radius(shape);  // points that agree on it are one
  std::set<std::tuple<double, double, double>> known;
  std::vector<Vec3> points;
  for (int i = 0; i < kLatitudes; ++i) {
    const double latitude = std::numbers::pi * ((i + 0.5) / kLatitudes - 0.5);
    for (int j = 0; j < kLongitudes; ++j) {
      const double longitude = 2 * std::numbers::pi * j / kLongitudes;
      const Vec3 d{std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
                   std::sin(latitude)};
      const Vec3 p = support(shape, d).point;
      if (known.emplace(std::round(p.x / grid), std::round(p.y / grid), std::round(p.z / grid)).second)
        points.push_back(p);
    }
  }
  return shape.planar ? polygon_hull(points) : convex_hull(points);
}

Json pieces(const Surface& surface) {
  Json list = Json::array();
  for (const Surface::Piece& piece : surface.pieces) {
    for (const int corner : piece.corner) list.push_back(corner);
  }
  return list;
}

}  // namespace

Json shape_json(const SceneShape& shape, const Shape& compiled, const Model& model) {
  Json json;
  json["kind"] = kind_name(shape.kind);
  json["radius"] = shape.radius;
  json["length"] = shape.length;
  json["height"] = shape.height;
  json["size"] = {shape.size.x, shape.size.y, shape.size.z};
  json["margin"] = shape.rounding_radius;
  json["normal"] = {shape.normal.x, shape.normal.y, shape.normal.z};
  json["offset"] = shape.offset;
  if (!is_drawn_by_kind(shape.kind)) {
    const Convex& solid = compiled.solid;
    const Polytope polytope = solid.polytope ? *solid.polytope : sampled_hull(solid);
    json["vertices"] = flatten(polytope.vertices);
    json["triangles"] = model.planar() ? Json::array() : triangulate_faces(polytope);
  } else if (compiled.surface >= 0) {
    const Surface& surface = *model.surfaces[compiled.surface];
    json["vertices"] = flatten(surface.vertices);
    json["triangles"] = model.planar() ? Json::array() : pieces(surface);
  }
  json["position"] = {shape.position.x, shape.position.y, shape.position.z};
  json["orientation"] = {shape.orientation.w, shape.orientation.x, shape.orientation.y, shape.orientation.z};
  return json;
}

}  // namespace pawl::internal
