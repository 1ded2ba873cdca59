// Tests of the program: pawl view, report, plot and film.

#include <gmock/gmock.h>
#include <signal.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <thread>

#include "../unit/serve/client.h"
#include "program.h"

namespace pawl::internal {
namespace {

using test::Folder;
using test::Outcome;
using test::repository_scene_path;
using testing::HasSubstr;

/// Runs `pawl ARGUMENTS` until it is ended by a signal.
class Running {
 public:
  Running(const Folder& folder, const std::vector<std::string>& arguments) {
    int ends[2];
    if (::pipe(ends) != 0) ADD_FAILURE() << "no pipe";
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], 1);
      if (::chdir(folder.path().c_str()) != 0) ::_exit(99);
      std::vector<char*> argv{const_cast<char*>(PAWL_PROGRAM)};
      for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
      argv.push_back(nullptr);
      ::execv(PAWL_PROGRAM, argv.data());
      ::_exit(98);
    }
    ::close(ends[1]);
    for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) first_line_ += c;
    ::close(ends[0]);
  }
  ~Running() { end(SIGKILL); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  const std::string& first_line() const { return first_line_; }
  int port() const { return std::stoi(first_line_.substr(first_line_.find(":", 6) + 1)); }
  std::string root() const { return first_line_.substr(first_line_.find('/', 8)); }
  /// Returns its exit code.
  int end(int signal) {
    if (pid_ <= 0) return -1;
    ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  std::string first_line_;
};

void record_four_balls(const Folder& folder) {
  ASSERT_EQ(
      test::pawl(folder, "run " + repository_scene_path("papers/four_balls.yaml") + " --quiet -o run.h5")
          .exit_code,
      0);
}

TEST(View, ServesARunUntilItIsInterrupted) {
  if (!PAWL_HAS_VIEWER) GTEST_SKIP() << "built without the page";
  const Folder folder;
  record_four_balls(folder);
  Running view(folder, {"view", "run.h5", "--no-open"});
  ASSERT_THAT(view.first_line(), testing::MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+/[0-9a-f]{32}/"));
  const test::Response page = test::ask(view.port(), test::get(view.port(), view.root()));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr(R"("mode":"served","live":false)"));
  const test::Response info = test::ask(view.port(), test::get(view.port(), view.root() + "run0/info"));
  EXPECT_EQ(nlohmann::json::parse(info.body)["states"], 201);
  EXPECT_EQ(view.end(SIGINT), 0);
}

TEST(View, SimulatesAScene) {
  if (!PAWL_HAS_VIEWER) GTEST_SKIP() << "built without the page";
  const Folder folder;
  Running view(folder, {"view", repository_scene_path("papers/four_balls.yaml"), "--no-open", "--set",
                        "run.until=0.1"});
  const auto states = [&] {
    const test::Response info = test::ask(view.port(), test::get(view.port(), view.root() + "run0/info"));
    return nlohmann::json::parse(info.body)["states"].get<int>();
  };
  for (int i = 0; i < 600 && states() < 21; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(states(), 21);
  EXPECT_EQ(view.end(SIGTERM), 0);
}

TEST(View, RefusesWhatItCantShow) {
  if (!PAWL_HAS_VIEWER) GTEST_SKIP() << "built without the page";
  const Folder folder;
  record_four_balls(folder);
  folder.write("empty.h5", "");
  folder.write("text.h5", "this is no trajectory");
  folder.write("cut.h5", folder.read("run.h5").substr(0, 5000));
  folder.write("bad.yaml", "pawl: 1\nbodies: 3\n");
  const std::pair<const char*, const char*> bad[] = {
      {"missing.h5", "can't open"}, {"empty.h5", "empty"},         {"text.h5", "not an HDF5 file"},
      {"cut.h5", "cut off"},        {"bad.yaml", "bodies"},        {"missing.yaml", "missing.yaml"},
      {".", "is a directory"},      {"run.h5 --set a=1", "--set"}, {"run.h5 --port 70000", "70000"}};
  for (const auto& [arguments, word] : bad) {
    for (const std::string command : {"view --no-open ", "report ", "plot --what energy ", "film "}) {
      const bool of_view = std::string_view(arguments).find(' ') != std::string_view::npos ||
                           std::string_view(arguments).ends_with(".yaml");
      if (of_view && !command.starts_with("view")) continue;
      const Outcome outcome = test::pawl(folder, command + arguments);
      EXPECT_EQ(outcome.exit_code, 2) << command << arguments;
      EXPECT_THAT(outcome.err, HasSubstr(word)) << command << arguments;
      EXPECT_EQ(outcome.out, "") << command << arguments;
    }
  }
  for (const char* made : {"report.html", "figure.svg", "motion.mp4"}) EXPECT_FALSE(folder.has(made)) << made;
}

TEST(View, SaysSoWhereItWasBuiltWithoutThePage) {
  if (PAWL_HAS_VIEWER) GTEST_SKIP() << "it has the page";
  const Folder folder;
  record_four_balls(folder);
  for (const char* command : {"view --no-open run.h5", "report run.h5"}) {
    const Outcome outcome = test::pawl(folder, command);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("PAWL_VIEWER"));
  }
}

TEST(Report, IsOneFileWithEverythingInIt) {
  if (!PAWL_HAS_VIEWER) GTEST_SKIP() << "built without the page";
  const Folder folder;
  record_four_balls(folder);
  const Outcome outcome = test::pawl(folder, "report run.h5 run.h5 -o both.html");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string html = folder.read("both.html");
  EXPECT_THAT(html, HasSubstr(R"("mode":"report")"));
  EXPECT_THAT(html, HasSubstr("Four balls"));
  EXPECT_THAT(html, testing::Not(testing::ContainsRegex("(src|href)=.?https?:"))) << "needs the network";
}

TEST(Report, KeepsToItsBudgetAndSaysWhatItLeftOut) {
  if (!PAWL_HAS_VIEWER) GTEST_SKIP() << "built without the page";
  const Folder folder;
  record_four_balls(folder);
  const Outcome outcome = test::pawl(folder, "report run.h5 -o small.html --budget 900kB");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_LE(folder.read("small.html").size(), 900000u);
  EXPECT_THAT(outcome.out, HasSubstr("of 201 states kept"));
  EXPECT_THAT(folder.read("small.html"), HasSubstr("of 201 states kept"));
  for (const char* budget : {"100kB", "-1", "0", "x", "1e99", ""}) {
    EXPECT_EQ(test::pawl(folder, fmt::format("report run.h5 -o no.html --budget '{}'", budget)).exit_code, 2)
        << budget;
  }
  EXPECT_FALSE(folder.has("no.html"));
}

TEST(Report, DoesNotReplaceARun) {
  const Folder folder;
  record_four_balls(folder);
  const std::string before = folder.read("run.h5");
  for (const char* command :
       {"report run.h5 -o run.h5", "plot run.h5 --what energy -o run.h5", "film run.h5 -o run.h5"}) {
    EXPECT_EQ(test::pawl(folder, command).exit_code, 2) << command;
  }
  EXPECT_EQ(folder.read("run.h5"), before);
}

TEST(Plot, DrawsBothKindsOfPictures) {
  const Folder folder;
  record_four_balls(folder);
  const std::string what =
      " --what energy,work,gap,force,residual,velocity:ball1,position:ball1,force:ball2,iterations,ball1.qw";
  EXPECT_EQ(test::pawl(folder, "plot run.h5 run.h5" + what + " -o figure.svg").exit_code, 0);
  EXPECT_THAT(folder.read("figure.svg"), testing::AllOf(HasSubstr("<svg"), testing::EndsWith("</svg>\n")));
  EXPECT_EQ(test::pawl(folder, "plot run.h5 run.h5" + what + " -o again.svg").exit_code, 0);
  EXPECT_TRUE(folder.read("figure.svg") == folder.read("again.svg")) << "the same every time";
  EXPECT_EQ(test::pawl(folder, "plot run.h5" + what + " -o figure.png").exit_code, 0);
  EXPECT_THAT(folder.read("figure.png"), testing::StartsWith("\x89PNG"));
}

TEST(Plot, ListsWhatThereIs) {
  const Folder folder;
  record_four_balls(folder);
  const Outcome unknown = test::pawl(folder, "plot run.h5 --what speed");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err,
              testing::AllOf(HasSubstr("velocity:BODY"), HasSubstr("ball4.wz"), HasSubstr("energy")));
  const Outcome body = test::pawl(folder, "plot run.h5 --what velocity:ball9");
  EXPECT_EQ(body.exit_code, 2);
  EXPECT_THAT(body.err, testing::AllOf(HasSubstr("ball9"), HasSubstr("ball4")));
  EXPECT_EQ(test::pawl(folder, "plot run.h5 --what energy -o figure.gif").exit_code, 2);
  EXPECT_EQ(test::pawl(folder, "plot run.h5 --what energy -o nowhere/figure.svg").exit_code, 2);
}

TEST(Film, SaysWhatIsMissing) {
  const Folder folder;
  record_four_balls(folder);
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const Outcome film = test::pawl(folder, "film run.h5 -o film.mp4");
  const Outcome picture = test::pawl(folder, "film run.h5 -o picture.png");
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(film.exit_code, 2);
  EXPECT_THAT(film.err, HasSubstr("apt-get install ffmpeg"));
  EXPECT_EQ(picture.exit_code, 2);
  EXPECT_THAT(picture.err, HasSubstr(PAWL_HAS_VIEWER ? "apt-get install chromium" : "PAWL_VIEWER"));
}

TEST(Film, ShowsTheMotion) {
  if (!PAWL_HAS_VIEWER || std::system("command -v chromium ffmpeg ffprobe >/dev/null") != 0) {
    GTEST_SKIP() << "needs the page, chromium and ffmpeg";
  }
  const Folder folder;
  record_four_balls(folder);
  const Outcome film = test::pawl(folder, "film run.h5 -o motion.mp4 --fps 5 --size 321x180");
  ASSERT_EQ(film.exit_code, 0) << film.err;
  // Six frames: 1 s at 5 frames per second, padded to an even width.
  const std::string probe =
      "cd '" + folder.path().string() +
      "' && ffprobe -v error -count_frames -show_entries stream=nb_read_frames,width,height "
      "-of csv=p=0 motion.mp4 >probe";
  ASSERT_EQ(std::system(probe.c_str()), 0);
  EXPECT_EQ(folder.read("probe"), "322,180,6\n");
  for (const char* at : {"0", "0.3"}) {
    const Outcome picture =
        test::pawl(folder, fmt::format("film run.h5 -o {}.png --size 320x180 --at {}", at, at));
    ASSERT_EQ(picture.exit_code, 0) << picture.err;
    EXPECT_THAT(folder.read(std::string(at) + ".png"), testing::StartsWith("\x89PNG"));
  }
  EXPECT_NE(folder.read("0.png"), folder.read("0.3.png")) << "the ball has moved";
}

}  // namespace
}  // namespace pawl::internal
