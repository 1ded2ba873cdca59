#include <pawl/view/shape_json.h>

#include <pawl/collision/mesh/surface.h>
#include <pawl/collision/shapes/polytope.h>

namespace pawl::internal {
namespace {

std::string_view kind_name(ShapeKind kind) {
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
  if (shape.kind == ShapeKind::hull) {
    const Polytope& polytope = *compiled.solid.polytope;
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
