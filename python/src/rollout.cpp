// Many short runs of one model on threads.

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "bindings.h"

namespace pawl::python {
namespace {

/// Runs from `states`, recorded at each of `steps` multiples of the step. What a run does not depend on is
/// which thread runs it: each starts by a reset.
struct Rollout {
  std::shared_ptr<const CompiledModel> model;
  RunOptions options;
  std::vector<State> states;
  int steps = 0, inputs = 0;
  const double* controls = nullptr;  // [runs × steps × inputs], or null
  double* time = nullptr;            // [runs × (steps + 1)]
  double* q = nullptr;               // [runs × (steps + 1) × nq]
  double* v = nullptr;               // [runs × (steps + 1) × nv]
  std::uint8_t* status = nullptr;    // [runs × steps] the worst of each
  std::vector<State> ends;           // [runs]
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stop = false;

  void work() {
    Simulation simulation(model->model, options);
    for (std::size_t run = next++; run < states.size() && !stop; run = next++) one(simulation, run);
  }

  void one(Simulation& simulation, std::size_t run) {
    simulation.reset(states[run]);
    const double start = simulation.time(), h = options.step;
    record(simulation, run, 0);
    for (int k = 0; k < steps && !stop; ++k) {
      if (controls != nullptr) {
        std::copy_n(controls + (run * steps + k) * inputs, inputs, simulation.control().begin());
      }
      Status worst = Status::certified;
      while (simulation.time() < start + (k + 1 - 1e-6) * h && !stop) {
        worst = std::max(worst, simulation.step().status);
        if (worst >= Status::refused) break;
      }
      status[run * steps + k] = static_cast<std::uint8_t>(worst);
      if (worst >= Status::refused) {  // the state stays where it is
        for (int rest = k; rest < steps; ++rest) {
          status[run * steps + rest] = static_cast<std::uint8_t>(worst);
          record(simulation, run, rest + 1);
        }
        break;
      }
      record(simulation, run, k + 1);
    }
    ends[run] = simulation.state();
  }

  void record(const Simulation& simulation, std::size_t run, int k) const {
    const State& state = simulation.state();
    const std::size_t row = run * (steps + 1) + k;
    time[row] = state.time;
    std::copy(state.q.begin(), state.q.end(), q + row * state.q.size());
    std::copy(state.v.begin(), state.v.end(), v + row * state.v.size());
  }
};

/// Runs work() on threads while the caller's thread watches for Ctrl-C.
void run_on_threads(Rollout& rollout, int threads) {
  std::mutex mutex;
  std::condition_variable ended;
  int running = threads;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      rollout.work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      rollout.stop = true;
    }
    const std::lock_guard lock(mutex);
    --running;
    ended.notify_one();
  };
  std::vector<std::thread> team;
  const auto join = [&] {
    for (std::thread& thread : team) thread.join();
  };
  try {
    for (int i = 0; i < threads; ++i) team.emplace_back(work);
    Interrupts interrupts;
    std::unique_lock lock(mutex);
    while (running > 0) {
      ended.wait_for(lock, std::chrono::milliseconds(50));
      lock.unlock();
      interrupts.poll();
      lock.lock();
    }
  } catch (...) {
    rollout.stop = true;
    join();
    throw;
  }
  join();
  if (failure) std::rethrow_exception(failure);
}

py::tuple rollout(
    std::shared_ptr<CompiledModel> model, const RunOptions& options, std::vector<State> states, int steps,
    const std::optional<py::array_t<double, py::array::c_style | py::array::forcecast>>& controls,
    int threads) {
  const auto runs = static_cast<py::ssize_t>(states.size());
  const auto inputs = static_cast<py::ssize_t>(model->control_names.size());
  if (steps < 0) throw py::value_error("steps must be at least 0");
  if (threads < 1 || threads > 1024) throw py::value_error("threads must be from 1 to 1024");
  Rollout work;
  work.model = model;
  work.options = options;
  work.states = std::move(states);
  work.steps = steps;
  work.inputs = static_cast<int>(inputs);
  if (controls) {
    if (controls->ndim() != 3 || controls->shape(0) != runs || controls->shape(1) != steps ||
        controls->shape(2) != inputs) {
      throw py::value_error(py::str("controls has the shape {}; it must be ({}, {}, {}): runs, steps, inputs")
                                .format(controls->attr("shape"), runs, steps, inputs));
    }
    work.controls = controls->data();
  }
  work.ends.resize(work.states.size());
  py::array_t<double> time({runs, py::ssize_t(steps) + 1});
  py::array_t<double> q({runs, py::ssize_t(steps) + 1, py::ssize_t(model->model.nq)});
  py::array_t<double> v({runs, py::ssize_t(steps) + 1, py::ssize_t(model->model.nv)});
  py::array_t<std::uint8_t> status({runs, py::ssize_t(steps)});
  work.time = time.mutable_data();
  work.q = q.mutable_data();
  work.v = v.mutable_data();
  work.status = status.mutable_data();
  {
    const py::gil_scoped_release release;
    run_on_threads(work, std::min<int>(threads, std::max<int>(1, static_cast<int>(runs))));
  }
  return py::make_tuple(time, q, v, status, std::move(work.ends));
}

}  // namespace

void bind_rollout(py::module_& m) {
  m.def("_rollout", &rollout);
}

}  // namespace pawl::python
