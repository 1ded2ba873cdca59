#pragma once
// Formats the summary of a run as text and as JSON, for `pawl run` and `pawl info`.

#include <string>

#include <pawl/json/json.h>
#include <pawl/trajectory.h>

namespace pawl::internal::cli {

/// Version of the JSON of `pawl run` and `pawl info`; raised when a field changes its meaning or goes.
inline constexpr int kRunJsonVersion = 1;

std::string summary_text(const RunSummary& summary, const TrajectoryInfo& info);
/// " (reason: a and b)" of the first step that is not certified, as far as known.
std::string reason_text(const RunSummary& summary, const TrajectoryInfo& info);
/// What a summary warns of beside steps that are not certified, a line each: for --quiet.
std::string warning_text(const RunSummary& summary);
Json summary_json(const RunSummary& summary, const TrajectoryInfo& info);

}  // namespace pawl::internal::cli
