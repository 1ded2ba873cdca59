#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <system_error>

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

using Clock = std::chrono::steady_clock;

// The number of contacts per state is unbounded. Past this limit they are written before their chunk is full.
constexpr std::size_t kMaxPendingContacts = 65536;

void rename_or_throw(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw Error(
        fmt::format("{}: can't be renamed to {}: {}", from, to, std::generic_category().message(errno)));
  }
}

/// The first words of `text` that fit, or the first bytes if not one word does.
std::string_view fitting(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  const std::size_t space = text.rfind(' ', max_bytes);
  return text.substr(0, space == std::string_view::npos || space == 0 ? max_bytes : space);
}

/// Reports errors at the start that would otherwise appear only at the end of the run.
const std::string& check_target(const std::string& path) {
  if (path.empty()) throw Error("the trajectory needs a file name");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(fmt::format("{}: is a directory; give the name of a file", path));
  }
  return path;
}

void create_file(OrderedFile& disk, const TrajectoryInfo& info, const TrajectoryTuning& tuning) {
  const h5::Handle options = h5::check(H5Pcreate(H5P_FILE_CREATE), "prepare the file");
  h5::check_ok(H5Pset_obj_track_times(options, false), "prepare the file");
  const h5::Handle access = h5::make_file_access(disk);
  const h5::Handle file =
      h5::check(H5Fcreate("trajectory", H5F_ACC_TRUNC, options, access), "create the file");
  h5::TrajectoryDatasets all = h5::TrajectoryDatasets::create(file, info, tuning);
  const std::uint64_t first_offset = 0;
  all.offset.append(&first_offset, 1);
  h5::write_attribute(file, "format_version", layout::kFormatVersion);
  h5::write_attribute(file, "pawl_version", std::string(kVersion));
  layout::for_each_attribute(
      info, [&](const char* name, const auto& value) { h5::write_attribute(file, name, value); });

  const h5::Handle one = h5::check(H5Screate(H5S_SCALAR), "create /finished");
  const h5::Handle early = h5::check(H5Pcreate(H5P_DATASET_CREATE), "create /finished");
  h5::check_ok(H5Pset_obj_track_times(early, false), "create /finished");
  h5::check_ok(H5Pset_alloc_time(early, H5D_ALLOC_TIME_EARLY), "create /finished");
  const h5::Handle finished =
      h5::check(H5Dcreate2(file, h5::kFinished, H5T_STD_U8LE, one, H5P_DEFAULT, early, H5P_DEFAULT),
                "create /finished");
  h5::write_attribute(finished, "unit", std::string("1"));
}

}  // namespace

TrajectoryInfo describe_run(const Scene& scene, const Model& model) {
  TrajectoryInfo info;
  info.q_columns = q_columns(model);
  info.v_columns = v_columns(model);
  info.bodies = model.body_names;
  info.scene_file = scene.file;
  info.scene_text = scene.text;
  info.overrides = scene.overrides;
  info.scene_name = scene.name;
  info.method = scene.run.method;
  info.step = scene.run.step;
  info.tolerance = scene.run.tolerance;
  info.planar = model.planar();
  return info;
}

struct TrajectoryWriter::File {
  File(std::string target, const TrajectoryInfo& info, const TrajectoryTuning& how)
      : path(check_target(target)), part(path + ".part"), tuning(how), disk(part + ".new") {
    nq = info.q_columns.size();
    nv = info.v_columns.size();
    const h5::SilenceErrors quiet;
    try {
      // The empty trajectory is created under a third name, so that .part is never without its datasets. HDF5
      // then reopens it and so forgets the free space inside it: from here on it allocates at the end only.
      if (OrderedFile::in_use(part))
        throw Error(fmt::format("{}: another run is writing it; choose another output", part));
      create_file(disk, info, tuning);
      check_disk();
      rename_or_throw(part + ".new", part);
      disk.protect();
      hdf5 =
          h5::check(H5Fopen("trajectory", H5F_ACC_RDWR, h5::make_file_access(disk)), "open the file again");
      all = h5::TrajectoryDatasets::open(hdf5);
    } catch (const h5::Failure& reason) {
      ::unlink((part + ".new").c_str());
      throw Error(fmt::format("{}: {}", part, reason.what()));
    } catch (const Error&) {
      ::unlink((part + ".new").c_str());
      throw;
    }
    time.reserve(tuning.chunk_rows);
    q.reserve(tuning.chunk_rows * nq);
    v.reserve(tuning.chunk_rows * nv);
    offset.reserve(tuning.chunk_rows);
    energy.reserve(tuning.chunk_rows);
    steps.reserve(tuning.chunk_rows + 1);  // a step may arrive before its state
    contacts.reserve(tuning.chunk_rows * 8);
    last_write = Clock::now();
  }

  ~File() {
    const h5::SilenceErrors quiet;
    close();
  }

  void check_disk() const {
    if (disk.error() != 0) throw h5::Failure("can't write: " + std::generic_category().message(disk.error()));
  }

  /// Returns the same characters, stored until the file is closed; longer text is cut after a word.
  std::string_view intern(std::string_view text, std::size_t max_bytes) {
    text = fitting(text, max_bytes);
    for (const std::string& known : names) {
      if (known == text) return known;
    }
    return names.emplace_back(text);
  }

  bool write_is_due() const {
    // At the ends of chunks, independent of the previous write, so that each chunk is written once.
    if ((all.time.rows() + time.size()) % tuning.chunk_rows == 0 || contacts.size() >= kMaxPendingContacts)
      return true;
    return std::chrono::duration<double>(Clock::now() - last_write).count() >= tuning.flush_seconds;
  }

  /// Gathers each column from the structs and appends it to its dataset.
  template <class Row>
  void write_table(const layout::Table& table, std::vector<h5::RowDataset>& datasets,
                   std::vector<Row>& rows) {
    for (std::size_t c = 0; c < datasets.size(); ++c) {
      const layout::Column& column = table.columns[c];
      const std::size_t bytes = datasets[c].row_bytes();
      cells.assign(rows.size() * bytes, std::byte{0});
      std::byte* to = cells.data();
      for (const Row& row : rows) {
        const std::byte* from = reinterpret_cast<const std::byte*>(&row) + column.offset;
        if (layout::is_text(column.type)) {
          const auto& name = *reinterpret_cast<const std::string_view*>(from);
          if (!name.empty()) std::memcpy(to, name.data(), name.size());
        } else {
          std::memcpy(to, from, bytes);
        }
        to += bytes;
      }
      datasets[c].append(cells.data(), rows.size());
    }
    rows.clear();
  }

  void flush() {
    h5::check_ok(H5Fflush(hdf5, H5F_SCOPE_LOCAL), "write");
    check_disk();
  }

  /// Writes all pending rows. /time is written last, so that every row it counts is complete.
  void write_pending() {
    if (!failure.empty()) throw Error(failure);
    const h5::SilenceErrors quiet;
    try {
      all.q.append(q.data(), time.size());
      all.v.append(v.data(), time.size());
      all.offset.append(offset.data(), offset.size());
      write_table(layout::energy_table(), all.energy, energy);
      write_table(layout::step_table(), all.steps, steps);
      write_table(layout::contact_table(), all.contacts, contacts);
      write_table(layout::impact_table(), all.impacts, impacts);
      write_table(layout::joint_table(), all.joints, joints);
      flush();
      all.time.append(time.data(), time.size());
      flush();
    } catch (const h5::Failure& reason) {
      fail(reason.what());
    }
    time.clear();
    q.clear();
    v.clear();
    offset.clear();
    last_write = Clock::now();
  }

  void finish(bool reached_end, std::span<const std::uint64_t> end) {
    write_pending();
    const h5::SilenceErrors quiet;
    try {
      all.end.append(end.data(), end.size());
      const h5::Handle finished = h5::check(H5Dopen2(hdf5, h5::kFinished, H5P_DEFAULT), "open /finished");
      const unsigned char value = reached_end ? 1 : 0;
      h5::check_ok(H5Dwrite(finished, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value),
                   "write /finished");
      flush();
      close();
      disk.sync();
      check_disk();
    } catch (const h5::Failure& reason) {
      fail(reason.what());
    }
    try {
      rename_or_throw(part, path);
    } catch (const Error& error) {
      failure = error.what();
      throw;
    }
  }

  [[noreturn]] void fail(const char* reason) {
    failure = fmt::format("{}: {}", part, reason);
    close();
    throw Error(failure);
  }

  void close() {
    all = {};
    hdf5.reset();
  }

  std::string path;
  std::string part;
  TrajectoryTuning tuning;
  std::size_t nq = 0;
  std::size_t nv = 0;
  OrderedFile disk;
  h5::Handle hdf5;
  h5::TrajectoryDatasets all;
  std::string failure;  // message of the first failed write
  Clock::time_point last_write;

  // Rows pending for the next write.
  std::vector<double> time, q, v;
  std::vector<std::uint64_t> offset;  // end of the contacts of each row
  std::uint64_t contact_count = 0;    // contacts of all rows so far
  std::vector<EnergyLedger> energy;
  std::vector<StepReport> steps;
  std::vector<ContactRecord> contacts;
  std::vector<ImpactRecord> impacts;
  std::vector<JointForces> joints;
  std::deque<std::string> names;  // a deque, so that views into it stay valid
  std::vector<std::byte> cells;   // scratch of write_table
};

TrajectoryWriter::TrajectoryWriter(std::string path, const TrajectoryInfo& info,
                                   const TrajectoryTuning& tuning)
    : file_(std::make_unique<File>(std::move(path), info, tuning)) {}

TrajectoryWriter::~TrajectoryWriter() {
  if (file_ == nullptr) return;
  try {
    file_->write_pending();
  } catch (const std::exception&) {
    // Errors are reported by finish() only.
  }
}

void TrajectoryWriter::append_state(double time, std::span<const double> q, std::span<const double> v,
                                    const EnergyLedger& energy, std::span<const ContactRecord> contacts) {
  assert(file_ != nullptr && "appended to a finished trajectory");
  File& f = *file_;
  assert(q.size() == f.nq && v.size() == f.nv);
  if (!f.failure.empty()) throw Error(f.failure);
  f.time.push_back(time);
  f.q.insert(f.q.end(), q.begin(), q.end());
  f.v.insert(f.v.end(), v.begin(), v.end());
  f.energy.push_back(energy);
  f.contacts.insert(f.contacts.end(), contacts.begin(), contacts.end());
  f.contact_count += contacts.size();
  f.offset.push_back(f.contact_count);
  if (f.write_is_due()) f.write_pending();
}

void TrajectoryWriter::append_step(const StepReport& report) {
  assert(file_ != nullptr && "appended to a finished trajectory");
  File& f = *file_;
  if (!f.failure.empty()) throw Error(f.failure);
  StepReport row = report;
  row.method = f.intern(report.method, layout::kNameBytes);
  row.solver = f.intern(report.solver, layout::kNameBytes);
  row.reason = f.intern(report.reason, layout::kPhraseBytes);
  row.motion = f.intern(report.motion, layout::kNameBytes);
  f.steps.push_back(row);
  // Rows are written together with states, so that both have the same length. This limit is for steps that
  // leave no state.
  if (f.steps.size() > f.tuning.chunk_rows) f.write_pending();
}

void TrajectoryWriter::append_impacts(std::span<const ImpactRecord> events) {
  assert(file_ != nullptr && "appended to a finished trajectory");
  if (!file_->failure.empty()) throw Error(file_->failure);
  file_->impacts.insert(file_->impacts.end(), events.begin(), events.end());
}

void TrajectoryWriter::append_joints(std::span<const JointForces> joints) {
  assert(file_ != nullptr && "appended to a finished trajectory");
  if (!file_->failure.empty()) throw Error(file_->failure);
  file_->joints.insert(file_->joints.end(), joints.begin(), joints.end());
}

void TrajectoryWriter::flush() {
  assert(file_ != nullptr && "flushed a finished trajectory");
  file_->write_pending();
}

void TrajectoryWriter::finish(bool reached_end, std::span<const std::uint64_t> end) {
  assert(file_ != nullptr && "finished twice");
  file_->finish(reached_end, end);
  file_.reset();
}

}  // namespace pawl
