#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/base/tolerances.h>
#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr Quantity kMoment{"a moment of inertia", "kg m²", Quantity::Range::positive};
constexpr Quantity kEntry{"a row of an inertia matrix", "kg m²"};
// Relative to the largest entry. Matrices exported by other programs differ in their last digits.
constexpr double kSymmetrySlack = tolerances::kSign;
// Relative to the largest moment. Users write three digits: a thin plate may read [0.333, 0.333, 0.667].
constexpr double kTriangleSlack = 2e-3;
// Relative to the trace: a pivot within rounding of zero does not count as positive.
constexpr double kPivotFloor = tolerances::kPivot;

bool is_positive_definite(const Mat3& a, double floor) {
  const double d0 = a(0, 0);
  if (!(d0 > floor)) return false;
  const double l10 = a(1, 0) / d0, l20 = a(2, 0) / d0;
  const double d1 = a(1, 1) - l10 * a(1, 0);
  if (!(d1 > floor)) return false;
  const double s21 = a(2, 1) - l20 * a(1, 0);
  const double d2 = a(2, 2) - l20 * a(2, 0) - s21 / d1 * s21;
  return d2 > floor;
}

/// Scaled so that the largest entry is 1, to avoid overflow and underflow in products.
Mat3 scaled_to_unit(const Mat3& a) {
  double largest = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) largest = std::max(largest, std::abs(a(i, j)));
  }
  return largest > 0 ? (1 / largest) * a : a;
}

bool has_positive_moments(const Mat3& scaled) {
  return is_positive_definite(scaled, kPivotFloor * trace(scaled));
}

/// For principal moments A, B, C and trace T = A + B + C, the conditions A + B ≥ C for every choice of C are
/// equivalent to T/2 E − I ≥ 0.
bool satisfies_triangle_inequality(const Mat3& scaled) {
  return is_positive_definite((0.5 * trace(scaled) + kTriangleSlack) * Mat3::identity() - scaled, 0);
}

Mat3 read_matrix(const Field& field, const std::vector<Field>& rows) {
  Mat3 inertia;
  double largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    inertia.row[i] = rows[i].vector(kEntry, 3);
    for (int j = 0; j < 3; ++j) largest = std::max(largest, std::abs(inertia.row[i][j]));
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < i; ++j) {
      if (std::abs(inertia(i, j) - inertia(j, i)) > kSymmetrySlack * largest) {
        field.fail(fmt::format("not symmetric: row {} column {} holds {}, row {} column {} holds {}", i + 1,
                               j + 1, inertia(i, j), j + 1, i + 1, inertia(j, i)));
      }
      inertia(i, j) = inertia(j, i);
    }
  }
  const Mat3 scaled = scaled_to_unit(inertia);
  if (!has_positive_moments(scaled)) {
    field.fail("not positive definite: every axis must have a moment of inertia > 0");
  }
  if (!satisfies_triangle_inequality(scaled)) {
    field.fail("the inertia of no body: each principal moment must be at most the sum of the other two");
  }
  return inertia;
}

Mat3 read_principal_moments(const Field& field, const std::vector<Field>& items) {
  Vec3 moments;
  for (int i = 0; i < 3; ++i) moments[i] = items[static_cast<std::size_t>(i)].number(kMoment);
  for (int i = 0; i < 3; ++i) {
    const double a = moments[(i + 1) % 3], b = moments[(i + 2) % 3], c = moments[i];
    if (a + b >= c * (1 - kTriangleSlack)) continue;
    field.fail(fmt::format(
        "the inertia of no body: {} > {} + {}, and each moment must be at most the sum of the other two", c,
        a, b));
  }
  return Mat3::diagonal(moments);
}

}  // namespace

bool is_physical_inertia(const Mat3& inertia) {
  const Mat3 scaled = scaled_to_unit(inertia);
  return has_positive_moments(scaled) && satisfies_triangle_inequality(scaled);
}

Mat3 read_inertia(const Field& field, Dimension dimension) {
  if (!field.is_sequence()) {
    const double moment = field.number(kMoment);
    return Mat3::diagonal({moment, moment, moment});
  }
  if (dimension == Dimension::planar)
    field.fail("a list stands here: in a planar world it must be a single number > 0 (kg m²)");
  const std::vector<Field> items = field.items("moments");
  if (items.size() != 3) {
    field.fail(fmt::format(
        "a list of {} is not an inertia: it must be a number, [ixx, iyy, izz] or three rows (kg m²)",
        items.size()));
  }
  return items[0].is_sequence() ? read_matrix(field, items) : read_principal_moments(field, items);
}

}  // namespace pawl::internal
