#include <pawl/geometry/surface_contacts.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <pawl/geometry/bounds.h>
#include <pawl/geometry/contact_points.h>
#include <pawl/geometry/patch_clipper.h>
#include <pawl/geometry/support.h>

namespace pawl {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kRimPoints = 4;          // of a piece, at least: what lies on its face is left out of them
constexpr double kOnTheRim = 1e-9;     // of a piece's size: nearer to a side than this is on it
constexpr double kSameNormal = 1e-9;   // of 1 - cos: directions that count as one
constexpr std::uint32_t kRegions = 8;  // of a piece: its face, sides 1 … 3, corners 4 … 6

/// A piece as a flat polytope that is used again for the next: the same shape, other numbers.
class PieceShape {
 public:
  explicit PieceShape(bool planar)
      : polytope_(planar ? make_segment(1, true) : make_triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0})) {
    convex_.core = CoreKind::polytope;
    convex_.planar = planar;
    convex_.polytope = &polytope_;
  }
  PieceShape(const PieceShape&) = delete;
  PieceShape& operator=(const PieceShape&) = delete;

  const Convex& take(const Surface& surface, int number) {
    const Surface::Piece& piece = surface.pieces[number];
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
      measure_face(polytope_, f);
    }
    return convex_;
  }
  const Polytope& polytope() const { return polytope_; }
  int front() const { return convex_.planar ? 1 : 0; }  // the face that looks out of the solid

 private:
  Polytope polytope_;
  Convex convex_;
};

struct Scratch {
  PieceShape triangle{false}, segment{true};
  Reference piece;
  Patch solid;
  PatchClipper clipper;
  std::vector<ContactPoint> found;  // surface frame
  std::vector<char> taken;          // of found: whether its normal has been seen to
  std::vector<ContactPoint> overlaps;
  ContactPoints chosen;
};

Scratch& scratch() {
  thread_local Scratch own;
  return own;
}

/// Where a point of a piece lies: 0 within, 1 + k on side k, 4 + k at corner k. Of a segment the corners are
/// its ends.
std::uint32_t region_of(const Surface& surface, int number, const Vec3& x) {
  const Surface::Piece& piece = surface.pieces[number];
  const int corners = surface.planar ? 2 : 3;
  const auto corner = [&](int k) -> const Vec3& { return surface.vertices[piece.corner[k % corners]]; };
  double size = 0;
  for (int k = 0; k < corners; ++k) size = std::max(size, norm(corner(k + 1) - corner(k)));
  for (int k = 0; k < corners; ++k) {
    if (norm(x - corner(k)) <= kOnTheRim * size) return 4 + static_cast<std::uint32_t>(k);
  }
  for (int k = 0; k < corners && !surface.planar; ++k) {
    const Vec3 inward = normalized(cross(piece.normal, corner(k + 1) - corner(k)));
    if (dot(inward, x - corner(k)) <= kOnTheRim * size) return 1 + static_cast<std::uint32_t>(k);
  }
  return 0;
}

/// Whether a contact at that place of a piece may have that normal.
bool may_have(const Surface& surface, int number, std::uint32_t region, const Vec3& normal) {
  if (region == 0) return dot(normal, surface.pieces[number].normal) >= 1 - kSameNormal;
  const Vec3 allowed = region < 4 ? side_normal(surface, number, static_cast<int>(region) - 1, normal)
                                  : corner_normal(surface, number, static_cast<int>(region) - 4, normal);
  return dot(normal, allowed) >= 1 - kSameNormal;
}

bool has_edges_to_feel(const Surface::Piece& piece, bool planar) {
  const auto felt = [](EdgeKind kind) { return kind == EdgeKind::convex || kind == EdgeKind::open; };
  return std::any_of(piece.edge.begin(), piece.edge.begin() + (planar ? 2 : 3), felt);
}

std::uint32_t piece_name(int number, std::uint32_t region) {
  return (static_cast<std::uint32_t>(number) * kRegions + region) & 0x7fffffffu;
}

/// One solid against the pieces of a surface, in the surface's frame.
class PieceByPiece {
 public:
  PieceByPiece(const PlacedConvex& a, const Surface& surface, double reach, int most, Scratch& work)
      : a_(a),
        surface_(surface),
        reach_(reach),
        most_(most),
        work_(work),
        center_(a.X_WS * core_center(a.shape)) {}

  void add(int number) {
    const Surface::Piece& piece = surface_.pieces[number];
    const Vec3& n = piece.normal;
    const Vec3& origin = surface_.vertices[piece.corner[0]];
    if (dot(n, center_ - origin) < 0) return;
    const Vec3 lowest = a_.X_WS * support(a_.shape, transpose(a_.X_WS.R) * -n).point;
    if (dot(n, lowest - origin) - a_.shape.margin > reach_) return;
    shape_ = surface_.planar ? &work_.segment : &work_.triangle;
    solid_ = &shape_->take(surface_, number);
    add_face(number, lowest);
    if (touches_in_one_point(a_.shape) || has_edges_to_feel(piece, surface_.planar)) add_rim(number);
  }

 private:
  /// What lies over the piece, along its normal.
  void add_face(int number, const Vec3& lowest) {
    const Surface::Piece& piece = surface_.pieces[number];
    const auto add_point = [&](const Vec3& core, std::uint32_t name) {
      const double height = dot(piece.normal, core - surface_.vertices[piece.corner[0]]);
      const double gap = height - a_.shape.margin;
      if (gap > reach_) return;
      const Vec3 foot = core - height * piece.normal;
      work_.found.push_back({gap, piece.normal, core - a_.shape.margin * piece.normal, foot,
                             feature_of(name, piece_name(number, 0))});
    };
    if (touches_in_one_point(a_.shape)) {
      const double height = dot(piece.normal, lowest - surface_.vertices[piece.corner[0]]);
      if (lies_over(number, lowest - height * piece.normal)) add_point(lowest, 0);
      return;
    }
    const Reference& reference = work_.piece;
    work_.piece.set_face(shape_->polytope(), {}, shape_->front());
    facing_patch(a_.shape, inverse(reference.X) * a_.X_WS, {0, 0, -1}, work_.solid);
    const double rim = kOnTheRim * shape_->polytope().outer_radius;
    for (const Touch& touch : work_.clipper.touching_corners(reference, work_.solid, rim)) {
      add_point(reference.X * touch.point_i, touch.name_i ^ (touch.name_r << 8));
    }
  }

  bool lies_over(int number, const Vec3& foot) const {
    const Surface::Piece& piece = surface_.pieces[number];
    const int corners = surface_.planar ? 2 : 3;
    const double rim = -kOnTheRim * shape_->polytope().outer_radius;
    for (int k = 0; k < corners; ++k) {
      const Vec3& from = surface_.vertices[piece.corner[k]];
      const Vec3 along = surface_.vertices[piece.corner[(k + 1) % corners]] - from;
      const Vec3 inward = surface_.planar ? normalized(along) : normalized(cross(piece.normal, along));
      if (dot(inward, foot - from) < rim) return false;
    }
    return true;
  }

  /// The piece's sides and corners, where the solid may lie against them.
  void add_rim(int number) {
    ContactSet set;
    contact_set(a_, {*solid_, {}}, reach_, std::max(most_, kRimPoints), set);
    for (int i = 0; i < set.count; ++i) {
      ContactPoint point = set.points[i];
      const std::uint32_t region = region_of(surface_, number, point.point_b);
      if (region == 0 || !may_have(surface_, number, region, point.normal)) continue;
      const auto name_a = static_cast<std::uint32_t>(point.feature >> 32);
      const auto name_b = static_cast<std::uint32_t>(point.feature);
      point.feature = feature_of(name_a ^ (name_b << 8), piece_name(number, region));
      work_.found.push_back(point);
    }
  }

  PlacedConvex a_;
  const Surface& surface_;
  double reach_;
  int most_;
  Scratch& work_;
  Vec3 center_;
  PieceShape* shape_ = nullptr;
  const Convex* solid_ = nullptr;
};

}  // namespace

Box bounding_box(const Surface& surface, const Pose& X_WS) {
  const Vec3 first = X_WS * surface.vertices[0];
  Box box{first, first};
  for (const Vec3& vertex : surface.vertices) {
    const Vec3 x = X_WS * vertex;
    box = united(box, {x, x});
  }
  return box;
}

void surface_contacts(const PlacedConvex& a, const Surface& surface, const Pose& X_WS, double reach,
                      std::vector<ContactPoint>& points, int most) {
  Scratch& work = scratch();
  const PlacedConvex solid{a.shape, inverse(X_WS) * a.X_WS};
  const double radius = bounding_radius(a.shape);
  reach = std::min(reach, radius);
  work.found.clear();
  PieceByPiece pieces(solid, surface, reach, most, work);
  for_each_piece_in(surface, grown(bounding_box(solid), std::max(reach, 0.0)),
                    [&](int number) { pieces.add(number); });
  work.taken.assign(work.found.size(), false);

  const std::size_t first = points.size();
  for (std::size_t i = 0; i < work.found.size(); ++i) {
    if (work.taken[i]) continue;
    const Vec3 normal = work.found[i].normal;
    work.chosen.start({}, {}, 0, 0, reach, radius, radius);
    for (std::size_t j = i; j < work.found.size(); ++j) {
      if (work.taken[j] || dot(work.found[j].normal, normal) < 1 - kSameNormal) continue;
      work.chosen.add(work.found[j]);
      work.taken[j] = true;
    }
    ContactSet set;
    work.chosen.choose(normal, surface.planar ? std::min(most, 2) : most, false, set);
    points.insert(points.end(), set.points.begin(), set.points.begin() + set.count);
  }
  const auto chosen = std::span(points).subspan(first);
  for (ContactPoint& point : chosen) {
    point.normal = X_WS.R * point.normal;
    point.point_a = X_WS * point.point_a;
    point.point_b = X_WS * point.point_b;
  }
  std::ranges::sort(chosen, {}, &ContactPoint::feature);
}

double surface_gap(const PlacedConvex& a, const Surface& surface, const Pose& X_WS) {
  Scratch& work = scratch();
  const PlacedConvex solid{a.shape, inverse(X_WS) * a.X_WS};
  const Box own = bounding_box(solid), all = bounding_box(surface, {});
  const Vec3 center = solid.X_WS * core_center(a.shape);
  // What overlaps lies behind pieces, which are thin by themselves: its depth is that of its contacts.
  work.overlaps.clear();
  surface_contacts(a, surface, X_WS, 0, work.overlaps);
  if (!work.overlaps.empty()) return std::ranges::min(work.overlaps, {}, &ContactPoint::gap).gap;
  PieceShape& shape = surface.planar ? work.segment : work.triangle;
  // Farther and farther, until what was found is nearer than what was not looked at.
  for (double reach = bounding_radius(a.shape);; reach *= 4) {
    const Box where = grown(own, reach);
    double least = kInfinity;
    for_each_piece_in(surface, where, [&](int number) {
      const Surface::Piece& piece = surface.pieces[number];
      if (dot(piece.normal, center - surface.vertices[piece.corner[0]]) < 0) return;
      least = std::min(least, separation(solid, {shape.take(surface, number), {}}).gap);
    });
    if (least <= reach || contains(where, all) || !std::isfinite(reach)) return least;
  }
}

}  // namespace pawl
