#pragma once
// A run in a file: HDF5, laid out as docs/trajectory-format.md says.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

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
  /// Flushes, closes and renames to the final path. The file counts as finished if the run `reached_end`,
  /// and not where it was stopped before.
  void finish(bool reached_end);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// A whole trajectory in memory, read back.
struct Trajectory {
  TrajectoryInfo info;
  std::string pawl_version;
  int format_version = 0;
  bool finished = false;                      // false: the run was stopped, killed, or still goes on
  std::vector<double> time;                   // [N]
  std::vector<double> q;                      // [N × nq]
  std::vector<double> v;                      // [N × nv]
  std::vector<EnergyLedger> energy;           // [N]
  std::vector<std::uint64_t> contact_offset;  // [N + 1]
  std::vector<ContactRecord> contacts;        // contact_offset[i] … contact_offset[i+1] belong to row i
  /// One a step; the energy is that of the last state no later than the step's end.
  std::vector<StepReport> steps;
  std::shared_ptr<const std::vector<std::string>> names;  // keeps the steps' names alive
};

/// Reads a finished file or the .part of a run that was killed or still goes on. Throws Error naming the file
/// and what is wrong with it.
Trajectory read_trajectory(const std::string& path);

}  // namespace pawl
