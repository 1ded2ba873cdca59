#pragma once
// What a server shows.

#include <functional>
#include <mutex>
#include <string>

#include <pawl/view/run_view.h>

namespace pawl {

class LiveRun;

class Shown {
 public:
  virtual ~Shown() = default;
  /// Calls `look` with the run as it is now; one caller at a time.
  virtual std::string look(const std::function<std::string(const RunView& run)>& look) = 0;
  /// The run where it is one that goes on.
  virtual LiveRun* live() { return nullptr; }
};

/// A run in a file.
class RecordedRun : public Shown {
 public:
  explicit RecordedRun(const std::string& path) : run_(path) {}
  std::string look(const std::function<std::string(const RunView& run)>& look) override {
    const std::lock_guard lock(mutex_);
    return look(run_);
  }

 private:
  std::mutex mutex_;
  RunView run_;
};

}  // namespace pawl
