#pragma once
// Reads the outcomes of a scene. Internal to scene/.

#include <pawl/scene_file/readers.h>

namespace pawl::internal {

/// Fills scene.outcomes; requires scene.bodies.
void read_outcomes(const Field& field, const BodyIndex& bodies, Scene& scene);

}  // namespace pawl::internal
