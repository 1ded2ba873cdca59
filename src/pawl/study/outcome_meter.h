#pragma once
// Measures the outcomes of a run while it runs.

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <pawl/model.h>
#include <pawl/outcome.h>
#include <pawl/simulation.h>

namespace pawl::internal {

/// Nothing (an event that did not happen), a number, or the name of a class.
using OutcomeValue = std::variant<std::monostate, double, std::string>;

class OutcomeMeter {
 public:
  /// Throws SceneError for a quantity that the model does not have. Model and simulation must outlive the
  /// meter. Measures the start.
  OutcomeMeter(const Scene& scene, const Model& model, const Simulation& simulation);
  ~OutcomeMeter();

  /// Measures the state after a step.
  void add(const StepReport& report);
  /// True once an outcome with `stop` has happened.
  bool stopped() const;
  /// The values now, in the scene's order.
  std::vector<OutcomeValue> values() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::internal
