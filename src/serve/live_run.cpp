#include <serve/live_run.h>

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/record/recorder.h>
#include <pawl/robot.h>

namespace pawl::internal {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPublishInterval = std::chrono::milliseconds(100);

}  // namespace

std::string_view to_string(LiveRun::Phase phase) {
  switch (phase) {
    case LiveRun::Phase::running:
      return "running";
    case LiveRun::Phase::paused:
      return "paused";
    case LiveRun::Phase::done:
      return "done";
    case LiveRun::Phase::failed:
      return "failed";
  }
  return {};
}

/// One run from its start. The writer is created, used and closed under the mutex.
struct LiveRun::Session {
  Session(Scene scene_, std::string path_)
      : scene(std::move(scene_)),
        model(compile(scene)),
        simulation(model, scene.run),
        path(std::move(path_)) {}

  void open() {
    writer = std::make_unique<TrajectoryWriter>(path, describe_run(scene, model));
    recorder = std::make_unique<Recorder>(simulation, scene.run, *writer);
    writer->flush();
  }

  std::string file() const { return finished ? path : path + ".part"; }

  Scene scene;
  Model model;
  Simulation simulation;
  std::string path;
  std::unique_ptr<TrajectoryWriter> writer;
  std::unique_ptr<Recorder> recorder;
  bool run_immediately = true;  // start running instead of paused
  bool finished = false;        // and the writer is closed
  double time = 0;              // s; only the worker may access the simulation
  Clock::time_point published = Clock::now();
};

LiveRun::LiveRun(std::string scene_path, std::vector<std::string> overrides, RobotOptions robot)
    : scene_path_(std::move(scene_path)),
      robot_(std::move(robot)),
      folder_("pawl-view"),
      overrides_(std::move(overrides)) {
  next_ = prepare(overrides_, 0);
  {
    const std::lock_guard lock(mutex_);
    next_->open();
  }
  progress_.run = -1;
  worker_ = std::thread([this] { work(); });
  // Wait until there is a run to view.
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return current_ != nullptr; });
}

LiveRun::~LiveRun() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  worker_.join();
  view_.reset();
  current_.reset();
  next_.reset();
}

std::unique_ptr<LiveRun::Session> LiveRun::prepare(std::vector<std::string> overrides, int run_index) {
  return std::make_unique<Session>(load_scene_or_robot(scene_path_, overrides, robot_),
                                   fmt::format("{}/run{}.h5", folder_.path(), run_index));
}

void LiveRun::notify_changed() {
  ++progress_.version;
  wake_.notify_all();
}

void LiveRun::work() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return ending_ || next_ || progress_.phase == Phase::running; });
      if (ending_) return;
      if (next_) {
        view_.reset();
        const std::string old = current_ ? current_->file() : "";
        current_ = std::move(next_);
        std::error_code ignored;
        std::filesystem::remove(old, ignored);
        progress_ = {.phase = current_->run_immediately ? Phase::running : Phase::paused,
                     .time = 0,
                     .until = current_->scene.run.until,
                     .states = 1,
                     .message = "",
                     .run = progress_.run + 1,
                     .version = progress_.version};
        notify_changed();
        continue;
      }
    }
    advance(*current_);
  }
}

/// Takes one step. The numerics run without the mutex, so that readers are not blocked.
void LiveRun::advance(Session& session) {
  const bool at_end = session.simulation.at_end();
  const StepReport report = at_end ? StepReport{} : session.simulation.step();
  const std::lock_guard lock(mutex_);
  try {
    if (at_end) {
      finish(session);
    } else {
      record(session, report);
    }
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void LiveRun::finish(Session& session) {
  session.recorder->end();
  progress_.time = session.time;
  progress_.states = session.recorder->states();
  session.writer->finish(true);
  session.finished = true;
  view_.reset();
  progress_.phase = Phase::done;
  notify_changed();
}

void LiveRun::record(Session& session, const StepReport& report) {
  session.recorder->add(report);
  session.time = session.simulation.time();
  if (progress_.phase != Phase::running || Clock::now() - session.published >= kPublishInterval)
    publish(session);
  if (report.status != Status::refused &&
      (report.certified() || session.scene.run.on_uncertified != OnUncertified::stop)) {
    return;
  }
  session.recorder->end();
  publish(session);
  fail(fmt::format("the step at t = {:g} s is {}{}{}", report.time, to_string(report.status),
                   report.reason.empty() ? "" : ": ", report.reason));
}

void LiveRun::fail(const std::string& why) {
  progress_.phase = Phase::failed;
  progress_.message = why;
  notify_changed();
}

void LiveRun::publish(Session& session) {
  session.writer->flush();
  session.published = Clock::now();
  progress_.time = session.time;
  progress_.states = session.recorder->states();
  notify_changed();
}

std::string LiveRun::with_run(const std::function<std::string(const RunView& run)>& with_run) {
  const std::lock_guard lock(mutex_);
  if (!view_) view_ = std::make_unique<RunView>(current_->file());
  if (view_->states() < progress_.states) view_->refresh();
  return with_run(*view_);
}

LiveRun::Progress LiveRun::progress(std::uint64_t seen, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, timeout, [&] { return ending_ || progress_.version != seen; });
  return progress_;
}

std::vector<Parameter> LiveRun::parameters() {
  const std::lock_guard lock(mutex_);
  return parameters_of(current_->scene);
}

void LiveRun::run() {
  const std::lock_guard lock(mutex_);
  if (progress_.phase != Phase::paused) return;
  progress_.phase = Phase::running;
  notify_changed();
}

void LiveRun::pause() {
  const std::lock_guard lock(mutex_);
  if (progress_.phase != Phase::running) return;
  progress_.phase = Phase::paused;
  try {
    publish(*current_);
  } catch (const Error& error) {
    fail(error.what());
  }
}

void LiveRun::restart(const std::map<std::string, std::string>& set, bool run_immediately) {
  const std::lock_guard one(restart_mutex_);
  std::vector<std::string> overrides;
  int run_index = 0;
  {
    const std::lock_guard lock(mutex_);
    overrides = overrides_;
    run_index = progress_.run + 1;
  }
  for (const auto& [key, value] : set) overrides.push_back(key + "=" + value);
  std::unique_ptr<Session> session = prepare(overrides, run_index);
  session->run_immediately = run_immediately;
  std::unique_lock lock(mutex_);
  session->open();
  next_ = std::move(session);
  overrides_ = std::move(overrides);
  wake_.notify_all();
  // The worker switches between two steps; restart() returns after the switch.
  wake_.wait(lock, [this] { return ending_ || !next_; });
}

}  // namespace pawl::internal
