#pragma once
// A run in a file: HDF5, laid out as docs/trajectory-format.md says.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <pawl/model/model.h>
#include <pawl/step/report.h>

namespace pawl {

/// What does not change during a run.
struct TrajectoryInfo {
  std::vector<std::string> q_columns;  // ball1.x … ball1.qz; rod.x, rod.y, rod.theta; arm.q
  std::vector<std::string> v_columns;  // ball1.vx … ball1.wz; rod.vx, rod.vy, rod.omega; arm.v
  std::vector<std::string> bodies;     // by body number, as contacts refer to them; 0 is the world
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

/// How often rows reach the disk, and how they lie there. The defaults are right for all but tests.
struct TrajectoryTuning {
  std::uint32_t chunk_rows = 256;  // rows are written when so many are complete
  double flush_seconds = 1;        // or when so long has passed since rows were last written
};

/// Writes aside (path + ".part") and renames when finished, so that `path` is always whole or absent.
/// Rows reach the disk in chunks; a process killed at any moment leaves a .part file that opens and holds all
/// but the last chunk. Throws Error naming the file when the disk refuses, and from then on whatever it is
/// asked; the .part file then holds what was written before.
class TrajectoryWriter {
 public:
  TrajectoryWriter(std::string path, const TrajectoryInfo& info, const TrajectoryTuning& tuning = {});
  ~TrajectoryWriter();  // an unfinished file stays aside, with all rows if the disk lets it
  TrajectoryWriter(const TrajectoryWriter&) = delete;
  TrajectoryWriter& operator=(const TrajectoryWriter&) = delete;

  /// A row of /time, /q, /v, /energy and, for `contacts`, of /contacts. q and v are as long as their columns.
  void append_state(double time, std::span<const double> q, std::span<const double> v,
                    const EnergyLedger& energy, std::span<const ContactRecord> contacts);
  /// A row of /steps. Its energy is not written: that is append_state's.
  void append_step(const StepReport& report);
  /// All rows so far reach the file, where a reader can see them.
  void flush();
  /// Flushes, closes and renames to the final path. The file counts as finished if the run `reached_end`,
  /// and not where it was stopped before.
  void finish(bool reached_end);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// States of a run that follow each other, with their contacts.
struct StateRows {
  std::vector<double> time;                   // [n] s
  std::vector<double> q;                      // [n × nq]
  std::vector<double> v;                      // [n × nv]
  std::vector<EnergyLedger> energy;           // [n]
  std::vector<std::uint64_t> contact_offset;  // [n + 1]
  std::vector<ContactRecord> contacts;        // contact_offset[i] … contact_offset[i+1] belong to row i
};

/// A trajectory file that is read piece by piece: a finished one, or the .part of a run that was killed or
/// still goes on. It holds the times of states and steps, and where contacts begin; the rest stays in the
/// file until it is asked for. Rows that are written later are not seen: it takes a new reader, opened
/// when no other holds the file, as HDF5 lets readers of one file share what it knows of it. All members
/// throw Error naming the file and what is wrong with it. HDF5 is used by one thread at a time: that is up to
/// the caller.
class TrajectoryReader {
 public:
  explicit TrajectoryReader(const std::string& path);
  ~TrajectoryReader();
  TrajectoryReader(TrajectoryReader&&) noexcept;
  TrajectoryReader& operator=(TrajectoryReader&&) noexcept;

  const TrajectoryInfo& info() const;
  const std::string& pawl_version() const;
  int format_version() const;
  bool finished() const;  // false: the run was stopped, killed, or still goes on

  const std::vector<double>& time() const;                   // [N] s, of the states
  const std::vector<double>& step_time() const;              // [S] s, of the ends of steps
  const std::vector<std::uint64_t>& contact_offset() const;  // [N + 1]

  /// The states first … first + count, which must be there; contact_offset counts from the first of them.
  StateRows read_states(std::uint64_t first, std::uint64_t count) const;
  /// Parts of the same states.
  std::vector<EnergyLedger> read_energy(std::uint64_t first, std::uint64_t count) const;
  std::vector<ContactRecord> read_contacts(std::uint64_t first, std::uint64_t count) const;
  /// Their energy is left out: it belongs to states.
  std::vector<StepReport> read_steps(std::uint64_t first, std::uint64_t count) const;
  /// What the names in steps point to; it outlives the reader where it is held.
  std::shared_ptr<const std::vector<std::string>> names() const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// A whole trajectory in memory, read back.
struct Trajectory : StateRows {
  TrajectoryInfo info;
  std::string pawl_version;
  int format_version = 0;
  bool finished = false;  // false: the run was stopped, killed, or still goes on
  /// One a step; the energy is that of the last state no later than the step's end.
  std::vector<StepReport> steps;
  std::shared_ptr<const std::vector<std::string>> names;  // keeps the steps' names alive
};

/// All of what a TrajectoryReader reads.
Trajectory read_trajectory(const std::string& path);

}  // namespace pawl
