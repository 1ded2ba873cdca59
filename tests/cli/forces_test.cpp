// Tests of the program: recorded forces in joints.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pawl/trajectory.h>

#include "program.h"

namespace pawl::internal {
namespace forces_test {

using test::Folder;
using test::Outcome;
using testing::HasSubstr;

const std::string kScene =
    "pawl: 1\nbodies:\n"
    "  rod: {mass: 2, inertia: [0.1, 0.1, 0.1], center_of_mass: [0.5, 0, 0],\n"
    "    joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 1, 0], upper: 0}}\n"
    "  beam: {position: [0, 5, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n  - {type: weld, between: [beam, world], anchor: [0, 5, 0]}\n"
    "run: {step: 1ms, until: 20ms, record: {every: 2, forces: true}}\n";

TEST(RecordedForces, AreInTheTrajectoryTheTableAndThePlot) {
  const Folder folder;
  folder.write("rod.yaml", kScene);
  ASSERT_EQ(test::pawl(folder, "run rod.yaml --quiet").exit_code, 0);
  const Trajectory run = read_trajectory(folder / "rod.h5");
  ASSERT_EQ(run.joints.size(), 2 * run.time.size());
  EXPECT_TRUE(std::isnan(run.joints[0].limit));
  for (std::size_t i = 1; i < run.time.size(); ++i) {
    const JointForces &rod = run.joints[2 * i], &beam = run.joints[2 * i + 1];
    EXPECT_EQ(rod.time, run.time[i]);
    EXPECT_EQ(rod.body_a, 1);
    EXPECT_EQ(rod.joint, -1);
    EXPECT_NEAR(rod.limit, -9.81, 1e-6);
    EXPECT_NEAR(rod.reaction.force.z, 2 * 9.81, 1e-6);
    EXPECT_EQ(beam.joint, 0);
    EXPECT_NEAR(beam.reaction.force.z, 9.81, 1e-6);
  }
  const Outcome table = test::pawl(folder, "export rod.h5 --table joints --csv");
  EXPECT_THAT(table.out, testing::StartsWith("time,body_a,body_b,joint,force_x,force_y,force_z,torque_x"));
  EXPECT_THAT(table.out, HasSubstr("\n0.02,rod,world,-1,"));
  EXPECT_EQ(test::pawl(folder, "plot rod.h5 --what joint_force:rod,joint_torque:rod,motor:rod -o rod.svg")
                .exit_code,
            0);
  const Outcome none = test::pawl(folder, "plot rod.h5 --what motor:beam -o beam.svg");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("there are no forces in a joint of 'beam'"));
}

TEST(RecordedForces, ContinueInAResumedRun) {
  const Folder folder;
  folder.write("rod.yaml", kScene);
  ASSERT_EQ(test::pawl(folder, "run rod.yaml --quiet -o whole.h5").exit_code, 0);
  ASSERT_EQ(test::pawl(folder, "run rod.yaml --quiet --until 9ms -o part.h5").exit_code, 0);
  ASSERT_EQ(test::pawl(folder, "run --resume part.h5 --until 20ms --quiet").exit_code, 0);
  const Trajectory whole = read_trajectory(folder / "whole.h5"), part = read_trajectory(folder / "part.h5");
  ASSERT_EQ(part.joints.size(), whole.joints.size());
  for (std::size_t i = 2; i < whole.joints.size(); ++i) {
    EXPECT_EQ(part.joints[i].time, whole.joints[i].time);
    EXPECT_EQ(part.joints[i].limit, whole.joints[i].limit);
  }
}

}  // namespace forces_test
}  // namespace pawl::internal
