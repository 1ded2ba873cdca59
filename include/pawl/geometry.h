#pragma once
// Convex shapes and triangle meshes: signed distance, contact manifolds, curvature and mass properties.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pawl/math.h>

namespace pawl {

namespace internal {
struct Polytope;
}

/// Kinds of cores. A new kind needs a value here, a factory in Convex, a source file in collision/shapes and
/// its line in core_table.cpp.
enum class CoreKind { point, segment, box, polytope, ellipsoid, cylinder, cone, frustum };
inline constexpr int kCoreKinds = 1 + static_cast<int>(CoreKind::frustum);

/// A convex shape: a core grown by a rounding radius. A ball is a rounded point, a capsule a rounded segment.
/// The signed distance of two shapes is that of their cores minus both radii, separated or overlapping.
///
/// The origin of the shape frame is the centre of the core (cone, frustum: half-way up the axis; polytope: as
/// its vertices say), its axis is z. Planar shapes lie in z = 0: half.z = 0 for boxes and ellipsoids, and
/// segments lie along x.
struct Convex {
  CoreKind core = CoreKind::point;
  bool planar = false;
  double rounding_radius = 0;  // m
  /// m. Segment: half length in z (planar: in x). Box: half sides. Ellipsoid: semi-axes. Cylinder: radius,
  /// radius, half height. Cone: radius of the base at z = -half.z, the same, half height; the apex is at +z.
  /// Frustum: radius of the base at z = -half.z, radius of the top, half height.
  Vec3 half;
  std::shared_ptr<const internal::Polytope> polytope;  // of segments, boxes and polytopes

  // Lengths in m, positive and finite; a rounding radius may be 0.
  static Convex sphere(double radius, bool planar = false);
  /// A sphere if half_length = 0.
  static Convex capsule(double radius, double half_length, bool planar = false);
  static Convex box(const Vec3& half, double rounding_radius = 0, bool planar = false);
  static Convex cylinder(double radius, double half_height, double rounding_radius = 0);
  static Convex cone(double radius, double half_height, double rounding_radius = 0);
  static Convex frustum(double radius, double top_radius, double half_height, double rounding_radius = 0);
  static Convex ellipsoid(const Vec3& semi_axes, double rounding_radius = 0, bool planar = false);
  /// A convex polytope from its vertices and the vertex loops of its faces, counter-clockwise seen from
  /// outside.
  static Convex hull(std::vector<Vec3> vertices, const std::vector<std::vector<int>>& faces,
                     double rounding_radius = 0);
  /// Of a polytope with its faces and edges.
  static Convex hull(internal::Polytope polytope, double rounding_radius = 0, bool planar = false);
};

/// A convex shape and its pose in the world.
struct PosedConvex {
  const Convex& shape;
  Pose X_WS;
};

/// The solid normal · x ≤ offset in world coordinates.
struct HalfSpace {
  Vec3 normal;        // unit, out of the solid
  double offset = 0;  // m
};

/// The signed distance of two shapes and its witness points.
struct Separation {
  double gap = 0;         // m; negative: penetration depth
  Vec3 normal;            // world axes, unit, out of b into a
  Vec3 point_a, point_b;  // witness points, world, m: point_a - point_b = gap · normal
};

/// The distance of separated shapes, minus the penetration depth of overlapping ones. Swapping the shapes
/// gives the mirrored result to the last bit.
Separation separation(const PosedConvex& a, const PosedConvex& b);
Separation separation(const PosedConvex& a, const HalfSpace& b);

/// One point of a contact manifold. Its gap is the distance of two features (vertex, edge, face, …), with the
/// rate normal · (velocity of point_a - velocity of point_b).
struct ManifoldPoint {
  double gap = 0;         // m, negative where they overlap
  Vec3 normal;            // world axes, unit, out of b into a
  Vec3 point_a, point_b;  // on the two surfaces, world, m: point_a - point_b = gap · normal
  std::uint64_t feature =
      0;  // feature id of a in the upper 32 bits, of b in the lower; stable from step to step
};

/// The contact points of two shapes. Face on face gives the corners of the common polygon, reduced to the
/// widest; an edge on a face two points; a lying cylinder or capsule two; a standing cylinder four or more on
/// its rim. Faces tilted by a few degrees keep all corners within the contact margin.
struct Manifold {
  static constexpr int kMaxPoints = 8;
  int count = 0;
  std::array<ManifoldPoint, kMaxPoints> points;  // [count], sorted by feature
};

/// All contact points with gap ≤ contact_margin (m), reduced to max_points (1 … 8). The point of least gap,
/// which is the signed distance of the pair, is among them. Swapping the shapes gives the mirrored manifold
/// to the last bit.
void collide(const PosedConvex& a, const PosedConvex& b, double contact_margin, int max_points,
             Manifold& manifold);
void collide(const PosedConvex& a, const HalfSpace& b, double contact_margin, int max_points,
             Manifold& manifold);

/// The motion of a shape at its witness point.
struct ShapeMotion {
  Vec3 velocity;  // of the material point, m/s
  Vec3 spin;      // rad/s
};

/// Time derivatives of a ManifoldPoint, per second.
struct ContactTimeDerivative {
  double gap = 0;
  Vec3 normal;
  Vec3 point_a, point_b;  // of the witness points, which move over the surfaces
};

/// The derivative of a ManifoldPoint by the motion of its shapes, with the curvature of both surfaces. Let n
/// be the normal, w = (spin of a - spin of b) × n, and c the tangential velocity of a's point relative to b.
/// Seen from b,
///   ṅ = dn_dw w + dn_dc c,   ẋ_b = dx_dw w + dx_dc c.
/// dn_dc is the Hessian of the gap by translations of a.
struct ContactKinematics {
  double gap = 0;  // m
  Vec3 normal;     // unit
  Mat3 dn_dw;      // 1
  Mat3 dn_dc;      // 1/m
  Mat3 dx_dw;      // m
  Mat3 dx_dc;      // 1

  ContactTimeDerivative time_derivative(const ShapeMotion& a, const ShapeMotion& b) const;
  /// Of the gap by translations, larger first, 1/m: 1/(R_a + R_b + gap) along each principal direction. In
  /// the plane the second is 0.
  std::array<double, 2> principal_curvatures() const;
};

/// For a point of collide() or a result of separation(). None if the derivative does not exist: cores that
/// meet in a point, parallel edges or faces without a vertex. None either if the point is not defined by two
/// features: a rim that leaves a face, cylinders side by side, polytopes of more than 2¹⁴ vertices.
std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const PosedConvex& b,
                                                    const ManifoldPoint& point);
std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const HalfSpace& b,
                                                    const ManifoldPoint& point);
std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const PosedConvex& b,
                                                    const Separation& nearest);
std::optional<ContactKinematics> contact_kinematics(const PosedConvex& a, const HalfSpace& b,
                                                    const Separation& nearest);

struct MassProperties {
  double mass = 0;  // kg
  Vec3 center;      // m
  Mat3 inertia;     // about the centre, kg m²; planar: J · 1, of which only J about z acts
};

/// Of two bodies taken as one.
MassProperties operator+(const MassProperties& a, const MassProperties& b);

/// Of a shape of density 1 in its frame, rounding included; planar shapes by area. Throws Error for a rounded
/// ellipsoid that is not a ball, since it has no closed form.
MassProperties mass_properties(const Convex& shape);

struct TriangleMesh {
  std::vector<Vec3> vertices;                 // m
  std::vector<std::array<int, 3>> triangles;  // vertex indices, counter-clockwise seen from outside
  std::string name = "mesh";                  // of the file, for messages
  std::vector<int> lines = {};                // line of each triangle in its file; empty for binary files
};

/// Of the solid of density 1 that a closed mesh encloses; negative if the mesh faces inwards.
MassProperties mesh_mass_properties(const TriangleMesh& mesh);

}  // namespace pawl
