#pragma once
// A scene that is simulated while it is viewed.

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <pawl/base/temporary_folder.h>
#include <pawl/robot.h>
#include <pawl/view/info.h>
#include <serve/served_run.h>

namespace pawl::internal {

/// Simulates in its own thread, as fast as possible. States are written to a temporary file and read back
/// like any trajectory, so that memory does not grow with the run. The destructor deletes the file.
class LiveRun : public ServedRun {
 public:
  /// Starts immediately. Throws Error if the scene cannot be run.
  LiveRun(std::string scene_path, std::vector<std::string> overrides, RobotOptions robot = {});
  ~LiveRun() override;

  std::string with_run(const std::function<std::string(const RunView& run)>& with_run) override;
  LiveRun* live() override { return this; }

  enum class Phase { running, paused, done, failed };
  struct Progress {
    Phase phase = Phase::running;
    double time = 0, until = 0;  // s
    std::uint64_t states = 0;    // readable states
    std::string message;         // reason of a failure
    int run = 0;                 // index of the run: incremented by every restart
    std::uint64_t version = 0;   // incremented by every change
  };
  /// Returns as soon as the version differs from `seen`, at the latest after `timeout`.
  Progress progress(std::uint64_t seen, std::chrono::milliseconds timeout);

  /// Fields that can be set, with their present values.
  std::vector<Parameter> parameters();
  void run();
  void pause();
  /// Restarts the run with these fields changed, in addition to earlier changes, running or paused. Throws
  /// Error for invalid values; the present run then continues.
  void restart(const std::map<std::string, std::string>& set, bool run_immediately);

 private:
  struct Session;
  std::unique_ptr<Session> prepare(std::vector<std::string> overrides, int run_index);
  void work();
  void advance(Session& session);
  // Require the mutex:
  void record(Session& session, const StepReport& report);
  void finish(Session& session);
  void publish(Session& session);
  void fail(const std::string& why);
  void notify_changed();

  std::string scene_path_;
  RobotOptions robot_;
  TemporaryFolder folder_;

  std::mutex restart_mutex_;  // one restart at a time
  std::mutex mutex_;          // guards the members below, and HDF5, which is not thread-safe
  std::condition_variable wake_;
  Progress progress_;
  std::vector<std::string> overrides_;
  std::unique_ptr<Session> current_, next_;  // only the worker moves next_ to current_
  std::unique_ptr<RunView> view_;            // of the current run, created on first use
  bool ending_ = false;
  std::thread worker_;
};

std::string_view to_string(LiveRun::Phase phase);

}  // namespace pawl::internal
