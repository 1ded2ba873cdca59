#pragma once
// One patch laid on another, feature by feature.

#include <pawl/geometry/contact_patch.h>

namespace pawl {

/// Faces at a smaller angle than this (about eight degrees) may yet come to rest on each other.
inline constexpr double kNearlyParallel = 0.99;
/// What lies outside a face by less than this times the size counts as over it, so that corners on corners
/// and edges on edges stay what they are through rounding.
inline constexpr double kOnTheRim = 1e-11;

/// Two features that meet, one of a reference r and one of an incident patch i; in the reference's frame.
struct Touch {
  double gap = 0;  // m
  Vec3 normal;     // unit, out of r into i
  Vec3 point_r, point_i;
  std::uint32_t name_r = 0, name_i = 0;
};

/// Keeps its memory from call to call.
class PatchClipper {
 public:
  /// The corners of what a reference and a patch (in the reference's frame) have in common, seen along the
  /// reference's normal: vertices of either over the other's face, and edges that cross. Each gap is that of
  /// its two features: along the face's normal, or the common normal of the edges. What lies outside by less
  /// than `tolerance` (m) counts as inside. The answer stands until the next call.
  const std::vector<Touch>& touching_corners(const Reference& reference, const Patch& incident,
                                             double tolerance);

 private:
  /// A side of the polygon that is left so far: of the incident patch, or one along which the reference cut.
  struct Side {
    int number = 0;
    bool of_reference = false;
  };
  struct Corner {
    Vec3 x;
    Side next;
    double height = 0;  // within the side that cuts
  };

  void add_polygon(const Reference& reference, const Patch& incident, double tolerance);
  void add_line(const Reference& reference, const Patch& incident, double tolerance);
  void add_touch_at(const Reference& reference, const Patch& incident, const Side& before,
                    const Corner& corner);
  void add_vertex(const Reference& reference, const Patch::Corner& corner);
  void add_vertex_below(const Reference& reference, int k, const Patch& incident);
  void add_crossing_sides(const Reference& reference, int r, const Patch& incident, int i, const Vec3& x);

  std::vector<Corner> polygon_, left_;
  std::vector<Touch> touches_;
};

}  // namespace pawl
