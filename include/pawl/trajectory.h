#pragma once
// Trajectory files: HDF5 (docs/trajectory-format.md). Part of Pawl::io.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pawl/joint_forces.h>
#include <pawl/model.h>
#include <pawl/report.h>

namespace pawl {

/// Constant data of a run.
struct TrajectoryInfo {
  std::vector<std::string> q_columns;  // ball1.x … ball1.qz; rod.x, rod.y, rod.theta; arm.q
  std::vector<std::string> v_columns;  // ball1.vx … ball1.wz; rod.vx, rod.vy, rod.omega; arm.v
  std::vector<std::string> bodies;     // by body index; 0 is the world
  std::string scene_file;
  std::string scene_text;
  std::vector<std::string> overrides;
  std::string scene_name;
  std::string method;
  double step = 0;
  double tolerance = 0;
  bool planar = false;
  double start_overlap = 0;  // m, the deepest before the first step
};

TrajectoryInfo describe_run(const Scene& scene, const Model& model);

/// How often rows are written. The defaults suit everything but tests.
struct TrajectoryTuning {
  std::uint32_t chunk_rows = 256;  // rows per chunk
  double flush_seconds = 1;        // a chunk is written at least this often
};

/// Writes to a temporary file (path + ".part") and renames it when finished, so that `path` is always
/// complete or absent. A process killed at any moment leaves a readable .part file with all rows but those of
/// the last chunk. Throws Error naming the file when a write fails, and from then on at every call; the .part
/// file keeps the rows written before.
class TrajectoryWriter {
 public:
  TrajectoryWriter(std::string path, const TrajectoryInfo& info, const TrajectoryTuning& tuning = {});
  ~TrajectoryWriter();  // an unfinished file remains as .part
  TrajectoryWriter(const TrajectoryWriter&) = delete;
  TrajectoryWriter& operator=(const TrajectoryWriter&) = delete;

  /// A row of /time, /q, /v, /energy and, for `contacts`, of /contacts. q and v are as long as their columns.
  void append_state(double time, std::span<const double> q, std::span<const double> v,
                    const EnergyLedger& energy, std::span<const ContactRecord> contacts);
  /// A row of /steps, without its energy, which append_state() writes.
  void append_step(const StepReport& report);
  /// Rows of /impacts.
  void append_impacts(std::span<const ImpactRecord> events);
  /// Rows of /joints.
  void append_joints(std::span<const JointForces> joints);
  /// Writes all rows so far, so that a reader can see them.
  void flush();
  /// Flushes, closes and renames to the final path. The file is marked as finished if the run `reached_end`.
  /// `end` is what `pawl run --resume` needs beside the last state; empty if the run can't be resumed.
  void finish(bool reached_end, std::span<const std::uint64_t> end = {});

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// Consecutive states of a run with their contacts.
struct StateRows {
  std::vector<double> time;                   // [n] s
  std::vector<double> q;                      // [n × nq]
  std::vector<double> v;                      // [n × nv]
  std::vector<EnergyLedger> energy;           // [n]
  std::vector<std::uint64_t> contact_offset;  // [n + 1]
  std::vector<ContactRecord> contacts;  // row i has contacts contact_offset[i] … contact_offset[i + 1]
};

/// Random access to a trajectory file: a finished one, or the .part file of a run that was killed or is still
/// running. The reader keeps times and contact offsets in memory and reads the rest on demand. It does not
/// see rows written later: open a new reader, after closing the others, since HDF5 shares metadata between
/// readers of one file. All members throw Error naming the file and what is wrong with it. The caller must
/// use HDF5 from one thread at a time.
class TrajectoryReader {
 public:
  explicit TrajectoryReader(const std::string& path);
  ~TrajectoryReader();
  TrajectoryReader(TrajectoryReader&&) noexcept;
  TrajectoryReader& operator=(TrajectoryReader&&) noexcept;

  const TrajectoryInfo& info() const;
  const std::string& pawl_version() const;
  int format_version() const;
  bool finished() const;  // false: the run was stopped, killed or is still running

  const std::vector<double>& time() const;                   // [N] s, times of the states
  const std::vector<double>& step_time() const;              // [S] s, times of the steps
  const std::vector<std::uint64_t>& contact_offset() const;  // [N + 1]

  /// States first … first + count, which must exist; contact_offset counts from the first of them.
  StateRows read_states(std::uint64_t first, std::uint64_t count) const;
  /// Parts of the same states.
  std::vector<EnergyLedger> read_energy(std::uint64_t first, std::uint64_t count) const;
  std::vector<ContactRecord> read_contacts(std::uint64_t first, std::uint64_t count) const;
  /// Without their energy, which belongs to states.
  std::vector<StepReport> read_steps(std::uint64_t first, std::uint64_t count) const;
  /// All rows of /impacts; none unless the run recorded them.
  std::vector<ImpactRecord> read_impacts() const;
  /// All rows of /joints; none unless the run recorded them.
  std::vector<JointForces> read_joints() const;
  /// What TrajectoryWriter::finish() was given; empty in files of killed runs and of older releases.
  std::vector<std::uint64_t> end() const;
  /// Owns the strings that steps refer to.
  std::shared_ptr<const std::vector<std::string>> names() const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// A whole trajectory in memory.
struct Trajectory : StateRows {
  std::vector<JointForces> joints;  // of all states in order, as many of each; none unless recorded
  TrajectoryInfo info;
  std::string pawl_version;
  int format_version = 0;
  bool finished = false;  // false: the run was stopped, killed or is still running
  /// The energy is that of the last state no later than the end of the step.
  std::vector<StepReport> steps;
  std::shared_ptr<const std::vector<std::string>> names;  // owns the strings that steps refer to
};

/// Reads a whole trajectory.
Trajectory read_trajectory(const std::string& path);

/// The largest value of a quantity, and the time of its step. NaN counts as the largest.
struct WorstValue {
  double value = 0;
  double time = 0;  // s; 0 if the value never exceeded 0

  void update(double candidate, double when);
};

/// Statistics of a run, filled step by step or from a trajectory: the table of `pawl run` and `pawl info`.
struct RunSummary {
  std::int64_t steps = 0;
  std::int64_t certified = 0;
  std::int64_t approximate = 0;
  std::int64_t refused = 0;
  std::optional<double> first_uncertified;  // s, end of the first step that is not certified
  std::string first_reason;                 // its reason, if it has one
  // The bodies it is about: the same twice if one alone, 0 if none is known.
  std::int32_t first_body_a = 0, first_body_b = 0;
  // Steps certified for their method's problem, whose motion lacks something, and what the first of them
  // lacks.
  std::int64_t lacking_steps = 0;
  std::string first_lack;
  std::int32_t first_lack_body_a = 0, first_lack_body_b = 0;  // the bodies it is about
  std::int64_t ambiguous_steps = 0;                           // steps whose motion may not be the only one
  std::optional<double> first_ambiguous;                      // s, end of the first of them
  double end_time = 0;                                        // s, end of the last step

  WorstValue natural_map;      // dimensionless
  WorstValue momentum;         // dimensionless
  WorstValue bilateral;        // dimensionless; constraint joints
  WorstValue gap_violation;    // m
  WorstValue joint_violation;  // m or rad
  WorstValue local_error;      // dimensionless

  std::int32_t max_contacts = 0;
  std::int64_t contacts = 0;  // sum over all steps
  std::int32_t max_problem_size = 0;
  std::int32_t max_halvings = 0;
  std::int64_t iterations = 0;

  std::int64_t impacts = 0;
  std::int64_t inelastic_steps = 0;       // steps that exceeded the limit of impacts
  std::optional<double> first_inelastic;  // s, end of the first of them
  std::int64_t impact_gain_steps = 0;     // steps whose impacts made energy
  double impact_energy_gain = 0;          // J, by them

  EnergyLedger start;         // at the start of the run
  EnergyLedger end;           // at its end: works since the start
  WorstValue imbalance;       // J, absolute
  double largest_energy = 0;  // J, the largest |entry| of any ledger, imbalances excluded

  std::optional<double> wall_seconds;  // wall time of the run; not stored in a trajectory

  /// The state before the first step, and its deepest overlap (m).
  void begin(const EnergyLedger& energy, double overlap = 0);
  void add(const StepReport& report);

  double mean_contacts() const;
  /// Worst imbalance relative to the largest energy; 0 without energy.
  double relative_imbalance() const;
};

RunSummary summarize(const Trajectory& run);

}  // namespace pawl
