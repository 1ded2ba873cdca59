// The four balls in the Open Dynamics Engine: its direct solver (Dantzig) and its iterative solver.

#include <ode/ode.h>

#include "four_balls.h"

namespace pawl::internal::bench {
namespace {

static_assert(sizeof(dReal) == sizeof(double));

enum class OdeSolver { world_step, quick_step };
enum class OdeSettings {
  defaults,  // ERP 0.2, CFM 1e-10
  demo,  // as in ODE's box stack demo: CFM 1e-5, max correcting velocity 0.1 m/s, allowed penetration 1 mm
};

class OdeEngine {
 public:
  OdeEngine(const FourBalls& scene, OdeSolver solver, OdeSettings settings)
      : scene_(scene),
        solver_(solver),
        world_(dWorldCreate()),
        space_(dSimpleSpaceCreate(nullptr)),
        contacts_(dJointGroupCreate(0)) {
    dWorldSetGravity(world_, scene.gravity.x, scene.gravity.y, scene.gravity.z);
    if (settings == OdeSettings::demo) {
      dWorldSetCFM(world_, 1e-5);
      dWorldSetContactMaxCorrectingVel(world_, 0.1);
      dWorldSetContactSurfaceLayer(world_, 0.001);
    }
    dCreatePlane(space_, 0, 0, 1, 0);
    for (const FourBalls::Ball& ball : scene.balls) {
      const dBodyID body = dBodyCreate(world_);
      dMass mass;
      dMassSetParameters(&mass, ball.mass, 0, 0, 0, ball.inertia, ball.inertia, ball.inertia, 0, 0, 0);
      dBodySetMass(body, &mass);
      dGeomSetBody(dCreateSphere(space_, ball.radius), body);
      bodies_.push_back(body);
    }
  }
  ~OdeEngine() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  OdeEngine(const OdeEngine&) = delete;
  OdeEngine& operator=(const OdeEngine&) = delete;

  void reset() {
    const dQuaternion identity = {1, 0, 0, 0};
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const auto& [x, v] = std::pair(scene_.balls[i].position, scene_.balls[i].velocity);
      dBodySetPosition(bodies_[i], x.x, x.y, x.z);
      dBodySetQuaternion(bodies_[i], identity);
      dBodySetLinearVel(bodies_[i], v.x, v.y, v.z);
      dBodySetAngularVel(bodies_[i], 0, 0, 0);
    }
  }
  void step() {
    dSpaceCollide(space_, this, &OdeEngine::near_callback);
    if (solver_ == OdeSolver::world_step) {
      dWorldStep(world_, scene_.step);
    } else {
      dWorldQuickStep(world_, scene_.step);
    }
    dJointGroupEmpty(contacts_);
  }
  Vec3 center(int ball) const {
    const dReal* x = dBodyGetPosition(bodies_[ball]);
    return {x[0], x[1], x[2]};
  }

 private:
  static void near_callback(void* data, dGeomID a, dGeomID b) {
    auto* self = static_cast<OdeEngine*>(data);
    dContact contact{};
    if (dCollide(a, b, 1, &contact.geom, sizeof contact) == 0) return;
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = self->scene_.friction;
    const dJointID joint = dJointCreateContact(self->world_, self->contacts_, &contact);
    dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
  }

  const FourBalls& scene_;
  OdeSolver solver_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;
};

[[maybe_unused]] const bool registered = [] {
  dInitODE2(0);
  const auto add_row = [](const std::string& name, OdeSolver solver, OdeSettings settings) {
    add("FourBalls/ode/" + name + "/5ms", [=](benchmark::State& state) {
      const FourBalls scene = four_balls();
      OdeEngine engine(scene, solver, settings);
      time_peer(state, engine, scene);
    });
  };
  add_row("world-step", OdeSolver::world_step, OdeSettings::defaults);
  add_row("world-step-demo", OdeSolver::world_step, OdeSettings::demo);
  add_row("quick-step", OdeSolver::quick_step, OdeSettings::defaults);
  add_row("quick-step-demo", OdeSolver::quick_step, OdeSettings::demo);
  return true;
}();

}  // namespace
}  // namespace pawl::internal::bench
