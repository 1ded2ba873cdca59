#include <gtest/gtest.h>

#include <pawl/math.h>
#include <unit/base/random.h>
#include <unit/base/worst.h>

namespace pawl::internal {
namespace {

using testing::Random;
using testing::WorstValue;

constexpr int kSamples = 2000;

double distance(const Quat& a, const Quat& b) {
  return std::max({std::abs(a.w - b.w), std::abs(a.x - b.x), std::abs(a.y - b.y), std::abs(a.z - b.z)});
}

/// exp of a 3×3 matrix by its series, with scaling and squaring.
Mat3 matrix_exp(Mat3 a) {
  constexpr int kHalvings = 8;
  a = std::ldexp(1.0, -kHalvings) * a;
  Mat3 sum = Mat3::identity(), term = Mat3::identity();
  for (int k = 1; k < 20; ++k) {
    term = 1.0 / k * (term * a);
    sum = sum + term;
  }
  for (int i = 0; i < kHalvings; ++i) sum = sum * sum;
  return sum;
}

TEST(QuatExp, OfTheOppositeVectorIsTheInverse) {
  Random random(1);
  WorstValue error("error");
  for (int i = 0; i < kSamples; ++i) {
    const Vec3 a = random.scale(1e-300, 1e3) * random.unit();
    error.add(distance(quat_exp(a) * quat_exp(-a), {1, 0, 0, 0}));
  }
  error.add(distance(quat_exp({}), {1, 0, 0, 0}));
  error.expect_at_most(5e-16);
}

TEST(QuatExp, AddsUpAlongOneAxis) {
  Random random(2);
  WorstValue error("error");
  for (int i = 0; i < kSamples; ++i) {
    const Vec3 axis = random.unit();
    const double a = random.uniform(-6, 6), b = random.uniform(-6, 6);
    error.add(distance(quat_exp(a * axis) * quat_exp(b * axis), quat_exp((a + b) * axis)));
  }
  error.expect_at_most(3e-15);
}

TEST(QuatExp, KeepsEveryDigitOfASmallAngle) {
  Random random(3);
  WorstValue error("relative error");
  for (int i = 0; i < kSamples; ++i) {
    const double angle = random.scale(1e-100, 1e-3);
    const Quat q = quat_exp({0, angle, 0});
    error.add(q.y / (0.5 * angle * (1 - angle * angle / 24)) - 1);
  }
  error.expect_at_most(5e-16);
}

TEST(QuatExp, IsTheExponentialOfTheCrossProduct) {
  Random random(4);
  WorstValue error("error");
  for (int i = 0; i < kSamples; ++i) {
    const Vec3 a = random.scale(1e-12, 6) * random.unit();
    error.add(to_matrix(quat_exp(a)) - matrix_exp(skew(a)));
  }
  error.expect_at_most(1e-13);  // the squarings of the reference lose two digits
}

TEST(Quat, ItsMatrixTurnsVectorsAsItDoes) {
  Random random(5);
  WorstValue turned("turned vector"), orthogonal("orthogonality"), product("product");
  for (int i = 0; i < kSamples; ++i) {
    const Quat a = random.rotation(), b = random.rotation();
    const Vec3 v = random.vec();
    const Quat avc = a * Quat{0, v.x, v.y, v.z} * conjugate(a);
    turned.add(to_matrix(a) * v - Vec3{avc.x, avc.y, avc.z});
    orthogonal.add(to_matrix(a) * transpose(to_matrix(a)) - Mat3::identity());
    product.add(to_matrix(a * b) - to_matrix(a) * to_matrix(b));
  }
  turned.expect_at_most(2e-15);
  orthogonal.expect_at_most(3e-15);
  product.expect_at_most(3e-15);
}

TEST(Solve, GivesBackTheVectorThatWasMultiplied) {
  Random random(6);
  WorstValue error("relative error");
  for (int i = 0; i < kSamples; ++i) {
    // Rotated diagonal matrices: condition numbers up to 1000, at any scale.
    const Mat3 R = to_matrix(random.rotation()), S = to_matrix(random.rotation());
    const Vec3 d{random.scale(1e-3, 1), random.scale(1e-3, 1), random.scale(1e-3, 1)};
    const Mat3 a = random.scale(1e-50, 1e50) * (R * Mat3::diagonal(d) * S);
    const Vec3 x = random.unit();
    error.add(solve(a, a * x) - x);
  }
  error.expect_at_most(1e-11);  // Cramer's rule may lose the square of the condition number
}

TEST(Pose, InverseUndoesIt) {
  Random random(7);
  WorstValue error("error");
  for (int i = 0; i < kSamples; ++i) {
    const Pose X{to_matrix(random.rotation()), random.vec()}, Y{to_matrix(random.rotation()), random.vec()};
    const Vec3 point = random.vec();
    error.add(inverse(X) * (X * point) - point);
    error.add((X * Y) * point - X * (Y * point));
  }
  error.expect_at_most(5e-15);
}

}  // namespace
}  // namespace pawl::internal
