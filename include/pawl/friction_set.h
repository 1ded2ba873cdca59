#pragma once
// Friction sets: the sets F(μ p_n) of admissible friction impulses.

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pawl {

/// Components along t, along o and about n; 0 where a contact lacks the row.
using FrictionVector = std::array<double, 3>;

inline double dot(const FrictionVector& a, const FrictionVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline FrictionVector minus(const FrictionVector& a, const FrictionVector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline double length(const FrictionVector& x) {
  return std::sqrt(dot(x, x));
}

/// Polyhedral friction set at μ p_n = 1: the convex hull of its directions [StewartTrinkle2000, (3);
/// TrinkleTzitzourisPang2001, (5)]. It is a polygon without spin friction, an interval in planar worlds.
class FrictionPolyhedron {
 public:
  /// k evenly spaced unit directions in the plane of t and o, the first along t; k = 2 is the interval [-1,
  /// 1].
  static FrictionPolyhedron regular(int k);
  /// Any directions whose hull has 0 inside: all along t, all in the plane of t and o, or spatial. Throws
  /// Error otherwise.
  explicit FrictionPolyhedron(std::vector<FrictionVector> directions);

  const std::vector<FrictionVector>& directions() const { return directions_; }
  /// 1 for an interval, 2 for a polygon, 3 with spin friction. The other components are 0.
  int dimensions() const { return dimensions_; }
  /// Support function: max d · u over the polyhedron.
  double support(const FrictionVector& u) const;
  /// Gauge function: the smallest s ≥ 0 with x in s times the polyhedron; +∞ if there is none.
  double gauge(const FrictionVector& x) const;

  /// The face that a projected point lies on. While it stays there, the point is linear in x and in the
  /// scale.
  struct Face {
    FrictionVector origin{};               // a point of the face at scale 1
    std::array<FrictionVector, 3> axes{};  // orthonormal, along the face
    int dimensions = 0;                    // 3, or dimensions() of the set: in the interior
  };
  /// Euclidean projection of x on `scale` times the polyhedron, and the face it lies on.
  FrictionVector project(const FrictionVector& x, double scale, Face* face = nullptr) const;

 private:
  /// a · x ≤ 1 on the polyhedron, with equality on the hull of facet_corners_[begin … end): one corner of an
  /// interval, two of a polygon, in space a loop, counter-clockwise seen from outside.
  struct Facet {
    FrictionVector a{};
    int begin = 0, end = 0;
  };
  // Make the facets; false if the directions do not surround 0.
  bool make_interval();
  bool make_polygon();
  bool make_polyhedron();
  void add_facet_in_plane(const FrictionVector& a, const std::array<FrictionVector, 2>& axes,
                          double coplanar_tolerance);
  void add_facet(const FrictionVector& a, std::span<const FrictionVector> corners);
  const FrictionVector& supporting_corner(const FrictionVector& u) const;
  FrictionVector project_on(const Facet& facet, const FrictionVector& x, double scale, Face* face) const;

  int dimensions_ = 0;
  std::vector<FrictionVector> directions_;
  std::vector<Facet> facets_;
  std::vector<FrictionVector> corners_;
  std::vector<FrictionVector> facet_corners_;  // corners, facet by facet
};

/// Kinds of friction sets. Code that depends on the kind stands below and in problem/friction_kinds.cpp.
enum class FrictionKind : std::uint8_t {
  none,
  ellipsoid,   // (p_t/e_t)² + (p_o/e_o)² + (p_r/e_r)² ≤ (μ p_n)²; an interval where there is only t
  mixed,       // (p_t/e_t)² + (p_o/e_o)² ≤ (μ p_n)² and |p_r/e_r| ≤ μ p_n
  polyhedron,  // (p_t/e_t, p_o/e_o, p_r/e_r) in μ p_n times the polyhedron
};
/// Names in problem files, in the order of FrictionKind.
inline constexpr std::array<std::string_view, 4> kFrictionKindNames{"none", "ellipsoid", "mixed",
                                                                    "polyhedron"};
constexpr std::string_view to_string(FrictionKind kind) {
  return kFrictionKindNames[static_cast<std::size_t>(kind)];
}

/// True if the kind is defined only with friction about the normal.
constexpr bool needs_spin(FrictionKind kind) {
  return kind == FrictionKind::mixed;
}

/// The balls of which a set is the product, in units of its radii.
struct RoundParts {
  int count = 0;              // 0: the set is no such product
  std::array<int, 2> size{};  // [count] friction rows of each ball, in the order of the rows
};
/// With one friction row every set but a polyhedron is the ball [-1, 1].
constexpr RoundParts round_parts(FrictionKind kind, int friction_rows) {
  switch (kind) {
    case FrictionKind::ellipsoid:
      return {1, {friction_rows}};
    case FrictionKind::mixed:
      return friction_rows < 3 ? RoundParts{1, {friction_rows}} : RoundParts{2, {2, 1}};
    case FrictionKind::none:
    case FrictionKind::polyhedron:
      break;
  }
  return {};
}

/// F(μ p_n) of one contact. With p̂ = p/e and û = e u every set is round or of unit size, all entries of p̂
/// have the same unit, and work is unchanged: û · p̂ = u · p.
struct FrictionSet {
  FrictionKind kind = FrictionKind::none;
  double mu = 0;
  std::array<double, 3> radii{1, 1, 1};            // e_t, e_o (no unit) and e_r (m)
  const FrictionPolyhedron* polyhedron = nullptr;  // not owned

  bool frictionless() const { return kind == FrictionKind::none || mu == 0; }
};

/// True if the set is a ball in units of its radii for this many rows; the interval [-1, 1] is one.
bool is_ball(const FrictionSet& set, int rows);

// The functions below work in units of the radii: x = p̂ or û.

/// Support function: max d · x over F(1).
double support(const FrictionSet& set, const FrictionVector& x);

/// Euclidean projection of x on F(scale).
FrictionVector project(const FrictionSet& set, const FrictionVector& x, double scale);

/// The projection and an element of its generalised Jacobian.
struct Projection {
  FrictionVector point{};
  std::array<FrictionVector, 3> d_dx{};  // row i: d point_i / d x
  FrictionVector d_dscale{};
};
Projection differentiate(const FrictionSet& set, const FrictionVector& x, double scale);

/// (x_n, x) := Euclidean projection on the cone { x ∈ F(μ x_n), x_n ≥ 0 }.
void project_on_cone(const FrictionSet& set, double& x_n, FrictionVector& x);

}  // namespace pawl
