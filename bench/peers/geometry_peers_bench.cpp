// The contacts of two shapes in ours, FCL, Bullet and ODE, over the same poses. All objects are made and
// placed before the clock starts; one iteration is one query. Every row also tells how many points of contact
// it found, and by how much its least gap is wrong.

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <btBulletCollisionCommon.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#include <ode/ode.h>

#include <pawl/geometry/contact_set.h>

#include "resting_hull.h"

namespace pawl::bench {
namespace {

constexpr int kPoses = 128, kMostPoints = 4;

// ---- shapes and poses -----------------------------------------------------------------------------------

enum class Kind { sphere, capsule, box, cylinder, hull };

/// Of size 1, or nearly. The hull has a face up and one down, so that it can rest.
struct Shape {
  Kind kind = Kind::sphere;
  Polytope polytope;
  Convex convex;
};

std::unique_ptr<Shape> make_shape(Kind kind) {
  auto shape = std::make_unique<Shape>();
  shape->kind = kind;
  Convex& convex = shape->convex;
  const auto flat = [&](CoreKind core, const Vec3& half, Polytope polytope, double margin) {
    shape->polytope = std::move(polytope);
    convex = {core, false, margin, half, &shape->polytope};
  };
  switch (kind) {
    case Kind::sphere:
      convex = {CoreKind::point, false, 0.5, {}, nullptr};
      break;
    case Kind::capsule:
      flat(CoreKind::segment, {0, 0, 0.5}, make_segment(0.5, false), 0.25);
      break;
    case Kind::box:
      flat(CoreKind::box, {0.5, 0.4, 0.3}, make_box({0.5, 0.4, 0.3}, false), 0);
      break;
    case Kind::cylinder:
      convex = {CoreKind::cylinder, false, 0, {0.4, 0.4, 0.5}, nullptr};
      break;
    case Kind::hull:
      flat(CoreKind::polytope, {}, hull_with_flats(32, 1), 0);
      break;
  }
  return shape;
}

/// rest: one on top of the other, all but level, capsules and cylinders lying or, every other one, upright.
/// tumbled: any rotation. Both overlap by 1e-4. apart: as at rest, with a gap of 1e-2.
enum class How { rest, tumbled, apart };

double aim(How how) {
  return how == How::apart ? 1e-2 : -1e-4;
}

/// Lifts a over b, along z, to the gap that is aimed at.
void lift(const Convex& a, const Convex& b, double gap, Pose& X) {
  for (int round = 0; round < 60; ++round) {
    const Separation now = separation({a, X}, {b, Pose{}});
    X.p.z += (gap - now.gap) / std::max(now.normal.z, 0.3);
  }
}

std::vector<Pose> make_poses(const Shape& a, const Shape& b, How how) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Pose> poses;
  for (int i = 0; i < kPoses; ++i) {
    const auto any = [&] { return Vec3{uniform(engine), uniform(engine), uniform(engine)}; };
    const Mat3 tilt = to_matrix(quat_exp(1e-3 * any())), turn = to_matrix(quat_exp({0, 0, 3 * any().z}));
    const bool lies = (a.kind == Kind::capsule || a.kind == Kind::cylinder) && i % 2 == 0;
    const Mat3 lay = lies ? to_matrix(quat_exp({1.5707963267948966, 0, 0})) : Mat3::identity();
    const Mat3 tumble = to_matrix(normalized(Quat{uniform(engine), uniform(engine), uniform(engine), 1.1}));
    const Vec3 place = 0.2 * any();
    poses.push_back({how == How::tumbled ? tumble : tilt * turn * lay, {place.x, place.y, 1}});
    lift(a.convex, b.convex, aim(how), poses.back());
  }
  return poses;
}

// ---- the four ------------------------------------------------------------------------------------------

/// What a query found: the number of points, and the least of their gaps.
struct Found {
  int points = 0;
  double gap = 0;
};

class Ours {
 public:
  Ours(const Shape& a, const Shape& b, std::span<const Pose> poses, How)
      : a_(a.convex), b_(b.convex), poses_(poses) {}

  Found query(int pose) {
    contact_set({a_, poses_[pose]}, {b_, Pose{}}, 0.1, kMostPoints, set_);
    Found found{set_.count, 1};
    for (int i = 0; i < set_.count; ++i) found.gap = std::min(found.gap, set_.points[i].gap);
    return found;
  }

 private:
  const Convex &a_, &b_;
  std::span<const Pose> poses_;
  ContactSet set_;
};

/// Contacts of those that overlap, distance and nearest points of those that do not, as FCL has it.
class Fcl {
 public:
  Fcl(const Shape& a, const Shape& b, std::span<const Pose> poses, How how)
      : a_(make(a)), b_(make(b)), overlap_(how != How::apart) {
    for (const Pose& pose : poses) {
      Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) X.linear()(i, j) = pose.R(i, j);
        X.translation()[i] = pose.p[i];
      }
      poses_.push_back(X);
    }
  }

  Found query(int pose) {
    const auto& X = poses_[static_cast<std::size_t>(pose)];
    if (!overlap_) {
      fcl::DistanceResultd result;
      fcl::distance(a_.get(), X, b_.get(), fcl::Transform3d::Identity(), fcl::DistanceRequestd(true), result);
      return {1, result.min_distance};
    }
    fcl::CollisionResultd result;
    fcl::collide(a_.get(), X, b_.get(), fcl::Transform3d::Identity(),
                 fcl::CollisionRequestd(kMostPoints, true), result);
    Found found{static_cast<int>(result.numContacts()), 1};
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
        return std::make_unique<fcl::Sphered>(shape.convex.margin);
      case Kind::capsule:
        return std::make_unique<fcl::Capsuled>(shape.convex.margin, 2 * half.z);
      case Kind::box:
        return std::make_unique<fcl::Boxd>(2 * half.x, 2 * half.y, 2 * half.z);
      case Kind::cylinder:
        return std::make_unique<fcl::Cylinderd>(half.x, 2 * half.z);
      case Kind::hull:
        break;
    }
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    for (const Vec3& v : shape.polytope.vertices) vertices->push_back({v.x, v.y, v.z});
    auto faces = std::make_shared<std::vector<int>>();
    for (const Polytope::Face& face : shape.polytope.faces) {
      faces->push_back(face.end - face.begin);
      for (int i = face.begin; i < face.end; ++i) faces->push_back(shape.polytope.loops[i]);
    }
    return std::make_unique<fcl::Convexd>(vertices, static_cast<int>(shape.polytope.faces.size()), faces);
  }

  std::unique_ptr<fcl::CollisionGeometryd> a_, b_;
  bool overlap_;
  std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>> poses_;
};

/// The algorithm that Bullet's dispatcher picks for the two, into a manifold that is empty at every query. In
/// a simulation Bullet's convex pairs collect their points over several steps.
class Bullet {
 public:
  Bullet(const Shape& a, const Shape& b, std::span<const Pose> poses, How)
      : shape_a_(make(a)), shape_b_(make(b)) {
    for (const Pose& pose : poses) {
      const Mat3& R = pose.R;
      places_.push_back(btTransform(
          btMatrix3x3(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
          btVector3(pose.p.x, pose.p.y, pose.p.z)));
    }
    a_.setCollisionShape(shape_a_.get());
    b_.setCollisionShape(shape_b_.get());
    b_.setWorldTransform(btTransform::getIdentity());
    const btCollisionObjectWrapper placed_a(nullptr, shape_a_.get(), &a_, places_[0], -1, -1);
    const btCollisionObjectWrapper placed_b(nullptr, shape_b_.get(), &b_, b_.getWorldTransform(), -1, -1);
    algorithm_ = dispatcher_.findAlgorithm(&placed_a, &placed_b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
  }
  ~Bullet() {
    algorithm_->~btCollisionAlgorithm();
    dispatcher_.freeCollisionAlgorithm(algorithm_);
  }
  Bullet(const Bullet&) = delete;
  Bullet& operator=(const Bullet&) = delete;

  Found query(int pose) {
    a_.setWorldTransform(places_[static_cast<std::size_t>(pose)]);
    const btCollisionObjectWrapper placed_a(nullptr, shape_a_.get(), &a_, a_.getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper placed_b(nullptr, shape_b_.get(), &b_, b_.getWorldTransform(), -1, -1);
    btManifoldResult result(&placed_a, &placed_b);
    algorithm_->processCollision(&placed_a, &placed_b, info_, &result);
    btPersistentManifold* manifold = result.getPersistentManifold();
    if (!manifold) return {};
    Found found{manifold->getNumContacts(), 1};
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
        return std::make_unique<btSphereShape>(shape.convex.margin);
      case Kind::capsule:
        return std::make_unique<btCapsuleShapeZ>(shape.convex.margin, 2 * half.z);
      case Kind::box:
        return std::make_unique<btBoxShape>(size);
      case Kind::cylinder:
        return std::make_unique<btCylinderShapeZ>(size);
      case Kind::hull:
        break;
    }
    auto hull = std::make_unique<btConvexHullShape>();
    for (const Vec3& v : shape.polytope.vertices) hull->addPoint(btVector3(v.x, v.y, v.z), false);
    hull->recalcLocalAabb();
    hull->setMargin(0);  // it would be added on the outside
    return hull;
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDispatcherInfo info_;
  std::unique_ptr<btCollisionShape> shape_a_, shape_b_;
  btCollisionObject a_, b_;
  std::vector<btTransform> places_;
  btCollisionAlgorithm* algorithm_ = nullptr;
};

class Ode {
 public:
  Ode(const Shape& a, const Shape& b, std::span<const Pose> poses, How) : b_(make(b, hull_b_)) {
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

  Found query(int pose) {
    std::array<dContactGeom, kMostPoints> contacts;
    Found found{
        dCollide(a_[static_cast<std::size_t>(pose)], b_, kMostPoints, contacts.data(), sizeof(dContactGeom)),
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
        return dCreateSphere(nullptr, shape.convex.margin);
      case Kind::capsule:
        return dCreateCapsule(nullptr, shape.convex.margin, 2 * half.z);
      case Kind::box:
        return dCreateBox(nullptr, 2 * half.x, 2 * half.y, 2 * half.z);
      case Kind::cylinder:
        return dCreateCylinder(nullptr, half.x, 2 * half.z);
      case Kind::hull:
        break;
    }
    const Polytope& polytope = shape.polytope;
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

// ---- rows -----------------------------------------------------------------------------------------------

template <class Engine>
void time_queries(benchmark::State& state, Kind kind_a, Kind kind_b, How how) {
  const std::unique_ptr<Shape> a = make_shape(kind_a), b = make_shape(kind_b);
  const std::vector<Pose> poses = make_poses(*a, *b, how);
  Engine engine(*a, *b, poses, how);
  double points = 0, error = 0;
  std::vector<int> usable;  // FCL throws at some
  for (int i = 0; i < kPoses; ++i) {
    try {
      const Found found = engine.query(i);
      points += found.points;
      if (found.points > 0) error = std::max(error, std::abs(found.gap - aim(how)));
      usable.push_back(i);
    } catch (const std::exception&) {
    }
  }
  if (usable.empty()) return state.SkipWithError("throws at every pose");
  std::size_t next = 0;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(engine.query(usable[next]));
    next = next + 1 < usable.size() ? next + 1 : 0;
  }
  state.counters["points"] = points / static_cast<double>(usable.size());
  state.counters["gap_error"] = error;
  state.counters["threw"] = kPoses - static_cast<double>(usable.size());
}

struct Row {
  const char* name;
  Kind a, b;
};

[[maybe_unused]] const bool registered = [] {
  for (const Row& row :
       {Row{"sphere-sphere", Kind::sphere, Kind::sphere}, Row{"sphere-box", Kind::sphere, Kind::box},
        Row{"capsule-capsule", Kind::capsule, Kind::capsule}, Row{"capsule-box", Kind::capsule, Kind::box},
        Row{"box-box", Kind::box, Kind::box}, Row{"cylinder-box", Kind::cylinder, Kind::box},
        Row{"cylinder-cylinder", Kind::cylinder, Kind::cylinder}, Row{"hull-hull", Kind::hull, Kind::hull}}) {
    for (const auto& [how, suffix] :
         {std::pair(How::rest, "rest"), std::pair(How::tumbled, "tumbled"), std::pair(How::apart, "apart")}) {
      const auto add = [&](const char* engine, auto time) {
        const std::string name = std::string("Contacts/") + row.name + "/" + suffix + "/" + engine;
        benchmark::RegisterBenchmark(name.c_str(), time, row.a, row.b, how);
      };
      add("pawl", time_queries<Ours>);
      add("fcl", time_queries<Fcl>);
      add("bullet", time_queries<Bullet>);
      add("ode", time_queries<Ode>);
    }
  }
  return true;
}();

}  // namespace
}  // namespace pawl::bench
