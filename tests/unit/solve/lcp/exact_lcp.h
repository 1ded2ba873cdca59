#pragma once
// Exact arithmetic for complementarity problems of small integers. Independent of the solvers: no floating
// point, no linear programs, no tolerances.

#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <pawl/lcp.h>

namespace pawl::internal::exact {

using Integer = std::int64_t;
using Point = std::vector<std::pair<Integer, Integer>>;  // fractions in lowest terms, denominators > 0

/// Solves Σ x_k column_k = right, x ≥ 0, for independent columns. Returns false if there is no solution.
inline bool solve(const std::vector<std::vector<Integer>>& columns, const std::vector<Integer>& right,
                  Point& x) {
  const std::size_t rows = right.size(), size = columns.size();
  std::vector<std::vector<Integer>> table(rows, std::vector<Integer>(size + 1));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < size; ++k) table[i][k] = columns[k][i];
    table[i][size] = right[i];
  }
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    while (pivot < rows && table[pivot][k] == 0) ++pivot;
    if (pivot == rows) return false;
    std::swap(table[k], table[pivot]);
    for (std::size_t i = 0; i < rows; ++i) {
      if (i == k || table[i][k] == 0) continue;
      const Integer factor = table[i][k], keep = table[k][k];
      Integer divisor = 0;
      for (std::size_t j = 0; j <= size; ++j) {
        table[i][j] = table[i][j] * keep - table[k][j] * factor;
        divisor = std::gcd(divisor, table[i][j]);
      }
      if (divisor > 1) {
        for (Integer& entry : table[i]) entry /= divisor;
      }
    }
  }
  for (std::size_t i = size; i < rows; ++i) {
    if (table[i][size] != 0) return false;
  }
  x.clear();
  for (std::size_t k = 0; k < size; ++k) {
    Integer top = table[k][size], bottom = table[k][k];
    if (bottom < 0) top = -top, bottom = -bottom;
    if (top < 0) return false;
    const Integer divisor = std::gcd(top, bottom);
    x.emplace_back(top / divisor, bottom / divisor);
  }
  return true;
}

enum class Kind { empty, point, polyhedron };

/// Solutions of a complementary basis: B x = -q, x ≥ 0. The set is the hull of its corners, where the columns
/// of the positive x are independent, and of rays. A free column is in B with both signs, which turns a point
/// into a polyhedron.
inline Kind solutions_of_basis(const MixedLcp& lcp, unsigned alpha) {
  const int n = lcp.n;
  std::vector<std::vector<Integer>> columns;
  const auto add = [&](int j, int sign, bool of_z) {
    std::vector<Integer> column(n + 1, 0);
    for (int i = 0; i < n; ++i) column[i] = of_z ? sign * static_cast<Integer>(lcp.M[i * n + j]) : -(i == j);
    column[n] = 1;  // for rays: B d = 0, Σ d = 1
    columns.push_back(column);
  };
  for (int j = 0; j < n; ++j) {
    add(j, 1, lcp.free[j] || (alpha >> j & 1));
    if (lcp.free[j]) add(j, -1, true);
  }
  std::vector<Integer> right(n);
  for (int i = 0; i < n; ++i) right[i] = -static_cast<Integer>(lcp.q[i]);
  std::vector<Integer> ray_right(n + 1, 0);
  ray_right[n] = 1;

  std::set<Point> corners;
  bool has_ray = false;
  for (unsigned support = 0; support < (1u << columns.size()); ++support) {
    std::vector<std::vector<Integer>> with_sum, without;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (!(support >> k & 1)) continue;
      with_sum.push_back(columns[k]);
      without.emplace_back(columns[k].begin(), columns[k].end() - 1);
    }
    Point x;
    if (solve(without, right, x)) {
      Point corner(columns.size(), {0, 1});
      for (std::size_t k = 0, next = 0; k < columns.size(); ++k) {
        if (support >> k & 1) corner[k] = x[next++];
      }
      corners.insert(corner);
    }
    has_ray = has_ray || solve(with_sum, ray_right, x);
  }
  if (corners.empty()) return Kind::empty;
  return corners.size() == 1 && !has_ray ? Kind::point : Kind::polyhedron;
}

}  // namespace pawl::internal::exact
