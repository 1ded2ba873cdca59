#pragma once
// The run that a server shows: recorded or live.

#include <functional>
#include <mutex>
#include <string>

#include <pawl/view/run_view.h>

namespace pawl::internal {

class LiveRun;

class ServedRun {
 public:
  virtual ~ServedRun() = default;
  /// Calls `with_run` with the present run; one caller at a time.
  virtual std::string with_run(const std::function<std::string(const RunView& run)>& with_run) = 0;
  /// This run if it is live, else null.
  virtual LiveRun* live() { return nullptr; }
};

/// A run in a trajectory file.
class RecordedRun : public ServedRun {
 public:
  explicit RecordedRun(const std::string& path) : run_(path) {}
  std::string with_run(const std::function<std::string(const RunView& run)>& with_run) override {
    const std::lock_guard lock(mutex_);
    return with_run(run_);
  }

 private:
  std::mutex mutex_;
  RunView run_;
};

}  // namespace pawl::internal
