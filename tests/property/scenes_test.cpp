// Every scene of the repository runs with certified steps.

#include <filesystem>

#include <gtest/gtest.h>

#include "support.h"

namespace pawl::internal {
namespace scenes_test {

std::vector<std::string> scenes() {
  const std::filesystem::path folder = PAWL_SOURCE_DIR "/scenes";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml")
      names.push_back(std::filesystem::relative(entry.path(), folder).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Scenes : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Repository, Scenes, ::testing::ValuesIn(scenes()), [](const auto& scene) {
  std::string name = std::filesystem::path(scene.param).stem().string();
  return name;
});

TEST_P(Scenes, AreCertifiedForTheirFirstThirtySteps) {
  test::SceneRun run(test::repository_scene(GetParam()));
  for (int i = 0; i < 30 && !run.simulation.at_end(); ++i) {
    const StepReport report = run.simulation.step();
    ASSERT_TRUE(report.certified()) << report.time << " s: " << report.reason;
  }
}

}  // namespace scenes_test
}  // namespace pawl::internal
