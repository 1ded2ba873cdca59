#include <pawl/linalg/dense.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include <pawl/base/tolerances.h>

namespace pawl::internal {
namespace {

/// One step of the elimination: subtracts multiples of row k from the rows below it, A [rows × columns]. L
/// takes the place of the zeros.
void eliminate_below(std::span<double> A, int rows, int columns, int k) {
  const double* row_k = A.data() + k * columns;
  for (int i = k + 1; i < rows; ++i) {
    double* row_i = A.data() + i * columns;
    if (row_i[k] == 0) continue;
    const double f = row_i[k] /= row_k[k];
    for (int j = k + 1; j < columns; ++j) row_i[j] -= f * row_k[j];
  }
}

/// x := U⁻¹ L⁻¹ x for the leading n rows and columns of the factors, whose rows have `stride` entries.
void solve_triangles(std::span<const double> LU, int stride, int n, std::span<double> x) {
  for (int i = 0; i < n; ++i) {
    const double* row = LU.data() + i * stride;
    for (int k = 0; k < i; ++k) x[i] -= row[k] * x[k];
  }
  for (int i = n - 1; i >= 0; --i) {
    const double* row = LU.data() + i * stride;
    for (int k = i + 1; k < n; ++k) x[i] -= row[k] * x[k];
    x[i] /= row[i];
  }
}

/// Sizes in assertions.
[[maybe_unused]] std::size_t product(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

}  // namespace

bool cholesky(std::span<double> A, int n) {
  assert(n >= 0 && A.size() >= product(n, n));
  for (int j = 0; j < n; ++j) {
    double* row_j = A.data() + j * n;
    const double diagonal = row_j[j];
    double d = diagonal;
    for (int k = 0; k < j; ++k) d -= row_j[k] * row_j[k];
    if (!(d > tolerances::kData * diagonal)) return false;  // a smaller value is rounding
    row_j[j] = std::sqrt(d);
    for (int i = j + 1; i < n; ++i) {
      double* row_i = A.data() + i * n;
      double s = row_i[j];
      for (int k = 0; k < j; ++k) s -= row_i[k] * row_j[k];
      row_i[j] = s / row_j[j];
    }
  }
  return true;
}

void solve_lower(std::span<const double> L, int n, std::span<double> x) {
  assert(n >= 0 && L.size() >= product(n, n) && x.size() >= product(n, 1));
  for (int i = 0; i < n; ++i) {
    const double* row = L.data() + i * n;
    double s = x[i];
    for (int k = 0; k < i; ++k) s -= row[k] * x[k];
    x[i] = s / row[i];
  }
}

void solve_lower_rows(std::span<const double> L, int n, std::span<double> X) {
  assert(n >= 0 && L.size() >= product(n, n) && (n == 0 || X.size() % n == 0));
  for (int i = 0; i < n; ++i) {
    const double* row = L.data() + i * n;
    const double inverse = 1 / row[i];
    for (auto x = X.begin(); x != X.end(); x += n) {
      double s = x[i];
      for (int k = 0; k < i; ++k) s -= row[k] * x[k];
      x[i] = s * inverse;
    }
  }
}

void solve_lower_transposed(std::span<const double> L, int n, std::span<double> x) {
  assert(n >= 0 && L.size() >= product(n, n) && x.size() >= product(n, 1));
  for (int i = n - 1; i >= 0; --i) {
    const double* row = L.data() + i * n;
    x[i] /= row[i];
    for (int k = 0; k < i; ++k) x[k] -= row[k] * x[i];
  }
}

bool lu(std::span<double> A, int n, std::span<int> pivot, double pivot_tolerance) {
  assert(n >= 0 && A.size() >= product(n, n) && pivot.size() >= product(n, 1) && pivot_tolerance >= 0);
  double largest = 0;
  for (int i = 0; i < n * n; ++i) largest = std::max(largest, std::abs(A[i]));
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(A[i * n + k]) > std::abs(A[best * n + k])) best = i;
    }
    pivot[k] = best;
    if (best != k) std::swap_ranges(A.begin() + k * n, A.begin() + (k + 1) * n, A.begin() + best * n);
    if (!(std::abs(A[k * n + k]) > pivot_tolerance * largest)) return false;
    eliminate_below(A, n, n, k);
  }
  return true;
}

void lu_solve(std::span<const double> LU, int n, std::span<const int> pivot, std::span<double> x) {
  assert(n >= 0 && LU.size() >= product(n, n) && pivot.size() >= product(n, 1) && x.size() >= product(n, 1));
  for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot[k]]);
  solve_triangles(LU, n, n, x);
}

int lu_complete(std::span<double> A, int rows, int columns, std::span<int> row_pivot,
                std::span<int> column_pivot, double pivot_tolerance) {
  assert(rows >= 0 && columns >= 0 && A.size() >= product(rows, columns) && pivot_tolerance >= 0);
  assert(std::min(row_pivot.size(), column_pivot.size()) >= product(std::min(rows, columns), 1));
  double first = 0;
  for (int k = 0; k < std::min(rows, columns); ++k) {
    int row = k, column = k;
    for (int i = k; i < rows; ++i) {
      for (int j = k; j < columns; ++j) {
        if (std::abs(A[i * columns + j]) > std::abs(A[row * columns + column])) row = i, column = j;
      }
    }
    const double largest = std::abs(A[row * columns + column]);
    if (k == 0) first = largest;
    if (!(largest > pivot_tolerance * first)) return k;
    row_pivot[k] = row;
    column_pivot[k] = column;
    if (row != k) {
      std::swap_ranges(A.begin() + k * columns, A.begin() + (k + 1) * columns, A.begin() + row * columns);
    }
    if (column != k) {
      for (int i = 0; i < rows; ++i) std::swap(A[i * columns + k], A[i * columns + column]);
    }
    eliminate_below(A, rows, columns, k);
  }
  return std::min(rows, columns);
}

void lu_complete_solve(std::span<const double> LU, int columns, int rank, std::span<const int> row_pivot,
                       std::span<const int> column_pivot, std::span<double> x) {
  assert(rank >= 0 && rank <= columns && LU.size() >= product(rank, columns));
  assert(row_pivot.size() >= product(rank, 1) && column_pivot.size() >= product(rank, 1));
  assert(x.size() >= product(columns, 1));
  for (int k = 0; k < rank; ++k) std::swap(x[k], x[row_pivot[k]]);
  solve_triangles(LU, columns, rank, x);
  std::fill(x.begin() + rank, x.end(), 0.0);
  for (int k = rank - 1; k >= 0; --k) std::swap(x[k], x[column_pivot[k]]);
}

void multiply(const double* A, const double* B, int rows, int inner, int columns, double* C) {
  assert(rows >= 0 && inner >= 0 && columns >= 0);
  // Contacts in space and in the plane: nearly all products.
  if (inner == 3 && columns == 3) {
    for (int i = 0; i < rows; ++i, A += 3, C += 3) {
      for (int j = 0; j < 3; ++j) C[j] = A[0] * B[j] + A[1] * B[3 + j] + A[2] * B[6 + j];
    }
    return;
  }
  if (inner == 2 && columns == 2) {
    for (int i = 0; i < rows; ++i, A += 2, C += 2) {
      for (int j = 0; j < 2; ++j) C[j] = A[0] * B[j] + A[1] * B[2 + j];
    }
    return;
  }
  for (int i = 0; i < rows; ++i, A += inner, C += columns) {
    std::fill_n(C, columns, 0.0);
    for (int k = 0; k < inner; ++k) {
      for (int j = 0; j < columns; ++j) C[j] += A[k] * B[k * columns + j];
    }
  }
}

void exchange(std::span<double> A, std::span<double> b, int n, int row, int column) {
  assert(A.size() >= product(n, n) && b.size() >= product(n, 1));
  assert(row >= 0 && row < n && column >= 0 && column < n && A[row * n + column] != 0);
  double* pivot_row = A.data() + row * n;
  const double inverse = 1 / pivot_row[column];
  for (int j = 0; j < n; ++j) pivot_row[j] *= -inverse;
  pivot_row[column] = inverse;
  b[row] *= -inverse;
  for (int i = 0; i < n; ++i) {
    double* other = A.data() + i * n;
    const double factor = other[column];
    if (i == row || factor == 0) continue;
    other[column] = 0;
    for (int j = 0; j < n; ++j) other[j] += factor * pivot_row[j];
    b[i] += factor * b[row];
  }
}

}  // namespace pawl::internal
