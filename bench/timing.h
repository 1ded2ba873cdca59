#pragma once
// Times whole runs; a clock inside the step loop would disturb the measurement.

#include <algorithm>
#include <ctime>
#include <limits>
#include <string>

#include <benchmark/benchmark.h>

#include "support.h"

namespace pawl::internal::bench {

/// Processor time of this thread in s. All measured code is single-threaded. On an idle machine this is the
/// wall time; on a busy one it excludes other processes.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// One iteration is reset(), not timed, and run(), timed, with `steps` steps.
template <class Reset, class Run>
void time_runs(benchmark::State& state, int steps, Reset reset, Run run) {
  double total = 0, best = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    reset();
    const double start = processor_seconds();
    run();
    const double seconds = processor_seconds() - start;
    state.SetIterationTime(seconds);
    total += seconds;
    best = std::min(best, seconds);
  }
  state.counters["us_per_step"] = 1e6 * total / (static_cast<double>(state.iterations()) * steps);
  state.counters["us_per_step_best"] = 1e6 * best / steps;  // fastest run
}

/// Times a Pawl scene: one run for the quality counters, then as many as the timing needs.
inline void time_scene(benchmark::State& state, test::SceneRun& run) {
  int steps = 0, contacts = 0, uncertified = 0;
  double overlap = 0, residual = 0;
  const auto ignore = [](const StepReport&) {};
  run.step_to_end([&](const StepReport& report) {
    ++steps;
    contacts = std::max(contacts, report.contacts);
    uncertified += report.certified() ? 0 : 1;
    overlap = std::max(overlap, report.gap_violation);
    residual = std::max({residual, report.residual.natural_map, report.residual.momentum});
  });
  const State start = initial_state(run.model);
  time_runs(
      state, steps, [&] { run.simulation.reset(start); }, [&] { run.step_to_end(ignore); });
  state.counters["contacts"] = contacts;
  state.counters["overlap_mm"] = 1e3 * overlap;
  state.counters["residual"] = residual;
  state.counters["uncertified"] = uncertified;
}

/// Registers a benchmark that measures its own time over whole runs.
template <class Body>
benchmark::internal::Benchmark* add(const std::string& name, Body body) {
  return benchmark::RegisterBenchmark(name.c_str(), body)->UseManualTime()->Unit(benchmark::kMillisecond);
}

}  // namespace pawl::internal::bench
