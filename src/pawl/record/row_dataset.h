#pragma once
// An HDF5 dataset that grows row by row.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/hdf5/hdf5_file.h>
#include <pawl/record/trajectory_layout.h>

namespace pawl::internal::h5 {

/// Whether a row is one cell (shape [N]) or `width` of them (shape [N, width]).
struct RowShape {
  layout::CellType type = layout::CellType::real;
  bool matrix = false;
  std::uint64_t width = 1;
};

/// All members throw Failure. Rows are handed over and given back as cells without padding between them.
class RowDataset {
 public:
  RowDataset() = default;
  /// A new dataset without rows, `chunk_rows` of which lie together in the file.
  static RowDataset create(hid_t file, const std::string& name, std::string_view unit, RowShape shape,
                           std::uint64_t chunk_rows);
  /// One that is in the file, of that type and rank; its width is read.
  static RowDataset open(hid_t file, const std::string& name, layout::CellType type, bool matrix);

  void append(const void* rows, std::uint64_t count);
  /// The rows first … first + count, which must be there.
  void read(void* rows, std::uint64_t first, std::uint64_t count) const;

  /// False of a column that an older file lacks.
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

/// Every dataset of a trajectory that grows.
struct TrajectoryDatasets {
  RowDataset time, q, v, offset;
  std::vector<RowDataset> energy, steps, contacts;  // in the order of their tables' columns

  static TrajectoryDatasets create(hid_t file, const TrajectoryInfo& info, const TrajectoryTuning& tuning);
  static TrajectoryDatasets open(hid_t file);
};

/// The one dataset that is a single number: 1 once the run reached its end, else 0. Not an attribute, as its
/// one byte is then changed without rewriting a header.
inline constexpr const char* kFinished = "finished";

}  // namespace pawl::internal::h5
