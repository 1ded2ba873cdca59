#include <pawl/scene_file/quantity.h>

#include <cassert>

namespace pawl::internal {

std::span<const Magnitude> magnitudes() {
  static constexpr Magnitude kRows[] = {
      {"a time step", "s", 1e-9, 1e3},
      {"a gap", "m", 1e-15, 1e9},
      {"a tolerance", "", 1e-30, 1},
      {"", "m", 1e-9, 1e9},
      {"", "s", 1e-9, 1e12},
      {"", "kg", 1e-12, 1e12},
      {"", "kg m²", 1e-30, 1e30},
      {"", "kg/m²", 1e-12, 1e12},
      {"", "kg/m³", 1e-12, 1e12},
      {"", "m/s", 1e-12, 1e8},
      {"", "m/s²", 1e-12, 1e12},
      {"", "rad", 1e-12, 1e9},
      {"", "degrees", 1e-12, 1e9},
      {"", "rad/s", 1e-12, 1e8},
      {"", "degrees/s", 1e-12, 1e8},
      {"", "N", 1e-12, 1e15},
      {"", "N m", 1e-12, 1e15},
      {"", "N m or N", 1e-12, 1e15},
      {"", "N/m", 1e-12, 1e15},
      {"", "N s/m", 1e-12, 1e15},
      {"", "Hz", 1e-12, 1e9},
      {"", "kg m² or kg", 1e-30, 1e30},
      {"", "N m/rad or N/m", 1e-12, 1e15},
      {"", "N m s/rad or N s/m", 1e-12, 1e15},
      {"", "", 1e-12, 1e12},
  };
  return kRows;
}

const Magnitude& magnitude_of(const Quantity& quantity) {
  for (const Magnitude& row : magnitudes()) {
    if (row.unit == quantity.unit && (row.what.empty() || row.what == quantity.what)) return row;
  }
  assert(false && "a unit without magnitudes");
  return magnitudes().back();
}

}  // namespace pawl::internal
