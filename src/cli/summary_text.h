#pragma once
// What held over a run, for people and for programs: the end of `pawl run`, and `pawl info`.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <pawl/trajectory.h>

namespace pawl::internal::cli {

std::string summary_text(const RunSummary& summary, const TrajectoryInfo& info);
nlohmann::ordered_json summary_json(const RunSummary& summary, const TrajectoryInfo& info);

}  // namespace pawl::internal::cli
