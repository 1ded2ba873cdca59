#include <pawl/step/newton_linearisation.h>

#include <algorithm>
#include <cmath>

#include <pawl/base/dense.h>
#include <pawl/collision/narrow_phase.h>

namespace pawl {
namespace {

constexpr int kMostRates = 60;        // of an island: beyond, substitution is cheaper than dense differences
constexpr double kDifference = 1e-7;  // of a body's size or of a radian
constexpr double kSmallestPivot = 1e-14;

/// The first of a mass block's rates in v; -1 of masses that are no bodies'.
int v_begin_of(const Model& model, const Island& island, const MotionRows::MassBlock& block) {
  const int tree = island.trees[&block - island.problem.motion.mass_blocks.data()];
  return tree >= 0 ? model.trees[tree].v_begin : -1;
}

/// The farthest that a contact or joint of the island lies from the centre of mass of one of its bodies.
double length_of(const Island& island, const NewtonLinearisation::Point& at) {
  double length = 0;
  const auto reach = [&](const auto& each) {
    length = std::max({length, norm(each.point_a - at.placed.X_WB[each.body_a].p),
                       norm(each.point_b - at.placed.X_WB[each.body_b].p)});
  };
  for (const int c : island.contacts) reach(at.contacts[c]);
  for (const int b : island.blocks) reach(at.blocks[b]);
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

bool NewtonLinearisation::add(const Point& at, int number, std::span<const double> p) {
  const Island& island = at.assembly.islands[number];
  const ContactProblem& problem = island.problem;
  const int n = static_cast<int>(problem.motion.v_free.size());
  if (n > kMostRates) return false;
  if (static_cast<int>(parts_.size()) == parts_in_use_) parts_.emplace_back();
  Part& part = parts_[parts_in_use_++];
  part.island = number;
  part.rates = n;
  part.length = length_of(island, at);
  part.p.assign(problem.rows(), 0.0);
  if (static_cast<int>(p.size()) == problem.rows()) std::ranges::copy(p, part.p.begin());
  part.R.resize(n);
  part.u.resize(problem.rows());
  part.K.resize(n * n);
  part.U.resize(problem.rows() * n);
  part.own_free = problem.motion.v_free;
  evaluate(island, at.motion, at.rates, part, part.R, part.u);
  return true;
}

/// R - Jᵀ p, and u with ζ in the normal rows. Masses that are no bodies' move as they would by themselves.
void NewtonLinearisation::evaluate(const Island& island, const FreeMotion& motion,
                                   std::span<const double> rates, const Part& part, std::span<double> R,
                                   std::span<double> u) {
  const ContactProblem& problem = island.problem;
  const MotionRows& rows = problem.motion;
  v_end_.assign(part.own_free.begin(), part.own_free.end());
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
      const double impulse = part.p[problem.begin[block.block] + r];
      for (int k = 0; k < mass.size; ++k) {
        R[mass.begin + k] -= rows.jacobian[block.offset + r * mass.size + k] * impulse;
      }
    }
  }
  contact_velocity(problem, v_end_, u);
  for (int c = 0; c < problem.contacts; ++c) u[problem.begin[c]] += problem.zeta[c];
}

void NewtonLinearisation::linearise(const Point& at) {
  const auto parts = std::span(parts_).first(parts_in_use_);
  int most = 0;
  for (const Part& part : parts) most = std::max(most, part.rates);
  // Islands do not know of each other: the k-th rate of each is moved at once.
  for (int k = 0; k < most; ++k) {
    std::ranges::copy(at.rates, rates_.begin());
    for (Part& part : parts) {
      part.step = 0;
      if (k >= part.rates) continue;
      const Island& island = at.assembly.islands[part.island];
      for (const auto& block : island.problem.motion.mass_blocks) {
        const int v_begin = v_begin_of(model_, island, block);
        if (v_begin < 0 || k < block.begin || k >= block.begin + block.size) continue;
        const int i = v_begin + (k - block.begin);
        const Dof& dof = at.placed.dofs[i];
        const double wanted = kDifference / (at.clock.h * (norm(dof.a) + norm(dof.l) / part.length));
        rates_[i] += wanted;
        part.step = rates_[i] - at.rates[i];
      }
    }
    integrate(model_, at.q, rates_, at.clock.h, q_);
    place_bodies(model_, q_, placed_);
    move_bodies(model_, at.v, placed_);
    free_motion(model_, placed_, at.q, at.v, at.clock, dynamics_, motion_);
    follow_contacts(model_, at.placed, placed_, contact_points_, at.contacts, contacts_);
    constraint_blocks(model_, placed_, q_, at.clock.time + at.clock.h, blocks_);
    assemble({.model = model_,
              .method = method_,
              .placed = placed_,
              .contacts = contacts_,
              .blocks = blocks_,
              .active = at.active,
              .dynamics_placed = placed_,
              .motion = motion_,
              .v_hat = rates_,
              .blocks_v_hat = rates_,
              .v = at.v,
              .h = at.clock.h,
              .friction = friction_},
             assembly_);
    for (Part& part : parts) {
      if (part.step == 0) continue;
      R_.resize(part.R.size());
      u_.resize(part.u.size());
      evaluate(assembly_.islands[part.island], motion_, rates_, part, R_, u_);
      for (std::size_t i = 0; i < R_.size(); ++i) {
        part.K[i * part.rates + k] = (R_[i] - part.R[i]) / part.step;
      }
      for (std::size_t r = 0; r < u_.size(); ++r) {
        part.U[r * part.rates + k] = (u_[r] - part.u[r]) / part.step;
      }
    }
  }
  for (Part& part : parts) {
    add_own_masses(at.assembly.islands[part.island], part);
    condense(at, part);
  }
}

/// The columns of K and U for masses that are no bodies', which move nothing but rows.
void NewtonLinearisation::add_own_masses(const Island& island, Part& part) const {
  const MotionRows& motion = island.problem.motion;
  const int n = part.rates;
  for (const auto& block : motion.mass_blocks) {
    if (v_begin_of(model_, island, block) >= 0) continue;
    for (int k = block.begin; k < block.begin + block.size; ++k) {
      for (int i = 0; i < n; ++i) part.K[i * n + k] = 0;
      for (std::size_t r = 0; r < part.u.size(); ++r) part.U[r * n + k] = 0;
      for (int i = 0; i < block.size; ++i) {
        part.K[(block.begin + i) * n + k] = motion.mass[block.offset + i * block.size + (k - block.begin)];
      }
    }
  }
  for (const auto& in : motion.jacobian_blocks) {
    const auto& mass = motion.mass_blocks[in.mass_block];
    if (v_begin_of(model_, island, mass) >= 0) continue;
    const double* J = motion.jacobian.data() + in.offset;
    for (int r = island.problem.begin[in.block]; r < island.problem.begin[in.block + 1]; ++r) {
      for (int k = mass.begin; k < mass.begin + mass.size; ++k) part.U[r * n + k] = *J++;
    }
  }
}

/// W = U K⁻¹ Ĵᵀ and b = û - U K⁻¹ R̂.
void NewtonLinearisation::condense(const Point& at, Part& part) {
  const ContactProblem& source = at.assembly.islands[part.island].problem;
  const int n = part.rates, m = source.rows();
  // Row r of X is first column r of Ĵᵀ; R̂ is what was evaluated less -Ĵᵀ p̂.
  part.X.assign(m * n, 0.0);
  part.free.resize(n);
  for (int i = 0; i < n; ++i) part.free[i] = -part.R[i];
  for (const auto& block : source.motion.jacobian_blocks) {
    const auto& mass = source.motion.mass_blocks[block.mass_block];
    for (int r = 0; r < source.size_of(block.block); ++r) {
      const int row = source.begin[block.block] + r;
      for (int k = 0; k < mass.size; ++k) {
        const double J = source.motion.jacobian[block.offset + r * mass.size + k];
        part.X[row * n + mass.begin + k] = J;
        part.free[mass.begin + k] -= J * part.p[row];
      }
    }
  }
  part.pivot.resize(n);
  part.regular = lu(part.K, n, part.pivot, kSmallestPivot);
  if (!part.regular) return;
  const auto solve = [&](std::span<double> x) { lu_solve(part.K, n, part.pivot, x); };
  solve(part.free);
  for (int r = 0; r < m; ++r) solve(std::span(part.X).subspan(r * n, n));

  ContactProblem& problem = part.problem;
  problem.contacts = source.contacts;
  problem.begin = source.begin;
  problem.zeta = source.zeta;
  problem.friction = source.friction;
  problem.b.resize(m);
  const auto product = [&](int row, const double* x) {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += part.U[row * n + k] * x[k];
    return sum;
  };
  for (int r = 0; r < m; ++r) problem.b[r] = part.u[r] + product(r, part.free.data());
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
          W.values.push_back(product(r, part.X.data() + c * n));
        }
      }
    }
    W.row.push_back(static_cast<int>(W.entries.size()));
  }
}

void NewtonLinearisation::rates_after(const Point& at, int number, std::span<const double> p,
                                      std::span<double> rates) const {
  const Part& part = parts_[number];
  const Island& island = at.assembly.islands[part.island];
  for (const auto& block : island.problem.motion.mass_blocks) {
    const int v_begin = v_begin_of(model_, island, block);
    for (int i = 0; i < block.size && v_begin >= 0; ++i) {
      double change = part.free[block.begin + i];
      for (std::size_t r = 0; r < p.size(); ++r) change += part.X[r * part.rates + block.begin + i] * p[r];
      rates[v_begin + i] = at.rates[v_begin + i] + change;
    }
  }
}

}  // namespace pawl
