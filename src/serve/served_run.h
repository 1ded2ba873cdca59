#pragma once
// What a server shows.

#include <functional>
#include <mutex>
#include <string>

#include <pawl/view/run_view.h>

namespace pawl::internal {

class LiveRun;

class ServedRun {
 public:
  virtual ~ServedRun() = default;
  /// Calls `with_run` with the run as it is now; one caller at a time.
  virtual std::string with_run(const std::function<std::string(const RunView& run)>& with_run) = 0;
  /// The run where it is one that goes on.
  virtual LiveRun* live() { return nullptr; }
};

/// A run in a file.
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
