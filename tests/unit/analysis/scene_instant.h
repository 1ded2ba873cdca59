#pragma once
// Initial state of a scene as a problem in accelerations.

#include <string>

#include <gtest/gtest.h>

#include <pawl/analysis/analyse.h>

namespace pawl::test {

struct SceneInstant {
  explicit SceneInstant(const Scene& scene, const InstantOptions& options = {},
                        FrictionForm form = FrictionForm::exact)
      : model(compile(scene)),
        friction(model, form, scene.run.friction_directions),
        instant(instant_of(model, friction, initial_state(model), options)) {}
  explicit SceneInstant(const std::string& text) : SceneInstant(parse_scene(text, "test.yaml")) {}

  /// The only problem of the scene.
  const AccelerationProblem& problem() const {
    EXPECT_EQ(instant.islands.size(), 1u);
    return instant.islands.at(0);
  }
  AccelerationAnalysis analysis() const { return analyse(problem(), 1e-10); }

  Model model;
  FrictionTable friction;
  Instant instant;
};

inline std::string text_of(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

}  // namespace pawl::test
