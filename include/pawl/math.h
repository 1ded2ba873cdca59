#pragma once
// Small fixed-size algebra: 3-vectors, 3×3 matrices, unit quaternions, poses.
//
// These are not Eigen's types, for two reasons. We fix the order of every operation, so bits do not depend on
// how a library vectorises. And the alignment of Eigen's types depends on -march, which would make the
// installed headers unsafe for programs compiled with other flags.

#include <array>
#include <cmath>

namespace pawl {

struct Vec3 {
  double x = 0, y = 0, z = 0;

  constexpr double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  constexpr double& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr Vec3& operator+=(const Vec3& b) { return *this = {x + b.x, y + b.y, z + b.z}; }
  constexpr Vec3& operator-=(const Vec3& b) { return *this = {x - b.x, y - b.y, z - b.z}; }
  constexpr Vec3& operator*=(double s) { return *this = {x * s, y * s, z * s}; }
  constexpr bool operator==(const Vec3&) const = default;
};

constexpr Vec3 operator+(Vec3 a, const Vec3& b) {
  return a += b;
}
constexpr Vec3 operator-(Vec3 a, const Vec3& b) {
  return a -= b;
}
constexpr Vec3 operator-(const Vec3& a) {
  return {-a.x, -a.y, -a.z};
}
constexpr Vec3 operator*(double s, Vec3 a) {
  return a *= s;
}
constexpr Vec3 operator*(Vec3 a, double s) {
  return a *= s;
}
constexpr Vec3 operator/(const Vec3& a, double s) {
  return {a.x / s, a.y / s, a.z / s};
}
constexpr double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(const Vec3& a) {
  return std::sqrt(dot(a, a));
}
inline Vec3 normalized(const Vec3& a) {
  return a / norm(a);
}
inline Vec3 absolute(const Vec3& a) {
  return {std::abs(a.x), std::abs(a.y), std::abs(a.z)};
}
inline bool is_finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// Row-major 3×3 matrix.
struct Mat3 {
  std::array<Vec3, 3> row{};

  static constexpr Mat3 identity() { return diagonal({1, 1, 1}); }
  static constexpr Mat3 diagonal(const Vec3& d) { return {{{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}}}; }
  constexpr double operator()(int i, int j) const { return row[i][j]; }
  constexpr double& operator()(int i, int j) { return row[i][j]; }
  constexpr bool operator==(const Mat3&) const = default;
};

constexpr Vec3 operator*(const Mat3& a, const Vec3& b) {
  return {dot(a.row[0], b), dot(a.row[1], b), dot(a.row[2], b)};
}
constexpr Vec3 column(const Mat3& a, int j) {
  return {a(0, j), a(1, j), a(2, j)};
}
constexpr Mat3 transpose(const Mat3& a) {
  return {{{{a(0, 0), a(1, 0), a(2, 0)}, {a(0, 1), a(1, 1), a(2, 1)}, {a(0, 2), a(1, 2), a(2, 2)}}}};
}
constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
  const Mat3 bt = transpose(b);
  return {{{bt * a.row[0], bt * a.row[1], bt * a.row[2]}}};
}
constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
  return {{{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}}};
}
constexpr Mat3 operator-(const Mat3& a, const Mat3& b) {
  return {{{a.row[0] - b.row[0], a.row[1] - b.row[1], a.row[2] - b.row[2]}}};
}
constexpr Mat3 operator*(double s, const Mat3& a) {
  return {{{s * a.row[0], s * a.row[1], s * a.row[2]}}};
}
/// Cross-product matrix: skew(a) b = a × b.
constexpr Mat3 skew(const Vec3& a) {
  return {{{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}}};
}
constexpr Mat3 outer(const Vec3& a, const Vec3& b) {
  return {{{a.x * b, a.y * b, a.z * b}}};
}
constexpr double trace(const Mat3& a) {
  return a(0, 0) + a(1, 1) + a(2, 2);
}
/// Solves a x = b by Cramer's rule; a must not be singular.
constexpr Vec3 solve(const Mat3& a, const Vec3& b) {
  const Mat3 c = transpose(a);  // the columns of a
  const Vec3 c12 = cross(c.row[1], c.row[2]);
  const double det = dot(c.row[0], c12);
  return Vec3{dot(b, c12), dot(c.row[0], cross(b, c.row[2])), dot(c.row[0], cross(c.row[1], b))} / det;
}

/// Unit quaternion, scalar first, of the rotation from body to world.
struct Quat {
  double w = 1, x = 0, y = 0, z = 0;
  constexpr bool operator==(const Quat&) const = default;
};

constexpr Quat operator*(const Quat& a, const Quat& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
constexpr Quat conjugate(const Quat& a) {
  return {a.w, -a.x, -a.y, -a.z};
}
inline Quat normalized(const Quat& a) {
  const double n = std::sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
  return {a.w / n, a.x / n, a.y / n, a.z / n};
}
/// The rotation matrix of q. Dividing by |q|², which is 1 up to rounding, keeps the matrix orthogonal to
/// rounding. Otherwise the error of |q| would scale angular momenta at every step, always the same way.
constexpr Mat3 to_matrix(const Quat& q) {
  const double s = 2 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  const double xx = s * q.x * q.x, yy = s * q.y * q.y, zz = s * q.z * q.z;
  const double xy = s * q.x * q.y, xz = s * q.x * q.z, yz = s * q.y * q.z;
  const double wx = s * q.w * q.x, wy = s * q.w * q.y, wz = s * q.w * q.z;
  return {{{{1 - (yy + zz), xy - wz, xz + wy},
            {xy + wz, 1 - (xx + zz), yz - wx},
            {xz - wy, yz + wx, 1 - (xx + yy)}}}};
}
/// Exponential map of a rotation vector (axis times angle, rad), exact at any angle.
inline Quat quat_exp(const Vec3& rotation) {
  const double angle = norm(rotation);
  // sin(a/2)/a = 1/2 - a²/48 + …: below a = 1e-8 the second term is under 1e-17.
  const double s = angle < 1e-8 ? 0.5 : std::sin(0.5 * angle) / angle;
  return {std::cos(0.5 * angle), s * rotation.x, s * rotation.y, s * rotation.z};
}

/// Rigid transform: rotation R of the axes and position p of the origin of one frame in another.
struct Pose {
  Mat3 R = Mat3::identity();
  Vec3 p;
};
constexpr Vec3 operator*(const Pose& X, const Vec3& point) {
  return X.R * point + X.p;
}
constexpr Pose operator*(const Pose& a, const Pose& b) {
  return {a.R * b.R, a * b.p};
}
constexpr Pose inverse(const Pose& X) {
  const Mat3 Rt = transpose(X.R);
  return {Rt, -(Rt * X.p)};
}

}  // namespace pawl
