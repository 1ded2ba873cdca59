#include <pawl/record/csv.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <pawl/base/error.h>
#include <pawl/record/trajectory_layout.h>

namespace pawl {
namespace {

using layout::CellType;
using layout::Column;
using layout::Table;

/// Lines of cells, written to path + ".part" until finish() renames it.
class CsvFile {
 public:
  explicit CsvFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {
    file_.reset(std::fopen(part_.c_str(), "wb"));
    if (file_ == nullptr) fail("create", part_);
  }
  ~CsvFile() {
    if (!renamed_ && file_ != nullptr) std::remove(part_.c_str());
  }

  void number(auto value) {
    separate();
    fmt::format_to(std::back_inserter(line_), "{}", value);
  }

  void text(std::string_view value) {
    separate();
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
      line_ += value;
      return;
    }
    line_ += '"';
    for (const char c : value) line_.append(c == '"' ? 2 : 1, c);
    line_ += '"';
  }

  void end_line() {
    line_ += '\n';
    if (std::fwrite(line_.data(), 1, line_.size(), file_.get()) != line_.size()) fail("write", part_);
    line_.clear();
    first_ = true;
  }

  void finish() {
    if (std::fflush(file_.get()) != 0) fail("write", part_);
    if (std::rename(part_.c_str(), path_.c_str()) != 0) fail("replace", path_);
    renamed_ = true;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[noreturn]] static void fail(std::string_view doing, const std::string& path) {
    throw Error(
        fmt::format("{}: can't {} the file: {}", path, doing, std::generic_category().message(errno)));
  }

  void separate() {
    if (!first_) line_ += ',';
    first_ = false;
  }

  std::string path_;
  std::string part_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string line_;
  bool first_ = true;
  bool renamed_ = false;
};

void head(CsvFile& csv, const Table& table) {
  for (const Column& column : table.columns) {
    if (column.components.empty()) csv.text(column.name);
    for (const char component : column.components) csv.text(fmt::format("{}_{}", column.name, component));
  }
}

template <class T>
T cell(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// `bodies` names the whole numbers of the columns body_a and body_b.
template <class Row>
void cells(CsvFile& csv, const Table& table, const Row& row, const std::vector<std::string>& bodies) {
  for (const Column& column : table.columns) {
    const std::byte* from = reinterpret_cast<const std::byte*>(&row) + column.offset;
    switch (column.type) {
      case CellType::real:
        for (std::size_t i = 0; i < layout::cell_count(column); ++i)
          csv.number(cell<double>(from + i * sizeof(double)));
        break;
      case CellType::integer: {
        const auto value = cell<std::int32_t>(from);
        if (column.name.starts_with("body_")) {
          csv.text(bodies.at(static_cast<std::size_t>(value)));
        } else {
          csv.number(value);
        }
        break;
      }
      case CellType::count:
        csv.number(cell<std::uint64_t>(from));
        break;
      case CellType::choice:
        csv.text(column.choices[std::to_integer<std::size_t>(*from)]);
        break;
      case CellType::name:
        csv.text(cell<std::string_view>(from));
        break;
    }
  }
  csv.end_line();
}

void write_states(CsvFile& csv, const Trajectory& run) {
  csv.text("time");
  for (const std::string& name : run.info.q_columns) csv.text(name);
  for (const std::string& name : run.info.v_columns) csv.text(name);
  head(csv, layout::energy_table());
  csv.end_line();
  const std::size_t nq = run.info.q_columns.size(), nv = run.info.v_columns.size();
  for (std::size_t row = 0; row < run.time.size(); ++row) {
    csv.number(run.time[row]);
    for (std::size_t i = 0; i < nq; ++i) csv.number(run.q[row * nq + i]);
    for (std::size_t i = 0; i < nv; ++i) csv.number(run.v[row * nv + i]);
    cells(csv, layout::energy_table(), run.energy[row], {});
  }
}

void write_steps(CsvFile& csv, const Trajectory& run) {
  head(csv, layout::step_table());
  csv.end_line();
  for (const StepReport& step : run.steps) cells(csv, layout::step_table(), step, {});
}

void write_contacts(CsvFile& csv, const Trajectory& run) {
  csv.text("time");
  head(csv, layout::contact_table());
  csv.end_line();
  for (std::size_t row = 0; row < run.time.size(); ++row) {
    for (std::uint64_t i = run.contact_offset[row]; i < run.contact_offset[row + 1]; ++i) {
      csv.number(run.time[row]);
      cells(csv, layout::contact_table(), run.contacts[i], run.info.bodies);
    }
  }
}

}  // namespace

void export_csv(const Trajectory& run, const std::string& path, CsvTable table) {
  CsvFile csv(path);
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
  }
  csv.finish();
}

}  // namespace pawl
