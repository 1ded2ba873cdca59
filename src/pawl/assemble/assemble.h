#pragma once
// The elbow: bodies and contacts in, complementarity problems out. Nothing else knows both.

#include <span>
#include <vector>

#include <pawl/assemble/friction_table.h>
#include <pawl/assemble/method.h>
#include <pawl/collision/contact.h>
#include <pawl/model/dynamics.h>
#include <pawl/problem/contact_problem.h>

namespace pawl {

/// How the bodies would move through a step without contact: M, its factors and v_free, at one linearisation.
struct FreeMotion {
  std::vector<double> mass;    // M, blocks by tree
  std::vector<double> factor;  // Cholesky factors of the blocks
  std::vector<double> v_free;  // [nv]
  std::vector<double> drift;   // [nv] q⁺ = q ⊕ h (v⁺ + drift); 0 but for the spin of lone free bodies
  std::vector<double> conservative;  // [nv] generalised forces behind v_free
  std::vector<double> applied;       // [nv]
  bool solved = true;                // false: M is not positive definite here, or a spin was not solved
};

/// Fills `motion` for a step of h from velocity v at coordinates q; `placed` is the linearisation's
/// placement, moving with v. A lone free body keeps its angular momentum exactly; trees take their bias
/// forces at the linearisation.
void free_motion(const Model& model, const Kinematics& placed, std::span<const double> q,
                 std::span<const double> v, double h, DynamicsScratch& scratch, FreeMotion& motion);

/// Contacts that act on each other through bodies they share, and the trees they move.
struct Island {
  ContactProblem problem;
  std::vector<int> contacts;  // by contact of the problem: number in the list given to assemble()
  std::vector<int> trees;     // by mass block of the problem
};

/// Islands in use are the first `count`; the rest keep their memory for later.
struct Assembly {
  std::vector<Island> islands;
  int count = 0;
  std::vector<Vec3> tangents;                      // [contacts] t of each
  std::vector<int> tree_island, tree_block, root;  // scratch
};

struct AssembleInput {
  const Model& model;
  const Method& method;
  const Kinematics& placed;           // the linearisation's placement
  std::span<const Contact> contacts;  // sorted by id
  const FreeMotion& motion;
  std::span<const double> v_hat;  // the velocity that the linearisation assumed
  double h;
  const FrictionTable& friction;
};
void assemble(const AssembleInput& input, Assembly& assembly);

}  // namespace pawl
