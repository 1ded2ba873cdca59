#include <pawl/poses/rest_faces.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include <pawl/base/disjoint_sets.h>
#include <pawl/error.h>
#include <pawl/scene_file.h>

namespace pawl::internal {
namespace {

constexpr double kCoplanar = 1e-4;   // rad
constexpr double kSymmetric = 1e-4;  // relative to the size of the part
constexpr std::size_t kMaxSymmetryVertices = 2000;

Vec3 area_vector(const std::vector<Vec3>& corners) {
  Vec3 sum;
  for (std::size_t i = 2; i < corners.size(); ++i)
    sum += cross(corners[i - 1] - corners[0], corners[i] - corners[0]);
  return sum;
}

/// Merges nearly coplanar neighbours. Each face is a loop of indices.
std::vector<std::vector<int>> merged_faces(std::span<const Vec3> points,
                                           const std::vector<std::vector<int>>& facets) {
  std::vector<Vec3> normals;
  std::map<std::pair<int, int>, int> facet_of;  // of a directed edge
  for (std::size_t f = 0; f < facets.size(); ++f) {
    std::vector<Vec3> corners;
    for (const int i : facets[f]) corners.push_back(points[i]);
    normals.push_back(normalized(area_vector(corners)));
    for (std::size_t i = 0; i < facets[f].size(); ++i)
      facet_of[{facets[f][i], facets[f][(i + 1) % facets[f].size()]}] = static_cast<int>(f);
  }
  std::vector<int> group(facets.size());
  std::iota(group.begin(), group.end(), 0);
  for (const auto& [edge, f] : facet_of) {
    const auto other = facet_of.find({edge.second, edge.first});
    if (other == facet_of.end()) continue;
    if (norm(cross(normals[f], normals[other->second])) < kCoplanar &&
        dot(normals[f], normals[other->second]) > 0)
      unite(group, f, other->second);
  }
  std::map<int, std::map<int, int>> next;  // of a group: its outer edges, from each corner to the next
  for (const auto& [edge, f] : facet_of) {
    const auto other = facet_of.find({edge.second, edge.first});
    if (other == facet_of.end() || find_root(group, other->second) != find_root(group, f))
      next[find_root(group, f)][edge.first] = edge.second;
  }
  std::vector<std::vector<int>> faces;
  for (const auto& [name, edges] : next) {
    std::vector<int>& loop = faces.emplace_back();
    int at = edges.begin()->first;
    do {
      loop.push_back(at);
      at = edges.at(at);
    } while (at != loop.front() && loop.size() <= edges.size());
  }
  return faces;
}

/// Of a triangle seen from the origin [VanOosteromStrackee1983].
double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = norm(a), lb = norm(b), lc = norm(c);
  const double above = dot(a, cross(b, c));
  const double below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  return 2 * std::atan2(above, below);
}

/// Corners relative to the centre of mass.
void measure(RestFace& face) {
  const std::vector<Vec3>& corners = face.corners;
  face.normal = normalized(area_vector(corners));
  Vec3 middle;
  for (const Vec3& corner : corners) middle += corner / static_cast<double>(corners.size());
  face.height = dot(face.normal, middle);
  const Vec3 foot = face.height * face.normal;
  face.margin = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 edge = corners[(i + 1) % corners.size()] - corners[i];
    const double inside = dot(cross(face.normal, edge), foot - corners[i]) / norm(edge);
    if (inside >= face.margin) continue;
    face.margin = inside;
    face.edge = static_cast<int>(i);
  }
  for (std::size_t i = 2; i < corners.size(); ++i)
    face.solid_angle += solid_angle(corners[0], corners[i - 1], corners[i]) / (4 * std::numbers::pi);
}

/// Maps one right-handed frame to another.
Mat3 rotation_between(const Vec3& n, const Vec3& t, const Vec3& to_n, const Vec3& to_t) {
  const Vec3 from[3] = {n, t, cross(n, t)}, to[3] = {to_n, to_t, cross(to_n, to_t)};
  Mat3 R;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      R(i, j) = 0;
      for (int k = 0; k < 3; ++k) R(i, j) += (&to[k].x)[i] * (&from[k].x)[j];
    }
  }
  return R;
}

class Symmetries {
 public:
  Symmetries(const std::vector<Vec3>& vertices, const Mat3& inertia)
      : vertices_(vertices), inertia_(inertia) {
    for (const Vec3& v : vertices_) size_ = std::max(size_, norm(v));
    std::ranges::sort(vertices_, {}, [](const Vec3& v) { return norm(v); });
  }

  /// True if a rotation about the centre of mass maps the part to itself and face a to face b.
  bool map(const RestFace& a, const RestFace& b) const {
    const double tolerance = kSymmetric * size_;
    if (a.corners.size() != b.corners.size() || std::abs(a.height - b.height) > tolerance ||
        std::abs(a.margin - b.margin) > tolerance)
      return false;
    const Vec3 foot_a = a.height * a.normal, foot_b = b.height * b.normal;
    const auto far = std::ranges::max_element(a.corners, {}, [&](const Vec3& c) { return norm(c - foot_a); });
    const Vec3 arm = *far - foot_a;
    for (const Vec3& corner : b.corners) {
      const Vec3 other = corner - foot_b;
      if (std::abs(norm(other) - norm(arm)) > tolerance) continue;
      const auto across = [](const Vec3& x, const Vec3& n) { return normalized(x - dot(x, n) * n); };
      if (is_symmetry(rotation_between(a.normal, across(arm, a.normal), b.normal, across(other, b.normal))))
        return true;
    }
    return false;
  }

 private:
  bool is_symmetry(const Mat3& R) const {
    const Mat3 turned = R * inertia_ * transpose(R);
    double largest = 0;
    for (int i = 0; i < 3; ++i) largest = std::max(largest, std::abs(inertia_(i, i)));
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (std::abs(turned(i, j) - inertia_(i, j)) > 10 * kSymmetric * largest) return false;
      }
    }
    return std::ranges::all_of(vertices_, [&](const Vec3& v) { return is_vertex(R * v, norm(v)); });
  }

  /// Only vertices at the same distance are compared.
  bool is_vertex(const Vec3& point, double distance) const {
    const double tolerance = kSymmetric * size_;
    auto at =
        std::ranges::lower_bound(vertices_, distance - tolerance, {}, [](const Vec3& v) { return norm(v); });
    for (; at != vertices_.end() && norm(*at) <= distance + tolerance; ++at) {
      if (norm(*at - point) <= tolerance) return true;
    }
    return false;
  }

  std::vector<Vec3> vertices_;
  Mat3 inertia_;
  double size_ = 0;
};

}  // namespace

double RestFace::tilt() const {
  return std::atan2(margin, height);
}

RestFaces find_rest_faces(std::span<const Vec3> points, const MassProperties& body) {
  const std::vector<std::vector<int>> loops = merged_faces(points, convex_hull_faces(points));
  RestFaces result;
  std::map<std::pair<int, int>, int> face_of;
  std::map<int, Vec3> vertices;
  for (std::size_t f = 0; f < loops.size(); ++f) {
    RestFace& face = result.faces.emplace_back();
    for (std::size_t i = 0; i < loops[f].size(); ++i) {
      const int from = loops[f][i];
      face.corners.push_back(points[from] - body.center);
      face_of[{from, loops[f][(i + 1) % loops[f].size()]}] = static_cast<int>(f);
      vertices.emplace(from, points[from]);
    }
    measure(face);
    if (!(face.height > 0))
      throw Error(
          "the centre of mass is not inside the hull: the part is not solid, or its faces point inwards");
  }
  for (const auto& [index, vertex] : vertices) result.vertices.push_back(vertex);
  std::vector<std::size_t> beyond;  // the nearest edge of each face
  for (std::size_t f = 0; f < loops.size(); ++f) {
    const auto edge = static_cast<std::size_t>(result.faces[f].edge);
    const auto other = face_of.find({loops[f][(edge + 1) % loops[f].size()], loops[f][edge]});
    beyond.push_back(other == face_of.end() ? f : static_cast<std::size_t>(other->second));
  }
  for (std::size_t f = 0; f < loops.size(); ++f) {
    // Each roll lowers the centre of mass.
    std::size_t at = f;
    for (std::size_t rolls = 0; !result.faces[at].is_stable() && rolls < loops.size(); ++rolls)
      at = beyond[at];
    result.faces[at].captured += result.faces[f].solid_angle;
  }
  std::vector<Vec3> relative = result.vertices;
  for (Vec3& v : relative) v -= body.center;
  const Symmetries symmetries(relative, body.inertia);
  std::ranges::stable_sort(result.faces, std::ranges::greater(), &RestFace::captured);
  std::vector<std::size_t> first;  // face of each pose
  for (std::size_t f = 0; f < result.faces.size(); ++f) {
    RestFace& face = result.faces[f];
    face.pose = -1;
    if (!face.is_stable()) continue;
    for (std::size_t p = 0; p < first.size() && face.pose < 0 && relative.size() <= kMaxSymmetryVertices;
         ++p) {
      if (symmetries.map(result.faces[first[p]], face)) face.pose = static_cast<int>(p);
    }
    if (face.pose >= 0) continue;
    face.pose = static_cast<int>(first.size());
    first.push_back(f);
  }
  result.poses = static_cast<int>(first.size());
  for (RestFace& face : result.faces) {
    for (Vec3& corner : face.corners) corner += body.center;
  }
  return result;
}

}  // namespace pawl::internal
