#include "simulate_until.h"

#include <fmt/format.h>

#include <pawl/step/simulation.h>

#include "progress.h"

namespace pawl::cli {

ReachedState simulate_until(const Model& model, RunOptions run, double time) {
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

}  // namespace pawl::cli
