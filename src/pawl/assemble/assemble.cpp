#include <pawl/assemble/assemble.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include <pawl/base/disjoint_sets.h>
#include <pawl/linalg/dense.h>
#include <pawl/problem/delassus.h>

namespace pawl::internal {
namespace {

// Fraction of the largest speed that a bounded force can give its row.
constexpr double kMinSpeedFraction = 1e-4;

struct ContactFrame {
  Vec3 axes[3];  // n, t, o
  int rows;      // 2: n, t; 3: n, t, o; 4: n, t, o, r
};

/// Adds one body's contribution to the contact rows of J, in the columns of its tree: the coefficients of
/// ±(n, t, o) · (velocity of a point of `body`) and ±n · (angular velocity of `body`).
void add_rows(const Model& model, const Kinematics& kinematics, int body, const Vec3& point, double sign,
              const ContactFrame& frame, std::span<double> rows) {
  const Tree& tree = model.trees[model.bodies[body].tree];
  for (int b = body; b > 0; b = model.bodies[b].parent) {
    for (int i = model.bodies[b].v_begin; i < model.bodies[b].v_begin + model.bodies[b].nv; ++i) {
      const Vec3 rate = point_velocity(kinematics.dofs[i], point);
      const int column = i - tree.v_begin;
      for (int r = 0; r < std::min(frame.rows, 3); ++r) {
        rows[r * tree.nv + column] += sign * dot(frame.axes[r], rate);
      }
      if (frame.rows == 4) rows[3 * tree.nv + column] += sign * dot(frame.axes[0], kinematics.dofs[i].a);
    }
  }
}

void add_mass_block(const AssembleInput& in, int tree_index, Island& island, Assembly& assembly) {
  const Tree& tree = in.model.trees[tree_index];
  PrimalData& motion = island.problem.motion;
  const int size = tree.nv * tree.nv;
  assembly.tree_block[tree_index] = static_cast<int>(motion.mass_blocks.size());
  motion.mass_blocks.push_back(
      {static_cast<int>(motion.v_free.size()), tree.nv, static_cast<int>(motion.mass.size())});
  const auto append = [](std::vector<double>& to, const double* from, int n) {
    to.insert(to.end(), from, from + n);
  };
  append(motion.mass, in.motion.mass.data() + tree.mass_begin, size);
  append(motion.factor, in.motion.factor.data() + tree.mass_begin, size);
  append(motion.v_free, in.motion.v_free.data() + tree.v_begin, tree.nv);
  island.trees.push_back(tree_index);
}

/// ζ of a contact, or the shift of a joint's row. With approach = row · (v̂ − drift), the condition γ error/h
/// + row · (v⁺ + drift − v̂) ≥ 0 becomes u_n + ζ ≥ 0.
double stabilisation(const AssembleInput& in, double gamma, double error, double approach) {
  return in.method.stabilisation == Stabilisation::linearised ? gamma * error / in.h - approach : 0.0;
}

/// row · (v̂ − drift), over the generalised velocities of one tree.
double approach_of(const AssembleInput& in, const Tree& tree, std::span<const double> v_hat,
                   const double* row) {
  double sum = 0;
  for (int i = tree.v_begin; i < tree.v_begin + tree.nv; ++i) {
    sum += row[i - tree.v_begin] * (v_hat[i] - in.motion.drift[i]);
  }
  return sum;
}

/// Calls add(tree) once for each moving tree of the two bodies, in the order of their mass blocks.
template <class Add>
void for_trees(const AssembleInput& in, const Assembly& assembly, int body_a, int body_b, Add add) {
  const auto block_of = [&](int tree) { return tree >= 0 ? assembly.tree_block[tree] : -1; };
  const auto [first, second] = std::minmax(in.model.bodies[body_a].tree, in.model.bodies[body_b].tree,
                                           [&](int a, int b) { return block_of(a) < block_of(b); });
  if (first >= 0 && first != second) add(first);
  add(second);
}

/// Appends `count` zero rows for a tree to J, in the row block `slot`.
std::span<double> append_rows(int slot, int tree_index, int count, const AssembleInput& in,
                              const Assembly& assembly, PrimalData& motion) {
  const int offset = static_cast<int>(motion.jacobian.size());
  motion.jacobian.resize(offset + count * in.model.trees[tree_index].nv, 0.0);
  motion.jacobian_blocks.push_back({slot, assembly.tree_block[tree_index], offset});
  return std::span(motion.jacobian).subspan(offset);
}

void add_contact(const AssembleInput& in, int index, Island& island, Assembly& assembly) {
  const Contact& contact = in.contacts[index];
  ContactProblem& problem = island.problem;
  PrimalData& motion = problem.motion;
  const int slot = problem.contacts++;
  const Shape &shape_a = in.model.shapes[contact.id.shape_a], &shape_b = in.model.shapes[contact.id.shape_b];
  const FrictionTable::Entry& friction = in.friction.of(shape_a, shape_b);
  const Vec3 t = in.tangents.empty() ? contact_tangent(in.model, in.kinematics, contact) : in.tangents[index];
  const ContactFrame frame{{contact.normal, t, cross(contact.normal, t)}, friction.rows};
  problem.begin.push_back(problem.begin.back() + friction.rows);
  assembly.tangents[index] = t;

  double approach = 0;
  const int tree_a = in.model.bodies[contact.body_a].tree, tree_b = in.model.bodies[contact.body_b].tree;
  for_trees(in, assembly, contact.body_a, contact.body_b, [&](int tree_index) {
    const auto rows = append_rows(slot, tree_index, friction.rows, in, assembly, motion);
    if (tree_index == tree_a)
      add_rows(in.model, in.kinematics, contact.body_a, contact.point_a, 1, frame, rows);
    if (tree_index == tree_b)
      add_rows(in.model, in.kinematics, contact.body_b, contact.point_b, -1, frame, rows);
    approach += approach_of(in, in.model.trees[tree_index], in.v_hat, rows.data());
  });

  problem.friction.push_back(friction.set);
  problem.zeta.push_back(stabilisation(in, in.contact_gamma.empty() ? in.gamma : in.contact_gamma[index],
                                       contact.gap, approach));
  island.contacts.push_back(index);
}

/// Adds one body's contribution to the rows of a block, in the columns of its tree in J.
void add_constraint_rows(const AssembleInput& in, const ConstraintBlock& block, int body, double sign,
                         std::span<double> rows) {
  const Model& model = in.model;
  const Tree& tree = model.trees[model.bodies[body].tree];
  if (block.dof_a >= 0) {
    const bool first = sign > 0;
    rows[(first ? block.dof_a : block.dof_b) - tree.v_begin] += first ? block.sign : -block.ratio;
    return;
  }
  const Vec3& point = sign > 0 ? block.point_a : block.point_b;
  for (int b = body; b > 0; b = model.bodies[b].parent) {
    for (int i = model.bodies[b].v_begin; i < model.bodies[b].v_begin + model.bodies[b].nv; ++i) {
      const Dof& dof = in.dynamics_kinematics.dofs[i];
      const Vec3 rate = point_velocity(dof, point);
      for (int r = 0; r < block.rows; ++r) {
        rows[r * tree.nv + (i - tree.v_begin)] +=
            sign * (dot(block.force[r], rate) + dot(block.torque[r], dof.a));
      }
    }
  }
}

/// Quantities of a block's rows in the problem.
struct BlockRows {
  std::array<double, 3> approach{};  // row · (v̂ − drift)
  double start_rate = 0;             // velocity of the first row at the start of the step
  double free_rate = 0;              // velocity of the first row without impulses
  double mobility = 0;               // largest diagonal entry of W over its rows
};

/// Appends the rows of a block to J, after `before` zero rows.
BlockRows add_block_rows(const AssembleInput& in, const ConstraintBlock& block, int before, Island& island,
                         Assembly& assembly) {
  ContactProblem& problem = island.problem;
  PrimalData& motion = problem.motion;
  const int slot = problem.blocks(), count = before + block.rows;
  problem.begin.push_back(problem.begin.back() + count);
  motion.shift.resize(problem.rows(), 0.0);
  BlockRows result;
  std::array<double, 3> mobility{};
  const int tree_a = in.model.bodies[block.body_a].tree, tree_b = in.model.bodies[block.body_b].tree;
  for_trees(in, assembly, block.body_a, block.body_b, [&](int tree_index) {
    const Tree& tree = in.model.trees[tree_index];
    const auto rows = append_rows(slot, tree_index, count, in, assembly, motion).subspan(before * tree.nv);
    if (tree_index == tree_a) add_constraint_rows(in, block, block.body_a, 1, rows);
    if (tree_index == tree_b && (block.dof_a < 0 || block.dof_b >= 0)) {
      add_constraint_rows(in, block, block.body_b, -1, rows);
    }
    for (int r = 0; r < block.rows; ++r) {
      result.approach[r] += approach_of(in, tree, in.blocks_v_hat, rows.data() + r * tree.nv);
    }
    auto& scaled_row = assembly.scaled_row;
    for (int r = 0; r < block.rows; ++r) {
      const auto row = rows.subspan(r * tree.nv, tree.nv);
      for (int i = 0; i < tree.nv && r == 0; ++i) {
        result.free_rate += row[i] * in.motion.v_free[tree.v_begin + i];
        if (!in.v.empty()) result.start_rate += row[i] * in.v[tree.v_begin + i];
      }
      scaled_row.assign(row.begin(), row.end());
      solve_lower(std::span(in.motion.factor).subspan(tree.mass_begin, tree.nv * tree.nv), tree.nv,
                  scaled_row);
      for (const double y : scaled_row) mobility[r] += y * y;
    }
  });
  result.mobility = std::ranges::max(mobility);
  return result;
}

/// Adds `rows` equal fictitious masses; the velocity of mass i is added to row i of the last block.
void add_fictitious_masses(int rows, double mass, double v_free, Island& island) {
  ContactProblem& problem = island.problem;
  PrimalData& motion = problem.motion;
  const int slot = problem.blocks() - 1, index = static_cast<int>(motion.mass_blocks.size());
  motion.mass_blocks.push_back(
      {static_cast<int>(motion.v_free.size()), rows, static_cast<int>(motion.mass.size())});
  motion.jacobian_blocks.push_back({slot, index, static_cast<int>(motion.jacobian.size())});
  const auto add_diagonal = [rows](std::vector<double>& to, int count, double value) {
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < rows; ++k) to.push_back(i == k ? value : 0.0);
    }
  };
  add_diagonal(motion.mass, rows, mass);
  add_diagonal(motion.factor, rows, std::sqrt(mass));
  add_diagonal(motion.jacobian, problem.size_of(slot), 1);
  motion.v_free.insert(motion.v_free.end(), rows, v_free);
  island.trees.push_back(-1);
}

/// Adds a fictitious mass at rest that moves with one row of the last block.
void add_fictitious_mass(int row, double mass, Island& island) {
  ContactProblem& problem = island.problem;
  PrimalData& motion = problem.motion;
  const int slot = problem.blocks() - 1, index = static_cast<int>(motion.mass_blocks.size());
  motion.mass_blocks.push_back(
      {static_cast<int>(motion.v_free.size()), 1, static_cast<int>(motion.mass.size())});
  motion.jacobian_blocks.push_back({slot, index, static_cast<int>(motion.jacobian.size())});
  motion.mass.push_back(mass);
  motion.factor.push_back(std::sqrt(mass));
  for (int r = 0; r < problem.size_of(slot); ++r) motion.jacobian.push_back(r == row ? 1 : 0);
  motion.v_free.push_back(0);
  island.trees.push_back(-1);
}

/// The shift of a row whose target is Θ = 0 at the end of the step, or a velocity.
double target_shift(const AssembleInput& in, const ConstraintBlock& block, double approach) {
  return block.velocity_only ? -block.target : block.error[0] / in.h - approach;
}

/// A limit is a contact of one row. If the joint reaches it, Newton's impact law u⁺ = −e u⁻ is a stronger
/// condition than non-penetration.
void add_limit(const AssembleInput& in, const ConstraintBlock& block, Island& island, Assembly& assembly) {
  const BlockRows rows = add_block_rows(in, block, 0, island, assembly);
  island.problem.friction.push_back({});
  double zeta = stabilisation(in, in.gamma, block.error[0], rows.approach[0]);
  const double u = rows.start_rate;
  const bool impacts = block.restitution > 0 && u < 0 &&
                       (in.method.activation != Activation::near || block.error[0] + in.h * u <= 0);
  if (impacts) zeta = std::min(zeta, block.restitution * u);
  island.problem.zeta.push_back(zeta);
}

/// Imposes |p| ≤ h F as contact friction: the row is the friction row, with μ = 1, of a contact whose normal
/// row moves only a fictitious mass. The mass approaches the contact with momentum h F, so p_n = h F exactly.
/// Its speed is chosen close to the speed of the row, so that the residuals have one scale. A servo also has
/// the fictitious mass of a spring and damper, as in add_bilateral().
void add_bounded(const AssembleInput& in, const ConstraintBlock& block, Island& island, Assembly& assembly) {
  static const FrictionPolyhedron both_ways = FrictionPolyhedron::regular(2);
  ContactProblem& problem = island.problem;
  const BlockRows rows = add_block_rows(in, block, 1, island, assembly);
  const double shift = target_shift(in, block, rows.approach[0]);
  problem.motion.shift.back() = shift;
  const double yielding = in.h * in.h * block.stiffness + in.h * block.damping;
  if (yielding > 0 && !block.velocity_only)
    problem.motion.shift.back() *= in.h * in.h * block.stiffness / yielding;
  const double impulse = in.h * block.bound;
  const double max_speed = impulse * (rows.mobility + (yielding > 0 ? 1 / yielding : 0.0));
  const double speed = std::clamp(std::abs(rows.free_rate + shift), kMinSpeedFraction * max_speed, max_speed);
  add_fictitious_masses(1, impulse / speed, -speed, island);
  if (yielding > 0) add_fictitious_mass(1, yielding, island);
  problem.friction.push_back({FrictionKind::polyhedron, 1, {1, 1, 1}, &both_ways});
  problem.zeta.push_back(0);
}

/// Bilateral rows, G v⁺ + shift = 0. For springs and dampers G v⁺ + C p + shift = 0: with the stretch s + h u
/// at the end of the step,
///   p = −h k (s + h u) − h d u   gives   C = 1/(h² k + h d) and shift = h k s C.
/// C is realised by a fictitious mass 1/C that moves with the row.
void add_bilateral(const AssembleInput& in, const ConstraintBlock& block, Island& island,
                   Assembly& assembly) {
  ContactProblem& problem = island.problem;
  const BlockRows rows = add_block_rows(in, block, 0, island, assembly);
  const auto shift = std::span(problem.motion.shift).last(block.rows);
  if (block.law == RowLaw::equality) {
    for (int r = 0; r < block.rows; ++r)
      shift[r] = stabilisation(in, in.gamma, block.error[r], rows.approach[r]);
    if (in.softness > 0 && rows.mobility > 0) {
      add_fictitious_masses(block.rows, 1 / (in.softness * rows.mobility), 0, island);
    }
    return;
  }
  shift[0] = target_shift(in, block, rows.approach[0]);
  if (block.law == RowLaw::compliant) {
    const double elastic = in.h * in.h * block.stiffness, mass = elastic + in.h * block.damping;
    if (!block.velocity_only) shift[0] *= elastic / mass;
    add_fictitious_masses(1, mass, 0, island);
  }
}

void clear(Island& island) {
  ContactProblem& problem = island.problem;
  PrimalData& motion = problem.motion;
  problem.contacts = 0;
  problem.begin.assign(1, 0);
  problem.zeta.clear();
  problem.friction.clear();
  motion.mass_blocks.clear();
  motion.mass.clear();
  motion.factor.clear();
  motion.jacobian_blocks.clear();
  motion.jacobian.clear();
  motion.v_free.clear();
  motion.shift.clear();
  island.contacts.clear();
  island.blocks.clear();
  island.trees.clear();
}

}  // namespace

void assemble(const AssembleInput& in, Assembly& assembly) {
  assert(in.active.size() == in.blocks.size());
  assert(in.contact_gamma.empty() || in.contact_gamma.size() == in.contacts.size());
  assert(in.tangents.empty() || in.tangents.size() == in.contacts.size());
  assert(in.softness >= 0);
  const int trees = static_cast<int>(in.model.trees.size());
  auto& root = assembly.root;
  root.resize(trees);
  for (int t = 0; t < trees; ++t) root[t] = t;
  const auto tree_of = [&](int body) { return in.model.bodies[body].tree; };
  const auto unite_trees = [&](int body_a, int body_b) {
    if (tree_of(body_a) >= 0 && tree_of(body_b) >= 0) unite(root, tree_of(body_a), tree_of(body_b));
  };
  for (const Contact& contact : in.contacts) unite_trees(contact.body_a, contact.body_b);
  for (std::size_t b = 0; b < in.blocks.size(); ++b) {
    if (in.active[b]) unite_trees(in.blocks[b].body_a, in.blocks[b].body_b);
  }

  // Islands are ordered by their first contact, then by their first joint, and keep the order within.
  assembly.tree_island.assign(trees, -1);
  assembly.tree_block.assign(trees, -1);
  assembly.tangents.resize(in.contacts.size());
  assembly.count = 0;
  const auto island_of = [&](int body_a, int body_b) -> Island& {
    const int a = tree_of(body_a), b = tree_of(body_b);
    const int r = find_root(root, a >= 0 ? a : b);
    if (assembly.tree_island[r] < 0) {
      assembly.tree_island[r] = assembly.count++;
      if (static_cast<int>(assembly.islands.size()) < assembly.count) assembly.islands.emplace_back();
      clear(assembly.islands[assembly.count - 1]);
    }
    Island& island = assembly.islands[assembly.tree_island[r]];
    for (const int t : {a, b}) {
      if (t >= 0 && assembly.tree_block[t] < 0) add_mass_block(in, t, island, assembly);
    }
    return island;
  };
  for (int c = 0; c < static_cast<int>(in.contacts.size()); ++c) {
    add_contact(in, c, island_of(in.contacts[c].body_a, in.contacts[c].body_b), assembly);
  }
  const auto add_blocks = [&](bool as_contacts) {
    for (int b = 0; b < static_cast<int>(in.blocks.size()); ++b) {
      const ConstraintBlock& block = in.blocks[b];
      const bool contact = block.law == RowLaw::limited || block.law == RowLaw::bounded;
      if (!in.active[b] || contact != as_contacts) continue;
      Island& island = island_of(block.body_a, block.body_b);
      if (block.law == RowLaw::limited) {
        add_limit(in, block, island, assembly);
      } else if (block.law == RowLaw::bounded) {
        add_bounded(in, block, island, assembly);
      } else {
        add_bilateral(in, block, island, assembly);
      }
      island.problem.contacts += contact ? 1 : 0;
      island.blocks.push_back(b);
    }
  };
  add_blocks(true);
  add_blocks(false);
  for (int i = 0; i < assembly.count; ++i) set_free_velocities(assembly.islands[i].problem);
}

}  // namespace pawl::internal
