#pragma once
// Picks the rows of a long table that give the same plot.

#include <cstdint>
#include <vector>

namespace pawl::internal {

/// Selects rows of a table that is fed row by row. The table is divided into at most `intervals` parts of
/// equal length. Each part keeps its first row and the rows where a column has its min or max. The last row
/// of the table is kept too. A plot of the kept rows looks like a plot of all rows.
class Downsampler {
 public:
  Downsampler(std::uint64_t rows, std::uint64_t intervals, std::size_t columns);

  /// Adds the next row; NaN is neither min nor max.
  void add(const double* values);
  /// Indices of the kept rows, ascending from 0.
  std::vector<std::uint64_t> finish();

 private:
  struct Extreme {
    std::uint64_t min_row = 0, max_row = 0;
    double low = 0, high = 0;
    bool seen = false;
  };
  void close_interval();

  std::uint64_t rows_, intervals_;
  std::uint64_t row_ = 0, interval_ = 0;
  std::vector<Extreme> extremes_;  // of the open interval, one per column
  std::vector<std::uint64_t> kept_;
};

}  // namespace pawl::internal
