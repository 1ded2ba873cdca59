#include <pawl/assemble/assemble.h>

#include <algorithm>
#include <array>

#include <pawl/base/dense.h>
#include <pawl/base/disjoint_sets.h>

namespace pawl {
namespace {

struct ContactFrame {
  Vec3 axes[3];  // n, t, o
  int rows;      // of the contact: n and t, then o, then r
};

/// Adds to the rows of J for the body's tree, per rate: ±(n, t, o) · (velocity of a point of `body`), and
/// ±n · (its angular velocity).
void add_rows(const Model& model, const Kinematics& placed, int body, const Vec3& point, double sign,
              const ContactFrame& frame, std::span<double> rows) {
  const Tree& tree = model.trees[model.bodies[body].tree];
  for (int b = body; b > 0; b = model.bodies[b].parent) {
    for (int i = model.bodies[b].v_begin; i < model.bodies[b].v_begin + model.bodies[b].nv; ++i) {
      const Vec3 rate = point_velocity(placed.dofs[i], point);
      const int column = i - tree.v_begin;
      for (int r = 0; r < std::min(frame.rows, 3); ++r) {
        rows[r * tree.nv + column] += sign * dot(frame.axes[r], rate);
      }
      if (frame.rows == 4) rows[3 * tree.nv + column] += sign * dot(frame.axes[0], placed.dofs[i].a);
    }
  }
}

void add_mass_block(const AssembleInput& in, int tree_number, Island& island, Assembly& assembly) {
  const Tree& tree = in.model.trees[tree_number];
  MotionRows& motion = island.problem.motion;
  const int size = tree.nv * tree.nv;
  assembly.tree_block[tree_number] = static_cast<int>(motion.mass_blocks.size());
  motion.mass_blocks.push_back(
      {static_cast<int>(motion.v_free.size()), tree.nv, static_cast<int>(motion.mass.size())});
  const auto append = [](std::vector<double>& to, const double* from, int n) {
    to.insert(to.end(), from, from + n);
  };
  append(motion.mass, in.motion.mass.data() + tree.mass_begin, size);
  append(motion.factor, in.motion.factor.data() + tree.mass_begin, size);
  append(motion.v_free, in.motion.v_free.data() + tree.v_begin, tree.nv);
  island.trees.push_back(tree_number);
}

/// ζ of a contact, or the shift of a joint's row. `approach` is row · (v̂ - drift), so that error/h + row ·
/// (v⁺
/// + drift - v̂) ≥ 0 is u_n + ζ ≥ 0.
double stabilisation(const AssembleInput& in, double error, double approach) {
  return in.method.gap == Gap::linearised ? in.gamma * error / in.h - approach : 0.0;
}

/// What the rates v̂ - drift of a tree do to a row.
double approach_of(const AssembleInput& in, const Tree& tree, std::span<const double> v_hat,
                   const double* row) {
  double sum = 0;
  for (int i = tree.v_begin; i < tree.v_begin + tree.nv; ++i) {
    sum += row[i - tree.v_begin] * (v_hat[i] - in.motion.drift[i]);
  }
  return sum;
}

void add_contact(const AssembleInput& in, int number, Island& island, Assembly& assembly) {
  const Contact& contact = in.contacts[number];
  ContactProblem& problem = island.problem;
  MotionRows& motion = problem.motion;
  const int slot = problem.contacts++;
  const Shape &shape_a = in.model.shapes[contact.id.shape_a], &shape_b = in.model.shapes[contact.id.shape_b];
  const FrictionTable::Entry& friction = in.friction.of(shape_a, shape_b);
  const Vec3 t = contact_tangent(in.model, in.placed, contact);
  const ContactFrame frame{{contact.normal, t, cross(contact.normal, t)}, friction.rows};
  problem.begin.push_back(problem.begin.back() + friction.rows);
  assembly.tangents[number] = t;

  double approach = 0;
  const int tree_a = in.model.bodies[contact.body_a].tree, tree_b = in.model.bodies[contact.body_b].tree;
  const auto add_block = [&](int tree_number) {
    const Tree& tree = in.model.trees[tree_number];
    const int offset = static_cast<int>(motion.jacobian.size());
    motion.jacobian.resize(offset + friction.rows * tree.nv, 0.0);
    motion.jacobian_blocks.push_back({slot, assembly.tree_block[tree_number], offset});
    const auto rows = std::span(motion.jacobian).subspan(offset);
    if (tree_number == tree_a) add_rows(in.model, in.placed, contact.body_a, contact.point_a, 1, frame, rows);
    if (tree_number == tree_b)
      add_rows(in.model, in.placed, contact.body_b, contact.point_b, -1, frame, rows);
    approach += approach_of(in, tree, in.v_hat, rows.data());
  };
  const auto block_of = [&](int tree) { return tree >= 0 ? assembly.tree_block[tree] : -1; };
  const auto [first, second] =
      std::minmax(tree_a, tree_b, [&](int a, int b) { return block_of(a) < block_of(b); });
  if (first >= 0 && first != second) add_block(first);
  add_block(second);

  problem.friction.push_back(friction.set);
  problem.zeta.push_back(stabilisation(in, contact.gap, approach));
  island.contacts.push_back(number);
}

/// Adds ± the rates of a block's rows, by the rates of the body's tree.
void add_constraint_rows(const AssembleInput& in, const ConstraintBlock& block, int body, double sign,
                         std::span<double> rows) {
  const Model& model = in.model;
  const Tree& tree = model.trees[model.bodies[body].tree];
  if (block.rate_a >= 0) {
    const bool first = sign > 0;
    rows[(first ? block.rate_a : block.rate_b) - tree.v_begin] += first ? 1.0 : -block.ratio;
    return;
  }
  const Vec3& point = sign > 0 ? block.point_a : block.point_b;
  for (int b = body; b > 0; b = model.bodies[b].parent) {
    for (int i = model.bodies[b].v_begin; i < model.bodies[b].v_begin + model.bodies[b].nv; ++i) {
      const Dof& dof = in.dynamics_placed.dofs[i];
      const Vec3 rate = point_velocity(dof, point);
      for (int r = 0; r < block.rows; ++r) {
        rows[r * tree.nv + (i - tree.v_begin)] +=
            sign * (dot(block.force[r], rate) + dot(block.torque[r], dof.a));
      }
    }
  }
}

/// A block of bilateral rows, G v⁺ + shift = 0.
void add_constraint(const AssembleInput& in, int number, Island& island, Assembly& assembly) {
  const ConstraintBlock& block = in.blocks[number];
  ContactProblem& problem = island.problem;
  MotionRows& motion = problem.motion;
  const int slot = problem.blocks();
  motion.shift.resize(problem.rows() + block.rows, 0.0);
  problem.begin.push_back(problem.begin.back() + block.rows);
  std::array<double, 3> approach{};
  const int tree_a = in.model.bodies[block.body_a].tree, tree_b = in.model.bodies[block.body_b].tree;
  const auto add_tree = [&](int tree_number) {
    const Tree& tree = in.model.trees[tree_number];
    const int offset = static_cast<int>(motion.jacobian.size());
    motion.jacobian.resize(offset + block.rows * tree.nv, 0.0);
    motion.jacobian_blocks.push_back({slot, assembly.tree_block[tree_number], offset});
    const auto rows = std::span(motion.jacobian).subspan(offset);
    if (tree_number == tree_a) add_constraint_rows(in, block, block.body_a, 1, rows);
    if (tree_number == tree_b) add_constraint_rows(in, block, block.body_b, -1, rows);
    for (int r = 0; r < block.rows; ++r)
      approach[r] += approach_of(in, tree, in.blocks_v_hat, rows.data() + r * tree.nv);
  };
  const auto block_of = [&](int tree) { return tree >= 0 ? assembly.tree_block[tree] : -1; };
  const auto [first, second] =
      std::minmax(tree_a, tree_b, [&](int a, int b) { return block_of(a) < block_of(b); });
  if (first >= 0 && first != second) add_tree(first);
  add_tree(second);
  for (int r = 0; r < block.rows; ++r) {
    motion.shift[problem.begin[slot] + r] = stabilisation(in, block.error[r], approach[r]);
  }
  island.blocks.push_back(number);
}

void clear(Island& island) {
  ContactProblem& problem = island.problem;
  MotionRows& motion = problem.motion;
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
  const int trees = static_cast<int>(in.model.trees.size());
  auto& root = assembly.root;
  root.resize(trees);
  for (int t = 0; t < trees; ++t) root[t] = t;
  const auto tree_of = [&](int body) { return in.model.bodies[body].tree; };
  const auto unite_trees = [&](int body_a, int body_b) {
    if (tree_of(body_a) >= 0 && tree_of(body_b) >= 0) unite(root, tree_of(body_a), tree_of(body_b));
  };
  for (const Contact& contact : in.contacts) unite_trees(contact.body_a, contact.body_b);
  for (const ConstraintBlock& block : in.blocks) unite_trees(block.body_a, block.body_b);

  // Islands in the order of their first contact, then of their first joint; both keep their order within.
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
  for (int b = 0; b < static_cast<int>(in.blocks.size()); ++b) {
    add_constraint(in, b, island_of(in.blocks[b].body_a, in.blocks[b].body_b), assembly);
  }
  for (int i = 0; i < assembly.count; ++i) set_free_velocities(assembly.islands[i].problem);
}

}  // namespace pawl
