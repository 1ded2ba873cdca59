#pragma once
// The state that a command on a scene looks at.

#include <pawl/model.h>

namespace pawl::internal::cli {

struct ReachedState {
  State state;
  bool certified = true;     // every step on the way was
  bool interrupted = false;  // it is not the one asked for
};

/// The state at the end of the step at a time; at 0 that of the start. Throws Error where a step is refused,
/// or there are more than ten million.
ReachedState simulate_until(const Model& model, RunOptions run, double time);

}  // namespace pawl::internal::cli
