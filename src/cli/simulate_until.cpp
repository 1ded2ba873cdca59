#include "simulate_until.h"

#include <fmt/format.h>

#include <pawl/simulation.h>

#include "progress.h"

namespace pawl::internal::cli {

namespace {

constexpr double kMaxSteps = 1e7;

}  // namespace

ReachedState simulate_until(const Model& model, RunOptions run, double time) {
  if (!(time / run.step <= kMaxSteps)) {
    throw Error(
        fmt::format("t = {:g} s is {:.3g} steps of {:g} s away, and at most {:g} are taken: ask for an "
                    "earlier time, or take "
                    "a larger --step",
                    time, time / run.step, run.step, kMaxSteps));
  }
  run.until = time;
  Simulation simulation(model, run);
  ReachedState reached;
  catch_interrupts();
  while (simulation.time() < time && !simulation.at_end() && !interrupted()) {
    const StepReport report = simulation.step();
    reached.certified &= report.certified();
    if (report.status == Status::refused)
      throw Error(fmt::format("the step at t = {:g} s was refused", simulation.time()));
  }
  reached.interrupted = interrupted();
  reached.state = simulation.state();
  return reached;
}

}  // namespace pawl::internal::cli
