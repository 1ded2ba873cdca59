#pragma once
// State files (docs/state-files.md). Part of Pawl::io.

#include <string>
#include <string_view>

#include <pawl/model.h>

namespace pawl {

/// Writes a state of the model as JSON, atomically. Throws Error naming the file, also for a state that does
/// not fit the model or is not finite.
void save_state(const std::string& path, const State& state, const Model& model);

/// Reads a state of the model. With the same options, Simulation::reset() then continues the run bit for bit.
/// Throws Error naming the file if it is damaged, or of a scene with other bodies, shapes or joints.
State load_state(const std::string& path, const Model& model);

/// The same for the bytes of a file. `name` is used in messages.
State parse_state(std::string_view bytes, const std::string& name, const Model& model);

}  // namespace pawl
