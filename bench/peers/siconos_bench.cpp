// Times the solvers of Siconos Numerics on friction-contact problems, in one thread and without warm start.
// The solution must have an error of at most 1e-8 by our own measure. Output: one line of CSV per file and
// solver.
//
// A separate program, because each trial runs in a child process: a solver that crashes, calls exit() or
// hangs then loses only its own line.

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hdf5.h>

#include <CSparseMatrix.h>
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

namespace {

constexpr double kWantedError = 1e-8;
constexpr double kLoosestTolerance = 1e-4, kTightestTolerance = 1e-15;  // of Siconos's own stopping test
constexpr int kSecondsPerRun = 10;
constexpr double kSecondsOfRepeats = 0.2;  // s, total time of the repeats, at least kMinRepeats
constexpr int kMinRepeats = 5;
constexpr int kMaxContactsDense = 100;  // in 3D; from about 300 on, sparse storage is 6 to 30 times as fast

/// Matrix storage given to the solver. The conversion is not timed.
enum class Storage {
  as_read,
  blocks,  // for sparse matrices, which Gauss-Seidel in 2D does not support
  dense,
};

struct Solver {
  const char* name;
  int id;
  int dimension;
  int max_iterations;  // so many that the time limit ends a run first, unless an iteration stalls forever
  Storage storage;
  void (*configure)(SolverOptions&);
};

void keep_defaults(SolverOptions&) {}

/// Evaluates the full error after every sweep. The default tests the change of the reactions first, which is
/// cheaper but can stall below its own internal tolerance.
void use_full_error_evaluation(SolverOptions& options) {
  options.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
      SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
}

// The Newton methods and ADMM run with both storages. The Newton methods factorise sparse matrices with
// MUMPS, in 4.4 even if the options select CSparse. They factorise dense ones with LAPACK, which is faster
// for few contacts.
constexpr Solver kSolvers[] = {
    {"NSGS", SICONOS_FRICTION_3D_NSGS, 3, 10'000'000, Storage::blocks, keep_defaults},
    {"NSGS/full-test", SICONOS_FRICTION_3D_NSGS, 3, 10'000'000, Storage::blocks, use_full_error_evaluation},
    {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 3, 2'000, Storage::as_read, keep_defaults},
    {"NSN_AC/dense", SICONOS_FRICTION_3D_NSN_AC, 3, 2'000, Storage::dense, keep_defaults},
    {"NSN_FB", SICONOS_FRICTION_3D_NSN_FB, 3, 2'000, Storage::as_read, keep_defaults},
    {"NSN_FB/dense", SICONOS_FRICTION_3D_NSN_FB, 3, 2'000, Storage::dense, keep_defaults},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, 3, 10'000'000, Storage::as_read, keep_defaults},
    {"ADMM/dense", SICONOS_FRICTION_3D_ADMM, 3, 10'000'000, Storage::dense, keep_defaults},
    {"NSGS", SICONOS_FRICTION_2D_NSGS, 2, 10'000'000, Storage::blocks, keep_defaults},
    {"NSGS/full-test", SICONOS_FRICTION_2D_NSGS, 2, 10'000'000, Storage::blocks, use_full_error_evaluation},
    {"CPG", SICONOS_FRICTION_2D_CPG, 2, 10'000'000, Storage::dense, keep_defaults},
    {"LEMKE", SICONOS_FRICTION_2D_LEMKE, 2, 1'000'000, Storage::dense, keep_defaults},
    {"ENUM", SICONOS_FRICTION_2D_ENUM, 2, 10'000'000, Storage::dense, keep_defaults},
};

/// Result of one trial in a child: one solver with one tolerance. Sent through a pipe, so it is trivially
/// copyable.
struct Trial {
  double seconds = 0;  // median of all runs after the first
  double fastest = 0;
  double first = 0;  // includes the conversion of the matrix to the solver's storage, which is cached
  double error = std::numeric_limits<double>::infinity();
  double tolerance = 0;
  int iterations = 0;
  bool finished = false;   // the first run returned
  bool timed_out = false;  // set by the parent, like signal
  int signal = 0;

  bool solved() const { return finished && error <= kWantedError; }
};

// Problems.

/// Reads the groups of an FCLIB file; Debian's Siconos is built without FCLIB.
class FclibFile {
 public:
  explicit FclibFile(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~FclibFile() { H5Fclose(file_); }
  FclibFile(const FclibFile&) = delete;
  FclibFile& operator=(const FclibFile&) = delete;

  bool has(const char* group) const { return H5Lexists(file_, group, H5P_DEFAULT) > 0; }
  std::vector<double> reals(const std::string& name) const { return read<double>(name, H5T_NATIVE_DOUBLE); }
  int integer(const std::string& name) const { return read<int>(name, H5T_NATIVE_INT).at(0); }
  NumericsMatrix* matrix(const std::string& name) const {
    const std::vector<int> p = read<int>(name + "/p", H5T_NATIVE_INT),
                           i = read<int>(name + "/i", H5T_NATIVE_INT);
    const std::vector<double> x = reals(name + "/x");
    const int nz = integer(name + "/nz");
    NumericsMatrix* matrix = NM_create(NM_SPARSE, integer(name + "/m"), integer(name + "/n"));
    NM_triplet_alloc(matrix, static_cast<CS_INT>(x.size()));
    matrix->matrix2->origin = NSM_TRIPLET;
    for (int k = 0; k < nz; ++k) NM_entry(matrix, i.at(k), p.at(k), x.at(k));  // triplets
    for (std::size_t line = 0; nz < 0 && line + 1 < p.size(); ++line) {        // compressed rows or columns
      const int number = static_cast<int>(line);
      for (int k = p[line]; k < p[line + 1]; ++k) {
        const bool column = nz == NSM_CS_CSC;
        NM_entry(matrix, column ? i.at(k) : number, column ? number : i.at(k), x.at(k));
      }
    }
    return matrix;
  }

 private:
  template <class T>
  std::vector<T> read(const std::string& name, hid_t type) const {
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT), space = H5Dget_space(dataset);
    std::vector<T> values(
        static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
    if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) values.clear();
    H5Sclose(space);
    H5Dclose(dataset);
    return values;
  }

  hid_t file_;
};

double* malloc_copy(const std::vector<double>& values) {  // Siconos releases it with free()
  auto* copy = static_cast<double*>(std::malloc(values.size() * sizeof(double)));
  std::copy(values.begin(), values.end(), copy);
  return copy;
}

/// Reduces a global problem (M v = H r + f, u = Hᵀ v + w) to its contacts: W = Hᵀ M⁻¹ H, q = Hᵀ M⁻¹ f + w.
/// Siconos can do this itself, but takes more than a minute for 12000 unknowns.
FrictionContactProblem* reduce_global(const FclibFile& file) {
  NumericsMatrix *M = file.matrix("fclib_global/M"), *H = file.matrix("fclib_global/H");
  const std::vector<double> mu = file.reals("fclib_global/vectors/mu");
  std::vector<double> v = file.reals("fclib_global/vectors/f"), u = file.reals("fclib_global/vectors/w");
  NM_preserve(M);                          // one factorisation for all columns
  const auto add_contact_velocity = [&] {  // u += Hᵀ M⁻¹ v
    NM_LU_solve(M, v.data(), 1);
    NM_tgemv(1, H, v.data(), 1, u.data());
  };
  add_contact_velocity();
  double* q = malloc_copy(u);

  const int size = H->size1;
  NumericsMatrix* W = NM_create(NM_SPARSE, size, size);
  NM_triplet_alloc(W, size);  // grows as needed
  W->matrix2->origin = NSM_TRIPLET;
  std::vector<double> unit(u.size(), 0);
  for (int column = 0; column < size; ++column) {
    unit[column] = 1;
    NM_gemv(1, H, unit.data(), 0, v.data());
    unit[column] = 0;
    std::fill(u.begin(), u.end(), 0);
    add_contact_velocity();
    for (int row = 0; row < size; ++row) {
      if (u[row] != 0) NM_entry(W, row, column, u[row]);
    }
  }
  return frictionContactProblem_new_with_data(file.integer("fclib_global/spacedim"),
                                              static_cast<int>(mu.size()), W, q, malloc_copy(mu));
}

FrictionContactProblem* read_fclib(const std::string& path) {
  const FclibFile file(path);
  if (file.has("fclib_global")) return reduce_global(file);
  if (!file.has("fclib_local")) return nullptr;
  const std::vector<double> mu = file.reals("fclib_local/vectors/mu");
  return frictionContactProblem_new_with_data(
      file.integer("fclib_local/spacedim"), static_cast<int>(mu.size()), file.matrix("fclib_local/W"),
      malloc_copy(file.reals("fclib_local/vectors/q")), malloc_copy(mu));
}

FrictionContactProblem* read_problem(const std::string& path) {
  return H5Fis_hdf5(path.c_str()) > 0 ? read_fclib(path) : frictionContact_new_from_filename(path.c_str());
}

/// Read twice: a solver may modify its input, and the solution is judged with the original problem.
struct Problem {
  FrictionContactProblem* judged;
  FrictionContactProblem* solved;

  explicit Problem(const std::string& path) : judged(read_problem(path)), solved(read_problem(path)) {}
};

void store(FrictionContactProblem& problem, Storage storage) {
  NumericsMatrix* W = problem.M;  // freed with the child process
  if (storage == Storage::blocks && W->storageType == NM_SPARSE) {
    SparseBlockStructuredMatrix* blocks = SBM_new();
    SBM_from_csparse(problem.dimension, NM_csc(W), blocks);
    problem.M = NM_new_SBM(W->size0, W->size1, blocks);
  } else if (storage == Storage::dense && W->storageType != NM_DENSE) {
    problem.M = NM_create(NM_DENSE, W->size0, W->size1);
    NM_to_dense(W, problem.M);
  }
}

// Error measure.

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

/// Projects onto the cone ‖x_t‖ ≤ μ x_n, normal component first.
void project_on_cone(std::span<double> x, double mu) {
  const std::span<double> tangent = x.subspan(1);
  const double t = norm(tangent);
  if (t <= mu * x[0]) return;
  const double normal = mu * t <= -x[0] ? 0 : (x[0] + mu * t) / (1 + mu * mu);
  for (double& value : tangent) value *= t > 0 ? mu * normal / t : 0;
  x[0] = normal;
}

/// ‖r - P_K(r - (u + μ‖u_t‖ n))‖ / max(‖q‖, ‖r‖, ‖u‖) with u = W r + q.
double error_of(FrictionContactProblem& problem, std::span<const double> r) {
  const std::span<const double> q(problem.q, r.size());
  std::vector<double> u(q.begin(), q.end());
  NM_gemv(1, problem.M, r.data(), 1, u.data());
  double sum = 0;
  const int d = problem.dimension;
  for (int contact = 0; contact < problem.numberOfContacts; ++contact) {
    const double mu = problem.mu[contact];
    const std::span<const double> rc = r.subspan(d * contact, d), uc = std::span(u).subspan(d * contact, d);
    std::array<double, 3> x{};
    for (int k = 0; k < d; ++k) x[k] = rc[k] - uc[k];
    x[0] -= mu * norm(uc.subspan(1));
    project_on_cone(std::span(x).first(d), mu);
    for (int k = 0; k < d; ++k) sum += (rc[k] - x[k]) * (rc[k] - x[k]);
  }
  const double scale = std::max({norm(q), norm(r), norm(u)});
  const double error = scale > 0 ? std::sqrt(sum) / scale : std::sqrt(sum);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

// Runs.

/// Time of this thread, the only one. The process clock is coarse while limit_next_run() is active.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The kernel ends the process when the next run exceeds its limit of processor time.
void limit_next_run() {
  const itimerval limit{{0, 0}, {kSecondsPerRun, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

/// Runs in the child. Each finished stage is reported immediately, so that it counts even if a later one is
/// killed.
template <class Report>
void measure(const Problem& given, const Solver& solver, double tolerance, Report report) {
  Trial trial;
  trial.tolerance = tolerance;
  report(trial);
  FrictionContactProblem* problem = given.solved;
  store(*problem, solver.storage);

  const std::size_t size = static_cast<std::size_t>(problem->dimension) * problem->numberOfContacts;
  // If ‖q‖ < ε, Siconos's test is absolute; only a tolerance of that order makes it iterate.
  const double q = norm({problem->q, size});
  const double unit = q > 0 && q < DBL_EPSILON ? q : 1;

  const auto run = [&](std::vector<double>& r, int& iterations) {
    SolverOptions* options = solver_options_create(solver.id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance * unit;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = solver.max_iterations;
    solver.configure(*options);
    r.assign(size, 0);
    std::vector<double> u(size, 0);
    limit_next_run();
    const double start = processor_seconds();
    if (problem->dimension == 3) {
      fc3d_driver(problem, r.data(), u.data(), options);
    } else {
      fc2d_driver(problem, r.data(), u.data(), options);
    }
    const double seconds = processor_seconds() - start;
    iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    return seconds;
  };

  std::vector<double> r;
  trial.first = trial.seconds = trial.fastest = run(r, trial.iterations);
  trial.error = error_of(*given.judged, r);
  trial.finished = true;
  report(trial);
  if (!trial.solved()) return;

  std::vector<double> later;
  double total = 0;
  while ((total < kSecondsOfRepeats || later.size() < kMinRepeats) && total + trial.first < kSecondsPerRun) {
    later.push_back(run(r, trial.iterations));
    total += later.back();
    trial.error = std::max(trial.error, error_of(*given.judged, r));
  }
  if (later.empty()) return;
  std::sort(later.begin(), later.end());
  trial.fastest = later.front();
  trial.seconds = later[later.size() / 2];
  report(trial);
}

Trial run_in_child(const Problem& problem, const Solver& solver, double tolerance) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(1);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)) _exit(1);
    measure(problem, solver, tolerance, [&](const Trial& trial) {
      if (write(ends[1], &trial, sizeof trial) != sizeof trial) _exit(1);
    });
    _exit(0);
  }
  close(ends[1]);
  Trial received, last;
  while (read(ends[0], &received, sizeof received) == sizeof received) last = received;  // writes are atomic
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    last.timed_out = WTERMSIG(status) == SIGPROF;
    last.signal = WTERMSIG(status);
  }
  return last;
}

std::string status_of(const Trial& trial) {
  if (trial.solved()) return "solved";
  if (trial.timed_out) return "out of time";
  if (trial.signal != 0) return "killed by signal " + std::to_string(trial.signal);
  return trial.finished ? "not reached" : "gave up";
}

/// If a solver's own test never holds although its solution is good, reduces the max number of iterations
/// instead.
Trial reduce_iterations(const Problem& problem, Solver solver, Trial trial) {
  while (trial.iterations >= solver.max_iterations && solver.max_iterations >= 10) {
    solver.max_iterations /= 10;
    const Trial shorter = run_in_child(problem, solver, trial.tolerance);
    if (!shorter.solved()) break;
    trial = shorter;
  }
  return trial;
}

/// Tries tolerances from loose to tight. Siconos divides its error by ‖q‖ alone, our measure by the largest
/// of three norms. Its 1e-8 may therefore be much stricter than required. The first sufficient tolerance is
/// the fastest.
Trial best_trial(const Problem& problem, const Solver& solver) {
  Trial best;
  for (double tolerance = kLoosestTolerance; tolerance > 0.9 * kTightestTolerance; tolerance /= 10) {
    const Trial trial = run_in_child(problem, solver, tolerance);
    if (trial.solved()) return reduce_iterations(problem, solver, trial);
    if (best.tolerance == 0 || trial.error < best.error) best = trial;
    if (trial.timed_out || !trial.finished) {  // a tighter tolerance cannot succeed
      best.timed_out = trial.timed_out;
      best.signal = trial.signal;
      break;
    }
  }
  return best;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr,
                 "usage: siconos_bench PROBLEM..., files of friction-contact text (.dat) or FCLIB (.hdf5)\n");
    return 2;
  }
  // OpenBLAS reads this when it is loaded, before main().
  if (const char* threads = std::getenv("OPENBLAS_NUM_THREADS");
      !threads || std::string_view(threads) != "1") {
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", arguments);
    std::perror("siconos_bench");
    return 1;
  }
  std::puts("file,contacts,solver,seconds,error,iterations,status,fastest,first,tolerance");
  for (const char* argument : std::span(arguments + 1, static_cast<std::size_t>(count - 1))) {
    const std::string path = argument, name = std::filesystem::path(path).filename();
    const Problem problem(path);
    if (!problem.judged || !problem.solved) {
      std::fprintf(stderr, "siconos_bench: %s holds no friction-contact problem\n", argument);
      return 1;
    }
    for (const Solver& solver : kSolvers) {
      if (solver.dimension != problem.judged->dimension) continue;
      const bool dense_variant = solver.dimension == 3 && solver.storage == Storage::dense;
      if (dense_variant && problem.judged->numberOfContacts > kMaxContactsDense) continue;
      const Trial trial = best_trial(problem, solver);
      std::printf("%s,%d,siconos/%s,%.4g,%.2g,%d,%s,%.4g,%.4g,%.0e\n", name.c_str(),
                  problem.judged->numberOfContacts, solver.name, trial.seconds, trial.error, trial.iterations,
                  status_of(trial).c_str(), trial.fastest, trial.first, trial.tolerance);
      std::fflush(stdout);
    }
  }
}
