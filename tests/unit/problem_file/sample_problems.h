#pragma once
// Small contact problems with all parts that a problem may have.

#include <cstddef>
#include <vector>

#include <pawl/contact_problem.h>
#include <pawl/linalg/dense.h>
#include <pawl/problem/delassus.h>

namespace pawl::internal::test {

inline FrictionSet round_friction(double mu) {
  return {FrictionKind::ellipsoid, mu, {1, 1, 1}, nullptr};
}

/// Two bodies of 2 and 3 dofs, two contacts of `d` rows, bilateral blocks of 2 and 1 rows, ζ and a shift.
inline ContactProblem primal_problem(int d) {
  ContactProblem problem;
  problem.contacts = 2;
  problem.begin = {0, d, 2 * d, 2 * d + 2, 2 * d + 3};
  problem.zeta = {-0.5, 0.25};
  problem.friction = {round_friction(0.3), round_friction(0.7)};
  PrimalData& motion = problem.motion;
  motion.mass_blocks = {{0, 2, 0}, {2, 3, 4}};
  motion.mass = {2, 0.5, 0.5, 3, /**/ 1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 4};
  motion.factor = motion.mass;
  for (const auto& mass : motion.mass_blocks) {
    cholesky(std::span(motion.factor).subspan(mass.offset, static_cast<std::size_t>(mass.size) * mass.size),
             mass.size);
  }
  // The first contact acts on both bodies, the second on the second body. The first joint block acts on both,
  // the second on the first body.
  for (const auto& [block, mass] : {std::pair(0, 0), {0, 1}, {1, 1}, {2, 0}, {2, 1}, {3, 0}}) {
    motion.jacobian_blocks.push_back({block, mass, static_cast<int>(motion.jacobian.size())});
    for (int k = 0; k < problem.size_of(block) * motion.mass_blocks[mass].size; ++k) {
      motion.jacobian.push_back(1.0 / static_cast<double>(motion.jacobian.size() + 1) -
                                (k % 2 == 0 ? 0.0 : 0.4));
    }
  }
  motion.v_free = {1, -2, 0.5, -0.25, 3};
  for (int i = 0; i < problem.rows(); ++i) motion.shift.push_back(0.125 * i);
  set_free_velocities(problem);
  return problem;
}

inline ContactProblem delassus_problem(int d) {
  ContactProblem problem = primal_problem(d);
  DelassusScratch scratch;
  compute_delassus(problem, problem.W, scratch);
  problem.motion = {};
  return problem;
}

}  // namespace pawl::internal::test
