#pragma once
// Counts redundant joint rows.

#include <pawl/model.h>

namespace pawl::internal {

/// The number of rows of all constraint joints, and of those that depend on the others in a given state. A
/// spatial four-bar linkage has three redundant rows, as its hinges are parallel. Redundant rows do no harm,
/// but their impulses are not unique.
struct JointRank {
  int rows = 0;
  int redundant = 0;
};
JointRank joint_rank(const Model& model, const State& state);

}  // namespace pawl::internal
