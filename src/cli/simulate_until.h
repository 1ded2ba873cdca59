#pragma once
// Simulates a scene up to the time at which a command examines it.

#include <pawl/model.h>

namespace pawl::internal::cli {

struct ReachedState {
  State state;
  bool certified = true;     // all steps up to this state are certified
  bool interrupted = false;  // the state is earlier than requested
};

/// Returns the state at the end of the step that reaches `time`; the initial state for 0. Throws Error if a
/// step is refused or if more than ten million steps are needed.
ReachedState simulate_until(const Model& model, RunOptions run, double time);

}  // namespace pawl::internal::cli
