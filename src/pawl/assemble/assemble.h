#pragma once
// Turns bodies, contacts and joints into complementarity problems; the only code that depends on both.

#include <span>
#include <vector>

#include <pawl/assemble/free_motion.h>
#include <pawl/assemble/friction_table.h>
#include <pawl/assemble/method.h>
#include <pawl/collision/contact.h>
#include <pawl/contact_problem.h>
#include <pawl/model/constraint_rows.h>

namespace pawl::internal {

/// An island: contacts and joints coupled through shared bodies, and the trees they move.
struct Island {
  ContactProblem problem;
  // Indices into the arrays given to assemble(), by block of the problem. The order of blocks is: contacts
  // between bodies; limits, bounded motors and joint friction, which are contacts of the problem; bilateral
  // rows.
  std::vector<int> contacts;
  std::vector<int> blocks;
  std::vector<int> trees;  // by mass block of the problem; -1: fictitious mass of a bound or a compliance
};

/// The first `count` islands are in use; the others keep their memory for reuse.
struct Assembly {
  std::vector<Island> islands;
  int count = 0;
  std::vector<Vec3> tangents;                      // [contacts] tangent t
  std::vector<int> tree_island, tree_block, root;  // scratch
  std::vector<double> scaled_row;
};

struct AssembleInput {
  const Model& model;
  const Method& method;
  const Kinematics& kinematics;                  // at the linearisation q̂
  std::span<const Contact> contacts;             // sorted by id
  std::span<const ConstraintBlock> blocks = {};  // rows at the configuration of M, errors at that of the gaps
  std::span<const char> active = {};             // [blocks] 1: in the problem
  const Kinematics& dynamics_kinematics;         // at the configuration of M
  const FreeMotion& motion;
  std::span<const double> v_hat;         // q̂ = q ⊕ h v̂ for the contacts
  std::span<const double> blocks_v_hat;  // the same for the errors of the blocks
  std::span<const double> v = {};        // at the start of the step; empty: limits have no restitution
  double h;
  /// Compliance C of joint rows relative to W. If some rows depend on others almost exactly, as off the path
  /// of an overconstrained linkage, only the compliance keeps their impulses bounded. 0: rigid.
  double softness = 0;
  double gamma = 1;                            // fraction of a gap or joint error corrected per step
  std::span<const double> contact_gamma = {};  // [contacts] γ per contact; empty: `gamma` for all
  const FrictionTable& friction;
  std::span<const Vec3> tangents = {};  // [contacts] tangent t; empty: contact_tangent()
};
void assemble(const AssembleInput& input, Assembly& assembly);

}  // namespace pawl::internal
