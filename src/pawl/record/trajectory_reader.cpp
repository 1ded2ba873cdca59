#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <pawl/error.h>
#include <pawl/record/hdf5_driver.h>
#include <pawl/record/row_dataset.h>
#include <pawl/record/trajectory_layout.h>
#include <pawl/trajectory.h>
#include <pawl/version.h>

namespace pawl {

using namespace internal;

namespace {

using h5::Failure;
using h5::RowDataset;

constexpr const char* kNotATrajectory = "not a Pawl trajectory: ";

h5::Handle open_file(CheckedFile& disk) {
  return h5::check(H5Fopen("trajectory", H5F_ACC_RDONLY, h5::make_file_access(disk)),
                   "open, as it is cut off or damaged");
}

int read_version(hid_t file) {
  for (const char* needed : {"time", "q", "v", "energy", "steps", "contacts", h5::kFinished}) {
    if (!h5::has_link(file, needed)) {
      throw Failure(
          fmt::format("{}it has no /{} (was it written by another program?)", kNotATrajectory, needed));
    }
  }
  if (H5Aexists(file, "format_version") == 0) {
    throw Failure(fmt::format("{}it has no attribute 'format_version' (was it written by another program?)",
                              kNotATrajectory));
  }
  int version = 0;
  h5::read_attribute(file, "format_version", version);
  if (version > layout::kFormatVersion) {
    throw Failure(
        fmt::format("it has format version {}, and Pawl {} reads up to version {}: use a newer Pawl", version,
                    kVersion, layout::kFormatVersion));
  }
  if (version < 1)
    throw Failure(fmt::format("it has format version {}, and there is none before 1", version));
  return version;
}

bool read_finished(hid_t file) {
  const h5::Handle flag = h5::check(H5Dopen2(file, h5::kFinished, H5P_DEFAULT), "open /finished");
  const h5::Handle space = h5::check(H5Dget_space(flag), "read /finished");
  const h5::Handle type = h5::check(H5Dget_type(flag), "read /finished");
  if (H5Sget_simple_extent_npoints(space) != 1 || H5Tget_class(type) != H5T_INTEGER) {
    throw Failure("/finished should be one whole number");
  }
  unsigned char value = 0;
  h5::check_ok(H5Dread(flag, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), "read /finished");
  return value != 0;
}

/// A killed run may have written rows that /time does not count yet.
void check_rows(const RowDataset& dataset, std::uint64_t wanted, bool finished) {
  if (!dataset.exists()) return;
  if (dataset.rows() < wanted || (finished && dataset.rows() > wanted)) {
    throw Failure(fmt::format("/{} has {} rows, and should have {}", dataset.name(), dataset.rows(), wanted));
  }
}

/// The rows [first, first + count) of all datasets.
struct Range {
  std::uint64_t first = 0, count = 0;
};

template <class T>
std::vector<T> read_rows(const RowDataset& dataset, Range range) {
  std::vector<T> rows(range.count * dataset.width());
  dataset.read(rows.data(), range.first, range.count);
  return rows;
}

std::string_view intern(std::vector<std::string>& names, std::string_view name) {
  const auto known = std::find(names.begin(), names.end(), name);
  if (known != names.end()) return *known;
  // Views into a growing vector would dangle. A writer has a handful of names; hundreds mean damage.
  if (names.size() == names.capacity()) throw Failure("/steps has too many different names");
  return names.emplace_back(name);
}

/// Scatters each column into the structs.
template <class Row>
std::vector<Row> read_table(const layout::Table& table, const std::vector<RowDataset>& datasets, Range range,
                            std::vector<std::string>& names) {
  std::vector<Row> rows(range.count);
  std::vector<std::byte> cells;
  for (std::size_t c = 0; c < datasets.size(); ++c) {
    if (!datasets[c].exists()) continue;
    const layout::Column& column = table.columns[c];
    const std::size_t bytes = datasets[c].row_bytes();
    cells.resize(range.count * bytes);
    datasets[c].read(cells.data(), range.first, range.count);
    const std::byte* from = cells.data();
    for (Row& row : rows) {
      std::byte* to = reinterpret_cast<std::byte*>(&row) + column.offset;
      if (layout::is_text(column.type)) {
        const char* text = reinterpret_cast<const char*>(from);
        *reinterpret_cast<std::string_view*>(to) = intern(names, {text, strnlen(text, bytes)});
      } else {
        if (column.type == layout::CellType::choice &&
            std::to_integer<std::size_t>(*from) >= column.choices.size()) {
          throw Failure(fmt::format("/{} holds {}, and has values up to {} only", datasets[c].name(),
                                    std::to_integer<int>(*from), column.choices.size() - 1));
        }
        std::memcpy(to, from, bytes);
      }
      from += bytes;
    }
  }
  return rows;
}

void check_time(const std::vector<double>& time) {
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (!std::isfinite(time[i])) throw Failure(fmt::format("/time is {} in row {}", time[i], i));
    if (i > 0 && time[i] < time[i - 1]) {
      throw Failure(fmt::format("/time runs backwards in row {}: {} after {}", i, time[i], time[i - 1]));
    }
  }
}

void check_offsets(const std::vector<std::uint64_t>& offset) {
  if (offset.front() != 0)
    throw Failure(fmt::format("/contacts/offset starts at {}, and should at 0", offset.front()));
  const auto drop = std::adjacent_find(offset.begin(), offset.end(), std::greater<>());
  if (drop != offset.end()) {
    throw Failure(fmt::format("/contacts/offset decreases after row {}", drop - offset.begin()));
  }
}

void check_bodies(const std::vector<ContactRecord>& contacts, std::size_t bodies) {
  for (const ContactRecord& contact : contacts) {
    for (const std::int32_t body : {contact.body_a, contact.body_b}) {
      if (body < 0 || static_cast<std::size_t>(body) >= bodies) {
        throw Failure(fmt::format("/contacts refers to body {}, and there are {}", body, bodies));
      }
    }
  }
}

void read_columns(const RowDataset& dataset, std::vector<std::string>& columns) {
  h5::read_attribute(dataset.id(), "columns", columns);
  if (columns.size() != dataset.width()) {
    throw Failure(
        fmt::format("/{} has {} columns and names for {}", dataset.name(), dataset.width(), columns.size()));
  }
}

/// Steps are written shortly before the states they lead to. In an unfinished file, drop the steps after the
/// last state.
std::vector<double> read_step_times(const h5::TrajectoryDatasets& all, const std::vector<double>& time,
                                    bool finished) {
  std::uint64_t count = all.steps.front().rows();
  for (const RowDataset& column : all.steps) {
    if (!finished) count = std::min(count, column.rows());
    check_rows(column, count, finished);
  }
  const layout::Table& table = layout::step_table();
  const auto column = std::ranges::find(table.columns, "time", &layout::Column::name);
  std::vector<double> times = read_rows<double>(all.steps[column - table.columns.begin()], {0, count});
  while (!finished && !times.empty() && (time.empty() || times.back() > time.back())) times.pop_back();
  return times;
}

}  // namespace

struct TrajectoryReader::File {
  /// Runs `read` and adds the file's name to its errors.
  template <class Read>
  auto rethrow_with_path(Read read) const {
    const h5::SilenceErrors quiet;
    try {
      return read();
    } catch (const Failure& failure) {
      const bool damaged = disk && !disk->damage().empty();
      throw Error(fmt::format("{}: {}", path, damaged ? disk->damage() : failure.what()));
    } catch (const std::bad_alloc&) {
      throw Error(fmt::format("{}: it is larger than the memory", path));
    }
  }

  explicit File(const std::string& path_) : path(path_) {
    rethrow_with_path([&] {
      disk.emplace(path);
      hdf5 = open_file(*disk);
      read_attributes();
      // Read before the rows: if the flag is set now, all rows are in the file.
      finished = read_finished(hdf5);
      all = h5::TrajectoryDatasets::open(hdf5);
      read_column_names();

      const std::uint64_t rows = all.time.rows();
      check_rows(all.q, rows, finished);
      check_rows(all.v, rows, finished);
      check_rows(all.offset, rows + 1, finished);
      for (const RowDataset& column : all.energy) check_rows(column, rows, finished);
      time = read_rows<double>(all.time, {0, rows});
      check_time(time);
      offset = read_rows<std::uint64_t>(all.offset, {0, rows + 1});
      check_offsets(offset);
      for (const RowDataset& column : all.contacts) check_rows(column, offset.back(), finished);
      step_time = read_step_times(all, time, finished);
      names->reserve(256);
    });
  }

  void read_attributes() {
    const CheckedFile::ReadingAttributes reading(*disk);
    format_version = read_version(hdf5);
    h5::read_attribute(hdf5, "pawl_version", pawl_version);
    layout::for_each_attribute(info,
                               [&](const char* name, auto& value) { h5::read_attribute(hdf5, name, value); });
  }

  void read_column_names() {
    const CheckedFile::ReadingAttributes reading(*disk);
    read_columns(all.q, info.q_columns);
    read_columns(all.v, info.v_columns);
  }

  /// All rows of a table without an offset.
  template <class Row>
  std::vector<Row> read_all(const layout::Table& table, const std::vector<RowDataset>& columns) const {
    return rethrow_with_path([&] {
      // A kill may fall between the writes of two columns.
      std::uint64_t rows = std::numeric_limits<std::uint64_t>::max();
      for (const RowDataset& column : columns) rows = std::min(rows, column.exists() ? column.rows() : 0);
      return read_table<Row>(table, columns, {0, rows}, *names);
    });
  }

  void check_states(std::uint64_t first, std::uint64_t count) const {
    assert(first <= time.size() && count <= time.size() - first);
    (void)first, (void)count;
  }

  std::string path;
  std::optional<CheckedFile> disk;
  h5::Handle hdf5;
  h5::TrajectoryDatasets all;
  TrajectoryInfo info;
  std::string pawl_version;
  int format_version = 0;
  bool finished = false;
  std::vector<double> time, step_time;
  std::vector<std::uint64_t> offset;
  std::shared_ptr<std::vector<std::string>> names = std::make_shared<std::vector<std::string>>();
};

TrajectoryReader::TrajectoryReader(const std::string& path) : file_(std::make_unique<File>(path)) {}
TrajectoryReader::~TrajectoryReader() = default;
TrajectoryReader::TrajectoryReader(TrajectoryReader&&) noexcept = default;
TrajectoryReader& TrajectoryReader::operator=(TrajectoryReader&&) noexcept = default;

const TrajectoryInfo& TrajectoryReader::info() const {
  return file_->info;
}
const std::string& TrajectoryReader::pawl_version() const {
  return file_->pawl_version;
}
int TrajectoryReader::format_version() const {
  return file_->format_version;
}
bool TrajectoryReader::finished() const {
  return file_->finished;
}
const std::vector<double>& TrajectoryReader::time() const {
  return file_->time;
}
const std::vector<double>& TrajectoryReader::step_time() const {
  return file_->step_time;
}
const std::vector<std::uint64_t>& TrajectoryReader::contact_offset() const {
  return file_->offset;
}
std::vector<ImpactRecord> TrajectoryReader::read_impacts() const {
  return file_->read_all<ImpactRecord>(layout::impact_table(), file_->all.impacts);
}
std::vector<JointForces> TrajectoryReader::read_joints() const {
  return file_->read_all<JointForces>(layout::joint_table(), file_->all.joints);
}
std::vector<std::uint64_t> TrajectoryReader::end() const {
  const File& f = *file_;
  if (!f.all.end.exists()) return {};
  return f.rethrow_with_path([&] { return read_rows<std::uint64_t>(f.all.end, {0, f.all.end.rows()}); });
}
std::shared_ptr<const std::vector<std::string>> TrajectoryReader::names() const {
  return file_->names;
}

StateRows TrajectoryReader::read_states(std::uint64_t first, std::uint64_t count) const {
  const File& f = *file_;
  f.check_states(first, count);
  StateRows rows;
  rows.energy = read_energy(first, count);
  rows.contacts = read_contacts(first, count);
  return f.rethrow_with_path([&] {
    const auto begin = static_cast<std::ptrdiff_t>(first), end = static_cast<std::ptrdiff_t>(first + count);
    rows.time.assign(f.time.begin() + begin, f.time.begin() + end);
    rows.q = read_rows<double>(f.all.q, {first, count});
    rows.v = read_rows<double>(f.all.v, {first, count});
    rows.contact_offset.assign(f.offset.begin() + begin, f.offset.begin() + end + 1);
    for (std::uint64_t& at : rows.contact_offset) at -= f.offset[first];
    return std::move(rows);
  });
}

std::vector<EnergyLedger> TrajectoryReader::read_energy(std::uint64_t first, std::uint64_t count) const {
  const File& f = *file_;
  f.check_states(first, count);
  return f.rethrow_with_path([&] {
    return read_table<EnergyLedger>(layout::energy_table(), f.all.energy, {first, count}, *f.names);
  });
}

std::vector<ContactRecord> TrajectoryReader::read_contacts(std::uint64_t first, std::uint64_t count) const {
  const File& f = *file_;
  f.check_states(first, count);
  return f.rethrow_with_path([&] {
    const Range range{f.offset[first], f.offset[first + count] - f.offset[first]};
    std::vector<ContactRecord> contacts =
        read_table<ContactRecord>(layout::contact_table(), f.all.contacts, range, *f.names);
    check_bodies(contacts, f.info.bodies.size());
    return contacts;
  });
}

std::vector<StepReport> TrajectoryReader::read_steps(std::uint64_t first, std::uint64_t count) const {
  const File& f = *file_;
  assert(first <= f.step_time.size() && count <= f.step_time.size() - first);
  return f.rethrow_with_path([&] {
    return read_table<StepReport>(layout::step_table(), f.all.steps, {first, count}, *f.names);
  });
}

Trajectory read_trajectory(const std::string& path) {
  const TrajectoryReader reader(path);
  Trajectory run;
  static_cast<StateRows&>(run) = reader.read_states(0, reader.time().size());
  run.info = reader.info();
  run.pawl_version = reader.pawl_version();
  run.format_version = reader.format_version();
  run.finished = reader.finished();
  run.joints = reader.read_joints();
  run.steps = reader.read_steps(0, reader.step_time().size());
  run.names = reader.names();
  std::size_t row = 0;
  for (StepReport& step : run.steps) {
    while (row + 1 < run.time.size() && run.time[row + 1] <= step.time) ++row;
    if (row < run.energy.size()) step.energy = run.energy[row];
  }
  return run;
}

}  // namespace pawl
