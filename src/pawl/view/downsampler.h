#pragma once
// Fewer rows that draw the same picture.

#include <cstdint>
#include <vector>

namespace pawl::internal {

/// Picks rows out of a long table, fed row by row: where it is cut into at most `intervals` parts of equal
/// length, the first row of each, those in which any column is least and greatest in it, and the last row of
/// all. A plot of these looks as the whole does, and every row is one that was there.
class Downsampler {
 public:
  Downsampler(std::uint64_t rows, std::uint64_t intervals, std::size_t columns);

  /// The next row; values that are no numbers are neither least nor greatest.
  void add(const double* values);
  /// In ascending order, counted from 0.
  std::vector<std::uint64_t> finish();

 private:
  struct Extreme {
    std::uint64_t min_row = 0, max_row = 0;  // rows
    double low = 0, high = 0;
    bool seen = false;
  };
  void close_interval();

  std::uint64_t rows_, intervals_;
  std::uint64_t row_ = 0, interval_ = 0;
  std::vector<Extreme> extremes_;  // of the open interval, by column
  std::vector<std::uint64_t> kept_;
};

}  // namespace pawl::internal
