#pragma once
// Random numbers that are the same on every standard library: the distributions of <random> are not.

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace pawl::internal {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(engine_() >> 11), -53);
  }
  /// From low to high, both included.
  int integer(int low, int high) { return low + static_cast<int>(engine_() % (high - low + 1)); }
  /// Between low and high, every power of ten as likely.
  double magnitude(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  double angle() { return uniform(0, 2 * std::numbers::pi); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace pawl::internal
