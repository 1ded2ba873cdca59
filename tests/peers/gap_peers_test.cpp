// Compares signed gaps with those of FCL 0.7, Bullet 3.24 (double precision) and ODE 0.16 where these are
// accurate. docs/geometry.md lists where they are not, and by how much.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <pawl/collision/distance/signed_distance.h>
#include <peers/geometry_peers.h>
#include <unit/base/random.h>

namespace pawl::internal {
namespace {

using bench::Bullet;
using bench::Fcl;
using bench::Kind;
using bench::make_shape;
using bench::Ode;
using bench::QueryResult;
using bench::Shape;
using testing::Random;

constexpr int kPoses = 300;
/// Where the peers are accurate, they use closed forms or exact features in double precision.
constexpr double kTolerance = 1e-12;  // relative to the size

enum class Peer { fcl, bullet, ode };

/// How many gaps of a library must be correct for a pair.
enum class Trust {
  all,  // every gap
  most  // 90 %, and no depth may be less than ours: the library sometimes misses the min
};

struct Row {
  Peer peer;
  Kind a, b;
  bool apart;
  Trust trust;
  double min_size = 1e-3, max_size = 1e2;  // m: range of sizes to test
};

std::string name_of(Kind kind) {
  constexpr std::array names{"sphere", "capsule", "box", "cylinder", "hull"};
  return names[static_cast<std::size_t>(kind)];
}

std::string name_of(const Row& row) {
  constexpr std::array names{"fcl", "bullet", "ode"};
  return std::string(names[static_cast<std::size_t>(row.peer)]) + "_" + name_of(row.a) + "_" +
         name_of(row.b) + (row.apart ? "_apart" : "_overlap");
}

/// Bullet has absolute tolerances (hulls smaller than centimetres are wrong). For separate shapes its search
/// depth is limited, which large shapes exceed. It rounds boxes and cylinders by a collision margin. FCL has
/// tolerances of 1e-6 m in its GJK. FCL and ODE use libccd where they have no closed form. ODE and Bullet
/// report touching shapes only.
std::vector<Row> rows() {
  using enum Kind;
  std::vector<Row> rows;
  for (const Kind other : {sphere, capsule, box, cylinder}) {
    for (const bool apart : {true, false}) rows.push_back({Peer::fcl, sphere, other, apart, Trust::all});
    rows.push_back({Peer::ode, sphere, other, false, Trust::all});
  }
  rows.push_back({Peer::fcl, capsule, capsule, true, Trust::all});
  rows.push_back({Peer::ode, capsule, capsule, false, Trust::all});
  rows.push_back({Peer::ode, capsule, box, false, Trust::all});
  for (const auto& [a, b] : {std::pair(box, box), std::pair(box, hull), std::pair(hull, hull)}) {
    rows.push_back({Peer::fcl, a, b, true, Trust::all, 1});
    rows.push_back({Peer::fcl, a, b, false, Trust::most, 1});
    rows.push_back({Peer::ode, a, b, false, Trust::most, 1});
  }
  rows.push_back({Peer::bullet, sphere, sphere, false, Trust::all});
  for (const auto& [a, b] : {std::pair(sphere, capsule), std::pair(capsule, capsule)}) {
    rows.push_back({Peer::bullet, a, b, false, Trust::all});
    rows.push_back({Peer::bullet, a, b, true, Trust::all, 1e-3, 1});
  }
  for (const auto& [a, b] : {std::pair(sphere, hull), std::pair(capsule, hull), std::pair(hull, hull)}) {
    rows.push_back({Peer::bullet, a, b, false, Trust::all, 1});
    rows.push_back({Peer::bullet, a, b, true, Trust::all, 1, 1});
  }
  return rows;
}

/// Random rotations; moves a along a line until the gap has its target value.
std::vector<Pose> make_poses(const Shape& a, const Shape& b, double size, bool apart, int count) {
  Random random(7);
  std::vector<Pose> poses;
  for (int i = 0; i < count; ++i) {
    Pose X{to_matrix(random.rotation()), {}};
    const Vec3 direction = random.unit();
    const double target_gap = (apart ? 1 : -1) * size * random.scale(1e-4, 0.05);
    X.p = size * direction;
    for (int iteration = 0; iteration < 60; ++iteration) {
      const Separation now = separation({a.convex, X}, {b.convex, Pose{}});
      if (std::abs(target_gap - now.gap) <= 1e-14 * size) break;
      X.p += ((target_gap - now.gap) / std::max(dot(now.normal, direction), 0.3)) * direction;
    }
    poses.push_back(X);
  }
  return poses;
}

/// (gap of the peer - our gap) / size, for all poses where the peer reports a gap.
template <class Engine>
std::vector<double> errors_of(const Row& row, double size) {
  const auto a = make_shape(row.a, size), b = make_shape(row.b, size);
  const std::vector<Pose> poses = make_poses(*a, *b, size, row.apart, kPoses);
  Engine engine(*a, *b, poses, row.apart);
  std::vector<double> errors;
  for (int i = 0; i < static_cast<int>(poses.size()); ++i) {
    const QueryResult found = engine.query(i);
    if (found.points == 0) continue;
    const double ours = separation({a->convex, poses[i]}, {b->convex, Pose{}}).gap;
    errors.push_back((found.gap - ours) / size);
  }
  return errors;
}

std::vector<double> errors_of(const Row& row, double size) {
  switch (row.peer) {
    case Peer::fcl:
      return errors_of<Fcl>(row, size);
    case Peer::bullet:
      return errors_of<Bullet>(row, size);
    case Peer::ode:
      return errors_of<Ode>(row, size);
  }
  return {};
}

class PeerGap : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(Trusted, PeerGap, ::testing::ValuesIn(rows()),
                         [](const auto& row) { return name_of(row.param); });

TEST_P(PeerGap, IsOurs) {
  const Row& row = GetParam();
  for (const double size : {1e-3, 1.0, 1e2}) {
    if (size < row.min_size || size > row.max_size) continue;
    SCOPED_TRACE(size);
    const std::vector<double> errors = errors_of(row, size);
    ASSERT_GT(errors.size(), 200u);
    const auto right = std::ranges::count_if(errors, [](double e) { return std::abs(e) <= kTolerance; });
    EXPECT_GE(static_cast<double>(right) / static_cast<double>(errors.size()),
              row.trust == Trust::all ? 1 : 0.9);
    EXPECT_LE(std::ranges::max(errors), kTolerance);
  }
}

}  // namespace
}  // namespace pawl::internal
