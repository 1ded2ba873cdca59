// Impacts at one contact, planar and spatial, over varying states so that branch prediction cannot learn
// them; and the impulse response of chains of links, by recursion and by the mass matrix.

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <pawl/impact.h>
#include <pawl/linalg/dense.h>
#include <pawl/model/dynamics.h>
#include <pawl/model/impulse_response.h>

namespace pawl::internal::bench {
namespace {

constexpr int kStates = 256;

class Uniform {
 public:
  double operator()(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Vec3 vec() { return {(*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1)}; }

 private:
  std::mt19937_64 engine_{1};
};

/// The two bars of [Morgan2011, figure 2.1] hit the floor, with r = 1 m and m = 1 kg.
std::vector<PlanarContact> double_pendulums() {
  Uniform uniform;
  std::vector<PlanarContact> contacts;
  while (contacts.size() < kStates) {
    const double q1 = uniform(-3, 3), q2 = uniform(-3, 3), u1 = uniform(-5, 5), u2 = uniform(-5, 5);
    const double c = std::cos(q2), m11 = c + 5.0 / 3, m12 = c / 2 + 1.0 / 3, m22 = 1.0 / 3;
    const double det = m11 * m22 - m12 * m12;
    const double t1 = -std::sin(q1) - std::sin(q1 + q2), t2 = -std::sin(q1 + q2);
    const double n1 = std::cos(q1) + std::cos(q1 + q2), n2 = std::cos(q1 + q2);
    const auto product = [&](double x1, double x2, double y1, double y2) {
      return (x1 * (m22 * y1 - m12 * y2) + x2 * (m11 * y2 - m12 * y1)) / det;
    };
    PlanarContact contact{product(n1, n2, n1, n2),
                          product(n1, n2, t1, t2),
                          product(t1, t2, t1, t2),
                          n1 * u1 + n2 * u2,
                          t1 * u1 + t2 * u2,
                          0.5,
                          0.6,
                          0.7};
    if (contact.v_n < 0) contacts.push_back(contact);
  }
  return contacts;
}

/// A corner of a box of 1 × 0.6 × 0.4 m hits the floor, in random poses.
std::vector<SpatialContact> box_corners() {
  Uniform uniform;
  const Vec3 half{0.5, 0.3, 0.2};
  const Vec3 inertia = (1.0 / 3) * Vec3{half.y * half.y + half.z * half.z, half.x * half.x + half.z * half.z,
                                        half.x * half.x + half.y * half.y};
  std::vector<SpatialContact> contacts;
  while (contacts.size() < kStates) {
    const Mat3 R = to_matrix(quat_exp(3.0 * uniform.vec()));
    Vec3 corner;  // lowest corner
    for (int i = 0; i < 3; ++i) corner[i] = R(2, i) > 0 ? -half[i] : half[i];
    const Vec3 r = R * corner, velocity = 2.0 * uniform.vec(), spin = 3.0 * uniform.vec();
    const Mat3 inverse_inertia =
        R * Mat3::diagonal({1 / inertia.x, 1 / inertia.y, 1 / inertia.z}) * transpose(R);
    const Mat3 A = Mat3::identity() - skew(r) * inverse_inertia * skew(r);
    const Vec3 v = velocity + cross(spin, r);
    SpatialContact contact;  // n = z, t = x, o = y
    contact.A = {{{{A(2, 2), A(2, 0), A(2, 1)}, {A(0, 2), A(0, 0), A(0, 1)}, {A(1, 2), A(1, 0), A(1, 1)}}}};
    contact.v = {v.z, v.x, v.y};
    contact.mu = 0.3;
    contact.mu_static = 0.4;
    contact.e = 0.7;
    if (v.z < 0) contacts.push_back(contact);
  }
  return contacts;
}

void Planar(benchmark::State& state) {
  const std::vector<PlanarContact> contacts = double_pendulums();
  int i = 0;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(planar_impact(contacts[i]));
    i = (i + 1) % kStates;
  }
}
BENCHMARK(Planar)->Name("impact/double-pendulum");

void Spatial(benchmark::State& state) {
  std::vector<SpatialContact> contacts = box_corners();
  for (SpatialContact& contact : contacts) contact.tolerance = std::pow(10.0, -state.range(0));
  double steps = 0;
  int i = 0;
  for ([[maybe_unused]] auto _ : state) {
    const SpatialImpact impact = spatial_impact(contacts[i]);
    steps += impact.steps;
    i = (i + 1) % kStates;
    benchmark::DoNotOptimize(impact);
  }
  state.counters["steps"] = steps / static_cast<double>(state.iterations());
}
BENCHMARK(Spatial)->Name("impact/box-corner")->ArgName("digits")->Arg(6)->Arg(10)->Arg(13);

/// A chain of links of 1 kg and 0.2 m on hinges with random axes, starting at the world.
Model chain(int links) {
  Uniform uniform;
  Scene scene;
  for (int i = 0; i < links; ++i) {
    SceneBody body;
    body.name = "link" + std::to_string(i);
    body.joint.kind = JointKind::revolute;
    body.joint.parent = i == 0 ? "world" : "link" + std::to_string(i - 1);
    body.joint.anchor = {0.2 * i, 0, 0};
    body.joint.axis = normalized(uniform.vec());
    body.joint.position = uniform(-0.3, 0.3);
    body.mass = 1;
    body.inertia = Mat3::diagonal({1e-3, 3.5e-3, 3.5e-3});
    body.position = {0.2 * i + 0.1, 0, 0};
    scene.bodies.push_back(body);
  }
  return compile(scene);
}

struct PosedChain {
  explicit PosedChain(int links) : model(chain(links)), dv(model.nv), M(model.nv * model.nv) {
    position_kinematics(model, model.q_start, kinematics);
    const int last = links;
    tip = {last, kinematics.X_WB[last] * Vec3{0.1, 0, 0}, {0, 0, 1}, {}};
  }
  Model model;
  Kinematics kinematics;
  BodyImpulse tip;
  std::vector<double> dv, M;
};

/// Total cost of one column of M⁻¹ Jᵀ at a new configuration.
void ByRecursion(benchmark::State& state) {
  PosedChain chain(static_cast<int>(state.range(0)));
  ImpulseResponse response;
  for ([[maybe_unused]] auto _ : state) {
    response.prepare(chain.model, chain.kinematics);
    response.respond(chain.model.trees[0], {&chain.tip, 1}, chain.dv);
    benchmark::DoNotOptimize(chain.dv.data());
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(ByRecursion)
    ->Name("response/recursion")
    ->ArgName("links")
    ->RangeMultiplier(2)
    ->Range(2, 512)
    ->Complexity();

/// Cost of one more column.
void AdditionalColumn(benchmark::State& state) {
  PosedChain chain(static_cast<int>(state.range(0)));
  ImpulseResponse response;
  response.prepare(chain.model, chain.kinematics);
  for ([[maybe_unused]] auto _ : state) {
    response.respond(chain.model.trees[0], {&chain.tip, 1}, chain.dv);
    benchmark::DoNotOptimize(chain.dv.data());
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(AdditionalColumn)
    ->Name("response/one-more")
    ->ArgName("links")
    ->RangeMultiplier(2)
    ->Range(2, 512)
    ->Complexity();

/// The same with M and its Cholesky factorisation.
void ByMassMatrix(benchmark::State& state) {
  PosedChain chain(static_cast<int>(state.range(0)));
  DynamicsScratch scratch;
  for ([[maybe_unused]] auto _ : state) {
    mass_block(chain.model, chain.model.trees[0], chain.kinematics, scratch, chain.M);
    for (int i = 0; i < chain.model.nv; ++i) {
      chain.dv[i] = dot(chain.tip.linear, point_velocity(chain.kinematics.dofs[i], chain.tip.point));
    }
    cholesky(chain.M, chain.model.nv);
    solve_lower(chain.M, chain.model.nv, chain.dv);
    solve_lower_transposed(chain.M, chain.model.nv, chain.dv);
    benchmark::DoNotOptimize(chain.dv.data());
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(ByMassMatrix)
    ->Name("response/mass-matrix")
    ->ArgName("links")
    ->RangeMultiplier(2)
    ->Range(2, 512)
    ->Complexity();

}  // namespace
}  // namespace pawl::internal::bench
