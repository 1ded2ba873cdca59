#pragma once
// A scene that is simulated while it is watched.

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <pawl/view/info.h>
#include <serve/served_run.h>

namespace pawl::internal {

/// Simulates in a thread of its own as fast as it can. States go to a temporary file, which is read as any
/// other, so that memory does not grow with the run; the file goes with the object.
class LiveRun : public ServedRun {
 public:
  /// Starts at once. Throws Error where the scene can't be run.
  LiveRun(std::string scene_path, std::vector<std::string> overrides);
  ~LiveRun() override;

  std::string with_run(const std::function<std::string(const RunView& run)>& with_run) override;
  LiveRun* live() override { return this; }

  enum class Phase { running, paused, done, failed };
  struct Progress {
    Phase phase = Phase::running;
    double time = 0, until = 0;  // s
    std::uint64_t states = 0;    // that can be looked at
    std::string message;         // why it failed
    int run = 0;                 // counts how often it was started anew
    std::uint64_t version = 0;   // grows with every change
  };
  /// Now, or as soon as it differs from the version `seen`, but no later than after `timeout`.
  Progress progress(std::uint64_t seen, std::chrono::milliseconds timeout);

  /// What may be set, with its present values.
  std::vector<Parameter> parameters();
  void run();
  void pause();
  /// Back to the start, with these fields of the scene changed on top of those changed before; then it runs
  /// or waits. Throws Error where they make no sense, and then goes on as it was.
  void restart(const std::map<std::string, std::string>& set, bool run_immediately);

 private:
  struct Session;
  std::unique_ptr<Session> prepare(std::vector<std::string> overrides, int run_index);
  void work();
  void advance(Session& session);
  // With the mutex held:
  void record(Session& session, const StepReport& report);
  void finish(Session& session);
  void publish(Session& session);
  void fail(const std::string& why);
  void notify_changed();

  std::string scene_path_;
  std::string folder_;

  std::mutex restart_mutex_;  // one restart at a time
  std::mutex mutex_;          // of all below, and of HDF5, which knows no threads
  std::condition_variable wake_;
  Progress progress_;
  std::vector<std::string> overrides_;
  std::unique_ptr<Session> current_, next_;  // the worker alone replaces one by the other
  std::unique_ptr<RunView> view_;            // of the current attempt, where it was looked at
  bool ending_ = false;
  std::thread worker_;
};

std::string_view to_string(LiveRun::Phase phase);

}  // namespace pawl::internal
