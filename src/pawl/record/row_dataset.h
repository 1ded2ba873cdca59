#pragma once
// An HDF5 dataset that grows row by row.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/hdf5/hdf5_file.h>
#include <pawl/record/trajectory_layout.h>

namespace pawl::internal::h5 {

/// A row is one cell (shape [N]) or, for a matrix, `width` cells (shape [N, width]).
struct RowShape {
  layout::CellType type = layout::CellType::real;
  bool matrix = false;
  std::uint64_t width = 1;
};

/// All members throw Failure. Rows in memory are arrays of cells without padding.
class RowDataset {
 public:
  RowDataset() = default;
  /// Creates a dataset without rows, stored in chunks of at most `chunk_rows` rows.
  static RowDataset create(hid_t file, const std::string& name, std::string_view unit, RowShape shape,
                           std::uint64_t chunk_rows);
  /// Opens an existing dataset, which must have this type and rank; the width is read from the file.
  static RowDataset open(hid_t file, const std::string& name, layout::CellType type, bool matrix);

  void append(const void* rows, std::uint64_t count);
  /// Reads the rows [first, first + count), which must exist.
  void read(void* rows, std::uint64_t first, std::uint64_t count) const;

  /// False for a column that an older file lacks.
  bool exists() const { return id_ >= 0; }
  hid_t id() const { return id_; }
  const std::string& name() const { return name_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t width() const { return shape_.width; }
  std::size_t row_bytes() const { return layout::cell_bytes(shape_.type) * shape_.width; }

 private:
  Handle select(std::uint64_t first, std::uint64_t count) const;
  Handle memory_space(std::uint64_t count) const;
  void check_row_count() const;

  Handle id_;
  Handle memory_type_;
  std::string name_;
  RowShape shape_;
  std::uint64_t rows_ = 0;
};

/// All growing datasets of a trajectory.
struct TrajectoryDatasets {
  RowDataset time, q, v, offset;
  RowDataset end;                                                    // missing in files of older releases
  std::vector<RowDataset> energy, steps, contacts, impacts, joints;  // in the column order of their tables

  static TrajectoryDatasets create(hid_t file, const TrajectoryInfo& info, const TrajectoryTuning& tuning);
  static TrajectoryDatasets open(hid_t file);
};

/// Name of the scalar dataset that is 1 if the run reached its end, else 0. It is a dataset and not an
/// attribute because its one byte can be changed without rewriting an object header.
inline constexpr const char* kFinished = "finished";

}  // namespace pawl::internal::h5
