#include <pawl/view/frames.h>

#include <gmock/gmock.h>

#include <numbers>

#include <fmt/format.h>

#include "recorded_run.h"

namespace pawl::internal {
namespace {

using test::Chunk;
using test::Folder;

class Frames : public test::RecordedRun {};

TEST_F(Frames, ChunkIsLaidOutAsItsHeadSays) {
  const RunView view = run();
  const std::string bytes = frames_chunk(view, 40, 20);
  const Chunk chunk(bytes);
  EXPECT_EQ(chunk.magic, 0x43574c50u);
  EXPECT_EQ(chunk.version, 1u);
  EXPECT_EQ(chunk.first, 40u);
  EXPECT_EQ(chunk.count, 20u);
  EXPECT_EQ(chunk.bodies, 4u);
  EXPECT_EQ(chunk.offset.front(), 0u);
  EXPECT_EQ(chunk.offset.back(), chunk.contacts);
  EXPECT_EQ(bytes.size(), chunk_bytes(view, 20, chunk.contacts));
  EXPECT_THAT(chunk.time, testing::ElementsAreArray(view.reader().time().data() + 40, 20));
}

TEST_F(Frames, PosesAreOfTheSceneBodyFrames) {
  const RunView view = run();
  const Chunk chunk(frames_chunk(view, 0, 1));
  const auto columns = view.reader().info().bodies;
  for (std::uint32_t b = 0; b < chunk.bodies; ++b) {
    const float* pose = &chunk.pose[b * 7];
    const Vec3 expected = columns[b] == "ball"  ? Vec3{0, 0, 0.3}
                          : columns[b] == "box" ? Vec3{3, 0, 0.5}
                                                : Vec3{};
    for (int i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(pose[i], static_cast<float>(expected[i])) << columns[b];
    EXPECT_FLOAT_EQ(pose[3], 1);
    for (int i = 4; i < 7; ++i) EXPECT_FLOAT_EQ(pose[i], 0);
  }
}

TEST_F(Frames, VelocitiesAreOfCentresOfMass) {
  const RunView view = run();
  const StateRows rows = view.reader().read_states(90, 1);
  const Chunk chunk(frames_chunk(view, 90, 1));
  const auto& columns = view.reader().info().v_columns;
  for (std::uint32_t b = 1; b < chunk.bodies; ++b) {
    const std::string& name = view.model().body_names[b];
    const char* ends[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
    for (int i = 0; i < 6; ++i) {
      const auto column = std::ranges::find(columns, name + "." + ends[i]);
      if (column == columns.end()) continue;  // the floor has no columns
      if (i >= 3 || name == "box") {
        EXPECT_FLOAT_EQ(chunk.velocity[b * 6 + i], static_cast<float>(rows.v[column - columns.begin()]));
      }
    }
  }
}

TEST_F(Frames, NormalForcesOfABoxAtRestCarryItsWeight) {
  const RunView view = run();
  const Chunk chunk(frames_chunk(view, view.states() - 1, 1));
  const auto box = std::ranges::find(view.model().body_names, "box") - view.model().body_names.begin();
  double carried = 0;
  for (std::uint32_t c = 0; c < chunk.contacts; ++c) {
    const float* contact = &chunk.contact[c * 22];
    EXPECT_FLOAT_EQ(contact[18], 0.5f) << "friction";
    EXPECT_FLOAT_EQ(contact[19], 1);
    EXPECT_FLOAT_EQ(contact[20], 1);
    EXPECT_FLOAT_EQ(contact[21], 0);
    if (chunk.contact_bodies[2 * c] == box || chunk.contact_bodies[2 * c + 1] == box) {
      const float up = chunk.contact_bodies[2 * c] == box ? contact[5] : -contact[5];
      carried += static_cast<double>(up * contact[10]);
    }
  }
  EXPECT_NEAR(carried, 3 * 9.81, 1e-4);
}

TEST_F(Frames, StatesFromAnywhereAreThoseOfTheWhole) {
  const RunView view = run();
  const Chunk whole(frames_chunk(view, 0, view.states()));
  const std::vector<std::uint64_t> states{0, 3, 4, 5, 50, 100};
  const Chunk some(frames_chunk(view, states));
  ASSERT_EQ(some.count, states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    EXPECT_EQ(some.time[i], whole.time[states[i]]);
    for (std::uint32_t k = 0; k < some.bodies * 7; ++k) {
      EXPECT_EQ(some.pose[i * some.bodies * 7 + k], whole.pose[states[i] * some.bodies * 7 + k]);
    }
    EXPECT_EQ(some.offset[i + 1] - some.offset[i], whole.offset[states[i] + 1] - whole.offset[states[i]]);
  }
}

TEST(FramesOrientation, IsTheOneOfTheSceneForAnyRotation) {
  // Rotations about each axis by angles near the four branches of the formula, including half turns.
  for (int axis = 0; axis < 3; ++axis) {
    for (const double degrees : {0.0, 90.0, 120.0, 179.999, 180.0, 270.0}) {
      Vec3 turn;
      turn[axis] = degrees * std::numbers::pi / 180;
      const Quat q = quat_exp(turn);
      const Folder folder;
      test::record(
          fmt::format(
              "pawl: 1\nname: turned\nmaterials: {{plain: {{friction: 0}}}}\nbodies:\n  ball: {{mass: 1, "
              "orientation: {{quaternion: [{:.17g}, {:.17g}, {:.17g}, {:.17g}]}}, shapes: [{{type: sphere, "
              "radius: 1}}]}}\nrun: {{until: 1ms}}\n",
              q.w, q.x, q.y, q.z),
          folder / "run.h5");
      const Chunk chunk(frames_chunk(RunView(folder / "run.h5"), 0, 1));
      const std::vector<double> pose(chunk.pose.begin() + 7 + 3, chunk.pose.end());
      const double same = pose[0] * q.w + pose[1] * q.x + pose[2] * q.y + pose[3] * q.z;
      EXPECT_NEAR(std::abs(same), 1, 1e-7) << axis << " " << degrees;
    }
  }
}

}  // namespace
}  // namespace pawl::internal
