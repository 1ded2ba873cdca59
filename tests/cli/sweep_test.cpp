// pawl sweep and pawl study.

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace pawl::internal::test {
namespace sweep_test {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kScene = repository_scene_path("studies/fair_cube.yaml");

/// The rows of a study without their seconds.
std::string rows(const Folder& folder, const std::string& study) {
  std::istringstream csv(pawl(folder, "study " + study + " --csv").out);
  std::string text, line;
  while (std::getline(csv, line)) {
    std::size_t begin = 0;
    for (int comma = 0; comma < 7; ++comma) begin = line.find(',', begin) + 1;  // no message has a comma here
    text += line.substr(0, begin) + line.substr(line.find(',', begin)) + "\n";
  }
  return text;
}

TEST(Sweep, FairCubeShowsEachFaceOneTimeInSix) {
  const Folder folder;
  const Outcome outcome = pawl(folder, "sweep '" + kScene + "' --samples 300 --json -o cube.db");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json out = json::parse(outcome.out);
  EXPECT_EQ(out.at("certified"), 300);
  const json& faces = out.at("outcomes").at(1).at("proportions");
  ASSERT_EQ(faces.size(), 6u);
  double chi_squared = 0;
  for (const json& face : faces) {
    const double difference = face.at("count").get<double>() - 50;
    chi_squared += difference * difference / 50;
  }
  EXPECT_LT(chi_squared, 20.5);  // 99.9 % quantile with 5 degrees of freedom; the seed is fixed
  EXPECT_THAT(pawl(folder, "study cube.db").out, HasSubstr("300 runs, 300 certified"));
}

TEST(Sweep, KilledManyTimesStoresTheSameRows) {
  const Folder folder;
  const std::string sweep = "sweep '" + kScene + "' --samples 60 --quiet -o ";
  ASSERT_EQ(pawl(folder, sweep + "whole.db --jobs 1").exit_code, 0);
  int kills = 0;
  for (int code = 1; code != 0 && kills < 200; ++kills) {
    const std::string command = "cd '" + folder.path().string() + "' && timeout -s KILL 0." +
                                std::to_string(15 + 7 * (kills % 5)) + " '" + PAWL_PROGRAM + "' " + sweep +
                                "killed.db --jobs 2 >/dev/null 2>&1";
    code = std::system(command.c_str());
  }
  EXPECT_GT(kills, 2);
  const std::string whole = rows(folder, "whole.db");
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 61);
  EXPECT_EQ(rows(folder, "killed.db"), whole);
}

TEST(Sweep, ReplaysAndMerges) {
  const Folder folder;
  const std::string sweep = "sweep '" + kScene + "' --samples 9 --sampling sobol --seed 4 --quiet -o ";
  ASSERT_EQ(pawl(folder, sweep + "whole.db").exit_code, 0);
  ASSERT_EQ(pawl(folder, sweep + "1.db --shard 1/2").exit_code, 0);
  ASSERT_EQ(pawl(folder, sweep + "2.db --shard 2/2").exit_code, 0);
  EXPECT_THAT(pawl(folder, "study merge all.db 1.db 2.db 2.db").out, HasSubstr("9 new runs"));
  EXPECT_EQ(rows(folder, "all.db"), rows(folder, "whole.db"));
  const Outcome replay = pawl(folder, "sweep --replay all.db 5 -o run.h5");
  EXPECT_EQ(replay.exit_code, 0) << replay.err;
  EXPECT_THAT(replay.out, HasSubstr("the same bits"));
  EXPECT_EQ(pawl(folder, "info run.h5").exit_code, 0);
  ASSERT_EQ(pawl(folder, "sweep '" + kScene + "' --samples 2 --quiet -o other.db").exit_code, 0);
  EXPECT_THAT(pawl(folder, "study merge both.db 1.db other.db").err, HasSubstr("another design"));
  EXPECT_FALSE(folder.has("both.db"));
}

TEST(Sweep, RefusesNaNWhereAnOptionHasARange) {
  const Folder folder;
  for (const std::string& command :
       {"sweep '" + kScene + "' --until-interval nan -o a.db", "poses '" + kScene + "' --restitution nan"}) {
    const Outcome outcome = pawl(folder, command);
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("Value nan not in range"));
  }
}

TEST(Sweep, TellsWhatIsWrong) {
  const Folder folder;
  const auto error = [&](const std::string& arguments) {
    const Outcome outcome = pawl(folder, arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    return outcome.err;
  };
  const std::string sweep = "sweep '" + kScene + "' ";
  EXPECT_THAT(error(sweep + "-o a.db"), HasSubstr("--samples"));
  EXPECT_THAT(error(sweep + "--samples 3"), HasSubstr("-o STUDY.db"));
  EXPECT_THAT(error(sweep + "--samples 3 --shard 3/2 -o a.db"), HasSubstr("3/2"));
  EXPECT_THAT(error(sweep + "--grid my=1:2:3 -o a.db"), HasSubstr("no such parameter"));
  EXPECT_THAT(error(sweep + "--samples 3 --set outcomes.way.of=cub.x -o a.db"),
              HasSubstr("no quantity 'cub.x'"));
  EXPECT_THAT(error("sweep '" + repository_scene_path("papers/four_balls.yaml") + "' --samples 3 -o a.db"),
              HasSubstr("no parameter varies"));
  EXPECT_THAT(error("study nothing.db"), HasSubstr("nothing.db: cannot be opened"));
  EXPECT_FALSE(folder.has("a.db"));
  folder.write("a.db", "a text");
  EXPECT_THAT(error(sweep + "--samples 3 -o a.db"), HasSubstr("is not a study"));
  EXPECT_EQ(folder.read("a.db"), "a text");
}

TEST(Sweep, FullDiskLosesNothing) {
  const Folder folder;
  const std::string sweep = " sweep '" + kScene + "' --samples 200 --until 10ms --jobs 1 --quiet -o a.db";
  const std::string command = "cd '" + folder.path().string() + "' && (trap '' XFSZ; ulimit -f 400; '" +
                              PAWL_PROGRAM + "'" + sweep + ") 2>.err";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
  EXPECT_THAT(folder.read(".err"), HasSubstr("the same command continues"));
  const std::string part = rows(folder, "a.db");
  const auto lines = std::count(part.begin(), part.end(), '\n');
  EXPECT_GT(lines, 1);
  EXPECT_LT(lines, 201);
  EXPECT_EQ(pawl(folder, sweep).exit_code, 0);
  const std::string all = rows(folder, "a.db");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 201);
  EXPECT_EQ(all.substr(0, part.size()), part);
}

}  // namespace sweep_test
}  // namespace pawl::internal::test
