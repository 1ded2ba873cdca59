#pragma once
// Shapes and contact queries in FCL, Bullet and ODE, for benchmarks and as oracles for tests.

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <btBulletCollisionCommon.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#include <ode/ode.h>

#include <pawl/collision/shapes/polytope.h>
#include <pawl/geometry.h>

#include "../resting_hull.h"

namespace pawl::internal::bench {

constexpr int kMaxPoints = 4;

enum class Kind { sphere, capsule, box, cylinder, hull };

/// A shape of about the given size (m). The hull has flat faces at the top and the bottom so that it can
/// rest.
struct Shape {
  Kind kind = Kind::sphere;
  Convex convex;
};

inline std::unique_ptr<Shape> make_shape(Kind kind, double size = 1) {
  const auto convex = [&] {
    switch (kind) {
      case Kind::sphere:
        return Convex::sphere(0.5 * size);
      case Kind::capsule:
        return Convex::capsule(0.25 * size, 0.5 * size);
      case Kind::box:
        return Convex::box(size * Vec3{0.5, 0.4, 0.3});
      case Kind::cylinder:
        return Convex::cylinder(0.4 * size, 0.5 * size);
      case Kind::hull:
        return Convex::hull(hull_with_flat_faces(32, size));
    }
    return Convex{};
  };
  return std::make_unique<Shape>(Shape{kind, convex()});
}

/// Result of a query: number of points, and their min gap.
struct QueryResult {
  int points = 0;
  double gap = 0;
};

/// FCL queries: contacts of overlapping shapes; distance and closest points of separate shapes.
class Fcl {
 public:
  /// Computes distances if `apart`, else penetration depths.
  Fcl(const Shape& a, const Shape& b, std::span<const Pose> poses, bool apart)
      : a_(make(a)), b_(make(b)), overlap_(!apart) {
    for (const Pose& pose : poses) {
      Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) X.linear()(i, j) = pose.R(i, j);
        X.translation()[i] = pose.p[i];
      }
      poses_.push_back(X);
    }
  }

  QueryResult query(int pose) {
    const auto& X = poses_[static_cast<std::size_t>(pose)];
    if (!overlap_) {
      fcl::DistanceResultd result;
      fcl::distance(a_.get(), X, b_.get(), fcl::Transform3d::Identity(), fcl::DistanceRequestd(true), result);
      return {1, result.min_distance};
    }
    fcl::CollisionResultd result;
    fcl::collide(a_.get(), X, b_.get(), fcl::Transform3d::Identity(),
                 fcl::CollisionRequestd(kMaxPoints, true), result);
    QueryResult found{static_cast<int>(result.numContacts()), 1};
    for (std::size_t i = 0; i < result.numContacts(); ++i) {
      found.gap = std::min(found.gap, -result.getContact(i).penetration_depth);
    }
    return found;
  }

 private:
  static std::unique_ptr<fcl::CollisionGeometryd> make(const Shape& shape) {
    const Vec3& half = shape.convex.half;
    switch (shape.kind) {
      case Kind::sphere:
        return std::make_unique<fcl::Sphered>(shape.convex.rounding_radius);
      case Kind::capsule:
        return std::make_unique<fcl::Capsuled>(shape.convex.rounding_radius, 2 * half.z);
      case Kind::box:
        return std::make_unique<fcl::Boxd>(2 * half.x, 2 * half.y, 2 * half.z);
      case Kind::cylinder:
        return std::make_unique<fcl::Cylinderd>(half.x, 2 * half.z);
      case Kind::hull:
        break;
    }
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    for (const Vec3& v : shape.convex.polytope->vertices) vertices->push_back({v.x, v.y, v.z});
    auto faces = std::make_shared<std::vector<int>>();
    for (const Polytope::Face& face : shape.convex.polytope->faces) {
      faces->push_back(face.end - face.begin);
      for (int i = face.begin; i < face.end; ++i) faces->push_back(shape.convex.polytope->loops[i]);
    }
    return std::make_unique<fcl::Convexd>(vertices, static_cast<int>(shape.convex.polytope->faces.size()),
                                          faces);
  }

  std::unique_ptr<fcl::CollisionGeometryd> a_, b_;
  bool overlap_;
  std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>> poses_;
};

/// The algorithm that Bullet's dispatcher selects for the pair. The manifold is cleared before every query;
/// in a simulation Bullet's convex pairs accumulate their points over several steps.
class Bullet {
 public:
  Bullet(const Shape& a, const Shape& b, std::span<const Pose> poses, bool)
      : shape_a_(make(a)), shape_b_(make(b)) {
    for (const Pose& pose : poses) {
      const Mat3& R = pose.R;
      transforms_.push_back(btTransform(
          btMatrix3x3(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
          btVector3(pose.p.x, pose.p.y, pose.p.z)));
    }
    a_.setCollisionShape(shape_a_.get());
    b_.setCollisionShape(shape_b_.get());
    b_.setWorldTransform(btTransform::getIdentity());
    const btCollisionObjectWrapper wrapper_a(nullptr, shape_a_.get(), &a_, transforms_[0], -1, -1);
    const btCollisionObjectWrapper wrapper_b(nullptr, shape_b_.get(), &b_, b_.getWorldTransform(), -1, -1);
    algorithm_ = dispatcher_.findAlgorithm(&wrapper_a, &wrapper_b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
  }
  ~Bullet() {
    algorithm_->~btCollisionAlgorithm();
    dispatcher_.freeCollisionAlgorithm(algorithm_);
  }
  Bullet(const Bullet&) = delete;
  Bullet& operator=(const Bullet&) = delete;

  QueryResult query(int pose) {
    a_.setWorldTransform(transforms_[static_cast<std::size_t>(pose)]);
    const btCollisionObjectWrapper wrapper_a(nullptr, shape_a_.get(), &a_, a_.getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper wrapper_b(nullptr, shape_b_.get(), &b_, b_.getWorldTransform(), -1, -1);
    btManifoldResult result(&wrapper_a, &wrapper_b);
    algorithm_->processCollision(&wrapper_a, &wrapper_b, info_, &result);
    btPersistentManifold* manifold = result.getPersistentManifold();
    if (!manifold) return {};
    QueryResult found{manifold->getNumContacts(), 1};
    for (int i = 0; i < found.points; ++i) {
      found.gap = std::min(found.gap, manifold->getContactPoint(i).getDistance());
    }
    manifold->clearManifold();
    return found;
  }

 private:
  static std::unique_ptr<btCollisionShape> make(const Shape& shape) {
    const Vec3& half = shape.convex.half;
    const btVector3 size(half.x, half.y, half.z);
    switch (shape.kind) {
      case Kind::sphere:
        return std::make_unique<btSphereShape>(shape.convex.rounding_radius);
      case Kind::capsule:
        return std::make_unique<btCapsuleShapeZ>(shape.convex.rounding_radius, 2 * half.z);
      case Kind::box:
        return std::make_unique<btBoxShape>(size);
      case Kind::cylinder:
        return std::make_unique<btCylinderShapeZ>(size);
      case Kind::hull:
        break;
    }
    auto hull = std::make_unique<btConvexHullShape>();
    for (const Vec3& v : shape.convex.polytope->vertices) hull->addPoint(btVector3(v.x, v.y, v.z), false);
    hull->recalcLocalAabb();
    hull->setMargin(0);  // Bullet would add it outside the hull
    return hull;
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDispatcherInfo info_;
  std::unique_ptr<btCollisionShape> shape_a_, shape_b_;
  btCollisionObject a_, b_;
  std::vector<btTransform> transforms_;
  btCollisionAlgorithm* algorithm_ = nullptr;
};

class Ode {
 public:
  Ode(const Shape& a, const Shape& b, std::span<const Pose> poses, bool) : b_(make(b, hull_b_)) {
    static const bool ready = dInitODE2(0) != 0;
    (void)ready;
    for (const Pose& pose : poses) {
      const dGeomID geom = make(a, hull_a_);
      dMatrix3 R{};
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) R[4 * i + j] = pose.R(i, j);
      }
      dGeomSetRotation(geom, R);
      dGeomSetPosition(geom, pose.p.x, pose.p.y, pose.p.z);
      a_.push_back(geom);
    }
  }
  ~Ode() {
    for (const dGeomID geom : a_) dGeomDestroy(geom);
    dGeomDestroy(b_);
  }
  Ode(const Ode&) = delete;
  Ode& operator=(const Ode&) = delete;

  QueryResult query(int pose) {
    std::array<dContactGeom, kMaxPoints> contacts;
    QueryResult found{
        dCollide(a_[static_cast<std::size_t>(pose)], b_, kMaxPoints, contacts.data(), sizeof(dContactGeom)),
        1};
    for (int i = 0; i < found.points; ++i) {
      found.gap = std::min(found.gap, -contacts[static_cast<std::size_t>(i)].depth);
    }
    return found;
  }

 private:
  struct Hull {
    std::vector<dReal> planes, points;
    std::vector<unsigned> polygons;
  };

  static dGeomID make(const Shape& shape, Hull& hull) {
    const Vec3& half = shape.convex.half;
    switch (shape.kind) {
      case Kind::sphere:
        return dCreateSphere(nullptr, shape.convex.rounding_radius);
      case Kind::capsule:
        return dCreateCapsule(nullptr, shape.convex.rounding_radius, 2 * half.z);
      case Kind::box:
        return dCreateBox(nullptr, 2 * half.x, 2 * half.y, 2 * half.z);
      case Kind::cylinder:
        return dCreateCylinder(nullptr, half.x, 2 * half.z);
      case Kind::hull:
        break;
    }
    const Polytope& polytope = *shape.convex.polytope;
    if (hull.points.empty()) {
      for (const Vec3& v : polytope.vertices) hull.points.insert(hull.points.end(), {v.x, v.y, v.z});
      for (const Polytope::Face& face : polytope.faces) {
        hull.planes.insert(hull.planes.end(), {face.normal.x, face.normal.y, face.normal.z, face.offset});
        hull.polygons.push_back(static_cast<unsigned>(face.end - face.begin));
        for (int i = face.begin; i < face.end; ++i)
          hull.polygons.push_back(static_cast<unsigned>(polytope.loops[i]));
      }
    }
    return dCreateConvex(nullptr, hull.planes.data(), static_cast<unsigned>(polytope.faces.size()),
                         hull.points.data(), static_cast<unsigned>(polytope.vertices.size()),
                         hull.polygons.data());
  }

  Hull hull_a_, hull_b_;
  std::vector<dGeomID> a_;
  dGeomID b_;
};

}  // namespace pawl::internal::bench
