// The four balls in DART with its default solver: Dantzig's method on a boxed linear complementarity problem.

#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include "four_balls.h"

namespace pawl::internal::bench {
namespace {

Eigen::Vector3d eigen(const Vec3& a) {
  return {a.x, a.y, a.z};
}

class DartEngine {
 public:
  explicit DartEngine(const FourBalls& scene) : scene_(scene) {
    // DART's own collision detector is exact for spheres and boxes; the table is a box with its top at z = 0.
    world_->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    world_->setGravity(eigen(scene.gravity));
    world_->setTimeStep(scene.step);
    const auto table = dart::dynamics::Skeleton::create("table");
    const auto [joint, top] = table->createJointAndBodyNodePair<dart::dynamics::WeldJoint>();
    joint->setTransformFromParentBodyNode(Eigen::Isometry3d(Eigen::Translation3d(0, 0, -0.5)));
    add_shape(*top, std::make_shared<dart::dynamics::BoxShape>(Eigen::Vector3d(20, 20, 1)));
    world_->addSkeleton(table);
    for (const FourBalls::Ball& ball : scene.balls) {
      const auto skeleton = dart::dynamics::Skeleton::create("ball" + std::to_string(joints_.size()));
      const auto [free, body] = skeleton->createJointAndBodyNodePair<dart::dynamics::FreeJoint>();
      body->setInertia({ball.mass, Eigen::Vector3d::Zero(), ball.inertia * Eigen::Matrix3d::Identity()});
      add_shape(*body, std::make_shared<dart::dynamics::SphereShape>(ball.radius));
      world_->addSkeleton(skeleton);
      joints_.push_back(free);
    }
  }

  void reset() {
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      joints_[i]->setTransform(Eigen::Isometry3d(Eigen::Translation3d(eigen(scene_.balls[i].position))));
      joints_[i]->setAngularVelocity(Eigen::Vector3d::Zero());
      joints_[i]->setLinearVelocity(eigen(scene_.balls[i].velocity));
    }
    world_->getConstraintSolver()->clearLastCollisionResult();
  }
  void step() { world_->step(); }
  Vec3 center(int ball) const {
    const Eigen::Vector3d x = joints_[ball]->getChildBodyNode()->getTransform().translation();
    return {x[0], x[1], x[2]};
  }

 private:
  void add_shape(dart::dynamics::BodyNode& body, const dart::dynamics::ShapePtr& shape) {
    using namespace dart::dynamics;
    ShapeNode* node = body.createShapeNodeWith<CollisionAspect, DynamicsAspect>(shape);
    node->getDynamicsAspect()->setFrictionCoeff(scene_.friction);  // DART uses the smaller one of the two
    node->getDynamicsAspect()->setRestitutionCoeff(0);
  }

  const FourBalls& scene_;
  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
  std::vector<dart::dynamics::FreeJoint*> joints_;
};

[[maybe_unused]] const bool registered = [] {
  add("FourBalls/dart/dantzig/5ms", [](benchmark::State& state) {
    const FourBalls scene = four_balls();
    DartEngine engine(scene);
    time_peer(state, engine, scene);
  });
  return true;
}();

}  // namespace
}  // namespace pawl::internal::bench
