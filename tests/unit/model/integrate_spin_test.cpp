#include <gtest/gtest.h>

#include <sstream>

#include <pawl/model/dynamics.h>
#include <unit/base/worst.h>
#include <unit/model/mechanisms.h>

namespace pawl::internal {
namespace integrate_spin_test {

using testing::kinematics_after;
using testing::Random;
using testing::WorstValue;
using Numbers = std::vector<double>;

/// A single body before a step, and the errors of integrate_spin.
struct Tumble {
  Mat3 R, inertia;
  Vec3 w, torque;
  double h = 0;

  SpinStep step() const { return integrate_spin(R, inertia, w, torque, h); }
  Vec3 momentum(const Mat3& R_WB, const Vec3& spin) const {
    return R_WB * (inertia * (transpose(R_WB) * spin));
  }
  Vec3 start() const { return momentum(R, w); }

  /// |I(R⁺) w⁺ - L⁺| / |L⁺|.
  double momentum_error(const SpinStep& spin) const {
    const Vec3 wanted = start() + h * torque;
    return norm(momentum(to_matrix(quat_exp(h * spin.mean)) * R, spin.end) - wanted) / norm(wanted);
  }
  /// The relative residual of the midpoint rule I(exp(h mean/2) R) mean = L + h τ.
  double midpoint_error(const SpinStep& spin) const {
    const Vec3 wanted = start() + h * torque;
    return norm(momentum(to_matrix(quat_exp(0.5 * h * spin.mean)) * R, spin.mean) - wanted) / norm(wanted);
  }
};

/// A body that rotates by `angle` per step, with a torque impulse of up to `push` × its angular momentum.
Tumble random_tumble(Random& random, double angle, double push) {
  Tumble t;
  t.R = to_matrix(random.rotation());
  t.inertia = random.scale(1e-12, 1e6) * testing::random_inertia(random, Dimension::spatial);
  t.h = random.scale(1e-5, 1);
  t.w = angle / t.h * random.unit();
  t.torque = random.uniform(0, push) * norm(t.start()) / t.h * random.unit();
  return t;
}

TEST(IntegrateSpin, KeepsAngularMomentumAtAnyAngleOfAStep) {
  Random random(10);
  for (const double angle : {1e-12, 1e-8, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 10.0}) {
    std::ostringstream name;
    name << "relative error at " << angle << " rad";
    WorstValue error(name.str());
    for (int sample = 0; sample < 1000; ++sample) {
      for (const double push : {0.0, 2.0}) {
        const Tumble t = random_tumble(random, angle, push);
        error.add(t.momentum_error(t.step()));
      }
    }
    error.expect_at_most(2e-14);  // the torque alone rotates it by up to 20 rad
  }
}

TEST(IntegrateSpin, SolvesTheMidpointRuleUpToTwoRadiansAStep) {
  Random random(11);
  WorstValue error("relative error");
  for (int sample = 0; sample < 10'000; ++sample) {
    const Tumble t = random_tumble(random, random.scale(1e-6, 2), 1);
    error.add(t.midpoint_error(t.step()));
  }
  error.expect_at_most(1e-14);
}

TEST(IntegrateSpin, ServesRodsAndPlates) {
  Random random(12);
  WorstValue momentum("momentum"), midpoint("midpoint");
  for (int sample = 0; sample < 1000; ++sample) {
    const double thin = random.scale(1e-6, 1);
    for (const Vec3& moments : {Vec3{1, 1, thin}, Vec3{1, 1, 2}, Vec3{1, 1 + thin, 2}}) {
      Tumble t = random_tumble(random, random.scale(1e-3, 0.5), 0);
      t.inertia = Mat3::diagonal(moments);
      const SpinStep spin = t.step();
      momentum.add(t.momentum_error(spin));
      midpoint.add(t.midpoint_error(spin));
    }
  }
  momentum.expect_at_most(1e-14);
  midpoint.expect_at_most(1e-14);
}

TEST(IntegrateSpin, IsReversibleInTime) {
  Random random(13);
  WorstValue turn("turn"), spin("relative spin");
  for (int sample = 0; sample < 1000; ++sample) {
    const Tumble there = random_tumble(random, random.scale(1e-3, 0.5), 0);
    const SpinStep out = there.step();
    const Mat3 R_next = to_matrix(quat_exp(there.h * out.mean)) * there.R;
    const SpinStep back = integrate_spin(R_next, there.inertia, out.end, there.torque, -there.h);
    turn.add(there.h * (back.mean - out.mean));
    spin.add(norm(back.end - there.w) / norm(there.w));
  }
  turn.expect_at_most(1e-13);
  spin.expect_at_most(1e-13);
}

TEST(IntegrateSpin, FollowsEulersEquationsAsTheStepGoesToZero) {
  Random random(14);
  WorstValue error("error");
  for (int sample = 0; sample < 1000; ++sample) {
    Tumble t = random_tumble(random, 1, 0);
    t.inertia = testing::random_inertia(random, Dimension::spatial);
    t.w = random.vec();
    t.torque = random.vec();
    t.h = 1e-6;
    const Mat3 I = t.R * t.inertia * transpose(t.R);
    const Vec3 acceleration = solve(I, t.torque - cross(t.w, I * t.w));
    const SpinStep spin = t.step();
    error.add((spin.end - t.w) / t.h - acceleration);
    // The torque acts before the rotation, the gyroscopic term during it.
    const Vec3 kick = solve(I, t.torque);
    error.add((spin.mean - t.w) / t.h - kick - 0.5 * (acceleration - kick));
  }
  error.expect_at_most(1e-4);  // h times second derivatives, up to 100
}

TEST(IntegrateSpin, LeavesBallsAndBodiesAtRestUnchanged) {
  const Mat3 R = to_matrix(quat_exp({1, 2, 3}));
  const SpinStep rest = integrate_spin(R, Mat3::identity(), {}, {}, 0.1);
  EXPECT_EQ(rest.mean, Vec3{});
  EXPECT_EQ(rest.end, Vec3{});
  const Vec3 w{3, -2, 7};
  const SpinStep ball = integrate_spin(R, 0.4 * Mat3::identity(), w, {}, 0.1);
  EXPECT_LE(norm(ball.mean - w), 1e-14);
  EXPECT_LE(norm(ball.end - w), 1e-14);
}

TEST(IntegrateSpin, KeepsMomentumAndEnergyOfABodyThatTumblesForTenThousandSteps) {
  Scene scene;
  scene.gravity = {};
  SceneBody body;
  body.name = "racket";
  body.mass = 1;
  body.inertia = Mat3::diagonal({1, 2, 2.8});
  body.angular_velocity = {0.01, 5, 0.01};  // about the unstable intermediate axis
  scene.bodies.push_back(body);
  const Model model = compile(scene);
  const double h = 0.01;
  Numbers q = model.q_start, v = model.v_start;
  const Vec3 start = momentum(model, kinematics_after(model, q, v, 0)).angular;
  const double energy = kinetic_energy(model, kinematics_after(model, q, v, 0));
  WorstValue momentum_drift("relative drift of momentum"), energy_swing("relative swing of energy");
  int turns_over = 0;
  double side = 1;
  for (int step = 0; step < 10'000; ++step) {
    const Mat3 R = to_matrix({q[3], q[4], q[5], q[6]});
    const SpinStep spin = integrate_spin(R, *body.inertia, {v[3], v[4], v[5]}, {}, h);
    integrate(model, q, Numbers{0, 0, 0, spin.mean.x, spin.mean.y, spin.mean.z}, h, q);
    v = {0, 0, 0, spin.end.x, spin.end.y, spin.end.z};
    const Kinematics k = kinematics_after(model, q, v, 0);
    momentum_drift.add(norm(momentum(model, k).angular - start) / norm(start));
    energy_swing.add(kinetic_energy(model, k) / energy - 1);
    const double along = (transpose(k.X_WB[1].R) * k.w[1]).y;
    if (along * side < -4) {
      ++turns_over;
      side = -side;
    }
  }
  momentum_drift.expect_at_most(1e-13);
  energy_swing.expect_at_most(2.5e-3);  // (h w)²: it oscillates and does not drift
  EXPECT_EQ(turns_over, 18);            // as with Euler's equations by a Runge-Kutta method at h = 1e-4
}

}  // namespace integrate_spin_test
}  // namespace pawl::internal
