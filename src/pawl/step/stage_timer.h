#pragma once
// Wall times of the stages of a step.

#include <chrono>

namespace pawl::internal {

/// Adds its lifetime to a sum, s.
class StageTimer {
 public:
  explicit StageTimer(double& sum) : sum_(sum) {}
  ~StageTimer() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace pawl::internal
