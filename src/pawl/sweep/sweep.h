#pragma once
// Runs the samples of a study on threads and stores them.

#include <cstdint>
#include <functional>
#include <optional>

#include <pawl/store/study_store.h>
#include <pawl/sweep/study_scene.h>

namespace pawl::internal {

struct SweepOptions {
  int jobs = 1;
  std::uint64_t shard = 0, shards = 1;  // only samples with index % shards = shard
  std::optional<double> until_interval =
      {};  // widest 95 % interval of a proportion; the samples of the design are a limit
};

struct SweepProgress {
  std::uint64_t stored = 0, total = 0;  // samples of this shard, those of earlier sweeps included
  std::uint64_t now = 0;                // stored by this sweep
  double seconds = 0;                   // since this sweep began
};

struct SweepResult {
  SweepProgress progress;
  double manager_seconds = 0;  // of the thread that hands out samples and stores rows
  bool interrupted = false;
};

/// `tell` is called with new rows once they are stored, and every 50 ms without; if it returns false the
/// sweep ends, and the runs under way are lost. The content of the store does not depend
/// on `jobs`, nor on how often the sweep was interrupted. Throws Error if a row cannot be stored.
SweepResult sweep(
    const StudyScene& scene, const Design& design, const SweepOptions& options, StudyStore& store,
    const std::function<bool(const SweepProgress& progress, const std::vector<StudyRow>& rows)>& tell);

/// The indices of the outcomes that are proportions. Throws Error if there is none.
std::vector<std::size_t> proportions_of(const StudyInfo& info);
/// The widest 95 % interval of the proportions among the certified runs below sample `end`.
double widest_interval(StudyStore& store, std::uint64_t end);

}  // namespace pawl::internal
