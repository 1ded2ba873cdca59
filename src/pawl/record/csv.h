#pragma once
// Trajectories as tables for spreadsheets and plotting programs.

#include <cstdio>
#include <string>
#include <string_view>

#include <pawl/trajectory.h>

namespace pawl::internal {

enum class CsvTable {
  states,    // a line a state: time, q, v, energies
  steps,     // a line a step: what it says of itself
  contacts,  // a line a contact: time, the two bodies by name, and the rest of the record
};

/// A cell of text, quoted where RFC 4180 asks for it.
std::string csv_escape(std::string_view value);

/// To an open file, whose `name` is for messages: one line of column names, then numbers with as many digits
/// as bring back the same double; text is quoted as RFC 4180 says, lines end in \n. Throws Error.
void print_csv(const Trajectory& run, std::FILE* out, const std::string& name, CsvTable table);

/// To a file by name, written aside and renamed. Throws Error naming the file.
void export_csv(const Trajectory& run, const std::string& path, CsvTable table);

}  // namespace pawl::internal
