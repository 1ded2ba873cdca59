#pragma once
// Performance profiles of methods over many problems [DolanMore2002, Mathematical Programming 91].

#include <span>
#include <vector>

namespace pawl::internal {

/// For each method, the fraction of problems that it solves within τ times the shortest time of any method.
/// At τ = 1 it is the fraction solved fastest, at the largest τ the fraction solved at all.
struct PerformanceProfile {
  std::vector<double> tau;                    // ascending from 1, one for each jump of a fraction
  std::vector<std::vector<double>> fraction;  // [methods][tau]
};

/// `seconds` is [problems][methods], all > 0, +∞ where the method did not solve the problem.
PerformanceProfile performance_profile(std::span<const std::vector<double>> seconds);

}  // namespace pawl::internal
