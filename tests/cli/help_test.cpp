// Help, completion, what is misspelt, and the options of `pawl run` and `pawl judge` for scripts.

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace pawl::internal {
namespace help_test {

using test::Folder;
using test::Outcome;
using test::repository_scene_path;
using ::testing::HasSubstr;
using Json = nlohmann::json;

const std::string kRod = repository_scene_path("papers/falling_rod.yaml");
const std::string kBalls = repository_scene_path("papers/four_balls.yaml");

TEST(Help, IsThatOfTheCommandItself) {
  const Folder folder;
  EXPECT_EQ(test::pawl(folder, "help").out, test::pawl(folder, "--help").out);
  EXPECT_EQ(test::pawl(folder, "help judge").out, test::pawl(folder, "judge --help").out);
  EXPECT_THAT(test::pawl(folder, "help run").out, HasSubstr("Usage: pawl run "));
}

TEST(Help, SuggestsTheCommandOrOptionThatWasMeant) {
  const Folder folder;
  for (const auto& [arguments, word] : {std::pair{"rnu", "'run'"},
                                        {"help jugde", "'judge'"},
                                        {"run --untill 1 x.yaml", "'--until'"},
                                        {"run --jsn=2 x.yaml", "'--json'"},
                                        {"--versoin", "'--version'"}}) {
    const Outcome outcome = test::pawl(folder, arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(std::string("did you mean ") + word)) << arguments;
  }
  EXPECT_THAT(test::pawl(folder, "check a b").err, HasSubstr("one argument too many: 'b'"));
}

TEST(Help, ManualPageHasEveryCommandAndNoStrayRequest) {
  const Folder folder;
  const std::string page = test::pawl(folder, "help --man").out;
  EXPECT_TRUE(page.starts_with(".TH PAWL 1"));
  for (const char* part :
       {".SS pawl run SCENE", ".SS pawl judge PROBLEM ANSWER", "\\-\\-no\\-record", ".SS pawl help"})
    EXPECT_THAT(page, HasSubstr(part));
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('.')) continue;
    const std::string request = line.substr(0, line.find(' '));
    EXPECT_THAT((std::vector<std::string>{".TH", ".SH", ".SS", ".TP", ".B", ".I", ".PP", ".nf", ".fi"}),
                ::testing::Contains(request))
        << line;
  }
}

/// What bash offers for the words of a command line, of which the last is being typed.
std::string offered(const Folder& folder, const std::string& words) {
  const std::string script =
      "source <('" PAWL_PROGRAM "' help --completion); COMP_WORDS=(" + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _pawl 2>/dev/null; echo \"${COMPREPLY[@]}\"";
  folder.write("complete.bash", script);
  const int status =
      std::system(("cd '" + folder.path().string() + "' && bash complete.bash >.offered").c_str());
  EXPECT_EQ(status, 0);
  return folder.read(".offered");
}

TEST(Completion, OffersCommandsOptionsChoicesAndFiles) {
  const Folder folder;
  EXPECT_EQ(offered(folder, "pawl ru"), "run\n");
  EXPECT_EQ(offered(folder, "pawl run --unt"), "--until\n");
  EXPECT_EQ(offered(folder, "pawl export --table ''"), "states steps contacts joints\n");
  EXPECT_EQ(offered(folder, "pawl help jud"), "judge\n");
  EXPECT_EQ(offered(folder, "pawl run compl"), "complete.bash\n");
}

TEST(Completion, KnowsTheCommandsThatTheDocumentLists) {
  std::ifstream file(std::string(PAWL_SOURCE_DIR) + "/docs/command-line.md");
  std::string commands;
  for (std::string line; std::getline(file, line) && line != "## Scripts";) {
    if (line.starts_with("| `")) commands += line.substr(3, line.find('`', 3) - 3) + "\n";
  }
  const Folder folder;
  std::string known = offered(folder, "pawl ''");
  for (const std::string option : {" --help", " --version"}) known.erase(known.find(option), option.size());
  std::ranges::replace(known, ' ', '\n');
  const auto sorted = [](const std::string& words) {
    std::istringstream in(words);
    return std::set<std::string>{std::istream_iterator<std::string>(in), {}};
  };
  EXPECT_EQ(sorted(commands), sorted(known));
}

TEST(Run, WritesNothingWithNoRecord) {
  const Folder folder;
  const Json run = Json::parse(test::pawl(folder, "run --json --no-record " + kRod).out);
  EXPECT_EQ(run["certified"], 320);
  EXPECT_TRUE(run["file"].is_null());
  EXPECT_FALSE(folder.has("falling_rod.h5"));
  EXPECT_THAT(test::pawl(folder, "run --no-record -o rod.h5 " + kRod).err, HasSubstr("--no-record"));
}

TEST(Run, JsonHasAVersionAndTheFinalStateOfTheFile) {
  const Folder folder;
  const Json run = Json::parse(test::pawl(folder, "run --json -o rod.h5 " + kRod).out);
  const Json info = Json::parse(test::pawl(folder, "info --json rod.h5").out);
  for (const Json& each : {run, info}) {
    EXPECT_EQ(each["format"], "pawl-run");
    EXPECT_EQ(each["version"], 1);
  }
  EXPECT_EQ(run["final_state"], info["final_state"]);
  EXPECT_EQ(run["final_state"]["q_names"], (Json{"rod.x", "rod.y", "rod.theta"}));
  EXPECT_EQ(run["final_state"]["q"].size(), 3U);
  EXPECT_EQ(Json::parse(test::pawl(folder, "check --json " + kRod).out)["format"], "pawl-check");
}

TEST(Run, RunsSeveralScenes) {
  const Folder folder;
  const Json runs = Json::parse(test::pawl(folder, "run --json --until 0.1 " + kRod + " " + kBalls).out);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1]["scene"], "Four balls");
  EXPECT_TRUE(folder.has("falling_rod.h5") && folder.has("four_balls.h5"));
  for (const char* wrong : {" -o x.h5", " --save-state x.json", " --from x.json"})
    EXPECT_EQ(test::pawl(folder, "run " + kRod + " " + kBalls + wrong).exit_code, 2) << wrong;
  EXPECT_THAT(test::pawl(folder, "run " + kRod + " " + kRod).err, HasSubstr("two scenes"));
}

TEST(Run, TheWorstOfSeveralScenesIsTheExitCode) {
  const Folder folder;
  const Outcome outcome = test::pawl(folder, "run --quiet --no-record --until 0.1 " + kRod + " missing.yaml");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("missing.yaml"));
}

TEST(Run, QuietStillWarns) {
  const Folder folder;
  const Outcome run =
      test::pawl(folder, "run --quiet --no-record --until 0.01 " + repository_scene_path("four_bar.yaml"));
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("redundant: 3"));
}

TEST(Run, DumpsProblemsOfCertifiedStepsThatCanBeSolvedAndJudged) {
  const Folder folder;
  ASSERT_EQ(test::pawl(folder, "run --no-record --quiet --dump-problems every=50 " + kBalls).exit_code, 0);
  for (const char* file : {"000000", "000050", "000100", "000150"}) {
    const std::string problem = std::string("four_balls.problems/") + file + ".json";
    ASSERT_TRUE(folder.has(problem)) << problem;
    ASSERT_EQ(test::pawl(folder, "solve " + problem + " -o answer.json").exit_code, 0);
    EXPECT_EQ(test::pawl(folder, "judge " + problem + " answer.json").exit_code, 0);
  }
  EXPECT_FALSE(folder.has("four_balls.problems/000001.json"));
  for (const char* wrong : {"5", "every=", "every=0", "every=-1", "every=2x", "every=99999999999999"})
    EXPECT_THAT(test::pawl(folder, std::string("run --dump-problems ") + wrong + " " + kBalls).err,
                HasSubstr("every=N"))
        << wrong;
}

TEST(Judge, TellsARightAnswerFromAWrongOneInEveryForm) {
  const Folder folder;
  ASSERT_EQ(test::pawl(folder, "run --no-record --quiet --dump-problems every=150 " + kBalls).exit_code, 0);
  const std::string problem = "four_balls.problems/000150.json ";
  const Json solved = Json::parse(test::pawl(folder, "solve --json " + problem).out);
  Json p = solved["p"];
  folder.write("right.json", p.dump());
  folder.write("right.txt", std::to_string(0.0) + " 1 1");
  EXPECT_EQ(test::pawl(folder, "judge " + problem + "right.json").exit_code, 0);
  const Outcome text = test::pawl(folder, "judge --json " + problem + "right.txt");
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_GT(Json::parse(text.out)["residual"]["natural_map"], 1e-3);
  p[0] = p[0].get<double>() * 1.001;
  folder.write("wrong.json", Json{{"p", p}}.dump());
  EXPECT_EQ(test::pawl(folder, "judge " + problem + "wrong.json").exit_code, 1);
  EXPECT_EQ(test::pawl(folder, "judge --tolerance 0.1 " + problem + "wrong.json").exit_code, 0);
}

TEST(Judge, RefusesWhatIsNoAnswer) {
  const Folder folder;
  ASSERT_EQ(test::pawl(folder, "run --no-record --quiet --dump-problems every=150 " + kBalls).exit_code, 0);
  for (const auto& [content, complaint] : {std::pair{"[1, 2]", "2 numbers"},
                                           {"[1, 2, \"a\"]", "p[2]"},
                                           {"1 2 nan", "finite"},
                                           {"1 2 3x", "'3x'"},
                                           {"", "0 numbers"},
                                           {"{", "valid JSON"},
                                           {"{\"z\": [1]}", "'p'"}}) {
    folder.write("answer", content);
    const Outcome outcome = test::pawl(folder, "judge four_balls.problems/000150.json answer");
    EXPECT_EQ(outcome.exit_code, 2) << content;
    EXPECT_THAT(outcome.err, HasSubstr(complaint)) << content;
  }
  EXPECT_THAT(test::pawl(folder, "judge four_balls.problems/000150.json four_balls.problems").err,
              HasSubstr("folder"));
}

}  // namespace help_test
}  // namespace pawl::internal
