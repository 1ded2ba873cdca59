#include <pawl/step/newton_linearisation.h>

#include <algorithm>
#include <cmath>

#include <pawl/collision/narrow_phase.h>
#include <pawl/linalg/dense.h>
#include <pawl/problem/delassus.h>

namespace pawl::internal {
namespace {

constexpr int kMaxDofs = 60;  // per island: beyond, fixed-point iteration is cheaper than dense differences
constexpr double kDifferenceStep = 1e-7;  // relative to a body's size, or rad
constexpr double kSmallestPivot = 1e-14;

/// The index in v of a mass block's first velocity; -1 for fictitious masses.
int v_begin_of(const Model& model, const Island& island, const PrimalData::MassBlock& block) {
  const int tree = island.trees[&block - island.problem.motion.mass_blocks.data()];
  return tree >= 0 ? model.trees[tree].v_begin : -1;
}

/// The max distance of the island's contacts and joints from the centres of mass of their bodies.
double characteristic_length(const Island& island, const NewtonLinearisation::Point& at) {
  double length = 0;
  const auto extend = [&](const auto& each) {
    length = std::max({length, norm(each.point_a - at.kinematics.X_WB[each.body_a].p),
                       norm(each.point_b - at.kinematics.X_WB[each.body_b].p)});
  };
  for (const int c : island.contacts) extend(at.contacts[c]);
  for (const int b : island.blocks) extend(at.blocks[b]);
  return length > 0 ? length : 1;
}

}  // namespace

NewtonLinearisation::NewtonLinearisation(const Model& model, const Method& method,
                                         const FrictionTable& friction, int contact_points)
    : model_(model),
      method_(method),
      friction_(friction),
      contact_points_(contact_points),
      rates_(model.nv),
      q_(model.nq) {}

bool NewtonLinearisation::add(const Point& at, int index, std::span<const double> p) {
  const Island& island = at.assembly.islands[index];
  const ContactProblem& problem = island.problem;
  const int n = static_cast<int>(problem.motion.v_free.size());
  if (n > kMaxDofs) return false;
  if (static_cast<int>(linearised_.size()) == linearised_in_use_) linearised_.emplace_back();
  LinearisedIsland& linearised = linearised_[linearised_in_use_++];
  linearised.island = index;
  linearised.rates = n;
  linearised.length = characteristic_length(island, at);
  linearised.p.assign(problem.rows(), 0.0);
  if (static_cast<int>(p.size()) == problem.rows()) std::ranges::copy(p, linearised.p.begin());
  linearised.R.resize(n);
  linearised.u.resize(problem.rows());
  linearised.K.resize(n * n);
  linearised.U.resize(problem.rows() * n);
  linearised.own_v_free = problem.motion.v_free;
  evaluate(island, at.motion, at.rates, linearised, linearised.R, linearised.u);
  return true;
}

/// Computes R − Jᵀ p̂, and u with ζ in the normal rows. Fictitious masses move with own_v_free.
void NewtonLinearisation::evaluate(const Island& island, const FreeMotion& motion,
                                   std::span<const double> rates, const LinearisedIsland& linearised,
                                   std::span<double> R, std::span<double> u) {
  const ContactProblem& problem = island.problem;
  const PrimalData& rows = problem.motion;
  v_end_.assign(linearised.own_v_free.begin(), linearised.own_v_free.end());
  std::ranges::fill(R, 0.0);
  for (const auto& block : rows.mass_blocks) {
    const int v_begin = v_begin_of(model_, island, block);
    if (v_begin < 0) continue;
    for (int i = 0; i < block.size; ++i) {
      v_end_[block.begin + i] = rates[v_begin + i] - motion.drift[v_begin + i];
    }
    for (int i = 0; i < block.size; ++i) {
      double sum = 0;
      for (int j = 0; j < block.size; ++j) {
        sum += rows.mass[block.offset + i * block.size + j] *
               (v_end_[block.begin + j] - rows.v_free[block.begin + j]);
      }
      R[block.begin + i] = sum;
    }
  }
  for (const auto& block : rows.jacobian_blocks) {
    const auto& mass = rows.mass_blocks[block.mass_block];
    for (int r = 0; r < problem.size_of(block.block); ++r) {
      const double impulse = linearised.p[problem.begin[block.block] + r];
      for (int k = 0; k < mass.size; ++k) {
        R[mass.begin + k] -= rows.jacobian[block.offset + r * mass.size + k] * impulse;
      }
    }
  }
  contact_velocity(problem, v_end_, u);
  for (int c = 0; c < problem.contacts; ++c) u[problem.begin[c]] += problem.zeta[c];
}

void NewtonLinearisation::linearise(const Point& at) {
  const auto in_use = std::span(linearised_).first(linearised_in_use_);
  int max_nv = 0;
  for (const LinearisedIsland& linearised : in_use) max_nv = std::max(max_nv, linearised.rates);
  // Islands are independent, so the k-th velocity of all islands is perturbed at once.
  for (int k = 0; k < max_nv; ++k) {
    std::ranges::copy(at.rates, rates_.begin());
    for (LinearisedIsland& linearised : in_use) {
      linearised.step = 0;
      if (k >= linearised.rates) continue;
      const Island& island = at.assembly.islands[linearised.island];
      for (const auto& block : island.problem.motion.mass_blocks) {
        const int v_begin = v_begin_of(model_, island, block);
        if (v_begin < 0 || k < block.begin || k >= block.begin + block.size) continue;
        const int i = v_begin + (k - block.begin);
        const Dof& dof = at.kinematics.dofs[i];
        const double wanted =
            kDifferenceStep / (at.clock.h * (norm(dof.a) + norm(dof.l) / linearised.length));
        rates_[i] += wanted;
        linearised.step = rates_[i] - at.rates[i];
      }
    }
    integrate(model_, at.q, rates_, at.clock.h, q_);
    position_kinematics(model_, q_, kinematics_);
    velocity_kinematics(model_, at.v, kinematics_);
    free_motion(model_, kinematics_, at.q, at.v, at.clock, dynamics_, motion_);
    follow_contacts(model_, at.kinematics, kinematics_, contact_points_, at.contacts, contacts_);
    constraint_blocks(model_, kinematics_, q_, at.clock.time + at.clock.h, blocks_);
    assemble({.model = model_,
              .method = method_,
              .kinematics = kinematics_,
              .contacts = contacts_,
              .blocks = blocks_,
              .active = at.active,
              .dynamics_kinematics = kinematics_,
              .motion = motion_,
              .v_hat = rates_,
              .blocks_v_hat = rates_,
              .v = at.v,
              .h = at.clock.h,
              .friction = friction_},
             assembly_);
    for (LinearisedIsland& linearised : in_use) {
      if (linearised.step == 0) continue;
      R_.resize(linearised.R.size());
      u_.resize(linearised.u.size());
      evaluate(assembly_.islands[linearised.island], motion_, rates_, linearised, R_, u_);
      for (std::size_t i = 0; i < R_.size(); ++i) {
        linearised.K[i * linearised.rates + k] = (R_[i] - linearised.R[i]) / linearised.step;
      }
      for (std::size_t r = 0; r < u_.size(); ++r) {
        linearised.U[r * linearised.rates + k] = (u_[r] - linearised.u[r]) / linearised.step;
      }
    }
  }
  for (LinearisedIsland& linearised : in_use) {
    add_fictitious_mass_columns(at.assembly.islands[linearised.island], linearised);
    condense(at, linearised);
  }
}

/// The columns of K and U for fictitious masses, which appear in rows only.
void NewtonLinearisation::add_fictitious_mass_columns(const Island& island,
                                                      LinearisedIsland& linearised) const {
  const PrimalData& motion = island.problem.motion;
  const int n = linearised.rates;
  for (const auto& block : motion.mass_blocks) {
    if (v_begin_of(model_, island, block) >= 0) continue;
    for (int k = block.begin; k < block.begin + block.size; ++k) {
      for (int i = 0; i < n; ++i) linearised.K[i * n + k] = 0;
      for (std::size_t r = 0; r < linearised.u.size(); ++r) linearised.U[r * n + k] = 0;
      for (int i = 0; i < block.size; ++i) {
        linearised.K[(block.begin + i) * n + k] =
            motion.mass[block.offset + i * block.size + (k - block.begin)];
      }
    }
  }
  for (const auto& in : motion.jacobian_blocks) {
    const auto& mass = motion.mass_blocks[in.mass_block];
    if (v_begin_of(model_, island, mass) >= 0) continue;
    const double* J = motion.jacobian.data() + in.offset;
    for (int r = island.problem.begin[in.block]; r < island.problem.begin[in.block + 1]; ++r) {
      for (int k = mass.begin; k < mass.begin + mass.size; ++k) linearised.U[r * n + k] = *J++;
    }
  }
}

/// W = U K⁻¹ Ĵᵀ and b = û − U K⁻¹ R̂.
void NewtonLinearisation::condense(const Point& at, LinearisedIsland& linearised) {
  const ContactProblem& source = at.assembly.islands[linearised.island].problem;
  const int n = linearised.rates, m = source.rows();
  // Row r of X starts as column r of Ĵᵀ. `free` starts as −R̂, where R̂ = linearised.R + Ĵᵀ p̂.
  linearised.X.assign(m * n, 0.0);
  linearised.free.resize(n);
  for (int i = 0; i < n; ++i) linearised.free[i] = -linearised.R[i];
  for (const auto& block : source.motion.jacobian_blocks) {
    const auto& mass = source.motion.mass_blocks[block.mass_block];
    for (int r = 0; r < source.size_of(block.block); ++r) {
      const int row = source.begin[block.block] + r;
      for (int k = 0; k < mass.size; ++k) {
        const double J = source.motion.jacobian[block.offset + r * mass.size + k];
        linearised.X[row * n + mass.begin + k] = J;
        linearised.free[mass.begin + k] -= J * linearised.p[row];
      }
    }
  }
  linearised.pivot.resize(n);
  linearised.regular = lu(linearised.K, n, linearised.pivot, kSmallestPivot);
  if (!linearised.regular) return;
  const auto solve = [&](std::span<double> x) { lu_solve(linearised.K, n, linearised.pivot, x); };
  solve(linearised.free);
  for (int r = 0; r < m; ++r) solve(std::span(linearised.X).subspan(r * n, n));

  ContactProblem& problem = linearised.problem;
  problem.contacts = source.contacts;
  problem.begin = source.begin;
  problem.zeta = source.zeta;
  problem.friction = source.friction;
  problem.b.resize(m);
  const auto product = [&](int row, const double* x) {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += linearised.U[row * n + k] * x[k];
    return sum;
  };
  for (int r = 0; r < m; ++r) problem.b[r] = linearised.u[r] + product(r, linearised.free.data());
  for (int c = 0; c < problem.contacts; ++c) problem.b[problem.begin[c]] -= problem.zeta[c];
  BlockMatrix& W = problem.W;
  W.begin = source.begin;
  W.row.assign(1, 0);
  W.entries.clear();
  W.values.clear();
  for (int i = 0; i < source.blocks(); ++i) {
    for (int j = 0; j < source.blocks(); ++j) {
      W.entries.push_back({j, W.values.size()});
      for (int r = source.begin[i]; r < source.begin[i + 1]; ++r) {
        for (int c = source.begin[j]; c < source.begin[j + 1]; ++c) {
          W.values.push_back(product(r, linearised.X.data() + c * n));
        }
      }
    }
    W.row.push_back(static_cast<int>(W.entries.size()));
  }
}

void NewtonLinearisation::velocities_after(const Point& at, int index, std::span<const double> p,
                                           std::span<double> rates) const {
  const LinearisedIsland& linearised = linearised_[index];
  const Island& island = at.assembly.islands[linearised.island];
  for (const auto& block : island.problem.motion.mass_blocks) {
    const int v_begin = v_begin_of(model_, island, block);
    for (int i = 0; i < block.size && v_begin >= 0; ++i) {
      double change = linearised.free[block.begin + i];
      for (std::size_t r = 0; r < p.size(); ++r)
        change += linearised.X[r * linearised.rates + block.begin + i] * p[r];
      rates[v_begin + i] = at.rates[v_begin + i] + change;
    }
  }
}

}  // namespace pawl::internal
