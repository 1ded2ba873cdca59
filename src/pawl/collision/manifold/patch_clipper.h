#pragma once
// Clips a patch of one shape against a flat reference of another, feature by feature.

#include <optional>

#include <pawl/base/tolerances.h>
#include <pawl/collision/shapes/contact_patch.h>

namespace pawl::internal {

/// Cosine; faces at a smaller angle (about eight degrees) may come to rest on each other.
inline constexpr double kNearlyParallel = 0.99;
/// Points outside a face by less than this times the size count as over it. So aligned corners and edges keep
/// their features despite rounding.
inline constexpr double kRimTolerance = tolerances::kRimTie;

/// Two features that meet, of a reference r and an incident patch i; in the frame of the reference.
struct ClipPoint {
  double gap = 0;  // m
  Vec3 normal;     // unit, out of r into i
  Vec3 point_r, point_i;
  Vec3 above;  // point of the incident patch straight over the feature of r
  std::uint32_t id_r = 0, id_i = 0;
};

/// Two straight edges that cross at x as seen along z: one in z = 0, the other along d.
struct CrossingEdges {
  double gap;       // along their common normal, m
  double m_e, m_z;  // common normal m_e e + m_z z, with e pointing inward from the first edge
  double t;         // the closest point of the second edge is x + t d
};

/// The gap of two edges along their common normal; an edge parallel to the reference keeps the normal z
/// exactly. Empty if the common normal is not close to z, or if the closest points of the lines are not close
/// to x. Edges at a small angle must be closer to z: their crossing moves far as they turn, and their common
/// normal is soon noise.
///
/// Let e be the inward direction of the first edge. Both edges are perpendicular to
///     m = ±(-d_z e + d_e z)/l,   l² = d_e² + d_z².
/// Since x is on one line and its projection along z on the other, the gap is x_z m_z. The closest point of
/// the second line is x + t d with t = -x_z d_z/l².
inline std::optional<CrossingEdges> crossing_edges(const Vec3& d, double d_e, double x_z) {
  const double dd = dot(d, d);
  if (d.z * d.z <= tolerances::kLevel2 * dd) return CrossingEdges{x_z, 0, 1, 0};
  const double l2 = d_e * d_e + d.z * d.z;
  const bool small_angle = l2 <= 0.01 * dd;
  if (d_e * d_e <= (small_angle ? 0.9999 : 0.98) * l2) return {};
  const double sign = (d_e > 0 ? 1 : -1) / std::sqrt(l2), m_e = -sign * d.z, m_z = sign * d_e;
  const double gap = x_z * m_z, t = -x_z * d.z / l2;
  if (t * t * dd > 0.04 * gap * gap + tolerances::kSamePoint2 * dd) return {};
  return CrossingEdges{gap, m_e, m_z, t};
}

/// Keeps its memory between calls.
class PatchClipper {
 public:
  /// The corners of the intersection of a reference and a patch, as seen along the reference's normal. The
  /// patch is in the frame of the reference. Corners are vertices of one over the face of the other, and
  /// crossing edges. Each gap is along the normal of the face, or the common normal of the edges. Points
  /// outside by less than `tolerance` (m) count as inside. The result is valid until the next call.
  const std::vector<ClipPoint>& clip(const Reference& reference, const Patch& incident, double tolerance);

 private:
  /// A side of the clipped polygon: of the incident patch, or cut by a side of the reference.
  struct Side {
    int index = 0;
    bool of_reference = false;
  };
  struct Corner {
    Vec3 x;
    Side next;
    double height = 0;  // distance inside the clipping side, m
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
