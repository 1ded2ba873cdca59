#include <pawl/record/row_dataset.h>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace pawl::internal::h5 {
namespace {

using layout::CellType;
using layout::Column;
using layout::Table;

// Chunks are always written whole, even if they hold few rows. The limit gives wide scenes fewer rows per
// chunk.
constexpr std::uint64_t kMaxChunkCells = 1 << 17;  // 1 MB of doubles
constexpr std::uint64_t kEndChunkRows = 512;       // of the one list that is written at the end

Handle fixed_text_type(std::size_t bytes) {
  Handle type = check(H5Tcopy(H5T_C_S1), "make a string type");
  check_ok(H5Tset_size(type, bytes), "make a string type");
  check_ok(H5Tset_strpad(type, H5T_STR_NULLPAD), "make a string type");
  check_ok(H5Tset_cset(type, H5T_CSET_UTF8), "make a string type");
  return type;
}

Handle memory_type(CellType type) {
  switch (type) {
    case CellType::real:
      return check(H5Tcopy(H5T_NATIVE_DOUBLE), "copy a type");
    case CellType::integer:
      return check(H5Tcopy(H5T_NATIVE_INT32), "copy a type");
    case CellType::count:
      return check(H5Tcopy(H5T_NATIVE_INT64), "copy a type");  // a negative count reads as too large
    case CellType::choice:
      return check(H5Tcopy(H5T_NATIVE_UINT8), "copy a type");
    case CellType::name:
    case CellType::phrase:
      return fixed_text_type(layout::cell_bytes(type));
  }
  return {};
}

// Little-endian on every machine.
Handle file_type(CellType type) {
  Handle copy = memory_type(type);
  if (!layout::is_text(type)) check_ok(H5Tset_order(copy, H5T_ORDER_LE), "set a byte order");
  return copy;
}

H5T_class_t class_of(CellType type) {
  switch (type) {
    case CellType::real:
      return H5T_FLOAT;
    case CellType::name:
    case CellType::phrase:
      return H5T_STRING;
    default:
      return H5T_INTEGER;
  }
}

/// Calls make(name, unit, shape, chunk_rows, choices) for every dataset, in the order of creation. Skips
/// optional columns (added by later releases) for which is_missing(name).
template <class Make, class IsMissing>
void make_datasets(TrajectoryDatasets& all, std::uint64_t nq, std::uint64_t nv,
                   const TrajectoryTuning& tuning, Make make, IsMissing is_missing) {
  const std::uint64_t rows = tuning.chunk_rows;
  all.time = make("time", "s", RowShape{CellType::real}, rows, {});
  all.q = make("q", "m or rad, 1 for quaternions", RowShape{CellType::real, true, nq}, rows, {});
  all.v = make("v", "m/s or rad/s", RowShape{CellType::real, true, nv}, rows, {});
  all.offset = make("contacts/offset", "1", RowShape{CellType::count}, rows, {});
  const auto make_table = [&](const Table& table, std::uint64_t chunk_rows) {
    std::vector<RowDataset> made;
    for (const Column& c : table.columns) {
      const RowShape shape{c.type, !c.components.empty(), layout::cell_count(c)};
      const std::string name = fmt::format("{}/{}", table.group, c.name);
      if (c.is_optional && is_missing(name)) {
        made.emplace_back();
      } else {
        made.push_back(make(name, c.unit, shape, chunk_rows, c.choices));
      }
    }
    return made;
  };
  all.energy = make_table(layout::energy_table(), rows);
  all.steps = make_table(layout::step_table(), rows);
  all.contacts = make_table(layout::contact_table(), 4 * rows);
  all.impacts = make_table(layout::impact_table(), rows);
  all.joints = make_table(layout::joint_table(), rows);
  if (!is_missing("end")) all.end = make("end", "1", RowShape{CellType::count}, kEndChunkRows, {});
}

/// Creates the group of "group/name" if it does not exist. HDF5 would create it with a time stamp.
void create_group_of(hid_t file, const std::string& name, const std::string& doing) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return;
  const std::string group = name.substr(0, slash);
  if (H5Lexists(file, group.c_str(), H5P_DEFAULT) > 0) return;
  const Handle options = check(H5Pcreate(H5P_GROUP_CREATE), doing);
  check_ok(H5Pset_obj_track_times(options, false), doing);
  const Handle made = check(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, options, H5P_DEFAULT), doing);
}

}  // namespace

RowDataset RowDataset::create(hid_t file, const std::string& name, std::string_view unit, RowShape shape,
                              std::uint64_t chunk_rows) {
  const std::string doing = fmt::format("create /{}", name);
  const int rank = shape.matrix ? 2 : 1;
  // A chunk must not be empty and must fit into the dataset, so a dataset without columns gets a chunk width
  // of 1.
  const hsize_t room = std::max<hsize_t>(shape.width, 1);
  chunk_rows = std::min(chunk_rows, std::bit_floor(std::max<std::uint64_t>(kMaxChunkCells / room, 1)));
  const hsize_t start[] = {0, shape.width}, max_dims[] = {H5S_UNLIMITED, room}, chunk[] = {chunk_rows, room};
  const Handle space = check(H5Screate_simple(rank, start, max_dims), doing);
  const Handle options = check(H5Pcreate(H5P_DATASET_CREATE), doing);
  check_ok(H5Pset_chunk(options, rank, chunk), doing);
  check_ok(H5Pset_obj_track_times(options, false), doing);  // the same run gives the same bytes
  // Long lists of column names are stored outside the header, which must fit into a page (ordered_file.h).
  if (shape.matrix) check_ok(H5Pset_attr_phase_change(options, 0, 0), doing);
  create_group_of(file, name, doing);

  RowDataset made;
  made.name_ = name;
  made.shape_ = shape;
  made.memory_type_ = memory_type(shape.type);
  made.id_ = check(
      H5Dcreate2(file, name.c_str(), file_type(shape.type), space, H5P_DEFAULT, options, H5P_DEFAULT), doing);
  write_attribute(made.id_, "unit", std::string(unit));
  return made;
}

RowDataset RowDataset::open(hid_t file, const std::string& name, CellType type, bool matrix) {
  if (!has_link(file, name)) throw Failure(fmt::format("it has no /{}", name));
  RowDataset found;
  found.name_ = name;
  // Rows are written and read once. HDF5's chunk cache would copy them twice, and would be searched
  // completely at every change of length.
  const Handle access = check(H5Pcreate(H5P_DATASET_ACCESS), name);
  check_ok(H5Pset_chunk_cache(access, 1, 0, 0), name);
  found.id_ = check(H5Dopen2(file, name.c_str(), access), fmt::format("open /{}", name));
  const Handle stored = check(H5Dget_type(found.id_), name);
  if (H5Tget_class(stored) != class_of(type) || H5Tis_variable_str(stored) > 0) {
    throw Failure(fmt::format("/{} has the wrong type", name));
  }
  const Handle space = check(H5Dget_space(found.id_), name);
  if (H5Sget_simple_extent_ndims(space) != (matrix ? 2 : 1)) {
    throw Failure(fmt::format("/{} has the wrong shape: it should have {}", name,
                              matrix ? "rows and columns" : "rows only"));
  }
  hsize_t size[2] = {0, 1};
  H5Sget_simple_extent_dims(space, size, nullptr);
  found.shape_ = {type, matrix, size[1]};
  found.rows_ = size[0];
  found.memory_type_ = memory_type(type);
  found.check_row_count();
  return found;
}

// A few damaged bytes can claim 10¹⁸ rows; reject them before a buffer is allocated.
void RowDataset::check_row_count() const {
  if (rows_ == 0 || shape_.width == 0) return;
  const Handle options = check(H5Dget_create_plist(id_), name_);
  bool there = true;
  if (H5Pget_layout(options) == H5D_CHUNKED) {
    hsize_t chunks = 0, chunk[2] = {1, 1};
    const Handle space = check(H5Dget_space(id_), name_);
    check_ok(H5Dget_num_chunks(id_, space, &chunks), fmt::format("count the chunks of /{}", name_));
    H5Pget_chunk(options, 2, chunk);
    there = shape_.width <= chunk[1] && rows_ <= chunks * chunk[0];
  } else {
    there = rows_ <= H5Dget_storage_size(id_) / row_bytes();
  }
  if (!there) throw Failure(fmt::format("/{} claims more rows than the file holds", name_));
}

Handle RowDataset::select(std::uint64_t first, std::uint64_t count) const {
  Handle space = check(H5Dget_space(id_), name_);
  const hsize_t start[] = {first, 0}, size[] = {count, shape_.width};
  check_ok(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, size, nullptr), name_);
  return space;
}

// Has the same rank as the file's space: between ranks HDF5 copies cell by cell, ten times slower.
Handle RowDataset::memory_space(std::uint64_t count) const {
  const hsize_t size[] = {count, shape_.width};
  return check(H5Screate_simple(shape_.matrix ? 2 : 1, size, nullptr), name_);
}

void RowDataset::append(const void* rows, std::uint64_t count) {
  if (count == 0) return;
  const std::string doing = fmt::format("write /{}", name_);
  const hsize_t size[] = {rows_ + count, shape_.width};
  check_ok(H5Dset_extent(id_, size), doing);
  if (shape_.width > 0) {
    check_ok(H5Dwrite(id_, memory_type_, memory_space(count), select(rows_, count), H5P_DEFAULT, rows),
             doing);
  }
  rows_ += count;
}

void RowDataset::read(void* rows, std::uint64_t first, std::uint64_t count) const {
  if (count == 0 || shape_.width == 0) return;
  const std::string doing = fmt::format("read /{}", name_);
  check_ok(H5Dread(id_, memory_type_, memory_space(count), select(first, count), H5P_DEFAULT, rows), doing);
}

TrajectoryDatasets TrajectoryDatasets::create(hid_t file, const TrajectoryInfo& info,
                                              const TrajectoryTuning& tuning) {
  TrajectoryDatasets all;
  make_datasets(
      all, info.q_columns.size(), info.v_columns.size(), tuning,
      [&](const std::string& name, std::string_view unit, RowShape shape, std::uint64_t chunk_rows,
          std::span<const std::string_view> choices) {
        RowDataset made = RowDataset::create(file, name, unit, shape, chunk_rows);
        if (!choices.empty()) {
          write_attribute(made.id(), "values", std::vector<std::string>(choices.begin(), choices.end()));
        }
        return made;
      },
      [](const std::string&) { return false; });
  write_attribute(all.q.id(), "columns", info.q_columns);
  write_attribute(all.v.id(), "columns", info.v_columns);
  return all;
}

TrajectoryDatasets TrajectoryDatasets::open(hid_t file) {
  TrajectoryDatasets all;
  make_datasets(
      all, 0, 0, {},
      [&](const std::string& name, std::string_view, RowShape wanted, std::uint64_t,
          std::span<const std::string_view>) {
        RowDataset found = RowDataset::open(file, name, wanted.type, wanted.matrix);
        // The widths of q and v depend on the scene; the format fixes all others.
        if (wanted.width > 0 && found.width() != wanted.width) {
          throw Failure(
              fmt::format("/{} has {} columns, and should have {}", name, found.width(), wanted.width));
        }
        return found;
      },
      [&](const std::string& name) { return !has_link(file, name); });
  return all;
}

}  // namespace pawl::internal::h5
