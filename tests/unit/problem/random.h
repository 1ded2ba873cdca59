#pragma once
// Random numbers identical on every standard library, unlike the distributions of <random>.

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
  /// From low to high, inclusive.
  int integer(int low, int high) { return low + static_cast<int>(engine_() % (high - low + 1)); }
  /// Log-uniform between low and high.
  double magnitude(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  double angle() { return uniform(0, 2 * std::numbers::pi); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace pawl::internal
