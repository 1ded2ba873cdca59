#pragma once
// Quantities of a run at this moment, by name, for outcomes.

#include <string>
#include <string_view>

#include <pawl/model.h>
#include <pawl/simulation.h>

namespace pawl::internal {

/// A quantity whose name is looked up once.
class QuantityNow {
 public:
  /// Throws Error that lists the names.
  QuantityNow(const Model& model, std::string_view name);
  /// `report` is null at the start.
  double value(const Simulation& simulation, const StepReport* report) const;

 private:
  enum class Source { q, v, of_run };
  Source source_ = Source::of_run;
  std::size_t index_ = 0;
};

}  // namespace pawl::internal
