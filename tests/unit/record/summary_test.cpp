#include <pawl/trajectory.h>

#include <gtest/gtest.h>

#include <cmath>

#include "sample_run.h"

namespace pawl::internal {
namespace {

StepReport step(double time, Status status, double natural_map) {
  StepReport report;
  report.time = time;
  report.status = status;
  report.residual.natural_map = natural_map;
  return report;
}

TEST(RunSummary, CountsStatusesAndRemembersTheFirstUncertified) {
  RunSummary summary;
  summary.add(step(0.1, Status::certified, 0));
  EXPECT_FALSE(summary.first_uncertified);
  summary.add(step(0.2, Status::approximate, 0));
  summary.add(step(0.3, Status::refused, 0));
  summary.add(step(0.4, Status::certified, 0));
  EXPECT_EQ(summary.steps, 4);
  EXPECT_EQ(summary.certified, 2);
  EXPECT_EQ(summary.approximate, 1);
  EXPECT_EQ(summary.refused, 1);
  EXPECT_EQ(summary.first_uncertified, 0.2);
  EXPECT_EQ(summary.end_time, 0.4);
}

TEST(RunSummary, TracksWorstValuesAndTheirTimes) {
  RunSummary summary;
  StepReport first = step(0.1, Status::certified, 1e-12);
  first.residual.momentum = 2e-15;
  first.gap_violation = 1e-9;
  StepReport second = step(0.2, Status::certified, 1e-10);
  second.residual.momentum = 1e-15;
  second.gap_violation = 3e-9;
  summary.add(first);
  summary.add(second);
  summary.add(step(0.3, Status::certified, 1e-11));
  EXPECT_EQ(summary.natural_map.value, 1e-10);
  EXPECT_EQ(summary.natural_map.time, 0.2);
  EXPECT_EQ(summary.momentum.value, 2e-15);
  EXPECT_EQ(summary.momentum.time, 0.1);
  EXPECT_EQ(summary.gap_violation.value, 3e-9);
  EXPECT_EQ(summary.gap_violation.time, 0.2);
}

TEST(RunSummary, CountsTheOverlapAtTheStart) {
  RunSummary summary;
  summary.begin({}, 0.01);
  summary.add(step(0.1, Status::certified, 0));
  EXPECT_EQ(summary.gap_violation.value, 0.01);
  EXPECT_EQ(summary.gap_violation.time, 0);
}

TEST(RunSummary, TreatsNanAsWorst) {
  RunSummary summary;
  summary.add(step(0.1, Status::certified, 1));
  summary.add(step(0.2, Status::refused, std::nan("")));
  summary.add(step(0.3, Status::certified, 2));
  EXPECT_TRUE(std::isnan(summary.natural_map.value));
  EXPECT_EQ(summary.natural_map.time, 0.2);
}

TEST(RunSummary, AccumulatesSolverEffort) {
  RunSummary summary;
  EXPECT_EQ(summary.mean_contacts(), 0);
  StepReport report;
  report.contacts = 3;
  report.problem_size = 12;
  report.halvings = 2;
  report.iterations = 7;
  summary.add(report);
  report.contacts = 2;
  report.problem_size = 8;
  report.halvings = 0;
  summary.add(report);
  EXPECT_EQ(summary.max_contacts, 3);
  EXPECT_EQ(summary.mean_contacts(), 2.5);
  EXPECT_EQ(summary.max_problem_size, 12);
  EXPECT_EQ(summary.max_halvings, 2);
  EXPECT_EQ(summary.iterations, 14);
}

TEST(RunSummary, MeasuresTheImbalanceAgainstTheLargestEnergy) {
  RunSummary summary;
  EXPECT_EQ(summary.relative_imbalance(), 0);
  summary.begin({.kinetic = 1, .potential = -20});
  StepReport report = step(0.1, Status::certified, 0);
  report.energy = {.kinetic = 3, .potential = -18, .friction = -4, .imbalance = -2e-12};
  summary.add(report);
  report.energy.imbalance = 1e-12;
  report.time = 0.2;
  summary.add(report);
  EXPECT_EQ(summary.start.potential, -20);
  EXPECT_EQ(summary.end.friction, -4);
  EXPECT_EQ(summary.imbalance.value, 2e-12);
  EXPECT_EQ(summary.imbalance.time, 0.1);
  EXPECT_EQ(summary.largest_energy, 20);
  EXPECT_EQ(summary.relative_imbalance(), 1e-13);
}

TEST(RunSummary, IsTheSameFromTheFileAsFromTheRun) {
  const test::Folder dir;
  sample::write(dir / "run.h5", 50);
  const RunSummary read = summarize(read_trajectory(dir / "run.h5"));
  RunSummary watched;
  watched.begin(sample::energy_of(0), sample::info().start_overlap);
  for (std::size_t row = 1; row < 50; ++row) watched.add(sample::step_of(row));
  EXPECT_EQ(read.steps, 49);
  EXPECT_EQ(read.steps, watched.steps);
  EXPECT_EQ(read.first_uncertified, watched.first_uncertified);
  EXPECT_EQ(read.first_reason, "ray");
  EXPECT_EQ(read.gap_violation.value, watched.gap_violation.value);
  EXPECT_EQ(read.iterations, watched.iterations);
  EXPECT_EQ(read.start.kinetic, watched.start.kinetic);
  EXPECT_EQ(read.end.kinetic, watched.end.kinetic);
  EXPECT_EQ(read.largest_energy, watched.largest_energy);
  EXPECT_EQ(read.relative_imbalance(), watched.relative_imbalance());
  EXPECT_FALSE(read.wall_seconds);
}

}  // namespace
}  // namespace pawl::internal
