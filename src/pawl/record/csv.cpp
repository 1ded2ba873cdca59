#include <pawl/record/csv.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <pawl/error.h>
#include <pawl/record/trajectory_layout.h>

namespace pawl::internal {
namespace {

using layout::CellType;
using layout::Column;
using layout::Table;

[[noreturn]] void fail(std::string_view doing, const std::string& name) {
  throw Error(fmt::format("{}: can't {} the file: {}", name, doing, std::generic_category().message(errno)));
}

/// Writes lines of cells; `name` is used in error messages.
class CsvWriter {
 public:
  CsvWriter(std::FILE* out, std::string name) : out_(out), name_(std::move(name)) {}

  void number(auto value) {
    separate();
    line_ += fmt::format("{}", value);
  }

  void text(std::string_view value) {
    separate();
    line_ += csv_escape(value);
  }

  void end_line() {
    line_ += '\n';
    if (std::fwrite(line_.data(), 1, line_.size(), out_) != line_.size()) fail("write", name_);
    line_.clear();
    first_ = true;
  }

  void finish() {
    if (std::fflush(out_) != 0) fail("write", name_);
  }

 private:
  void separate() {
    if (!first_) line_ += ',';
    first_ = false;
  }

  std::FILE* out_;
  std::string name_;
  std::string line_;
  bool first_ = true;
};

void write_header(CsvWriter& csv, const Table& table) {
  for (const Column& column : table.columns) {
    if (column.components.empty()) csv.text(column.name);
    for (const char component : column.components) csv.text(fmt::format("{}_{}", column.name, component));
  }
}

template <class T>
T read_cell(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// Integers in the columns body_a and body_b are indices into `bodies` and are written as names.
template <class Row>
void write_row(CsvWriter& csv, const Table& table, const Row& row, const std::vector<std::string>& bodies) {
  for (const Column& column : table.columns) {
    const std::byte* from = reinterpret_cast<const std::byte*>(&row) + column.offset;
    switch (column.type) {
      case CellType::real:
        for (std::size_t i = 0; i < layout::cell_count(column); ++i)
          csv.number(read_cell<double>(from + i * sizeof(double)));
        break;
      case CellType::integer: {
        const auto value = read_cell<std::int32_t>(from);
        const bool named =
            column.name.starts_with("body_") && value >= 0 && static_cast<std::size_t>(value) < bodies.size();
        if (named) {
          csv.text(bodies[static_cast<std::size_t>(value)]);
        } else {
          csv.number(value);
        }
        break;
      }
      case CellType::count:
        csv.number(read_cell<std::uint64_t>(from));
        break;
      case CellType::choice:
        csv.text(column.choices[std::to_integer<std::size_t>(*from)]);
        break;
      case CellType::name:
      case CellType::phrase:
        csv.text(read_cell<std::string_view>(from));
        break;
    }
  }
  csv.end_line();
}

void write_states(CsvWriter& csv, const Trajectory& run) {
  csv.text("time");
  for (const std::string& name : run.info.q_columns) csv.text(name);
  for (const std::string& name : run.info.v_columns) csv.text(name);
  write_header(csv, layout::energy_table());
  csv.end_line();
  const std::size_t nq = run.info.q_columns.size(), nv = run.info.v_columns.size();
  for (std::size_t row = 0; row < run.time.size(); ++row) {
    csv.number(run.time[row]);
    for (std::size_t i = 0; i < nq; ++i) csv.number(run.q[row * nq + i]);
    for (std::size_t i = 0; i < nv; ++i) csv.number(run.v[row * nv + i]);
    write_row(csv, layout::energy_table(), run.energy[row], {});
  }
}

void write_steps(CsvWriter& csv, const Trajectory& run) {
  write_header(csv, layout::step_table());
  csv.end_line();
  for (const StepReport& step : run.steps) write_row(csv, layout::step_table(), step, run.info.bodies);
}

void write_contacts(CsvWriter& csv, const Trajectory& run) {
  csv.text("time");
  write_header(csv, layout::contact_table());
  csv.end_line();
  for (std::size_t row = 0; row < run.time.size(); ++row) {
    for (std::uint64_t i = run.contact_offset[row]; i < run.contact_offset[row + 1]; ++i) {
      csv.number(run.time[row]);
      write_row(csv, layout::contact_table(), run.contacts[i], run.info.bodies);
    }
  }
}

void write_joints(CsvWriter& csv, const Trajectory& run) {
  write_header(csv, layout::joint_table());
  csv.end_line();
  for (const JointForces& joint : run.joints) write_row(csv, layout::joint_table(), joint, run.info.bodies);
}

}  // namespace

std::string csv_escape(std::string_view value) {
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(value);
  std::string quoted = "\"";
  for (const char c : value) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

void print_csv(const Trajectory& run, std::FILE* out, const std::string& name, CsvTable table) {
  CsvWriter csv(out, name);
  switch (table) {
    case CsvTable::states:
      write_states(csv, run);
      break;
    case CsvTable::steps:
      write_steps(csv, run);
      break;
    case CsvTable::contacts:
      write_contacts(csv, run);
      break;
    case CsvTable::joints:
      write_joints(csv, run);
      break;
  }
  csv.finish();
}

void export_csv(const Trajectory& run, const std::string& path, CsvTable table) {
  const std::string part = path + ".part";
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(part.c_str(), "wb"), close);
  if (file == nullptr) fail("create", part);
  try {
    print_csv(run, file.get(), part, table);
    if (std::rename(part.c_str(), path.c_str()) != 0) fail("replace", path);
  } catch (...) {
    std::remove(part.c_str());
    throw;
  }
}

}  // namespace pawl::internal
