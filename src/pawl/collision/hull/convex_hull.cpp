#include <pawl/collision/hull/convex_hull.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>
#include <pawl/error.h>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace pawl::internal {
namespace {

using Loop = std::vector<int>;

/// Points relative to the centre of their AABB, divided by its largest half extent. This makes the hull
/// independent of size and origin.
struct Normalized {
  std::vector<Vec3> points;  // within [-1, 1]³
  double extent = 0;         // m
  double rounding = 0;       // error bound of a point-plane distance, from the rounding of the input
};

Normalized normalize(std::span<const Vec3> points) {
  Vec3 low = points[0], high = points[0];
  double largest = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points[i])) throw Error(fmt::format("hull: point {} is not finite", i));
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], points[i][k]);
      high[k] = std::max(high[k], points[i][k]);
      largest = std::max(largest, std::abs(points[i][k]));
    }
  }
  const Vec3 half = 0.5 * high - 0.5 * low;
  const double extent = std::max({half.x, half.y, half.z});
  if (!(extent > 0)) throw Error("hull: all points coincide");
  const Vec3 middle = low + half;
  Normalized result;
  result.extent = extent;
  result.points.reserve(points.size());
  for (const Vec3& p : points) result.points.push_back((p - middle) / extent);
  // The distance n · x - d sums three products of factors ≤ √3, and x carries the rounding of the input.
  result.rounding = 6 * kEpsilon * (1 + largest / extent);
  return result;
}

template <class Measure>
std::pair<std::size_t, double> farthest(const std::vector<Vec3>& points, Measure measure) {
  std::pair<std::size_t, double> best{0, -1};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const double m = measure(points[i]); m > best.second) best = {i, m};
  }
  return best;
}

/// Throws Error if the points span no area (planar) or no volume. The normals of thinner hulls would be
/// dominated by rounding.
void check_not_degenerate(const Normalized& normal, bool planar) {
  const auto& p = normal.points;
  const double thin = 64 * normal.rounding;
  const Vec3 a = p[farthest(p, [&](const Vec3& x) { return norm(x - p[0]); }).first];
  const Vec3 b = p[farthest(p, [&](const Vec3& x) { return norm(x - a); }).first];
  if (norm(b - a) <= thin) throw Error("hull: all points coincide, to rounding");
  const Vec3 along = normalized(b - a);
  const auto [third, width] = farthest(p, [&](const Vec3& x) { return norm(cross(along, x - a)); });
  if (width <= thin) throw Error("hull: all points lie on one line");
  if (planar) return;
  const Vec3 across = normalized(cross(along, p[third] - a));
  const double thickness = farthest(p, [&](const Vec3& x) { return std::abs(dot(across, x - a)); }).second;
  if (thickness <= thin) throw Error("hull: all points lie in one plane");
}

/// One run of reentrant Qhull; its messages are written to memory.
class Qhull {
 public:
  Qhull(std::vector<Vec3>& points, double rounding) {
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    FILE* const messages = open_memstream(&text_, &text_size_);
    if (!messages) throw std::bad_alloc();
    qh_zero(&qh_, messages);
    // E: the rounding of distances. Qhull merges facets that are not clearly convex.
    std::string options = fmt::format("qhull E{:.17g}", rounding);
    failed_ = qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), &points[0].x, False, options.data(),
                           nullptr, messages) != 0;
    std::fclose(messages);
  }
  ~Qhull() {
    int blocks_left = 0, bytes_left = 0;
    qh_freeqhull(&qh_, !qh_ALL);  // frees the large blocks; the next call frees the small ones
    qh_memfreeshort(&qh_, &blocks_left, &bytes_left);
    std::free(text_);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;

  /// The first line of Qhull's error message; empty on success.
  std::string failure() const {
    const std::string_view text(text_, text_size_);
    return failed_ ? std::string(text.substr(0, text.find('\n'))) : "";
  }

  struct Facet {
    std::vector<std::pair<int, int>> sides;  // pairs of point indices, unordered
    Vec3 normal;                             // outward, approximate
  };
  std::vector<Facet> facets() {
    std::vector<Facet> all;
    for (facetT* facet = qh_.facet_list; facet && facet->next; facet = facet->next) {
      const double* n = facet->normal;
      all.push_back(
          {facet->simplicial ? sides_of_triangle(facet) : sides_of_merged(facet), {n[0], n[1], n[2]}});
    }
    return all;
  }

 private:
  int index_of(vertexT* vertex) { return qh_pointid(&qh_, vertex->point); }

  std::vector<std::pair<int, int>> sides_of_triangle(facetT* facet) {
    std::vector<int> corners;
    vertexT *vertex, **vertexp;
    FOREACHvertex_(facet->vertices) corners.push_back(index_of(vertex));
    return {{corners[0], corners[1]}, {corners[1], corners[2]}, {corners[2], corners[0]}};
  }

  std::vector<std::pair<int, int>> sides_of_merged(facetT* facet) {
    std::vector<std::pair<int, int>> sides;
    ridgeT *ridge, **ridgep;
    FOREACHridge_(facet->ridges) {
      sides.emplace_back(index_of(SETfirstt_(ridge->vertices, vertexT)),
                         index_of(SETsecondt_(ridge->vertices, vertexT)));
    }
    return sides;
  }

  qhT qh_{};
  char* text_ = nullptr;
  std::size_t text_size_ = 0;
  bool failed_ = false;
};

/// Joins the sides into one loop; nullopt if they do not form exactly one.
std::optional<Loop> chain(const std::vector<std::pair<int, int>>& sides) {
  std::map<int, std::vector<int>> next;
  for (const auto& [a, b] : sides) {
    next[a].push_back(b);
    next[b].push_back(a);
  }
  for (const auto& [corner, others] : next) {
    if (others.size() != 2) return std::nullopt;
  }
  Loop loop{next.begin()->first};
  for (int before = -1, at = loop[0];;) {
    const int to = next[at][0] == before ? next[at][1] : next[at][0];
    if (to == loop[0]) break;
    loop.push_back(to);
    before = at;
    at = to;
  }
  if (loop.size() != next.size() || loop.size() < 3) return std::nullopt;
  return loop;
}

/// Makes the loop counter-clockwise seen from outside.
void orient(Loop& loop, const std::vector<Vec3>& points, const Vec3& outward) {
  Vec3 area;
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
    area += cross(points[loop[i]] - points[loop[0]], points[loop[i + 1]] - points[loop[0]]);
  }
  if (dot(area, outward) < 0) std::reverse(loop.begin(), loop.end());
}

/// Removes vertices shared by fewer than three faces: they lie on an edge. Repeats, since a removal may
/// eliminate a face and leave further vertices with two.
void drop_points_on_edges(std::vector<Loop>& loops, std::size_t point_count) {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<int> faces_of(point_count, 0);
    for (const Loop& loop : loops) {
      for (const int v : loop) ++faces_of[v];
    }
    for (Loop& loop : loops) {
      changed |= std::erase_if(loop, [&](int v) { return faces_of[v] < 3; }) > 0;
    }
    changed |= std::erase_if(loops, [](const Loop& loop) { return loop.size() < 3; }) > 0;
  }
}

/// Indexes the vertices in the order of the points. Each loop starts at its lowest index; loops are sorted.
Polytope polytope_of(std::span<const Vec3> points, std::vector<Loop> loops) {
  std::vector<int> corner_of(points.size(), -1);
  for (const Loop& loop : loops) {
    for (const int v : loop) corner_of[v] = 0;
  }
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (corner_of[i] < 0) continue;
    corner_of[i] = static_cast<int>(corners.size());
    corners.push_back(points[i]);
  }
  for (Loop& loop : loops) {
    for (int& v : loop) v = corner_of[v];
    std::rotate(loop.begin(), std::ranges::min_element(loop), loop.end());
  }
  std::ranges::sort(loops);
  return make_polytope(std::move(corners), loops);
}

/// True if every edge has two faces and V + F = E + 2 (Euler).
bool is_closed(const Polytope& polytope) {
  for (const Polytope::Edge& edge : polytope.edges) {
    if (edge.left < 0 || edge.right < 0) return false;
  }
  return polytope.vertices.size() + polytope.faces.size() == polytope.edges.size() + 2 &&
         polytope.loops.size() == 2 * polytope.edges.size();
}

/// max direction · x over the vertices, by hill climbing over neighbours. Each vertex has one rounded height
/// and the height strictly increases, so the climb cannot cycle.
double support_value(const Polytope& polytope, const Vec3& direction, int from) {
  double height = dot(direction, polytope.vertices[from]);
  for (int at = from;;) {
    int best = at;
    for (int i = polytope.neighbour_begin[at]; i < polytope.neighbour_begin[at + 1]; ++i) {
      const double other = dot(direction, polytope.vertices[polytope.neighbours[i]]);
      if (!(other > height)) continue;
      height = other;
      best = polytope.neighbours[i];
    }
    if (best == at) return height;
    at = best;
  }
}

/// True if each vertex lies in the planes of its own faces and below all other faces, up to `slack` (m).
bool is_convex(const Polytope& polytope, double slack) {
  for (const Polytope::Face& face : polytope.faces) {
    for (int i = face.begin; i < face.end; ++i) {
      const double off = dot(face.normal, polytope.vertices[polytope.loops[i]]) - face.offset;
      if (!(std::abs(off) <= slack)) return false;
    }
    if (!(support_value(polytope, face.normal, polytope.loops[face.begin]) - face.offset <= slack))
      return false;
  }
  return true;
}

/// The hull at a given rounding tolerance for merging facets. On failure returns nullopt and sets `reason`.
std::optional<Polytope> hull_at(std::span<const Vec3> points, Normalized& normal, double rounding,
                                std::string& reason) {
  std::vector<Loop> loops;
  Qhull qhull(normal.points, rounding);
  reason = qhull.failure();
  if (!reason.empty()) return std::nullopt;
  reason = "points lie closer together than their digits can tell apart";
  for (const Qhull::Facet& facet : qhull.facets()) {
    std::optional<Loop> loop = chain(facet.sides);
    if (!loop) return std::nullopt;
    orient(*loop, normal.points, facet.normal);
    loops.push_back(std::move(*loop));
  }
  drop_points_on_edges(loops, points.size());
  if (loops.size() < 4) return std::nullopt;
  Polytope hull = polytope_of(points, std::move(loops));
  if (!is_closed(hull) || !is_convex(hull, 4 * rounding * normal.extent)) return std::nullopt;
  return hull;
}

}  // namespace

Polytope convex_hull(std::span<const Vec3> points) {
  if (points.size() < 4) throw Error(fmt::format("hull: needs at least 4 points, not {}", points.size()));
  if (points.size() > std::numeric_limits<int>::max() / 16) throw Error("hull: too many points");
  Normalized normal = normalize(points);
  check_not_degenerate(normal, false);
  // The normal of a face of size s is accurate to rounding/s, so a small face may cut off a distant vertex.
  // A coarser tolerance merges such crowded points. The loop takes the finest that gives a convex hull.
  constexpr double kCoarsest = tolerances::kMergeTie;
  if (normal.rounding >= kCoarsest) {
    throw Error(fmt::format(
        "hull: it is {:.3g} m large and {:.3g} m away from the origin, too far for the digits of its points "
        "to "
        "tell its faces: write them about a point near by, and that point as the shape's position",
        2 * normal.extent, (normal.rounding / (6 * kEpsilon) - 1) * normal.extent));
  }
  std::string reason;
  for (double rounding = normal.rounding; rounding < kCoarsest; rounding *= 4) {
    if (std::optional<Polytope> hull = hull_at(points, normal, rounding, reason)) return *std::move(hull);
  }
  throw Error(fmt::format("hull: the points have none that can be computed ({})", reason));
}

Polytope polygon_hull(std::span<const Vec3> points) {
  if (points.size() < 3) throw Error(fmt::format("hull: needs at least 3 points, not {}", points.size()));
  const Normalized normal = normalize(points);
  if (std::ranges::any_of(points, [](const Vec3& p) { return p.z != 0; })) {
    throw Error("hull: the points of a polygon must have z = 0");
  }
  check_not_degenerate(normal, true);
  const auto& p = normal.points;
  std::vector<int> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::ranges::stable_sort(
      order, [&](int a, int b) { return std::pair(p[a].x, p[a].y) < std::pair(p[b].x, p[b].y); });
  // Andrew's monotone chain: forwards along the lower side, backwards along the upper side.
  const auto turns_left = [&](int a, int b, int c) { return cross(p[b] - p[a], p[c] - p[a]).z > 0; };
  Loop corners;
  const auto extend = [&](int next, std::size_t min_size) {
    while (corners.size() >= min_size && !turns_left(corners[corners.size() - 2], corners.back(), next))
      corners.pop_back();
    corners.push_back(next);
  };
  for (const int i : order) extend(i, 2);
  const std::size_t lower = corners.size();
  for (auto i = order.rbegin() + 1; i != order.rend(); ++i) extend(*i, lower + 1);
  corners.pop_back();  // repeats the first vertex
  // Keeps a vertex if its distance from the line through its neighbours exceeds rounding. The chain itself
  // cannot apply this test: along a nearly vertical side, rounding makes it go up and down.
  const auto stands_out = [&](std::size_t i) {
    const Vec3 &before = p[corners[(i + corners.size() - 1) % corners.size()]],
               &after = p[corners[(i + 1) % corners.size()]];
    return cross(p[corners[i]] - before, after - before).z > normal.rounding * norm(after - before);
  };
  for (std::size_t i = 0; i < corners.size() && corners.size() > 3;) {
    if (stands_out(i)) {
      ++i;
    } else {
      corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(i));
      i = i > 0 ? i - 1 : 0;  // the previous vertex has a new neighbour
    }
  }
  std::rotate(corners.begin(), std::ranges::min_element(corners), corners.end());
  std::vector<Vec3> polygon;
  for (const int i : corners) polygon.push_back(points[i]);
  return make_polygon(polygon);
}

}  // namespace pawl::internal
