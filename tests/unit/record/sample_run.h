#pragma once
// A run in which every value is a function of its row, so that tests can check what they read.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <pawl/trajectory.h>

#include "folder.h"

namespace pawl::internal::sample {

inline TrajectoryInfo info() {
  return {.q_columns = {"rod.x", "rod.y", "rod.theta"},
          .v_columns = {"rod.vx", "rod.vy", "rod.omega"},
          .bodies = {"world", "rod", "ball, the \"big\" one"},
          .scene_file = "rod.yaml",
          .scene_text = "name: rod\nμ: 0.3\n",
          .overrides = {"step=5ms"},
          .scene_name = "rod",
          .method = "anitescu-potra",
          .step = 0.005,
          .tolerance = 1e-9,
          .planar = true,
          .start_overlap = 0.25};
}

inline double sample_value(std::size_t row, int which) {
  return 1.0 / 3 + static_cast<double>(row) + 0.01 * which;
}
inline double time_of(std::size_t row) {
  return 0.005 * static_cast<double>(row);
}
inline std::vector<double> q_of(std::size_t row) {
  return {sample_value(row, 1), sample_value(row, 2), sample_value(row, 3)};
}
inline std::vector<double> v_of(std::size_t row) {
  return {sample_value(row, 4), sample_value(row, 5), sample_value(row, 6)};
}

inline EnergyLedger energy_of(std::size_t row) {
  return {sample_value(row, 10), sample_value(row, 11), sample_value(row, 12), sample_value(row, 13),
          sample_value(row, 14), sample_value(row, 15), sample_value(row, 16), sample_value(row, 17),
          sample_value(row, 18), sample_value(row, 40), sample_value(row, 41), sample_value(row, 42),
          sample_value(row, 43)};
}

/// No contact in row 0, then up to `max_count`.
inline std::vector<ContactRecord> contacts_of(std::size_t row, std::size_t max_count = 4) {
  std::vector<ContactRecord> contacts(row % (max_count + 1));
  int i = 0;
  for (ContactRecord& c : contacts) {
    ++i;
    c.body_a = static_cast<std::int32_t>(row % 2) + 1;
    c.body_b = 0;
    c.shape_a = i + 5;
    c.shape_b = i + 7;
    c.feature = i;
    c.state = static_cast<ContactState>(row % 3);
    c.point = {sample_value(row, 20 + i), sample_value(row, 21), sample_value(row, 22)};
    c.normal = {sample_value(row, 23), sample_value(row, 24 + i), sample_value(row, 25)};
    c.tangent = {sample_value(row, 26), sample_value(row, 27), sample_value(row, 28 + i)};
    c.gap = sample_value(row, 29 + i);
    c.impulse = {sample_value(row, 30), sample_value(row, 31), sample_value(row, 32),
                 sample_value(row, 33 + i)};
    c.velocity = {sample_value(row, 40 + i), sample_value(row, 41), sample_value(row, 42),
                  sample_value(row, 43)};
  }
  return contacts;
}

/// The step that leads to `row` ≥ 1.
inline StepReport step_of(std::size_t row) {
  StepReport s;
  s.time = time_of(row);
  s.step = sample_value(row, 50);
  s.status = static_cast<Status>(row % 3);
  s.method = "anitescu-potra";
  s.solver = row % 2 == 0 ? "lemke" : "none";
  s.reason = s.certified() ? "" : "ray";
  const auto n = static_cast<std::int32_t>(row);
  s.contacts = n + 1;
  s.problem_size = n + 2;
  s.solves = n + 3;
  s.iterations = n + 4;
  s.passes = n + 5;
  s.halvings = n + 6;
  s.residual = {sample_value(row, 51), sample_value(row, 52), sample_value(row, 53), sample_value(row, 54),
                sample_value(row, 55), sample_value(row, 56), sample_value(row, 57), sample_value(row, 58)};
  s.gap_violation = sample_value(row, 59);
  s.fixed_point_error = sample_value(row, 60);
  s.joint_violation = sample_value(row, 61);
  s.energy = energy_of(row);
  return s;
}

inline void append(TrajectoryWriter& writer, std::size_t row) {
  if (row > 0) writer.append_step(step_of(row));
  writer.append_state(time_of(row), q_of(row), v_of(row), energy_of(row), contacts_of(row));
}

inline void write(const std::string& path, std::size_t rows, const TrajectoryTuning& tuning = {}) {
  TrajectoryWriter writer(path, info(), tuning);
  for (std::size_t row = 0; row < rows; ++row) append(writer, row);
  writer.finish(true);
}

inline void expect_equal(const EnergyLedger& a, const EnergyLedger& b, std::size_t row) {
  EXPECT_EQ(a.kinetic, b.kinetic) << row;
  EXPECT_EQ(a.potential, b.potential) << row;
  EXPECT_EQ(a.normal, b.normal) << row;
  EXPECT_EQ(a.stabilisation, b.stabilisation) << row;
  EXPECT_EQ(a.friction, b.friction) << row;
  EXPECT_EQ(a.joints, b.joints) << row;
  EXPECT_EQ(a.limits, b.limits) << row;
  EXPECT_EQ(a.motors, b.motors) << row;
  EXPECT_EQ(a.applied, b.applied) << row;
  EXPECT_EQ(a.discretisation, b.discretisation) << row;
  EXPECT_EQ(a.imbalance, b.imbalance) << row;
  EXPECT_EQ(a.stored, b.stored) << row;
  EXPECT_EQ(a.returned, b.returned) << row;
}

inline void expect_equal(const ContactRecord& a, const ContactRecord& b, std::size_t row) {
  EXPECT_EQ(a.body_a, b.body_a) << row;
  EXPECT_EQ(a.body_b, b.body_b) << row;
  EXPECT_EQ(a.shape_a, b.shape_a) << row;
  EXPECT_EQ(a.shape_b, b.shape_b) << row;
  EXPECT_EQ(a.feature, b.feature) << row;
  EXPECT_EQ(a.state, b.state) << row;
  EXPECT_EQ(a.point, b.point) << row;
  EXPECT_EQ(a.normal, b.normal) << row;
  EXPECT_EQ(a.tangent, b.tangent) << row;
  EXPECT_EQ(a.gap, b.gap) << row;
  EXPECT_EQ(a.impulse, b.impulse) << row;
  EXPECT_EQ(a.velocity, b.velocity) << row;
}

inline void expect_equal(const StepReport& a, const StepReport& b, std::size_t row) {
  EXPECT_EQ(a.time, b.time) << row;
  EXPECT_EQ(a.step, b.step) << row;
  EXPECT_EQ(a.status, b.status) << row;
  EXPECT_EQ(a.method, b.method) << row;
  EXPECT_EQ(a.solver, b.solver) << row;
  EXPECT_EQ(a.reason, b.reason) << row;
  EXPECT_EQ(a.contacts, b.contacts) << row;
  EXPECT_EQ(a.problem_size, b.problem_size) << row;
  EXPECT_EQ(a.solves, b.solves) << row;
  EXPECT_EQ(a.iterations, b.iterations) << row;
  EXPECT_EQ(a.passes, b.passes) << row;
  EXPECT_EQ(a.halvings, b.halvings) << row;
  EXPECT_EQ(a.residual.natural_map, b.residual.natural_map) << row;
  EXPECT_EQ(a.residual.momentum, b.residual.momentum) << row;
  EXPECT_EQ(a.residual.penetration_rate, b.residual.penetration_rate) << row;
  EXPECT_EQ(a.residual.tension, b.residual.tension) << row;
  EXPECT_EQ(a.residual.complementarity, b.residual.complementarity) << row;
  EXPECT_EQ(a.residual.friction_excess, b.residual.friction_excess) << row;
  EXPECT_EQ(a.residual.work_defect, b.residual.work_defect) << row;
  EXPECT_EQ(a.residual.energy_gain, b.residual.energy_gain) << row;
  EXPECT_EQ(a.residual.bilateral, b.residual.bilateral) << row;
  EXPECT_EQ(a.gap_violation, b.gap_violation) << row;
  EXPECT_EQ(a.joint_violation, b.joint_violation) << row;
  EXPECT_EQ(a.fixed_point_error, b.fixed_point_error) << row;
  expect_equal(a.energy, b.energy, row);
}

/// Checks that every row in the file is as written, and that all steps leading to these rows are present.
inline void expect_rows(const Trajectory& run) {
  const std::size_t rows = run.time.size();
  ASSERT_EQ(run.q.size(), rows * 3);
  ASSERT_EQ(run.v.size(), rows * 3);
  ASSERT_EQ(run.energy.size(), rows);
  ASSERT_EQ(run.contact_offset.size(), rows + 1);
  ASSERT_EQ(run.steps.size(), rows == 0 ? 0 : rows - 1);
  for (std::size_t row = 0; row < rows && !testing::Test::HasFailure(); ++row) {
    EXPECT_EQ(run.time[row], time_of(row));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(run.q[3 * row + i], q_of(row)[i]) << row;
      EXPECT_EQ(run.v[3 * row + i], v_of(row)[i]) << row;
    }
    expect_equal(run.energy[row], energy_of(row), row);
    const std::vector<ContactRecord> contacts = contacts_of(row);
    ASSERT_EQ(run.contact_offset[row + 1] - run.contact_offset[row], contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      expect_equal(run.contacts.at(run.contact_offset[row] + i), contacts[i], row);
    }
    if (row > 0) expect_equal(run.steps[row - 1], step_of(row), row);
  }
}

/// The reader's error message for a file, or "" if the file is accepted.
inline std::string read_error(const std::string& path) {
  try {
    read_trajectory(path);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace pawl::internal::sample
