// The four balls in Bullet, in double precision: its default solver (sequential impulses, ten iterations) and
// its direct solver (Dantzig's method on a mixed linear complementarity problem).

#include <memory>

#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

#include "four_balls.h"

namespace pawl::internal::bench {
namespace {

btVector3 bullet(const Vec3& a) {
  return {a.x, a.y, a.z};
}

class BulletEngine {
 public:
  BulletEngine(const FourBalls& scene, std::unique_ptr<btConstraintSolver> solver)
      : scene_(scene),
        dispatcher_(&configuration_),
        solver_(std::move(solver)),
        world_(&dispatcher_, &broad_phase_, solver_.get(), &configuration_) {
    world_.setGravity(bullet(scene.gravity));
    world_.addRigidBody(&table_);
    table_.setFriction(std::sqrt(scene.friction));  // Bullet multiplies the frictions of two bodies
    for (const FourBalls::Ball& ball : scene.balls) {
      shapes_.push_back(std::make_unique<btSphereShape>(ball.radius));
      const btVector3 inertia(ball.inertia, ball.inertia, ball.inertia);
      bodies_.push_back(std::make_unique<btRigidBody>(ball.mass, nullptr, shapes_.back().get(), inertia));
      bodies_.back()->setFriction(std::sqrt(scene.friction));
      bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
      world_.addRigidBody(bodies_.back().get());
    }
  }
  ~BulletEngine() {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
    world_.removeRigidBody(&table_);
  }
  BulletEngine(const BulletEngine&) = delete;
  BulletEngine& operator=(const BulletEngine&) = delete;

  /// For direct solvers: one problem per island, as in Bullet's examples.
  void solve_islands_separately() { world_.getSolverInfo().m_minimumSolverBatchSize = 1; }

  void reset() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      btRigidBody& body = *bodies_[i];
      world_.removeRigidBody(&body);  // also drops its cached contacts
      const btTransform transform(btQuaternion::getIdentity(), bullet(scene_.balls[i].position));
      body.setWorldTransform(transform);
      body.setInterpolationWorldTransform(transform);
      body.setLinearVelocity(bullet(scene_.balls[i].velocity));
      body.setAngularVelocity(btVector3(0, 0, 0));
      body.clearForces();
      world_.addRigidBody(&body);
    }
    solver_->reset();
  }
  void step() { world_.stepSimulation(scene_.step, 0); }
  Vec3 center(int ball) const {
    const btVector3& x = bodies_[ball]->getWorldTransform().getOrigin();
    return {x.x(), x.y(), x.z()};
  }

 private:
  const FourBalls& scene_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  std::unique_ptr<btConstraintSolver> solver_;
  btDiscreteDynamicsWorld world_;
  btStaticPlaneShape plane_{btVector3(0, 0, 1), 0};
  btRigidBody table_{0, nullptr, &plane_};
  std::vector<std::unique_ptr<btSphereShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

[[maybe_unused]] const bool registered = [] {
  add("FourBalls/bullet/sequential-impulse/5ms", [](benchmark::State& state) {
    const FourBalls scene = four_balls();
    BulletEngine engine(scene, std::make_unique<btSequentialImpulseConstraintSolver>());
    time_peer(state, engine, scene);
  });
  add("FourBalls/bullet/dantzig/5ms", [](benchmark::State& state) {
    const FourBalls scene = four_balls();
    btDantzigSolver dantzig;
    BulletEngine engine(scene, std::make_unique<btMLCPSolver>(&dantzig));
    engine.solve_islands_separately();
    time_peer(state, engine, scene);
  });
  return true;
}();

}  // namespace
}  // namespace pawl::internal::bench
