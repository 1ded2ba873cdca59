// A state is whole: a copy forks a run, and a stored one continues it, bit for bit.

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>

#include <support.h>

#include <pawl/error.h>
#include <pawl/simulation.h>

namespace pawl::internal {
namespace {

/// Runs half of the scene, forks, and compares the second halves.
void expect_fork_is_the_same(const std::string& scene_file, const std::string& method) {
  SCOPED_TRACE(scene_file + ", " + method);
  const Scene scene = test::repository_scene(scene_file, {"run.method=" + method});
  const Model model = compile(scene);
  Simulation original(model, scene.run);
  constexpr int kSteps = 60;
  for (int i = 0; i < kSteps; ++i) original.step();
  const State copy = original.state();
  Simulation fork(model, scene.run);
  fork.reset(copy);
  for (int i = 0; i < kSteps; ++i) {
    const StepReport a = original.step(), b = fork.step();
    ASSERT_EQ(a.time, b.time) << i;
    ASSERT_EQ(a.status, b.status) << i;
    ASSERT_EQ(original.state().q, fork.state().q) << i;
    ASSERT_EQ(original.state().v, fork.state().v) << i;
    ASSERT_EQ(original.state().history, fork.state().history) << i;
  }
}

TEST(State, ForksEveryScene) {
  const std::filesystem::path scenes = std::filesystem::path(PAWL_SOURCE_DIR) / "scenes";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scenes)) {
    const std::string name = entry.path().filename().string();
    // Large ones, of which the others have all that they have.
    if (entry.path().extension() != ".yaml" || name == "brick_wall.yaml" || name == "peg_in_mesh.yaml" ||
        name == "hanging_chain_tree.yaml" || name == "hanging_chain_rows.yaml")
      continue;
    for (const char* method : {"pawl", "linearised"})
      expect_fork_is_the_same(std::filesystem::relative(entry.path(), scenes).string(), method);
  }
}

TEST(State, ForksByTheMethodsOfThePapers) {
  for (const char* scene : {"papers/four_balls.yaml", "four_bar.yaml", "papers/grasp.yaml"}) {
    for (const char* method : {"stewart-trinkle", "stewart-trinkle-nonlinear", "anitescu-potra",
                               "anitescu-hart", "tzitzouris-pang"})
      expect_fork_is_the_same(scene, method);
  }
}

TEST(State, OfAnotherModelOrMethodIsRefused) {
  const Scene scene = test::repository_scene("papers/four_balls.yaml", {"run.method=pawl"});
  const Model model = compile(scene);
  Simulation run(model, scene.run);
  for (int i = 0; i < 20; ++i) run.step();
  RunOptions other = scene.run;
  other.method = "linearised";
  Simulation linearised(model, other);
  EXPECT_THROW(linearised.reset(run.state()), Error);
  State broken = run.state();
  broken.history.resize(broken.history.size() / 2);
  EXPECT_THROW(run.reset(broken), Error);
  broken.history = std::vector<std::uint64_t>(40, ~0ull);
  EXPECT_THROW(run.reset(broken), Error);
}

}  // namespace
}  // namespace pawl::internal
