#pragma once
// Formats the result of an analysis as text and as JSON.

#include <string>
#include <vector>

#include <pawl/analysis.h>
#include <pawl/json/json.h>
#include <pawl/model.h>

namespace pawl::internal::cli {

struct AnalysedState {
  const Model& model;
  double time = 0;
  Instant instant;
  std::vector<AccelerationAnalysis> islands;  // [instant.islands]
};

std::string analysis_text(const AnalysedState& state);
Json analysis_json(const AnalysedState& state);

}  // namespace pawl::internal::cli
