#pragma once
// Formats the summary of a run as text and as JSON, for `pawl run` and `pawl info`.

#include <string>

#include <pawl/json/json.h>
#include <pawl/trajectory.h>

namespace pawl::internal::cli {

std::string summary_text(const RunSummary& summary, const TrajectoryInfo& info);
/// " (reason: a and b)" of the first step that is not certified, as far as known.
std::string reason_text(const RunSummary& summary, const TrajectoryInfo& info);
Json summary_json(const RunSummary& summary, const TrajectoryInfo& info);

}  // namespace pawl::internal::cli
