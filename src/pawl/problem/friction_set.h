#pragma once
// The sets that friction impulses lie in.

#include <array>
#include <vector>

namespace pawl {

/// A polygon that friction impulses lie in at μ p_n = 1: the convex hull of its directions
/// [StewartTrinkle2000, (3)]. In the plane it is an interval, and the second entry of everything here is 0.
class FrictionPolygon {
 public:
  using Vec2 = std::array<double, 2>;

  /// k equal directions of length 1, the first along t; k = 2 is the interval [-1, 1] of planar worlds.
  static FrictionPolygon regular(int k);
  /// Any directions whose hull has 0 inside; throws Error where it has not.
  explicit FrictionPolygon(std::vector<Vec2> directions);

  const std::vector<Vec2>& directions() const { return directions_; }
  /// max of d · u over the polygon.
  double support(const Vec2& u) const;
  /// The smallest s ≥ 0 for which x lies in s times the polygon.
  double gauge(const Vec2& x) const;
  /// The point of `scale` times the polygon that is nearest to x.
  Vec2 project(const Vec2& x, double scale) const;

 private:
  std::vector<Vec2> directions_;
  std::vector<Vec2> hull_;    // corners, counter-clockwise
  std::vector<Vec2> facets_;  // a_i with a_i · x ≤ 1 on the polygon, one an edge of the hull
};

/// F(μ p_n) of one contact.
struct FrictionSet {
  double mu = 0;
  const FrictionPolygon* polygon = nullptr;  // not owned; null: no friction

  bool frictionless() const { return polygon == nullptr || mu == 0; }
};

}  // namespace pawl
