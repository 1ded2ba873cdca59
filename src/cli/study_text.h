#pragma once
// The summary of a study as text and JSON.

#include <cstdio>
#include <string>

#include <pawl/json/json.h>
#include <pawl/sweep/study_summary.h>

namespace pawl::internal::cli {

std::string study_text(const StudySummary& summary);
Json study_json(const StudySummary& summary);
/// The proportions in one line: "face: up 0.17 [0.16, 0.18]".
std::string proportions_text(const StudySummary& summary);
/// One line for each run, under a header.
void print_study_csv(StudyStore& store, std::FILE* file);

}  // namespace pawl::internal::cli
