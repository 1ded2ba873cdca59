#pragma once
// One patch laid on another, feature by feature.

#include <optional>

#include <pawl/collision/shapes/contact_patch.h>

namespace pawl::internal {

/// Faces at a smaller angle than this (about eight degrees) may yet come to rest on each other.
inline constexpr double kNearlyParallel = 0.99;
/// What lies outside a face by less than this times the size counts as over it, so that corners on corners
/// and edges on edges stay what they are through rounding.
inline constexpr double kRimTolerance = 1e-11;

/// Two features that meet, one of a reference r and one of an incident patch i; in the reference's frame.
struct ClipPoint {
  double gap = 0;  // m
  Vec3 normal;     // unit, out of r into i
  Vec3 point_r, point_i;
  Vec3 above;  // the point of the incident patch straight over the feature of r
  std::uint32_t id_r = 0, id_i = 0;
};

/// Two straight edges that cross at x as they are seen along z: one in z = 0, the other along d.
struct CrossingEdges {
  double gap;       // along their common normal, m
  double m_e, m_z;  // that normal: along the way inward e from the first edge, and along z
  double t;         // the nearest point of the second edge is x + t d
};

/// A level edge keeps the normal z exactly; otherwise the gap of two edges is along their common normal. That
/// must be near to z, the more so for edges at a small angle, whose crossing runs away as they turn and whose
/// common normal is soon noise; and the nearest points of their lines must be near to x.
///
/// With the second edge's direction d and the way inward e of the first, both edges are square to m =
/// ±(-d_z e + d_e z)/l, l² = d_e² + d_z². Since x is on the one line and its foot on the other, the gap is
/// x_z m_z; of the way from x to its foot, the part along d is made up by x + t d, t = -x_z d_z/l².
inline std::optional<CrossingEdges> crossing_edges(const Vec3& d, double d_e, double x_z) {
  const double dd = dot(d, d);
  if (d.z * d.z <= 1e-26 * dd) return CrossingEdges{x_z, 0, 1, 0};
  const double l2 = d_e * d_e + d.z * d.z;
  const bool small_angle = l2 <= 0.01 * dd;
  if (d_e * d_e <= (small_angle ? 0.9999 : 0.98) * l2) return {};
  const double sign = (d_e > 0 ? 1 : -1) / std::sqrt(l2), m_e = -sign * d.z, m_z = sign * d_e;
  const double gap = x_z * m_z, t = -x_z * d.z / l2;
  if (t * t * dd > 0.04 * gap * gap + 1e-18 * dd) return {};
  return CrossingEdges{gap, m_e, m_z, t};
}

/// Keeps its memory from call to call.
class PatchClipper {
 public:
  /// The corners of what a reference and a patch (in the reference's frame) have in common, seen along the
  /// reference's normal: vertices of either over the other's face, and edges that cross. Each gap is that of
  /// its two features: along the face's normal, or the common normal of the edges. What lies outside by less
  /// than `tolerance` (m) counts as inside. The answer stands until the next call.
  const std::vector<ClipPoint>& clip(const Reference& reference, const Patch& incident, double tolerance);

 private:
  /// A side of the polygon that is left so far: of the incident patch, or one along which the reference cut.
  struct Side {
    int index = 0;
    bool of_reference = false;
  };
  struct Corner {
    Vec3 x;
    Side next;
    double height = 0;  // within the side that cuts
  };

  void add_polygon(const Reference& reference, const Patch& incident, double tolerance);
  void add_line(const Reference& reference, const Patch& incident, double tolerance);
  void add_clip_point(const Reference& reference, const Patch& incident, const Side& before,
                      const Corner& corner);
  void add_vertex(const Reference& reference, const Patch::Corner& corner);
  void add_vertex_below(const Reference& reference, int k, const Patch& incident);
  void add_crossing_sides(const Reference& reference, int r, const Patch& incident, int i, const Vec3& x);

  std::vector<Corner> polygon_, clipped_;
  std::vector<ClipPoint> clip_points_;
};

}  // namespace pawl::internal
