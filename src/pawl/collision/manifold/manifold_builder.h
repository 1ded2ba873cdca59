#pragma once
// Collects the contact points of one pair and selects the points of its manifold.

#include <vector>

#include <pawl/base/tolerances.h>
#include <pawl/collision/shapes/contact_patch.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// The ids of both features in one number.
inline std::uint64_t feature_pair_id(std::uint32_t id_a, std::uint32_t id_b) {
  return (static_cast<std::uint64_t>(id_a) << 32) | id_b;
}

/// Gaps that differ by less than this times the size of both shapes count as equal.
inline constexpr double kGapRounding = tolerances::kGapTie;
/// Areas that differ by less than this times the squared size of the smaller shape count as equal.
inline constexpr double kAreaRounding = tolerances::kSamePoint;
/// Points closer than this times the size of the smaller shape are merged.
inline constexpr double kMergeDistance = tolerances::kMergeTie;

/// Features are given on the cores; the rounding radii are added here.
class ManifoldBuilder {
 public:
  /// Clears all points. Points are given in the frame X, relative to `origin`, in world axes; points with gap
  /// > contact_margin are dropped. `size` is that of both shapes together, which determines the rounding of
  /// gaps, `extent` that of the smaller shape, m.
  void start(const Vec3& origin, const Pose& X, double rounding_radius_a, double rounding_radius_b,
             double contact_margin, double size, double extent);

  /// Square of the max distance of two cores in contact, m².
  double max_core_distance2() const {
    const double contact_margin = contact_margin_ + rounding_radius_a_ + rounding_radius_b_;
    return contact_margin > 0 ? contact_margin * contact_margin : 0;
  }

  /// A point of the cores, in the frame; the normal points out of b into a.
  void add(double core_gap, const Vec3& normal, const Vec3& core_a, const Vec3& core_b, std::uint32_t id_a,
           std::uint32_t id_b) {
    const double gap = core_gap - rounding_radius_a_ - rounding_radius_b_;
    if (gap <= contact_margin_) points_.push_back({gap, normal, core_a, core_b, feature_pair_id(id_a, id_b)});
  }
  /// A point of the cores, in world axes relative to the origin.
  void add_in_world(double core_gap, const Vec3& normal, const Vec3& core_a, const Vec3& core_b,
                    std::uint32_t id_a, std::uint32_t id_b);
  /// A point of the shapes themselves, in the world frame.
  void add(const Separation& pair, std::uint32_t id_a, std::uint32_t id_b);
  /// Marks all points so far as consecutive corners of a polygon: only neighbours may coincide.
  void mark_as_polygon() { ring_ = points_.size(); }
  /// If there are too many points, those about as deep as the deepest come before those that span more area.
  void take_deepest_first() { deepest_first_ = true; }
  /// Added unchanged, in the frame.
  void add(const ManifoldPoint& point) { points_.push_back(point); }

  /// Drops the points of a rim unless at least three are near: a rim that is tilted touches in its lowest
  /// point, which rolls along the rim, while these points are fixed to the body.
  void drop_points_of_tilted_rim() {
    if (points_.size() < 3) points_.clear(), ring_ = 0;
  }
  /// Drops points that are deeper than the gap of the pair by more than rounding.
  void drop_deeper_than(double gap);
  /// True if a point has this gap or less, within rounding.
  bool has_gap_at_most(double gap) const;

  /// Normal of the point of least gap, in the frame; zero if there are no points.
  Vec3 normal_of_deepest() const;

  /// Keeps at most `max_points`: the deepest, then the points that add the most area to their polygon, as
  /// projected along `normal` (in the frame). `mirrored` gives those of (b, a).
  void reduce(const Vec3& normal, int max_points, bool mirrored, Manifold& manifold);

 private:
  /// A point projected along the normal.
  struct Candidate {
    double u = 0, v = 0, gap = 0;  // m
    int index = 0;                 // into points_
    bool picked = false;
    double score = 0;  // measure in the last search, m²
  };
  struct Polygon;

  void project(const Vec3& normal);
  void merge_neighbours();
  int pick_widest(int max_points, std::array<int, Manifold::kMaxPoints>& picked);
  template <class Measure>
  Candidate* widest(double most_gap, Measure measure);
  bool coincide(const Candidate& x, const Candidate& y) const;
  bool has_priority(const Candidate& x, const Candidate& y) const;
  std::uint64_t feature(const Candidate& x) const { return points_[x.index].feature; }
  ManifoldPoint to_world(const ManifoldPoint& core) const;

  std::vector<ManifoldPoint> points_;  // of the cores, in the frame, in the order added
  std::size_t ring_ = 0;               // this many first points are consecutive corners of a polygon
  std::vector<Candidate> candidates_;
  Vec3 origin_;
  Pose X_;
  bool deepest_first_ = false;
  double rounding_radius_a_ = 0, rounding_radius_b_ = 0, contact_margin_ = 0, extent_ = 0;
  double rounding_ = 0;  // gaps that differ by less count as equal, m
};

}  // namespace pawl::internal
