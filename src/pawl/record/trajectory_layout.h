#pragma once
// Layout of a trajectory file: the one list of columns for the writer, the reader and the CSV tables.
//
// A new member of ContactRecord, EnergyLedger, Residual or StepReport needs one line in trajectory_layout.cpp
// and one in docs/trajectory-format.md.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <pawl/trajectory.h>

namespace pawl::internal::layout {

inline constexpr int kFormatVersion = 1;
// Bytes in /steps, zero-padded.
inline constexpr std::size_t kNameBytes = 32;
inline constexpr std::size_t kPhraseBytes = 64;

enum class CellType : std::uint8_t {
  real,     // double
  integer,  // std::int32_t
  count,    // std::uint64_t in memory, signed in the file: numpy turns sums of unsigned integers into floats
  choice,   // an enum of one byte; the attribute `values` holds its names
  name,     // std::string_view in memory, kNameBytes bytes in the file
  phrase,   // std::string_view in memory, kPhraseBytes bytes in the file
};

/// One dataset with one row per struct: a member, its name and its unit.
struct Column {
  std::string_view name;
  std::string_view unit;  // of each component, comma-separated where they differ; "1" if dimensionless
  std::size_t offset;     // offset of the member in the struct
  CellType type;
  std::string_view components;                // "" for a scalar, else one letter per component: "xyz", "ntor"
  std::span<const std::string_view> choices;  // names of the enumerators, indexed by value
  bool is_optional = false;                   // missing in files of the first releases and then read as 0
};

/// A group of datasets with the same number of rows.
struct Table {
  std::string_view group;
  std::span<const Column> columns;
};

inline bool is_text(CellType type) {
  return type == CellType::name || type == CellType::phrase;
}

const Table& energy_table();   // members of EnergyLedger
const Table& step_table();     // members of StepReport except its energy, which is in /energy
const Table& contact_table();  // members of ContactRecord
const Table& impact_table();   // members of ImpactRecord
const Table& joint_table();    // members of JointForces

/// Bytes of a cell of that type in the file.
std::size_t cell_bytes(CellType type);
inline std::size_t cell_count(const Column& column) {
  return column.components.empty() ? 1 : column.components.size();
}

/// Calls visit(name, member) for every root attribute.
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
