#pragma once
// Which joints say what others say already.

#include <pawl/model.h>

namespace pawl::internal {

/// Rows of all joints that are rows, and how many of them follow from the others in a state: a four-bar in
/// space has three of these, as its hinges are parallel. They do no harm, but their impulses are not unique.
struct JointRank {
  int rows = 0;
  int redundant = 0;
};
JointRank joint_rank(const Model& model, const State& state);

}  // namespace pawl::internal
