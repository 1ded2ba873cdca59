// The ellipse on a tabletop [AnitescuMillerHart2003, Section 4, Figures 1 and 2].

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support.h"

namespace pawl::internal {
namespace {

using test::number_text;
using test::SceneRun;

struct Infeasibility {
  double worst = 0;
  double last = 0;
  double theorem = -1;  // max of I(l+1) − (1 − γ) I(l) − 3 h² ω², over steps with an active contact
};

Infeasibility run_with(double gamma, double h, const std::string& active_gap = "") {
  std::vector<std::string> overrides{"run.gamma=" + number_text(gamma), "run.step=" + number_text(h)};
  if (!active_gap.empty()) overrides.push_back("run.active_gap=" + active_gap);
  SceneRun run(test::repository_scene("papers/ellipse.yaml", overrides));
  Infeasibility result;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    const double bound = (1 - gamma) * result.last + 3 * h * h * run.v(2) * run.v(2);
    if (report.contacts > 0) result.theorem = std::max(result.theorem, report.gap_violation - bound);
    result.last = report.gap_violation;
    result.worst = std::max(result.worst, result.last);
  });
  return result;
}

TEST(Ellipse, InfeasibilityFallsByOneLessGammaAStepBesideATermInTheSquareOfTheStep) {
  for (const double gamma : {0.2, 0.5, 1.0}) {
    EXPECT_LE(run_with(gamma, 0.05).theorem, 1e-10) << gamma;
  }
}

TEST(Ellipse, InfeasibilityIsOfSecondOrderInTheStep) {
  for (const double gamma : {0.2, 0.5, 1.0}) {
    const double coarse = run_with(gamma, 0.02).worst, fine = run_with(gamma, 0.005).worst;
    EXPECT_GE(std::log(coarse / fine) / std::log(4), 1.9) << gamma << ": " << coarse << " and " << fine;
  }
}

TEST(Ellipse, WithoutStabilisationDrifts) {
  // Contacts enter at touch, as Figure 2 requires.
  const Infeasibility drifting = run_with(0, 0.05, "0");
  EXPECT_GT(drifting.last, 0.1);
  EXPECT_LT(run_with(0.5, 0.05, "0").last, 0.2 * drifting.last);
}

struct Thrown {
  double infeasibility = 0;  // max over the run
  double left = 0;           // at the end
  double speed = 0;          // upwards, after the first contact
};

Thrown thrown_with(const std::string& gamma, const std::vector<std::string>& more) {
  std::vector<std::string> overrides{"run.gamma=" + gamma, "run.step=0.005"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  SceneRun run(test::repository_scene("papers/ellipse.yaml", overrides));
  Thrown thrown;
  bool touched = false;
  run.step_to_end([&](const StepReport& report) {
    ASSERT_TRUE(report.certified()) << report;
    thrown.infeasibility = std::max(thrown.infeasibility, report.gap_violation);
    thrown.left = report.gap_violation;
    if (touched) thrown.speed = std::max(thrown.speed, run.v(1));
    touched |= report.contacts > 0;
  });
  return thrown;
}

// The paper leaves an adaptive γ to future work. Ours is 1 unless that would throw bodies apart, so nothing
// changes for contacts that enter in advance. For contacts that enter late and penetrate by 35 mm, γ = 1
// throws the ellipse up at 7 m/s.
TEST(Ellipse, AnAdaptiveGammaKeepsTheInfeasibilityOfGammaOneWithoutItsBounces) {
  const Thrown one = thrown_with("1", {}), adaptive = thrown_with("adaptive", {});
  EXPECT_NEAR(adaptive.infeasibility, one.infeasibility, 1e-12);
  EXPECT_NEAR(adaptive.speed, one.speed, 1e-12);

  const std::vector<std::string> late{"run.active_gap=0"};
  const Thrown late_one = thrown_with("1", late), late_adaptive = thrown_with("adaptive", late);
  EXPECT_GT(late_one.speed, 6);
  EXPECT_LT(late_adaptive.speed, 0.8);
  EXPECT_NEAR(late_adaptive.infeasibility, late_one.infeasibility, 1e-12);  // at the first contact
  EXPECT_LT(late_adaptive.left, 1e-6);
}

}  // namespace
}  // namespace pawl::internal
