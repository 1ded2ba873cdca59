#pragma once
// Trajectories as tables for spreadsheets and plotting programs.

#include <cstdio>
#include <string>
#include <string_view>

#include <pawl/trajectory.h>

namespace pawl::internal {

enum class CsvTable {
  states,    // one line per state: time, q, v, energies
  steps,     // one line per step: its StepReport without the energies
  contacts,  // one line per contact: time, the names of the two bodies, the rest of the ContactRecord
  joints,    // one line per joint: its JointForces
};

/// Quotes a cell of text where RFC 4180 requires it.
std::string csv_escape(std::string_view value);

/// Writes one line of column names and then the rows to an open file; `name` is used in error messages.
/// Numbers have the fewest digits that round-trip the double. Text is quoted per RFC 4180, lines end in \n.
/// Throws Error.
void print_csv(const Trajectory& run, std::FILE* out, const std::string& name, CsvTable table);

/// Writes path + ".part" and renames it to `path` at the end. Throws Error naming the file.
void export_csv(const Trajectory& run, const std::string& path, CsvTable table);

}  // namespace pawl::internal
