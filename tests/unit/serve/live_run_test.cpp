#include <serve/live_run.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include <pawl/error.h>
#include <pawl/scene_file.h>
#include <pawl/view/frames.h>
#include <serve/view_server.h>

#include "client.h"
#include "recorded_run.h"

namespace pawl::internal {
namespace {

using nlohmann::json;
using test::ask;
using test::Client;
using test::Folder;
using test::post;
using test::Response;
using Phase = LiveRun::Phase;
using namespace std::chrono_literals;

/// Waits until `wanted(progress)`, for at most a minute.
template <class Wanted>
LiveRun::Progress wait_until(LiveRun& run, Wanted wanted) {
  const auto end = std::chrono::steady_clock::now() + 60s;
  LiveRun::Progress now = run.progress(~std::uint64_t{0}, 0ms);
  while (!wanted(now) && std::chrono::steady_clock::now() < end) now = run.progress(now.version, 100ms);
  EXPECT_TRUE(wanted(now)) << to_string(now.phase) << " at " << now.time << " " << now.message;
  return now;
}

LiveRun::Progress wait_for(LiveRun& run, Phase phase) {
  return wait_until(run, [=](const LiveRun::Progress& now) { return now.phase == phase; });
}

class Live : public testing::Test {
 protected:
  Live() { folder_.write("scene.yaml", test::kBallAndBox); }
  std::string scene() const { return folder_ / "scene.yaml"; }
  Folder folder_;
};

/// Far longer than the test lasts.
const std::vector<std::string> kEndless{"run.until=1e7"};

TEST_F(Live, RunsToItsEndAndHoldsWhatARecordedRunDoes) {
  test::record(load_scene(scene()), folder_ / "run.h5");
  LiveRun live(scene(), {});
  const LiveRun::Progress done = wait_for(live, Phase::done);
  EXPECT_EQ(done.states, 101u);
  EXPECT_EQ(done.until, 1);
  EXPECT_NEAR(done.time, 1, 1e-12);
  EXPECT_EQ(done.run, 0);
  const RunView recorded(folder_ / "run.h5");
  live.with_run([&](const RunView& run) {
    EXPECT_TRUE(run.reader().finished());
    EXPECT_EQ(run.states(), 101u);
    EXPECT_EQ(frames_chunk(run, 0, 101), frames_chunk(recorded, 0, 101));
    return "";
  });
}

TEST_F(Live, CanBeReadWhileItRuns) {
  LiveRun live(scene(), kEndless);
  std::uint64_t states = 0;
  for (int i = 0; i < 5; ++i) {
    const LiveRun::Progress now = wait_until(live, [&](const auto& p) { return p.states > states; });
    EXPECT_EQ(now.phase, Phase::running);
    live.with_run([&](const RunView& run) {
      EXPECT_GE(run.states(), now.states);
      EXPECT_EQ(test::Chunk(frames_chunk(run, run.states() - 1, 1)).time[0], run.reader().time().back());
      return "";
    });
    states = now.states;
  }
}

TEST_F(Live, PausesAndGoesOn) {
  LiveRun live(scene(), kEndless);
  wait_until(live, [](const auto& p) { return p.states > 10; });
  live.pause();
  std::this_thread::sleep_for(50ms);  // lets the current step finish
  const LiveRun::Progress paused = wait_for(live, Phase::paused);
  std::this_thread::sleep_for(300ms);
  const LiveRun::Progress later = live.progress(~std::uint64_t{0}, 0ms);
  EXPECT_EQ(later.states, paused.states) << "nothing moves while it is paused";
  live.with_run([&](const RunView& run) {
    EXPECT_EQ(run.states(), later.states);
    return "";
  });
  live.run();
  wait_until(live, [&](const auto& p) { return p.states > later.states && p.phase == Phase::running; });
}

TEST_F(Live, StartsAnewWithOtherParameters) {
  LiveRun live(scene(), kEndless);
  live.restart({{"run.until", "0.2"}, {"run.step", "0.02"}, {"materials.plain.friction", "0"}}, true);
  const LiveRun::Progress done = wait_for(live, Phase::done);
  EXPECT_EQ(done.run, 1);
  EXPECT_EQ(done.states, 11u);
  live.with_run([](const RunView& run) {
    EXPECT_EQ(run.scene().materials[0].friction, 0);
    EXPECT_EQ(run.reader().info().step, 0.02);
    return "";
  });
  live.restart({{"run.until", "0.4"}}, true);  // keeps the earlier changes
  const LiveRun::Progress again =
      wait_until(live, [](const auto& p) { return p.run == 2 && p.phase == Phase::done; });
  EXPECT_EQ(again.states, 21u);
}

TEST_F(Live, ResetWaitsAtTheStart) {
  LiveRun live(scene(), kEndless);
  wait_until(live, [](const auto& p) { return p.states > 5; });
  live.restart({}, false);
  const LiveRun::Progress now = live.progress(~std::uint64_t{0}, 0ms);
  EXPECT_EQ(now.phase, Phase::paused);
  EXPECT_EQ(now.run, 1);
  EXPECT_EQ(now.states, 1u);
  EXPECT_EQ(now.time, 0);
  live.with_run([](const RunView& run) {
    EXPECT_EQ(run.states(), 1u);
    return "";
  });
}

TEST_F(Live, GoesOnAsItWasWhenARestartMakesNoSense) {
  LiveRun live(scene(), kEndless);
  EXPECT_THROW(live.restart({{"run.step", "-1"}}, true), Error);
  EXPECT_THROW(live.restart({{"run.method", "magic"}}, true), Error);
  const LiveRun::Progress now = live.progress(~std::uint64_t{0}, 0ms);
  EXPECT_EQ(now.run, 0);
  wait_until(live, [&](const auto& p) { return p.states > now.states; });
}

TEST_F(Live, LeavesNothingBehind) {
  const Folder temporary;
  const char* before = std::getenv("TMPDIR");
  const std::string old = before == nullptr ? "" : before;
  ::setenv("TMPDIR", temporary.path().c_str(), 1);
  {
    LiveRun live(scene(), kEndless);
    wait_until(live, [](const auto& p) { return p.states > 100; });
    live.restart({}, true);
    EXPECT_FALSE(std::filesystem::is_empty(temporary.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
  EXPECT_THROW(LiveRun(folder_ / "nothing.yaml", {}), Error);
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", old.c_str(), 1);
}

TEST_F(Live, FailsWhereItsRunWouldStop) {
  // Scenes without a solution are hard to construct; an unreachable tolerance is easy.
  LiveRun live(scene(), {"run.tolerance=1e-30", "run.on_uncertified=stop"});
  const LiveRun::Progress failed = wait_for(live, Phase::failed);
  EXPECT_THAT(failed.message, testing::HasSubstr("approximate"));
  live.with_run([&](const RunView& run) {
    EXPECT_EQ(run.states(), failed.states);
    return "";
  });
  live.restart({{"run.tolerance", "1e-8"}}, true);
  wait_for(live, Phase::done);
}

class LiveServer : public Live {
 protected:
  LiveServer()
      : live_(scene(), kEndless),
        server_("<script type=\"application/json\" id=\"pawl-boot\"></script>", live_, 0) {}
  std::string root() const { return "/" + server_.token() + "/"; }
  Response control(const std::string& body) {
    return ask(server_.port(), post(server_.port(), root() + "control", body));
  }
  LiveRun live_;
  ViewServer server_;
};

TEST_F(LiveServer, TellsOfTheRunWhileItGoesOn) {
  Client client(server_.port());
  client.send(test::get(server_.port(), root() + "events"));
  const std::string text = client.receive([](const std::string& received) {
    std::size_t events = 0;
    for (std::size_t at = 0; (at = received.find("data: ", at)) != std::string::npos; ++at) ++events;
    return events >= 4;
  });
  EXPECT_THAT(text, testing::HasSubstr("Content-Type: text/event-stream"));
  const std::size_t last = text.rfind("\n\ndata: ");
  ASSERT_NE(last, std::string::npos);
  const json event = json::parse(text.substr(last + 8, text.find("\n\n", last + 8) - last - 8));
  EXPECT_EQ(event["phase"], "running");
  EXPECT_EQ(event["run"], 0);
  EXPECT_EQ(event["until"], 1e7);
  EXPECT_GT(event["states"], 1);
  EXPECT_GT(event["time"], 0);
}

TEST_F(LiveServer, ObeysControlRequests) {
  EXPECT_EQ(control(R"({"action":"pause"})").status, 200);
  wait_for(live_, Phase::paused);
  EXPECT_EQ(control(R"({"action":"run"})").status, 200);
  wait_for(live_, Phase::running);
  EXPECT_EQ(control(R"({"action":"reset","set":{"run.method":"stewart-trinkle"}})").status, 200);
  EXPECT_EQ(live_.progress(~std::uint64_t{0}, 0ms).run, 1);
  EXPECT_EQ(
      control(
          R"({"action":"restart","set":{"run.step":0.001,"run.until":0.01,"run.friction_directions":12}})")
          .status,
      200);
  const LiveRun::Progress done = wait_for(live_, Phase::done);
  EXPECT_EQ(done.states, 11u);
  live_.with_run([](const RunView& run) {
    EXPECT_EQ(run.scene().run.method, "stewart-trinkle");
    EXPECT_EQ(run.scene().run.friction_directions, 12);
    return "";
  });
}

TEST_F(LiveServer, RefusesWhatMakesNoSense) {
  const char* bodies[] = {"",
                          "x",
                          "null",
                          "[]",
                          "{}",
                          R"({"action":1})",
                          R"({"action":"explode"})",
                          R"({"action":"restart","set":1})",
                          R"({"action":"restart","set":{"run.step":-1}})",
                          R"({"action":"restart","set":{"run.step":1e999}})",
                          R"({"action":"restart","set":{"run.step":"1ms, x: y"}})",
                          R"({"action":"restart","set":{"run.step":null}})",
                          R"({"action":"restart","set":{"run.step":0}})",
                          R"({"action":"restart","set":{"run.method":"magic"}})",
                          R"({"action":"restart","set":{"run.method":1}})",
                          R"({"action":"restart","set":{"run.friction_directions":2.5}})",
                          R"({"action":"restart","set":{"materials.plain.friction":-0.5}})",
                          R"({"action":"restart","set":{"bodies.ball.mass":3}})",
                          R"({"action":"restart","set":{"bodies.ball.shapes.0.file":"/etc/passwd"}})",
                          R"({"action":"restart","set":{"run.step=1\nx":1}})"};
  for (const char* body : bodies) {
    const Response answer = control(body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_TRUE(json::parse(answer.body).contains("error")) << body;
  }
  EXPECT_EQ(control("{\"action\":" + std::string(60000, '[') + "}").status, 400);
  EXPECT_EQ(live_.progress(~std::uint64_t{0}, 0ms).run, 0) << "it still runs as it did";
  EXPECT_EQ(live_.progress(~std::uint64_t{0}, 0ms).phase, Phase::running);
}

TEST_F(LiveServer, LimitsEventStreams) {
  std::vector<std::unique_ptr<Client>> watchers;
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    watchers.push_back(std::make_unique<Client>(server_.port()));
    watchers.back()->send(test::get(server_.port(), root() + "events"));
    refused += watchers.back()->answer().status == 503 ? 1 : 0;
  }
  EXPECT_EQ(refused, 4);
  watchers.clear();
  // Clients that left make room for others.
  int status = 503;
  for (int i = 0; i < 100 && status == 503; ++i) {
    Client client(server_.port());
    client.send(test::get(server_.port(), root() + "events"));
    status = client.answer().status;
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(status, 200);
}

}  // namespace
}  // namespace pawl::internal
