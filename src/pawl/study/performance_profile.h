#pragma once
// Methods compared over many problems: performance profiles [Dolan & Moré, Mathematical Programming 91,
// 2002].

#include <span>
#include <vector>

namespace pawl::internal {

/// For each method the share of all problems that it solves within τ times the least time that any method
/// needs. At τ = 1 it is the share that it solves fastest, at the largest τ the share that it solves at all.
struct PerformanceProfile {
  std::vector<double> tau;                    // ascending from 1, one for each place where a share grows
  std::vector<std::vector<double>> fraction;  // [methods][tau]
};

/// `seconds` is [problems][methods], all > 0, +∞ where the method did not solve the problem.
PerformanceProfile performance_profile(std::span<const std::vector<double>> seconds);

}  // namespace pawl::internal
