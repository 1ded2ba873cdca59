#pragma once
// The file of a study (docs/studies.md): what it studies, and one row for every run.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <pawl/store/database.h>
#include <pawl/study/outcome_meter.h>

namespace pawl::internal {

/// A column of numbers: a parameter, or one component of it (place.x).
struct ParameterColumn {
  std::string name, unit;
  std::string parameter;  // whose component it is
};

struct OutcomeColumn {
  std::string name;
  std::string kind;  // to_string(OutcomeKind)
};

/// What makes the rows comparable: studies that differ in it cannot be continued or merged.
struct StudyIdentity {
  std::string version;      // of pawl
  std::string scene_text;   // of the scene file
  std::string overrides;    // of --set, one a line
  std::string design;       // sampling, seed, grid
  std::string fingerprint;  // of the compiled scene, with its meshes
};

struct StudyInfo {
  StudyIdentity identity;
  std::string scene_file, scene_name;
  std::vector<ParameterColumn> parameters;
  std::vector<OutcomeColumn> outcomes;
};

enum class RunStatus {
  certified,
  uncertified,  // ran to its end, but steps are not certified
  refused,      // a step was refused
  invalid,      // these parameters give no valid scene
};
std::string_view to_string(RunStatus status);

struct StudyRow {
  std::uint64_t sample = 0;
  RunStatus status = RunStatus::certified;
  std::string message;  // why it is not certified
  std::int64_t steps = 0, uncertified = 0;
  double end_time = 0;         // s
  std::uint64_t checksum = 0;  // over the state at the end
  double seconds = 0;          // of computation; the only column that differs between two equal studies
  std::vector<double> parameters;
  std::vector<OutcomeValue> outcomes;
};

/// True if all but the seconds are equal, bit for bit.
bool same_result(const StudyRow& a, const StudyRow& b);

/// Throws Error that tells how the study in `path` differs from another one.
void check_same_study(const std::string& path, const StudyInfo& study, const StudyInfo& other);

class StudyStore {
 public:
  /// Opens a study for reading.
  explicit StudyStore(const std::string& path);
  /// Creates a study or continues one, which must have the same identity. Throws Error if the file is none,
  /// is damaged, or is in use by another sweep.
  StudyStore(const std::string& path, const StudyInfo& info);
  ~StudyStore();

  const StudyInfo& info() const { return info_; }
  std::uint64_t size();
  /// True at the index of each sample below `count` that is stored.
  std::vector<bool> stored(std::uint64_t count);
  /// Inserts all or none.
  void insert(const std::vector<StudyRow>& rows);
  /// In the order of samples; those below `end`.
  void read(const std::function<void(const StudyRow& row)>& row, std::uint64_t end = ~std::uint64_t{0} >> 1);
  /// Throws Error if there is no such sample.
  StudyRow row(std::uint64_t sample);
  /// Makes it one file again, without the log beside it.
  void finish();

 private:
  void create(const StudyInfo& info);
  void insert_row(const StudyRow& row);
  void check_file();
  void read_info();
  StudyRow row_of(const Statement& statement) const;
  std::string select() const;

  struct Lock;
  std::unique_ptr<Lock> lock_;
  Database database_;
  std::unique_ptr<Statement> insert_;  // prepared once
  StudyInfo info_;
};

}  // namespace pawl::internal
