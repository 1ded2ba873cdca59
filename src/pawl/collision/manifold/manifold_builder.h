#pragma once
// Contacts of one pair while they are collected, and the choice of those that are kept.

#include <vector>

#include <pawl/collision/shapes/contact_patch.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// The features of both shapes in one number.
inline std::uint64_t feature_pair_id(std::uint32_t id_a, std::uint32_t id_b) {
  return (static_cast<std::uint64_t>(id_a) << 32) | id_b;
}

/// Gaps that differ by less than this times the size of both shapes are as deep.
inline constexpr double kGapRounding = 1e-13;
/// Areas that differ by less than this times the square of the smaller shape are as wide.
inline constexpr double kAreaRounding = 1e-9;
/// Points nearer to each other than this times the smaller shape carry as one.
inline constexpr double kMergeDistance = 1e-6;

/// Features are told by their cores; the margins are added here.
class ManifoldBuilder {
 public:
  /// Empty again. Points are given in a frame, X, relative to `origin`, in the world's axes; those farther
  /// apart than reach are left out. `size` is that of both shapes together, which rounds their gaps, `extent`
  /// that of the smaller one, m.
  void start(const Vec3& origin, const Pose& X, double rounding_radius_a, double rounding_radius_b,
             double contact_margin, double size, double extent);

  /// The square of the farthest that two cores may be apart, m².
  double max_core_distance2() const {
    const double contact_margin = contact_margin_ + rounding_radius_a_ + rounding_radius_b_;
    return contact_margin > 0 ? contact_margin * contact_margin : 0;
  }

  /// Of the cores, in the frame: the normal goes out of b into a.
  void add(double core_gap, const Vec3& normal, const Vec3& core_a, const Vec3& core_b, std::uint32_t id_a,
           std::uint32_t id_b) {
    const double gap = core_gap - rounding_radius_a_ - rounding_radius_b_;
    if (gap <= contact_margin_) points_.push_back({gap, normal, core_a, core_b, feature_pair_id(id_a, id_b)});
  }
  /// Of the cores, in the world's axes relative to the origin.
  void add_in_world(double core_gap, const Vec3& normal, const Vec3& core_a, const Vec3& core_b,
                    std::uint32_t id_a, std::uint32_t id_b);
  /// Of the shapes themselves, in the world.
  void add(const Separation& pair, std::uint32_t id_a, std::uint32_t id_b);
  /// Says that all so far are corners of a polygon, one after the other: only next ones can be in one place.
  void mark_as_polygon() { ring_ = points_.size(); }
  /// As it is, in the frame.
  void add(const ManifoldPoint& point) { points_.push_back(point); }

  /// Leaves out what is deeper than the pair's own gap by more than rounding.
  void drop_deeper_than(double gap);
  /// Whether one has this gap or less, but for rounding.
  bool has_gap_at_most(double gap) const;

  /// The normal of the one of least gap, in the frame; zero where there is none.
  Vec3 normal_of_deepest() const;

  /// Keeps at most `max_points`: the deepest, then those that widen the polygon of all the most. `normal`, in
  /// the frame, is the direction along which that polygon is seen. `mirrored` gives them as those of (b, a).
  void reduce(const Vec3& normal, int max_points, bool mirrored, Manifold& manifold);

 private:
  /// A point as it is seen along the normal.
  struct Candidate {
    double u = 0, v = 0, gap = 0;  // m
    int index = 0;                 // of points_
    bool picked = false;
    double score = 0;  // by the measure of the last search, m²
  };
  struct Polygon;

  void project(const Vec3& normal);
  void merge_neighbours();
  int pick_widest(int max_points, std::array<int, Manifold::kMaxPoints>& picked);
  template <class Measure>
  Candidate* widest(Measure measure);
  bool coincide(const Candidate& x, const Candidate& y) const;
  bool has_priority(const Candidate& x, const Candidate& y) const;
  std::uint64_t feature(const Candidate& x) const { return points_[x.index].feature; }
  ManifoldPoint to_world(const ManifoldPoint& core) const;

  std::vector<ManifoldPoint> points_;  // of the cores, in the frame; in the order they came
  std::size_t ring_ = 0;               // so many of them are corners of a polygon, one after the other
  std::vector<Candidate> candidates_;
  Vec3 origin_;
  Pose X_;
  double rounding_radius_a_ = 0, rounding_radius_b_ = 0, contact_margin_ = 0, extent_ = 0;
  double rounding_ = 0;  // what two gaps may differ by and still be equal, m
};

}  // namespace pawl::internal
