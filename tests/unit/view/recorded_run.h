#pragma once
// Recorded runs and a chunk parser for tests.

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <pawl/record/recorder.h>
#include <pawl/scene_file.h>
#include <pawl/view/run_view.h>

#include "folder.h"

namespace pawl::internal::test {

/// Simulates a scene to its end and records it.
inline void record(const Scene& scene, const std::string& path) {
  const Model model = compile(scene);
  Simulation simulation(model, scene.run);
  TrajectoryWriter writer(path, describe_run(scene, model));
  Recorder recorder(simulation, scene.run, writer);
  while (!simulation.at_end()) {
    const StepReport report = simulation.step();
    recorder.add(report);
    if (report.status == Status::refused) break;
  }
  recorder.end();
  writer.finish(simulation.at_end());
}

inline void record(const std::string& text, const std::string& path) {
  record(parse_scene(text, "test.yaml"), path);
}

/// A ball that falls on the floor and slides, and a box at rest on the floor. By a method that does not
/// locate the impact, it has a row for every step of the grid.
inline constexpr const char* kBallAndBox = R"(
pawl: 1
name: ball and box
materials: {plain: {friction: 0.5}}
bodies:
  floor: {joint: {type: weld}, shapes: [{type: half-space}]}
  ball: {mass: 2, inertia: [0.1, 0.1, 0.1], center_of_mass: [0.05, 0, 0], position: [0, 0, 0.3], velocity: [1, 0, 0],
         shapes: [{type: sphere, radius: 0.2}]}
  box: {mass: 3, position: [3, 0, 0.5], shapes: [{type: box, size: [1, 1, 1]}]}
run: {step: 10ms, until: 1s, method: linearised}
)";

/// A chunk as in docs/viewer.md, parsed like the page does.
struct Chunk {
  explicit Chunk(const std::string& bytes) : left(bytes) {
    std::vector<std::uint32_t> head = read<std::uint32_t>(6);
    magic = head[0], version = head[1], first = head[2], count = head[3], bodies = head[4],
    contacts = head[5];
    time = read<double>(count);
    pose = read<float>(count * bodies * 7);
    velocity = read<float>(count * bodies * 6);
    offset = read<std::uint32_t>(count + 1);
    contact_bodies = read<std::int32_t>(contacts * 2);
    shapes = read<std::int32_t>(contacts * 2);
    feature = read<std::uint32_t>(contacts * 2);
    state = read<std::uint32_t>(contacts);
    contact = read<float>(contacts * 22);
    EXPECT_TRUE(left.empty()) << left.size() << " bytes too many";
  }

  template <class T>
  std::vector<T> read(std::size_t n) {
    std::vector<T> values(n);
    if (left.size() < n * sizeof(T)) {
      ADD_FAILURE() << "the chunk is too short";
      return values;
    }
    if (n > 0) std::memcpy(values.data(), left.data(), n * sizeof(T));
    left.erase(0, n * sizeof(T));
    return values;
  }

  std::string left;
  std::uint32_t magic = 0, version = 0, first = 0, count = 0, bodies = 0, contacts = 0;
  std::vector<double> time;
  std::vector<float> pose, velocity, contact;
  std::vector<std::uint32_t> offset, feature, state;
  std::vector<std::int32_t> contact_bodies, shapes;
};

/// The ball and the box, recorded once per test suite.
class RecordedRun : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<Folder>();
    record(kBallAndBox, path());
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string path() { return *folder_ / "run.h5"; }
  static RunView run() { return RunView(path()); }

 private:
  inline static std::unique_ptr<Folder> folder_;
};

}  // namespace pawl::internal::test
