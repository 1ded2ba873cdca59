#pragma once
// What a trajectory file holds: the one list that the writer, the reader and the CSV tables go by. A new
// figure in ContactRecord, EnergyLedger, Residual or StepReport is one new line in trajectory_layout.cpp, and
// one in docs/trajectory-format.md.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <pawl/trajectory.h>

namespace pawl::internal::layout {

inline constexpr int kFormatVersion = 1;
inline constexpr std::size_t kNameBytes = 32;  // of a name in /steps, padded with 0

enum class CellType : std::uint8_t {
  real,     // double
  integer,  // std::int32_t
  count,    // std::uint64_t in memory, signed in the file: numpy makes reals of unsigned sums
  choice,   // an enum of one byte, whose names go into the attribute `values`
  name,     // std::string_view in memory, kNameBytes bytes in the file
};

/// One dataset with one row per struct: a member, its name and its unit.
struct Column {
  std::string_view name;
  std::string_view unit;  // of each component, separated by commas where they differ; "1" if it has none
  std::size_t offset;     // of the member in the struct
  CellType type;
  std::string_view components;                // "" for one number, else a letter each: "xyz", "ntor"
  std::span<const std::string_view> choices;  // by value
  bool is_optional = false;                   // files of the first releases have none: then it is 0
};

/// A group of datasets, all of as many rows.
struct Table {
  std::string_view group;
  std::span<const Column> columns;
};

const Table& energy_table();   // of EnergyLedger
const Table& step_table();     // of StepReport, but for its energy: that is in /energy
const Table& contact_table();  // of ContactRecord

/// Bytes of a number of that type, or of a name in the file.
std::size_t cell_bytes(CellType type);
inline std::size_t cell_count(const Column& column) {
  return column.components.empty() ? 1 : column.components.size();
}

/// The root attributes, by name.
template <class Info, class Visitor>
void for_each_attribute(Info& info, Visitor&& visit) {
  visit("scene_name", info.scene_name);
  visit("scene_file", info.scene_file);
  visit("scene_text", info.scene_text);
  visit("overrides", info.overrides);
  visit("bodies", info.bodies);
  visit("method", info.method);
  visit("step", info.step);
  visit("tolerance", info.tolerance);
  visit("planar", info.planar);
  visit("start_overlap", info.start_overlap);
}

}  // namespace pawl::internal::layout
