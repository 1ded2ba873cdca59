// Single complementarity problems collected from runs: cold start, and warm start from the basis of the
// solution, which is the best case.

#include <unistd.h>

#include <deque>
#include <filesystem>
#include <random>
#include <stdexcept>

#include <pawl/problem/delassus.h>
#include <pawl/problem_file.h>
#include <pawl/solve/contact/polyhedral_lcp.h>
#include <pawl/solver.h>

#include "timing.h"

namespace pawl::internal::bench {
namespace {

/// A deque, because friction sets point into their stored problem, which therefore must not move.
using Problems = std::deque<StoredContactProblem>;

/// Adds all problems of `size` rows that occur in a run.
void collect_problems(test::SceneRun& run, int size, Problems& problems) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("pawl-bench-problem-" + std::to_string(getpid()) + ".json");
  const std::size_t before = problems.size();
  PolyhedralLcp form;
  BlockMatrix W;
  DelassusScratch scratch;
  run.step_to_end([&](const StepReport& report) {
    const ContactProblem* worst = run.simulation.worst_problem();
    if (report.problem_size != size || worst == nullptr) return;
    write_problem(path, *worst);
    problems.push_back(read_contact_problem(path));
    const ContactProblem& problem = problems.back().problem;
    if (problem.primal()) compute_delassus(problem, W, scratch);
    form.formulate(problem, problem.primal() ? W : problem.W);
    if (form.lcp().n != size) problems.pop_back();  // another island of the step
  });
  std::filesystem::remove(path);
  if (problems.size() == before) {
    throw std::runtime_error("the run met no problem of " + std::to_string(size) + " rows");
  }
}

/// The thrown ball hits the row, with the steps of [StewartTrinkle2000, table 1]: seven contacts, 70 rows.
Problems four_balls_problems() {
  Problems problems;
  for (const std::string step : {"20ms", "10ms", "5ms", "2.5ms", "1.25ms"}) {
    test::SceneRun run(test::repository_scene("papers/four_balls.yaml", {"run.step=" + step}));
    collect_problems(run, 70, problems);
  }
  return problems;
}

/// Ten balls in a row on a table, pushed against a wall at random speeds: twenty contacts, 200 rows.
Problems chain_problems() {
  constexpr int kProblems = 8;
  Problems problems;
  std::mt19937 random(1);
  const auto speed = [&] {
    return 1e-3 * static_cast<double>(random() % 1000);
  };  // identical on every machine
  for (int i = 0; i < kProblems; ++i) {
    std::string text =
        "pawl: 1\n"
        "materials: {plain: {friction: 0.4, restitution: 0}}\n"
        "bodies:\n"
        "  room:\n"
        "    joint: {type: weld}\n"
        "    shapes:\n"
        "      - {type: half-space, normal: [0, 0, 1], offset: 0}\n"
        "      - {type: half-space, normal: [1, 0, 0], offset: -0.1}\n";
    double vx = 0;
    for (int ball = 0; ball < 10; ++ball) {
      vx -= 0.1 + speed();
      text += "  ball" + std::to_string(ball) + ": {mass: 1, inertia: 4e-3, position: [" +
              test::number_text(0.2 * ball) + ", 0, 0.1], velocity: [" + test::number_text(vx) + ", " +
              test::number_text(speed()) + ", " + test::number_text(-speed()) +
              "], shapes: [{type: sphere, radius: 0.1}]}\n";
    }
    text += "run: {method: stewart-trinkle, step: 5ms, until: 5ms, friction_directions: 8}\n";
    test::SceneRun run(text);
    collect_problems(run, 200, problems);
  }
  return problems;
}

enum class Start { cold, warm };

void time_solver(benchmark::State& state, const Problems& problems, Start start) {
  ContactSolver solver;
  std::vector<Solution> solutions(problems.size());
  double pivots = 0, residual = 0;
  int uncertified = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    solver.solve(problems[i].problem, {}, {}, solutions[i]);
    pivots += solutions[i].iterations;
    residual = std::max(residual, solutions[i].residual.natural_map);
    uncertified += solutions[i].status == Status::certified ? 0 : 1;
  }
  double total = 0;
  Solution answer;
  for ([[maybe_unused]] auto _ : state) {
    const double begin = processor_seconds();
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const std::span<const ContactBasis> warm = solutions[i].basis;
      solver.solve(problems[i].problem, {}, {.p = {}, .basis = start == Start::warm ? warm : warm.first(0)},
                   answer);
      benchmark::DoNotOptimize(answer.p.data());
    }
    const double seconds = processor_seconds() - begin;
    state.SetIterationTime(seconds);
    total += seconds;
  }
  const auto count = static_cast<double>(problems.size());
  state.counters["problems"] = count;
  state.counters["us_per_problem"] = 1e6 * total / (static_cast<double>(state.iterations()) * count);
  state.counters["pivots"] = start == Start::warm ? answer.iterations : pivots / count;
  state.counters["residual"] = residual;
  state.counters["uncertified"] = uncertified;
}

[[maybe_unused]] const bool registered = [] {
  for (const Start start : {Start::cold, Start::warm}) {
    const std::string suffix = start == Start::cold ? "/cold" : "/warm";
    add("Solve/four-balls/n:70" + suffix,
        [=](benchmark::State& state) { time_solver(state, four_balls_problems(), start); });
    add("Solve/chain/n:200" + suffix,
        [=](benchmark::State& state) { time_solver(state, chain_problems(), start); });
  }
  return true;
}();

}  // namespace
}  // namespace pawl::internal::bench
