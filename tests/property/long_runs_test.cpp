// Mechanisms over many steps: joint errors stay bounded, energy is conserved, and both forms of a mechanism
// move alike.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pawl/model/kinematics.h>

#include "energy_errors.h"
#include "support.h"

namespace pawl::internal {
namespace long_runs_test {

using test::energy_errors;
using test::EnergyErrors;
using test::number_text;
using test::SceneRun;

/// PAWL_STEPS=100000 selects the long runs of chains. Pendulums always run this long.
int chain_steps() {
  const char* wish = std::getenv("PAWL_STEPS");
  return wish != nullptr ? std::atoi(wish) : 5000;
}

enum class Form { tree, rows };

/// Links of 1 m and 1 kg that hang from the origin, released from a horizontal position. In space they get a
/// sideways push, so that they tumble.
std::string chain(Form form, bool planar, int links, double h, double until, const std::string& run = "") {
  const std::string inertia = planar ? "0.0833" : "[0.01, 0.0833, 0.0833]",
                    kind = planar ? "revolute" : "ball";
  const auto at = [&](double x) { return "[" + number_text(x) + (planar ? ", 0]" : ", 0, 0]"); };
  std::string bodies, joints;
  for (int i = 0; i < links; ++i) {
    const std::string name = "link" + std::to_string(i), last = "link" + std::to_string(i - 1);
    bodies += "  " + name + ": {mass: 1, inertia: " + inertia + ", position: " + at(i + 0.5);
    if (form == Form::tree) {
      bodies += ", joint: {type: " + kind + ", anchor: " + at(i) + (i > 0 ? ", parent: " + last : "") + "}";
    }
    bodies += "}\n";
    joints += "  - {type: " + kind + ", between: [" + name + ", " + (i > 0 ? last : "world") +
              "], anchor: " + at(i) + "}\n";
  }
  const std::string push = planar
                               ? ""
                               : "forces:\n  push: {type: wrench, body: link" + std::to_string(links - 1) +
                                     ", force: [0, 40, 0], torque: [0.5, 0, 0], over_time: {table: [[0, 1], "
                                     "[0.1, 1], [0.2, 0]]}}\n";
  return "pawl: 1\nworld: {dimension: " + std::string(planar ? "planar" : "spatial") + "}\nbodies:\n" +
         bodies + (form == Form::rows ? "joints:\n" + joints : "") + push + "run: {step: " + number_text(h) +
         ", until: " + number_text(until) + run + "}\n";
}

/// The method of a run and its γ.
struct Stabilised {
  const char* run;
  double gamma;
};
const Stabilised kMethods[] = {{", method: pawl", 1},
                               {", method: anitescu-hart, gamma: 1", 1},
                               {", method: anitescu-hart, gamma: 0.2", 0.2}};

/// Joint errors in m: max of a run, and means of its first and last fifth.
struct JointErrors {
  double worst = 0, first_mean = 0, last_mean = 0;
  double theorem = 0;  // max of (I(l+1) - (1 - γ) I(l)) / (h² ω²), m
};
JointErrors joint_errors(const std::string& scene, double gamma) {
  SceneRun run(scene);
  JointErrors errors;
  const double end = run.scene.run.until, h = run.scene.run.step;
  double before = 0;
  int first = 0, last = 0;
  Kinematics moving;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    ASSERT_EQ(report.halvings, 0);
    const double error = report.joint_violation;
    position_kinematics(run.model, run.simulation.state().q, moving);
    velocity_kinematics(run.model, run.simulation.state().v, moving);
    double spin = 0;
    for (const Vec3& w : moving.w) spin = std::max(spin, norm(w));
    errors.theorem = std::max(errors.theorem, (error - (1 - gamma) * before) / (h * h * spin * spin));
    errors.worst = std::max(errors.worst, error);
    if (report.time < 0.2 * end) errors.first_mean += error, ++first;
    if (report.time > 0.8 * end) errors.last_mean += error, ++last;
    before = error;
  });
  errors.first_mean /= first;
  errors.last_mean /= last;
  return errors;
}

// At every step I(l+1) ≤ (1 - γ) I(l) + C h² ω² [AnitescuMillerHart2003, Theorem 3.1], so I stays below C h²
// ω²/γ. To second order a point at r deviates by ½ h² ω² r from its linearised motion. In a joint two such
// points meet, each ½ m from the centre of its link: C = ½ m.
constexpr double kTheorem = 0.5;

TEST(LongRuns, JointErrorsOfPendulumsAreOfSecondOrderAndDoNotDriftInAHundredThousandSteps) {
  for (const Stabilised& method : kMethods) {
    for (const int links : {1, 2}) {
      SCOPED_TRACE(std::string(method.run) + ", links: " + std::to_string(links));
      const JointErrors errors =
          joint_errors(chain(Form::rows, true, links, 1e-3, 100, method.run), method.gamma);
      EXPECT_LT(errors.theorem, kTheorem);
      EXPECT_LT(errors.last_mean, std::max(1.5 * errors.first_mean, 1e-13));  // of method pawl: rounding
    }
  }
}

TEST(LongRuns, JointErrorsOfChainsAreOfSecondOrderAndDoNotDrift) {
  for (const Stabilised& method : kMethods) {
    for (const bool planar : {true, false}) {
      SCOPED_TRACE(std::string(method.run) + (planar ? ", planar" : ", in space"));
      const double h = 1e-3;
      const JointErrors errors =
          joint_errors(chain(Form::rows, planar, 6, h, chain_steps() * h, method.run), method.gamma);
      EXPECT_LT(errors.theorem, kTheorem);
    }
  }
}

TEST(LongRuns, MethodPawlLeavesJointErrorsFarBelowTheSecondOrder) {
  const double h = 1e-3;
  for (const bool planar : {true, false}) {
    EXPECT_LT(joint_errors(chain(Form::rows, planar, 6, h, chain_steps() * h), 1).theorem, 1e-3 * kTheorem)
        << planar;
  }
}

TEST(LongRuns, EnergyOfADoublePendulumStaysToFirstOrderInBothForms) {
  for (const Form form : {Form::tree, Form::rows}) {
    SCOPED_TRACE(form == Form::tree ? "tree" : "rows");
    double last = 0;
    for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
      const double worst = energy_errors(chain(form, true, 2, h, 10)).worst;
      EXPECT_LT(worst, 60 * h) << h;  // J; m g l is 9.81 J
      if (last > 0) {
        EXPECT_LT(worst, 0.75 * last) << h;
      }
      last = worst;
    }
  }
}

TEST(LongRuns, EnergyOfADoublePendulumOfRowsDoesNotDriftInAHundredThousandSteps) {
  const EnergyErrors errors = energy_errors(chain(Form::rows, true, 2, 1e-3, 100));
  EXPECT_LT(std::abs(errors.last_mean - errors.first_mean), 0.003);  // J
}

TEST(LongRuns, EnergyOfBricardsLinkageDoesNotDrift) {
  // Its links tumble. If the hinge impulses acted at the end of the step with the initial inertia, it would
  // lose a third of its energy in these 6 s.
  SceneRun run(test::repository_scene("bricard.yaml", {"run.step=4ms", "run.until=6"}));
  const double start = run.simulation.energy().kinetic + run.simulation.energy().potential;
  double first = 0, last = 0;
  int firsts = 0, lasts = 0;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    const double energy = report.energy.kinetic + report.energy.potential;
    EXPECT_NEAR(energy, start, 0.05 * start);
    if (report.time < 2) first += energy, ++firsts;
    if (report.time > 4) last += energy, ++lasts;
  });
  EXPECT_NEAR(last / lasts, first / firsts, 0.005 * start);
}

/// Max distance between the links of both forms at the end.
double apart(bool planar, int links, double h, double until) {
  SceneRun tree(chain(Form::tree, planar, links, h, until)), rows(chain(Form::rows, planar, links, h, until));
  for (SceneRun* run : {&tree, &rows}) {
    run->step_to_end([](const StepReport& report) { ASSERT_TRUE(report.certified()) << report; });
  }
  Kinematics a, b;
  position_kinematics(tree.model, tree.simulation.state().q, a);
  position_kinematics(rows.model, rows.simulation.state().q, b);
  double most = 0;
  for (int link = 1; link <= links; ++link) most = std::max(most, norm(a.X_WB[link].p - b.X_WB[link].p));
  return most;
}

// In the plane both forms are symplectic and differ to second order. In space the impulses of the rows act
// with the inertia at the start of the step.
TEST(LongRuns, TreesAndRowsConvergeToTheSameMotion) {
  for (const bool planar : {true, false}) {
    for (const int links : {2, 5}) {
      SCOPED_TRACE(std::string(planar ? "planar" : "in space") + ", links: " + std::to_string(links));
      const double coarse = apart(planar, links, 2e-3, 0.6), fine = apart(planar, links, 5e-4, 0.6);
      const double order = std::log(coarse / fine) / std::log(4);
      EXPECT_GT(order, 1.9) << coarse << " and " << fine;
    }
  }
}

}  // namespace long_runs_test
}  // namespace pawl::internal
