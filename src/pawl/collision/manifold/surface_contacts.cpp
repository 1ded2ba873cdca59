#include <pawl/collision/manifold/surface_contacts.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/signed_distance.h>
#include <pawl/collision/manifold/manifold_builder.h>
#include <pawl/collision/manifold/patch_clipper.h>
#include <pawl/collision/shapes/bounds.h>
#include <pawl/collision/shapes/support.h>
#include <pawl/geometry.h>

namespace pawl::internal {
namespace {

constexpr int kRimPoints = 4;  // min points of a piece, from which those on its face are dropped
constexpr double kEdgeTolerance =
    tolerances::kSamePoint;  // fraction of a size: points closer to a side than this are on it
constexpr double kSameNormal = tolerances::kSamePoint;  // in 1 - cos: directions that count as equal
constexpr std::uint32_t kRegions = 8;  // of a piece: its face 0, sides 1 … 3, corners 4 … 6

/// A piece as a flat polytope. It is reused for the next piece: same topology, other coordinates.
class PieceShape {
 public:
  explicit PieceShape(bool planar)
      : polytope_(planar ? make_segment(1, true) : make_triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0})) {
    convex_.core = CoreKind::polytope;
    convex_.planar = planar;
    // Aliases our own member: no control block, so that copies count nothing.
    convex_.polytope = std::shared_ptr<const Polytope>(std::shared_ptr<const Polytope>(), &polytope_);
  }
  PieceShape(const PieceShape&) = delete;
  PieceShape& operator=(const PieceShape&) = delete;

  const Convex& assign(const Surface& surface, int index) {
    const Surface::Piece& piece = surface.pieces[index];
    const int corners = surface.planar ? 2 : 3;
    polytope_.center = {};
    for (int k = 0; k < corners; ++k) {
      polytope_.vertices[k] = surface.vertices[piece.corner[k]];
      polytope_.center += polytope_.vertices[k] / static_cast<double>(corners);
    }
    polytope_.outer_radius = 0;
    for (const Vec3& vertex : polytope_.vertices) {
      polytope_.outer_radius = std::max(polytope_.outer_radius, norm(vertex - polytope_.center));
    }
    for (int f = 0; f < 2; ++f) {
      polytope_.faces[f].normal = f == front() ? piece.normal : -piece.normal;
      update_face_geometry(polytope_, f);
    }
    return convex_;
  }
  const Polytope& polytope() const { return polytope_; }
  int front() const { return convex_.planar ? 1 : 0; }  // the face that points out of the solid

 private:
  Polytope polytope_;
  Convex convex_;
};

struct Scratch {
  PieceShape triangle{false}, segment{true};
  Reference piece;
  Patch solid;
  PatchClipper clipper;
  std::vector<ManifoldPoint> found;  // in the frame of the surface
  std::vector<char> marked;          // [found]
  std::vector<double> lowest;        // [found] support of the solid down along the normal of the point, m
  std::vector<ManifoldPoint> overlaps;
  ManifoldBuilder chosen;
};

Scratch& scratch() {
  thread_local Scratch own;
  return own;
}

/// Region of a piece that contains a point: 0 interior, 1 + k side k, 4 + k corner k. The corners of a
/// segment are its ends.
std::uint32_t region_of(const Surface& surface, int index, const Vec3& x) {
  const Surface::Piece& piece = surface.pieces[index];
  const int corners = surface.planar ? 2 : 3;
  const auto corner = [&](int k) -> const Vec3& { return surface.vertices[piece.corner[k % corners]]; };
  double size = 0;
  for (int k = 0; k < corners; ++k) size = std::max(size, norm(corner(k + 1) - corner(k)));
  for (int k = 0; k < corners; ++k) {
    if (norm(x - corner(k)) <= kEdgeTolerance * size) return 4 + static_cast<std::uint32_t>(k);
  }
  for (int k = 0; k < corners && !surface.planar; ++k) {
    const Vec3 inward = normalized(cross(piece.normal, corner(k + 1) - corner(k)));
    if (dot(inward, x - corner(k)) <= kEdgeTolerance * size) return 1 + static_cast<std::uint32_t>(k);
  }
  return 0;
}

/// True if a contact in that region of a piece may have that normal.
bool is_allowed_normal(const Surface& surface, int index, std::uint32_t region, const Vec3& normal) {
  if (region == 0) return dot(normal, surface.pieces[index].normal) >= 1 - kSameNormal;
  const Vec3 allowed = region < 4 ? side_normal(surface, index, static_cast<int>(region) - 1, normal)
                                  : corner_normal(surface, index, static_cast<int>(region) - 4, normal);
  return dot(normal, allowed) >= 1 - kSameNormal;
}

bool is_active_edge(EdgeKind kind) {
  return kind == EdgeKind::convex || kind == EdgeKind::open;
}
bool has_active_edges(const Surface::Piece& piece, bool planar) {
  return std::any_of(piece.edge.begin(), piece.edge.begin() + (planar ? 2 : 3), is_active_edge);
}

std::uint32_t piece_name(int index, std::uint32_t region) {
  return (static_cast<std::uint32_t>(index) * kRegions + region) & 0x7fffffffu;
}

/// Collides one solid with the pieces of a surface, in the frame of the surface.
class PieceCollider {
 public:
  PieceCollider(const PosedConvex& a, const Surface& surface, double contact_margin, int limit, Scratch& work)
      : a_(a),
        surface_(surface),
        contact_margin_(contact_margin),
        max_points_(limit),
        work_(work),
        center_(a.X_WS * core_center(a.shape)),
        radius_(bounding_radius(a.shape)) {}

  void add(int index) {
    const Surface::Piece& piece = surface_.pieces[index];
    const Vec3& n = piece.normal;
    const bool in_front = is_in_front_of(piece);
    if (!in_front && !is_in_front_of_convex_neighbour(piece)) return;
    const Vec3 lowest = a_.X_WS * support(a_.shape, transpose(a_.X_WS.R) * -n).point;
    if (dot(n, lowest - surface_.vertices[piece.corner[0]]) - a_.shape.rounding_radius > contact_margin_)
      return;
    shape_ = surface_.planar ? &work_.segment : &work_.triangle;
    solid_ = &shape_->assign(surface_, index);
    if (in_front) add_face(index, lowest);
    if (touches_in_one_point(a_.shape) || has_active_edges(piece, surface_.planar)) add_rim(index);
  }

 private:
  bool is_in_front_of(const Surface::Piece& piece) const {
    return dot(piece.normal, center_ - surface_.vertices[piece.corner[0]]) >= 0;
  }
  /// True if the centre is in front of a piece across a convex side: the edge may then have contacts along
  /// all its normals.
  bool is_in_front_of_convex_neighbour(const Surface::Piece& piece) const {
    for (int k = 0; k < (surface_.planar ? 2 : 3); ++k) {
      if (piece.edge[k] == EdgeKind::convex && is_in_front_of(surface_.pieces[piece.neighbour[k]]))
        return true;
    }
    return false;
  }

  /// Contacts over the piece, along its normal.
  void add_face(int index, const Vec3& lowest) {
    const Surface::Piece& piece = surface_.pieces[index];
    const auto add_point = [&](const Vec3& core, std::uint32_t name) {
      const double height = dot(piece.normal, core - surface_.vertices[piece.corner[0]]);
      const double gap = height - a_.shape.rounding_radius;
      if (gap > contact_margin_) return;
      const Vec3 foot = core - height * piece.normal;
      work_.found.push_back({gap, piece.normal, core - a_.shape.rounding_radius * piece.normal, foot,
                             feature_pair_id(name, piece_name(index, 0))});
    };
    if (touches_in_one_point(a_.shape)) {
      const double height = dot(piece.normal, lowest - surface_.vertices[piece.corner[0]]);
      if (is_over_piece(index, lowest - height * piece.normal)) add_point(lowest, 0);
      return;
    }
    const Reference& reference = work_.piece;
    work_.piece.set_face(shape_->polytope(), {}, shape_->front());
    facing_patch(a_.shape, inverse(reference.X) * a_.X_WS, {0, 0, -1}, work_.solid);
    double least = kInfinity;
    for (const ClipPoint& clip_point : work_.clipper.clip(reference, work_.solid, edge_tolerance())) {
      const Vec3 above = reference.X * clip_point.above;
      // The point of a rim may be off the piece.
      if (work_.solid.round && !is_over_piece(index, above - clip_point.above.z * piece.normal)) continue;
      add_point(above, clip_point.id_i ^ (clip_point.id_r << 8));
      least = std::min(least, clip_point.above.z);
    }
    // The patch of a round shape may not contain the lowest point.
    const double height = dot(piece.normal, lowest - surface_.vertices[piece.corner[0]]);
    if (least > height + kGapRounding * shape_->polytope().outer_radius &&
        is_over_piece(index, lowest - height * piece.normal)) {
      add_point(lowest, kNearestId);
    }
  }

  /// Points off a piece by less than this count as over it, m.
  double edge_tolerance() const {
    return kEdgeTolerance * std::min(shape_->polytope().outer_radius, radius_);
  }

  bool is_over_piece(int index, const Vec3& foot) const {
    const Surface::Piece& piece = surface_.pieces[index];
    const int corners = surface_.planar ? 2 : 3;
    const double rim = -edge_tolerance();
    for (int k = 0; k < corners; ++k) {
      const Vec3& from = surface_.vertices[piece.corner[k]];
      const Vec3 along = surface_.vertices[piece.corner[(k + 1) % corners]] - from;
      const Vec3 inward = surface_.planar ? normalized(along) : normalized(cross(piece.normal, along));
      if (dot(inward, foot - from) < rim) return false;
    }
    return true;
  }

  /// Contacts with the sides and corners of the piece.
  void add_rim(int index) {
    Manifold set;
    collide(a_, {*solid_, {}}, contact_margin_, std::max(max_points_, kRimPoints), set);
    double least = kInfinity;
    bool escape_is_allowed = true;
    for (int i = 0; i < set.count; ++i) {
      ManifoldPoint point = set.points[i];
      const std::uint32_t region = region_of(surface_, index, point.point_b);
      const bool may = is_allowed_normal(surface_, index, region, point.normal);
      if (point.gap < least) least = point.gap, escape_is_allowed = may;
      if (region == 0 || !may) continue;
      const auto id_a = static_cast<std::uint32_t>(point.feature >> 32);
      const auto id_b = static_cast<std::uint32_t>(point.feature);
      point.feature = feature_pair_id(id_a ^ (id_b << 8), piece_name(index, region));
      work_.found.push_back(point);
    }
    if (surface_.planar || escape_is_allowed || least > kEdgeTolerance * radius_) return;
    for (int k = 0; k < 3; ++k) {
      if (is_active_edge(surface_.pieces[index].edge[k])) add_side(index, k);
    }
  }

  /// If a piece is small relative to the penetration, the direction of least penetration may be over an
  /// inactive side. So for an active side the least penetration is searched among its own normals n(θ), as
  /// the max of
  ///     s(θ) = n · (a - x),
  /// where a is the lowest point of the solid along n and x is on the side.
  void add_side(int index, int k) {
    const Surface::Piece& piece = surface_.pieces[index];
    const Vec3 &from = surface_.vertices[piece.corner[k]], &to = surface_.vertices[piece.corner[(k + 1) % 3]];
    const SideArc arc = side_arc(surface_, index, k);
    const auto normal = [&](double angle) {
      return std::cos(angle) * arc.normal + std::sin(angle) * arc.ahead;
    };
    const auto lowest = [&](double angle) {
      return a_.X_WS * support(a_.shape, transpose(a_.X_WS.R) * -normal(angle)).point;
    };
    const auto separation = [&](double angle) { return dot(normal(angle), lowest(angle) - from); };
    const double best = best_angle(arc.limit, separation);
    constexpr double kAngleTolerance = tolerances::kTiltTie;  // rad
    // The ends of the arc belong to the faces of the pieces.
    if (best <= kAngleTolerance || best >= arc.limit - kAngleTolerance) return;
    const double gap = separation(best) - a_.shape.rounding_radius;
    if (gap > kEdgeTolerance * radius_) return;
    // If the lowest point jumps, interpolate the point straight over the side.
    const Vec3 across = -std::sin(best) * arc.normal + std::cos(best) * arc.ahead;
    const Vec3 before = lowest(best - kAngleTolerance), after = lowest(best + kAngleTolerance);
    const double ahead = dot(across, before - from), behind = dot(across, after - from);
    const double fraction = ahead > behind ? std::clamp(ahead / (ahead - behind), 0.0, 1.0) : 0.5;
    const Vec3 core = before + fraction * (after - before), n = normal(best);
    const double t = dot(core - from, to - from) / dot(to - from, to - from);
    if (t < -kEdgeTolerance || t > 1 + kEdgeTolerance) return;
    const Vec3 foot = from + t * (to - from);
    work_.found.push_back(
        {gap, n, foot + gap * n, foot,
         feature_pair_id(kNearestId, piece_name(index, 1 + static_cast<std::uint32_t>(k)))});
  }

  /// Argmax of a function on [0, limit]: the best of some samples, then golden-section search.
  template <class Function>
  static double best_angle(double limit, Function function) {
    constexpr int kSamples = 9, kRounds = 60;
    constexpr double kGolden = 0.6180339887498949;
    int best = 0;
    double highest = -kInfinity;
    for (int i = 0; i < kSamples; ++i) {
      const double value = function(limit * i / (kSamples - 1));
      if (value > highest) highest = value, best = i;
    }
    double low = limit * std::max(best - 1, 0) / (kSamples - 1);
    double high = limit * std::min(best + 1, kSamples - 1) / (kSamples - 1);
    double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
    double at_left = function(left), at_right = function(right);
    for (int round = 0; round < kRounds; ++round) {
      if (at_left >= at_right) {
        high = right, right = left, at_right = at_left;
        left = high - kGolden * (high - low), at_left = function(left);
      } else {
        low = left, left = right, at_left = at_right;
        right = low + kGolden * (high - low), at_right = function(right);
      }
    }
    return 0.5 * (low + high);
  }

  PosedConvex a_;
  const Surface& surface_;
  double contact_margin_;
  int max_points_;
  Scratch& work_;
  Vec3 center_;
  double radius_;
  PieceShape* shape_ = nullptr;
  const Convex* solid_ = nullptr;
};

/// The piece of a contact point.
int piece_of(const ManifoldPoint& point) {
  return static_cast<int>(static_cast<std::uint32_t>(point.feature) / kRegions);
}

/// Separation of the solid from a piece along n, m; `lowest` is the min of n · x over the solid.
double separation_along(const Surface& surface, int index, const Vec3& n, double lowest) {
  const Surface::Piece& piece = surface.pieces[index];
  double highest = -kInfinity;
  for (int k = 0; k < (surface.planar ? 2 : 3); ++k) {
    highest = std::max(highest, dot(n, surface.vertices[piece.corner[k]]));
  }
  return lowest - highest;
}

/// Taken alone, a piece is solid behind its whole plane. A solid that extends over an edge is deep behind the
/// piece beyond that edge. Yet it separates sooner along the normal of the other piece, or of the edge. So a
/// penetration is kept only if no shallower contact has a normal along which the solid penetrates that piece
/// less.
void drop_nonminimal_penetrations(const PosedConvex& a, const Surface& surface, double rounding,
                                  Scratch& work) {
  std::vector<ManifoldPoint>& found = work.found;
  const auto overlaps = [&](const ManifoldPoint& point) { return point.gap < -rounding; };
  if (std::ranges::none_of(found, overlaps)) return;
  work.lowest.clear();
  for (const ManifoldPoint& point : found) {
    const Vec3 core = a.X_WS * support(a.shape, transpose(a.X_WS.R) * -point.normal).point;
    work.lowest.push_back(dot(point.normal, core) - a.shape.rounding_radius);
  }
  const auto has_shorter_escape = [&](const ManifoldPoint& point) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      const ManifoldPoint& other = found[i];
      if (other.gap > point.gap + rounding &&
          separation_along(surface, piece_of(point), other.normal, work.lowest[i]) > point.gap + rounding) {
        return true;
      }
    }
    return false;
  };
  work.marked.clear();
  for (const ManifoldPoint& point : found)
    work.marked.push_back(overlaps(point) && has_shorter_escape(point));
  std::size_t index = 0;
  std::erase_if(found, [&](const ManifoldPoint&) { return work.marked[index++] != 0; });
}

}  // namespace

Aabb bounding_box(const Surface& surface, const Pose& X_WS) {
  const auto& [low, high] = surface.bounds;
  const Vec3 first = X_WS * low;
  Aabb box{first, first};
  for (int i = 1; i < 8; ++i) {
    const Vec3 x = X_WS * Vec3{i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z};
    box = merge(box, {x, x});
  }
  return box;
}

void surface_contacts(const PosedConvex& a, const Surface& surface, const Pose& X_WS, double contact_margin,
                      std::vector<ManifoldPoint>& points, int limit) {
  Scratch& work = scratch();
  const PosedConvex solid{a.shape, inverse(X_WS) * a.X_WS};
  const double radius = bounding_radius(a.shape);
  contact_margin = std::min(contact_margin, radius);
  // Pieces that touch within rounding are always included: they may show that a penetration beside them does
  // not count.
  const double search_margin = std::max(contact_margin, 10 * kEdgeTolerance * radius);
  work.found.clear();
  PieceCollider pieces(solid, surface, search_margin, limit, work);
  for_each_piece_in(surface, expand(bounding_box(solid), search_margin),
                    [&](int index) { pieces.add(index); });
  drop_nonminimal_penetrations(solid, surface, kEdgeTolerance * radius, work);
  std::erase_if(work.found, [&](const ManifoldPoint& point) { return point.gap > contact_margin; });
  work.marked.assign(work.found.size(), false);

  const std::size_t first = points.size();
  for (std::size_t i = 0; i < work.found.size(); ++i) {
    if (work.marked[i]) continue;
    const Vec3 normal = work.found[i].normal;
    work.chosen.start({}, {}, 0, 0, contact_margin, radius, radius);
    for (std::size_t j = i; j < work.found.size(); ++j) {
      if (work.marked[j] || dot(work.found[j].normal, normal) < 1 - kSameNormal) continue;
      work.chosen.add(work.found[j]);
      work.marked[j] = true;
    }
    Manifold set;
    work.chosen.reduce(normal, surface.planar ? std::min(limit, 2) : limit, false, set);
    points.insert(points.end(), set.points.begin(), set.points.begin() + set.count);
  }
  const auto chosen = std::span(points).subspan(first);
  for (ManifoldPoint& point : chosen) {
    point.normal = X_WS.R * point.normal;
    point.point_a = X_WS * point.point_a;
    point.point_b = X_WS * point.point_b;
  }
  std::ranges::sort(chosen, {}, &ManifoldPoint::feature);
}

double surface_gap(const PosedConvex& a, const Surface& surface, const Pose& X_WS) {
  Scratch& work = scratch();
  const PosedConvex solid{a.shape, inverse(X_WS) * a.X_WS};
  const Aabb own = bounding_box(solid), all = surface.bounds;
  const Vec3 center = solid.X_WS * core_center(a.shape);
  // Pieces have no thickness: the depth of an overlap is that of its contacts.
  work.overlaps.clear();
  surface_contacts(a, surface, X_WS, 0, work.overlaps);
  if (!work.overlaps.empty()) return std::ranges::min(work.overlaps, {}, &ManifoldPoint::gap).gap;
  PieceShape& shape = surface.planar ? work.segment : work.triangle;
  // Extends the search until the least gap found is within the searched distance.
  for (double contact_margin = bounding_radius(a.shape);; contact_margin *= 4) {
    const Aabb where = expand(own, contact_margin);
    double least = kInfinity;
    for_each_piece_in(surface, where, [&](int index) {
      const Surface::Piece& piece = surface.pieces[index];
      if (dot(piece.normal, center - surface.vertices[piece.corner[0]]) < 0) return;
      least = std::min(least, separation(solid, {shape.assign(surface, index), {}}).gap);
    });
    if (least <= contact_margin || contains(where, all) || !std::isfinite(contact_margin)) return least;
  }
}

}  // namespace pawl::internal
