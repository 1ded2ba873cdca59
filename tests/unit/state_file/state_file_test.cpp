// A state file continues a run bit for bit, and nothing but a whole state of the scene is read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include <folder.h>
#include <support.h>

#include <pawl/error.h>
#include <pawl/simulation.h>
#include <pawl/state_file.h>

namespace pawl::internal {
namespace {

using ::testing::HasSubstr;

/// Runs a scene for some steps, saves, loads with a model compiled anew, and compares what follows.
void expect_file_continues(const std::string& scene_file, const std::string& method) {
  SCOPED_TRACE(scene_file + ", " + method);
  const test::Folder folder;
  const Scene scene = test::repository_scene(scene_file, {"run.method=" + method});
  const Model model = compile(scene);
  Simulation original(model, scene.run);
  constexpr int kBefore = 35, kAfter = 25;
  for (int i = 0; i < kBefore; ++i) original.step();
  save_state(folder / "state.json", original.state(), model);
  const Scene again = test::repository_scene(scene_file, {"run.method=" + method});
  const Model other_model = compile(again);
  Simulation other(other_model, again.run);
  other.reset(load_state(folder / "state.json", other_model));
  ASSERT_EQ(original.time(), other.time());
  ASSERT_EQ(original.state().history, other.state().history);
  for (int i = 0; i < kAfter; ++i) {
    const StepReport a = original.step(), b = other.step();
    ASSERT_EQ(a.time, b.time) << i;
    ASSERT_EQ(a.status, b.status) << i;
    ASSERT_EQ(original.state().q, other.state().q) << i;
    ASSERT_EQ(original.state().v, other.state().v) << i;
    ASSERT_EQ(original.at_end(), other.at_end()) << i;
  }
}

TEST(StateFile, ContinuesEveryScene) {
  const std::filesystem::path scenes = std::filesystem::path(PAWL_SOURCE_DIR) / "scenes";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scenes)) {
    const std::string name = entry.path().filename().string();
    // Large ones, of which the others have all that they have.
    if (entry.path().extension() != ".yaml" || name == "brick_wall.yaml" || name == "peg_in_mesh.yaml" ||
        name == "hanging_chain_tree.yaml" || name == "hanging_chain_rows.yaml")
      continue;
    for (const char* method : {"pawl", "linearised"})
      expect_file_continues(std::filesystem::relative(entry.path(), scenes).string(), method);
  }
}

TEST(StateFile, ContinuesByTheMethodsOfThePapers) {
  for (const char* scene : {"papers/four_balls.yaml", "four_bar.yaml", "papers/grasp.yaml"}) {
    for (const char* method : {"stewart-trinkle", "stewart-trinkle-nonlinear", "anitescu-potra",
                               "anitescu-hart", "tzitzouris-pang"})
      expect_file_continues(scene, method);
  }
}

/// A saved state of the four balls, and its text.
class SavedState : public ::testing::Test {
 protected:
  SavedState() {
    for (int i = 0; i < 100; ++i) run.simulation.step();
    save_state(path, run.simulation.state(), run.model);
    text = folder.read("state.json");
  }
  /// The message with which a text is refused, or "".
  std::string refusal(const std::string& changed) const { return refusal(changed, run.model); }
  static std::string refusal(const std::string& changed, const Model& model) {
    try {
      parse_state(changed, "state.json", model);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::string replaced(const std::string& old, const std::string& by) const {
    std::string changed = text;
    const std::size_t at = changed.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return changed.replace(at, old.size(), by);
  }

  test::Folder folder;
  test::SceneRun run{test::repository_scene("papers/four_balls.yaml", {"run.method=pawl"})};
  std::string path = folder / "state.json", text;
};

TEST_F(SavedState, IsReadAsItWas) {
  const State read = load_state(path, run.model);
  const State& saved = run.simulation.state();
  EXPECT_EQ(read.time, saved.time);
  EXPECT_EQ(read.q, saved.q);
  EXPECT_EQ(read.v, saved.v);
  EXPECT_EQ(read.history, saved.history);
  EXPECT_FALSE(read.history.empty());
  EXPECT_FALSE(folder.has("state.json.part"));
}

TEST_F(SavedState, OfOtherBodiesIsRefusedByName) {
  const Model rod = compile(test::repository_scene("papers/falling_rod.yaml"));
  EXPECT_THAT(refusal(text, rod), HasSubstr("state.json: it is a state of another scene: it has 'ball1.x'"));
  const Model heavier =
      compile(test::repository_scene("papers/four_balls.yaml", {"bodies.ball2.mass=0.171"}));
  EXPECT_THAT(refusal(text, heavier), HasSubstr("other masses, shapes or joints"));
}

TEST_F(SavedState, OfOtherFrictionOrGravityIsTaken) {
  EXPECT_EQ(refusal(text, compile(test::repository_scene("papers/four_balls.yaml",
                                                         {"world={gravity: [0, 0, -1.62]}"}))),
            "");
}

TEST_F(SavedState, OfANewerFormatIsRefused) {
  EXPECT_THAT(refusal(replaced("\"version\": 1", "\"version\": 2")), HasSubstr("use a newer Pawl"));
  EXPECT_THAT(refusal(replaced("pawl-state", "pawl-estate")), HasSubstr("not a state file"));
}

TEST_F(SavedState, WithNumbersThatAreNotFiniteIsRefused) {
  EXPECT_THAT(refusal(replaced("\"time\": ", "\"time\": 1e999, \"t\": ")), HasSubstr("damaged"));
  std::string null = text;
  const std::size_t at = null.find("\"ball1.x\": ") + 11;
  null.replace(at, null.find(',', at) - at, "null");
  EXPECT_THAT(refusal(null), HasSubstr("q.ball1.x must be a number"));
  State broken = run.simulation.state();
  broken.v[2] = std::numeric_limits<double>::quiet_NaN();
  try {
    save_state(path, broken, run.model);
    FAIL() << "NaN was written";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ball1.vz is nan: it must be finite"));
  }
  EXPECT_EQ(folder.read("state.json"), text);
}

TEST_F(SavedState, CutOffAnywhereIsRefused) {
  for (std::size_t bytes = 0; bytes + 2 < text.size(); bytes += 7)
    EXPECT_NE(refusal(text.substr(0, bytes)), "") << bytes;
}

TEST_F(SavedState, WithAnyWrongDigitIsRefused) {
  int changes = 0;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    std::string changed = text;
    changed[i] = changed[i] == '7' ? '3' : '7';
    // Digits beyond the last that counts leave the number as it is.
    State same;
    try {
      same = parse_state(changed, "state.json", run.model);
    } catch (const Error&) {
      ++changes;
      continue;
    }
    EXPECT_EQ(same.q, run.simulation.state().q) << i;
    EXPECT_EQ(same.v, run.simulation.state().v) << i;
    EXPECT_EQ(same.history, run.simulation.state().history) << i;
  }
  EXPECT_GT(changes, 100);
}

TEST_F(SavedState, OfAnotherMethodOrStepIsRefusedByTheRun) {
  const State state = load_state(path, run.model);
  for (const auto& [method, step] : {std::pair{"linearised", 0.005}, std::pair{"pawl", 0.004}}) {
    RunOptions other = run.scene.run;
    other.method = method;
    other.step = step;
    Simulation simulation(run.model, other);
    EXPECT_THROW(simulation.reset(state), Error) << method << step;
  }
}

}  // namespace
}  // namespace pawl::internal
