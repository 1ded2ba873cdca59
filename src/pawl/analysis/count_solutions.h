#pragma once
// All solutions of a small problem in accelerations.

#include <cstdint>
#include <string_view>
#include <vector>

#include <pawl/analysis/acceleration_problem.h>

namespace pawl {

enum class SolutionCount : std::uint8_t {
  unknown,         // not a linear complementarity problem, too large, or too near to call
  none,            // proved: every contact state was tried
  one,             // every other contact state was ruled out
  several_forces,  // one motion, and several forces that make it
  several,         // several motions
};
std::string_view to_string(SolutionCount count);

/// One motion.
struct CountedSolution {
  AccelerationSolution solution;
  bool forces_vary = false;    // other forces make the same motion
  bool motion_varies = false;  // it is one of a family of motions, in one and the same contact state
};

struct SolutionCountResult {
  SolutionCount count = SolutionCount::unknown;
  std::string_view reason;  // why it is unknown
  std::vector<CountedSolution> solutions;
};

/// Most complementary unknowns for which all bases are tried: one a contact whose friction is known, four for
/// one that rolls in the plane, two more than it has directions for one with a polyhedron.
inline constexpr int kMaxCountedUnknowns = 16;

/// Friction sets must be polyhedra, or intervals, where contacts roll; else the count is unknown.
SolutionCountResult count_solutions(const AccelerationProblem& problem);

}  // namespace pawl
