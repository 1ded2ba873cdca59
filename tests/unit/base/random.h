#pragma once
// Seeded random numbers, vectors and rotations for tests.

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <pawl/math.h>

namespace pawl::internal::testing {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  /// Log-uniform between low and high.
  double scale(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  Vec3 vec(double size = 1) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vec3 unit() {
    const double z = uniform(-1, 1), turn = uniform(-std::numbers::pi, std::numbers::pi);
    const double r = std::sqrt(1 - z * z);
    return {r * std::cos(turn), r * std::sin(turn), z};
  }
  Quat rotation() { return quat_exp(uniform(-std::numbers::pi, std::numbers::pi) * unit()); }
  std::vector<double> numbers(int n, double size = 1) {
    std::vector<double> x(n);
    for (double& xi : x) xi = uniform(-size, size);
    return x;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace pawl::internal::testing
