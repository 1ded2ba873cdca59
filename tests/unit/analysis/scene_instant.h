#pragma once
// Initial state of a scene as a problem in accelerations.

#include <string>

#include <gtest/gtest.h>

#include <pawl/analysis.h>
#include <pawl/scene_file.h>

namespace pawl::internal::test {

struct SceneInstant {
  explicit SceneInstant(const Scene& scene, InstantOptions options = {},
                        FrictionForm form = FrictionForm::exact)
      : model(compile(scene)) {
    options.friction = form;
    options.friction_directions = scene.run.friction_directions;
    instant = instant_of(model, initial_state(model), options);
  }
  explicit SceneInstant(const std::string& text) : SceneInstant(parse_scene(text, "test.yaml")) {}

  /// The only problem of the scene.
  const AccelerationProblem& problem() const {
    EXPECT_EQ(instant.islands.size(), 1u);
    return instant.islands.at(0);
  }
  AccelerationAnalysis analysis() const { return analyse(problem(), 1e-10); }

  Model model;
  Instant instant;
};

inline std::string text_of(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

}  // namespace pawl::internal::test
