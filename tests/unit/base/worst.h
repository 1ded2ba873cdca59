#pragma once
// The largest of many errors: a test states its bound once, and the XML report carries the measured value.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <sstream>
#include <string>

#include <pawl/math.h>

namespace pawl::internal::testing {

class WorstValue {
 public:
  explicit WorstValue(std::string name) : name_(std::move(name)) {}

  /// A NaN counts as +∞.
  void add(double error) {
    worst_ = std::max(worst_, std::isnan(error) ? std::numeric_limits<double>::infinity() : std::abs(error));
  }
  void add(const Vec3& error) { add(norm(error)); }
  void add(const Mat3& error) {
    for (const Vec3& row : error.row) add(row);
  }
  void add_difference(std::span<const double> a, std::span<const double> b, double scale = 1) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) add((a[i] - b[i]) / scale);
  }

  void expect_at_most(double bound) const {
    std::ostringstream figure;
    figure << worst_;
    ::testing::Test::RecordProperty(name_, figure.str());
    EXPECT_LE(worst_, bound) << name_;
  }

 private:
  std::string name_;
  double worst_ = 0;
};

}  // namespace pawl::internal::testing
