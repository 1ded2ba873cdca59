// Convex hulls, and convex polygons of planar worlds: the core is a polytope.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <pawl/collision/shapes/aabb.h>
#include <pawl/collision/shapes/contact_feature.h>
#include <pawl/collision/shapes/core_ops.h>
#include <pawl/collision/shapes/polytope_mass_properties.h>
#include <pawl/collision/shapes/polytope_patch.h>

namespace pawl {

using namespace internal;

Convex Convex::hull(std::vector<Vec3> vertices, const std::vector<std::vector<int>>& faces,
                    double rounding_radius) {
  return hull(make_polytope(std::move(vertices), faces), rounding_radius);
}

Convex Convex::hull(Polytope polytope, double rounding_radius, bool planar) {
  return {
      CoreKind::polytope, planar, rounding_radius, {}, std::make_shared<const Polytope>(std::move(polytope))};
}

}  // namespace pawl

namespace pawl::internal {

namespace {

Support farthest(const Convex& shape, const Vec3& d, int start) {
  const int vertex = farthest_vertex(*shape.polytope, d, start);
  return {shape.polytope->vertices[vertex], vertex};
}

double bounding_radius_of(const Convex& shape) {
  double farthest = 0;
  for (const Vec3& vertex : shape.polytope->vertices) farthest = std::max(farthest, norm(vertex));
  return farthest;
}

double inscribed_radius_at(const Convex& shape, const Vec3& x) {
  double distance = std::numeric_limits<double>::infinity();
  for (const Polytope::Face& face : shape.polytope->faces) {
    distance = std::min(distance, face.offset - dot(face.normal, x));
  }
  return shape.polytope->faces.empty() ? -1 : distance;
}

Aabb aabb(const Convex& shape, const Mat3& R) {
  const Vec3 first = R * shape.polytope->vertices[0];
  Aabb box{first, first};
  for (const Vec3& vertex : shape.polytope->vertices) {
    const Vec3 x = R * vertex;
    box = merge(box, {x, x});
  }
  return box;
}

MassProperties mass_properties_of(const Convex& shape) {
  return polytope_mass_properties(*shape.polytope, shape.rounding_radius, shape.planar);
}

CoreFeature exposed(const Convex& shape, const Vec3& outward, const Vec3&) {
  const Polytope& polytope = *shape.polytope;
  const int top = farthest_vertex(polytope, outward);
  int ways = 0;
  Vec3 along;
  for (int i = polytope.neighbour_begin[top]; i < polytope.neighbour_begin[top + 1]; ++i) {
    const Vec3 edge = polytope.vertices[polytope.neighbours[i]] - polytope.vertices[top];
    const double length = norm(edge);
    if (std::abs(dot(edge, outward)) > kTilt * length) continue;
    ++ways;
    along = edge / length;
  }
  return CoreFeature::flat(ways, along);
}

std::optional<FlatFace> highest_face(const Convex& shape, const Vec3& x) {
  const Polytope& polytope = *shape.polytope;
  const Polytope::Face* best = nullptr;
  double max_height = -std::numeric_limits<double>::infinity();
  for (const Polytope::Face& face : polytope.faces) {
    if (const double height = dot(face.normal, x) - face.offset; height > max_height)
      max_height = height, best = &face;
  }
  if (!best) return {};
  return FlatFace{best->normal, polytope.vertices[polytope.loops[best->begin]], -1, best, 0};
}

double distance_inside(const Convex& shape, const FlatFace& face, const Vec3& x) {
  double distance = std::numeric_limits<double>::infinity();
  const std::vector<int>& loops = shape.polytope->loops;
  for (int i = face.of->begin; i < face.of->end; ++i) {
    const Vec3& from = shape.polytope->vertices[loops[i]];
    const Vec3& to = shape.polytope->vertices[loops[i + 1 < face.of->end ? i + 1 : face.of->begin]];
    const Vec3 inward = cross(face.normal, to - from);
    distance = std::min(distance, dot(inward, x - from) / norm(inward));
  }
  return distance;
}

void visit_normals(const Convex& shape, const Mat3& R, double sign, VectorVisitor visit) {
  for (const Polytope::Face& face : shape.polytope->faces) visit(sign * (R * face.normal));
}

}  // namespace

extern const CoreOps kHullOps{
    .kind = CoreKind::polytope,
    .name = "polytope",
    .support = farthest,
    .support_of_piece = [](const Convex& shape, int piece,
                           const Vec3&) { return shape.polytope->vertices[piece]; },
    .core_radius = [](const Convex& shape) { return shape.polytope->outer_radius; },
    .bounding_radius = bounding_radius_of,
    .inner_radius = [](const Convex& shape) { return shape.polytope->inner_radius; },
    .inscribed_radius = inscribed_radius_at,
    .core_aabb = aabb,
    .mass_properties = mass_properties_of,
    .exposed_feature = exposed,
    .edge_direction = polytope_edge_direction,
    .facing_face = polytope_facing_face,
    .facing_patch = polytope_facing_patch,
    .face_towards = highest_face,
    .distance_inside_face = distance_inside,
    .visit_face_normals = visit_normals,
};

}  // namespace pawl::internal
