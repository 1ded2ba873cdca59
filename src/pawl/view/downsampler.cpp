#include <pawl/view/downsampler.h>

#include <algorithm>
#include <cmath>

namespace pawl::internal {

Downsampler::Downsampler(std::uint64_t rows, std::uint64_t intervals, std::size_t columns)
    : rows_(rows),
      intervals_(std::clamp<std::uint64_t>(intervals, 1, std::max<std::uint64_t>(rows, 1))),
      extremes_(columns) {}

void Downsampler::add(const double* values) {
  // Row r is in interval ⌊r intervals / rows⌋; a double holds the product exactly up to 2⁵³.
  const auto interval = static_cast<std::uint64_t>(
      static_cast<double>(row_) * static_cast<double>(intervals_) / static_cast<double>(rows_));
  if (row_ == 0 || interval != interval_) {
    close_interval();
    interval_ = interval;
    kept_.push_back(row_);
  }
  for (std::size_t c = 0; c < extremes_.size(); ++c) {
    const double value = values[c];
    if (std::isnan(value)) continue;
    Extreme& e = extremes_[c];
    if (!e.seen || value < e.low) {
      e.low = value;
      e.min_row = row_;
    }
    if (!e.seen || value > e.high) {
      e.high = value;
      e.max_row = row_;
    }
    e.seen = true;
  }
  ++row_;
}

void Downsampler::close_interval() {
  for (Extreme& e : extremes_) {
    if (e.seen) kept_.insert(kept_.end(), {e.min_row, e.max_row});
    e = {};
  }
}

std::vector<std::uint64_t> Downsampler::finish() {
  close_interval();
  if (row_ > 0) kept_.push_back(row_ - 1);
  std::ranges::sort(kept_);
  kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
  return std::move(kept_);
}

}  // namespace pawl::internal
