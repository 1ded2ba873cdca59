// Contacts of two shapes in Pawl, FCL, Bullet and ODE over the same poses. All objects are created and placed
// before the timing; one iteration is one query. Every row also reports the number of contact points and the
// error of the min gap.

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <tuple>

#include <benchmark/benchmark.h>

#include <pawl/collision/distance/signed_distance.h>
#include <pawl/geometry.h>

#include "geometry_peers.h"

namespace pawl::internal::bench {
namespace {

/// Enough poses that branch prediction cannot memorise them, as in a real scene. With 128 poses, engines with
/// many branches appear a third faster than they are.
constexpr int kPoses = 2048;

// ---- poses ----------------------------------------------------------------------------------------------

/// rest: one shape on top of the other, almost level; capsules and cylinders alternate between lying and
/// upright. tumbled: random rotation. Both overlap by 1e-4. apart: like rest, with a gap of 1e-2.
enum class PoseKind { rest, tumbled, apart };

double target_gap(PoseKind pose_kind) {
  return pose_kind == PoseKind::apart ? 1e-2 : -1e-4;
}

/// Moves a along z until its gap to b is `gap`.
void move_to_gap(const Convex& a, const Convex& b, double gap, Pose& X) {
  for (int iteration = 0; iteration < 60; ++iteration) {
    const Separation now = separation({a, X}, {b, Pose{}});
    X.p.z += (gap - now.gap) / std::max(now.normal.z, 0.3);
  }
}

std::vector<Pose> make_poses(const Shape& a, const Shape& b, PoseKind pose_kind) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Pose> poses;
  for (int i = 0; i < kPoses; ++i) {
    const auto random_vector = [&] { return Vec3{uniform(engine), uniform(engine), uniform(engine)}; };
    const Mat3 tilt = to_matrix(quat_exp(1e-3 * random_vector())),
               turn = to_matrix(quat_exp({0, 0, 3 * random_vector().z}));
    const bool lies = (a.kind == Kind::capsule || a.kind == Kind::cylinder) && i % 2 == 0;
    const Mat3 lay = lies ? to_matrix(quat_exp({1.5707963267948966, 0, 0})) : Mat3::identity();
    const Mat3 tumble = to_matrix(normalized(Quat{uniform(engine), uniform(engine), uniform(engine), 1.1}));
    const Vec3 offset = 0.2 * random_vector();
    poses.push_back({pose_kind == PoseKind::tumbled ? tumble : tilt * turn * lay, {offset.x, offset.y, 1}});
    move_to_gap(a.convex, b.convex, target_gap(pose_kind), poses.back());
  }
  return poses;
}

/// Contact margin 0.1 if speculative, as in time stepping; else 0, which finds overlaps only, like the peers.
template <bool speculative>
class PawlEngine {
 public:
  PawlEngine(const Shape& a, const Shape& b, std::span<const Pose> poses, bool) : b_{b.convex, Pose{}} {
    for (const Pose& pose : poses) a_.push_back({a.convex, pose});
  }

  QueryResult query(int pose) {
    collide(a_[static_cast<std::size_t>(pose)], b_, speculative ? 0.1 : 0, kMaxPoints, set_);
    QueryResult found{set_.count, 1};
    for (int i = 0; i < set_.count; ++i) found.gap = std::min(found.gap, set_.points[i].gap);
    return found;
  }

 private:
  std::vector<PosedConvex> a_;
  PosedConvex b_;
  Manifold set_;
};

// ---- rows -----------------------------------------------------------------------------------------------

/// Created once for all engines.
const std::vector<Pose>& poses_of(const Shape& a, const Shape& b, PoseKind pose_kind) {
  static std::map<std::tuple<Kind, Kind, PoseKind>, std::vector<Pose>> made;
  std::vector<Pose>& poses = made[{a.kind, b.kind, pose_kind}];
  if (poses.empty()) poses = make_poses(a, b, pose_kind);
  return poses;
}

template <class Engine>
void time_queries(benchmark::State& state, Kind kind_a, Kind kind_b, PoseKind pose_kind) {
  const std::unique_ptr<Shape> a = make_shape(kind_a), b = make_shape(kind_b);
  const std::vector<Pose>& poses = poses_of(*a, *b, pose_kind);
  Engine engine(*a, *b, poses, pose_kind == PoseKind::apart);
  double points = 0, error = 0;
  std::vector<int> usable;  // FCL throws for some poses
  for (int i = 0; i < kPoses; ++i) {
    try {
      const QueryResult found = engine.query(i);
      points += found.points;
      if (found.points > 0) error = std::max(error, std::abs(found.gap - target_gap(pose_kind)));
      usable.push_back(i);
    } catch (const std::exception&) {
    }
  }
  if (usable.empty()) return state.SkipWithError("throws at every pose");
  std::size_t next = 0;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(engine.query(usable[next]));
    next = next + 1 < usable.size() ? next + 1 : 0;
  }
  state.counters["points"] = points / static_cast<double>(usable.size());
  state.counters["gap_error"] = error;
  state.counters["threw"] = kPoses - static_cast<double>(usable.size());
}

struct Row {
  const char* name;
  Kind a, b;
};

[[maybe_unused]] const bool registered = [] {
  for (const Row& row :
       {Row{"sphere-sphere", Kind::sphere, Kind::sphere}, Row{"sphere-box", Kind::sphere, Kind::box},
        Row{"capsule-capsule", Kind::capsule, Kind::capsule}, Row{"capsule-box", Kind::capsule, Kind::box},
        Row{"box-box", Kind::box, Kind::box}, Row{"cylinder-box", Kind::cylinder, Kind::box},
        Row{"cylinder-cylinder", Kind::cylinder, Kind::cylinder}, Row{"hull-hull", Kind::hull, Kind::hull}}) {
    for (const auto& [pose_kind, suffix] :
         {std::pair(PoseKind::rest, "rest"), std::pair(PoseKind::tumbled, "tumbled"),
          std::pair(PoseKind::apart, "apart")}) {
      const auto add = [&](const char* engine, auto time) {
        const std::string name = std::string("Contacts/") + row.name + "/" + suffix + "/" + engine;
        benchmark::RegisterBenchmark(name.c_str(), time, row.a, row.b, pose_kind);
      };
      add("pawl", time_queries<PawlEngine<true>>);
      add("pawl-overlaps", time_queries<PawlEngine<false>>);
      add("fcl", time_queries<Fcl>);
      add("bullet", time_queries<Bullet>);
      add("ode", time_queries<Ode>);
    }
  }
  return true;
}();

}  // namespace
}  // namespace pawl::internal::bench
