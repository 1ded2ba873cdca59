#pragma once
// The elbow: bodies and contacts in, complementarity problems out. Nothing else knows both.

#include <span>
#include <vector>

#include <pawl/assemble/free_motion.h>
#include <pawl/assemble/friction_table.h>
#include <pawl/assemble/method.h>
#include <pawl/collision/contact.h>
#include <pawl/contact_problem.h>
#include <pawl/model/constraint_rows.h>

namespace pawl::internal {

/// Contacts and joints that act on each other through bodies they share, and the trees they move.
struct Island {
  ContactProblem problem;
  // Numbers in the lists given to assemble(), by block of the problem: first contacts of bodies, then limits,
  // bounded motors and joint friction, which are contacts to the problem, then what is bilateral.
  std::vector<int> contacts;
  std::vector<int> blocks;
  std::vector<int> trees;  // by mass block of the problem; -1: a mass that stands for a bound or a compliance
};

/// Islands in use are the first `count`; the rest keep their memory for later.
struct Assembly {
  std::vector<Island> islands;
  int count = 0;
  std::vector<Vec3> tangents;                      // [contacts] t of each
  std::vector<int> tree_island, tree_block, root;  // scratch
  std::vector<double> scaled_row;
};

struct AssembleInput {
  const Model& model;
  const Method& method;
  const Kinematics& kinematics;                  // the linearisation's placement
  std::span<const Contact> contacts;             // sorted by id
  std::span<const ConstraintBlock> blocks = {};  // their rows where M is, their errors where the gaps are
  std::span<const char> active = {};             // [blocks] which of them are in the problem
  const Kinematics& dynamics_kinematics;         // where M is
  const FreeMotion& motion;
  std::span<const double> v_hat;         // the velocity that leads from q to the linearisation's placement
  std::span<const double> blocks_v_hat;  // … and to that of the blocks' errors
  std::span<const double> v = {};        // at the start of the step; empty: limits give no velocity back
  double h;
  /// Of the rows of joints, C p against W p. Where some follow from others all but exactly, as off the path
  /// of an overconstrained linkage, nothing else keeps their impulses within bounds. 0: rigid.
  double softness = 0;
  double gamma = 1;                            // the share of a gap or joint error that a step makes up for
  std::span<const double> contact_gamma = {};  // [contacts] the same of each; empty: all alike
  const FrictionTable& friction;
};
void assemble(const AssembleInput& input, Assembly& assembly);

}  // namespace pawl::internal
