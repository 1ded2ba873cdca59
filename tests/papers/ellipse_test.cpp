// The ellipse on a tabletop [AnitescuMillerHart2003, Section 4, Figures 1 and 2].

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support.h"

namespace pawl {
namespace {

using test::number_text;
using test::SceneRun;

struct Infeasibility {
  double worst = 0;
  double last = 0;
  double theorem = -1;  // largest of I(l+1) - (1 - γ) I(l) - 3 h² ω², over steps with an active contact
};

Infeasibility run_with(double gamma, double h, const std::string& active_gap = "") {
  std::vector<std::string> overrides{"run.gamma=" + number_text(gamma), "run.step=" + number_text(h)};
  if (!active_gap.empty()) overrides.push_back("run.active_gap=" + active_gap);
  SceneRun run(test::repository_scene("papers/ellipse.yaml", overrides));
  Infeasibility result;
  run.go([&](const StepReport& report) {
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
  // Contacts enter when they touch, as Figure 2 needs it.
  const Infeasibility drifting = run_with(0, 0.05, "0");
  EXPECT_GT(drifting.last, 0.1);
  EXPECT_LT(run_with(0.5, 0.05, "0").last, 0.2 * drifting.last);
}

}  // namespace
}  // namespace pawl
