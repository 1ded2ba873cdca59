#pragma once
// Runs of the scenes in scenes/classics, and their orders of convergence. references.py prints the
// references.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support.h"

namespace pawl::internal::test {

/// A scene of scenes/classics with another step and end.
struct Classic : SceneRun {
  Classic(const std::string& name, double h, double until)
      : SceneRun(repository_scene("classics/" + name + ".yaml",
                                  {"run.step=" + number_text(h), "run.until=" + number_text(until)})) {}

  /// Steps to the end; every step must be certified.
  template <class Callback>
  void run(Callback callback) {
    step_to_end([&](const StepReport& report) {
      ASSERT_TRUE(report.certified()) << report << ": " << report.reason;
      callback(report);
    });
  }
  void run() {
    run([](const StepReport&) {});
  }
  double energy() const { return simulation.energy().kinetic + simulation.energy().potential; }
  Vec3 position() const { return {q(0), q(1), q(2)}; }  // of the first body, if it is free
  Vec3 angular_velocity() const { return {v(3), v(4), v(5)}; }
  /// From the axes of the first body to the world's.
  Vec3 rotate(const Vec3& a) const {
    const Vec3 u{q(4), q(5), q(6)}, t = 2 * cross(u, a);
    return a + q(3) * t + cross(u, t);
  }
};

/// The errors of steps h, h/2, h/4, … fall fourfold each time.
inline void expect_second_order(const std::vector<double>& errors, double tolerance = 0.1) {
  for (std::size_t i = 0; i + 1 < errors.size(); ++i) {
    const double order = std::log2(std::abs(errors[i] / errors[i + 1]));
    std::printf("error %.3g, then %.3g: order %.2f\n", errors[i], errors[i + 1], order);
    EXPECT_NEAR(order, 2, tolerance) << errors[i] << " and then " << errors[i + 1];
  }
}

}  // namespace pawl::internal::test
