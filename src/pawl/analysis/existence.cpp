#include <pawl/analysis.h>

#include <algorithm>
#include <cmath>

#include <pawl/analysis/self_stress.h>
#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>
#include <pawl/linalg/eigenvalues.h>
#include <pawl/problem/friction_kinds.h>

namespace pawl {

using namespace internal;

namespace {

/// Dense row-major matrix.
struct Matrix {
  int rows = 0, columns = 0;
  std::vector<double> values;  // [rows × columns]

  Matrix() = default;
  Matrix(int r, int c) : rows(r), columns(c), values(static_cast<std::size_t>(r) * c) {}
  double operator()(int i, int j) const { return values[i * columns + j]; }
  double& operator()(int i, int j) { return values[i * columns + j]; }
};
using Indices = std::vector<int>;

constexpr double kRank =
    tolerances::kSign;  // relative to rows of length 1; smaller singular values count as 0

/// Relevant rows of Y, friction scaled by the radii, and the row indices of each contact.
struct Reduced {
  Matrix Y;
  Indices normal;                 // [contacts]
  std::vector<Indices> friction;  // [contacts]
};

Reduced reduce(const AccelerationProblem& problem) {
  Reduced out;
  const int columns = problem.rates;
  out.Y.columns = columns;
  /// Appends Σ_i weight(i) · row i of Y, over the rows begin … end, and returns its index.
  const auto add = [&](int begin, int end, auto weight) {
    std::vector<double>& values = out.Y.values;
    const std::size_t first = values.size();
    values.resize(first + columns);
    for (int i = begin; i < end; ++i) {
      for (int k = 0; k < columns; ++k) values[first + k] += weight(i) * problem.Y[i * columns + k];
    }
    return out.Y.rows++;
  };
  for (int c = 0; c < problem.contacts(); ++c) {
    const int begin = problem.begin[c], size = problem.size_of(c);
    const FrictionSet& set = problem.friction[c];
    out.normal.push_back(add(begin, begin + 1, [](int) { return 1.0; }));
    Indices& friction = out.friction.emplace_back();
    if (set.frictionless()) continue;
    if (problem.sliding[c] != 0) {
      friction.push_back(
          add(begin + 1, begin + size, [&](int i) { return problem.direction[c][i - begin - 1]; }));
    } else {
      for (int i = 1; i < size; ++i) {
        friction.push_back(add(begin + i, begin + i + 1, [&](int) { return set.radii[i - 1]; }));
      }
    }
  }
  return out;
}

/// S A[indices, indices] S with the diagonal matrix S.
Matrix scaled_submatrix(const Matrix& A, const Indices& indices, const std::vector<double>& scale) {
  const int n = static_cast<int>(indices.size());
  Matrix out(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) out(i, j) = scale[i] * A(indices[i], indices[j]) * scale[j];
  }
  return out;
}

double largest_eigenvalue(const Matrix& symmetric) {
  return internal::largest_eigenvalue(symmetric.values, symmetric.rows);
}

/// A Aᵀ.
Matrix gram(const Matrix& A) {
  Matrix out(A.rows, A.rows);
  for (int i = 0; i < A.rows; ++i) {
    for (int j = 0; j < A.rows; ++j) {
      for (int k = 0; k < A.columns; ++k) out(i, j) += A(i, k) * A(j, k);
    }
  }
  return out;
}

/// Inverse of a positive definite matrix by its Cholesky factor, column by column.
Matrix inverse(Matrix A) {
  const int n = A.rows;
  cholesky(A.values, n);
  Matrix out(n, n);
  std::vector<double> x(n);
  for (int j = 0; j < n; ++j) {
    std::ranges::fill(x, 0.0);
    x[j] = 1;
    solve_lower(A.values, n, x);
    solve_lower_transposed(A.values, n, x);
    for (int i = 0; i < n; ++i) out(i, j) = x[i];
  }
  return out;
}

/// 2/√(λ₁ λ₂) over the friction of these contacts, λ₁ = λ_max(S⁻¹ (A⁻¹)_nn S⁻¹), λ₂ = λ_max(S A_ff S). Valid
/// for any S > 0. This S balances both factors for each contact, so that light and heavy bodies count
/// equally.
double friction_bound(const Reduced& rows, const Matrix& A, const Matrix& A_inverse,
                      const Indices& contacts) {
  Indices normals, frictions;
  std::vector<double> normal_scale, friction_scale;
  for (const int c : contacts) {
    const int n = rows.normal[c];
    const Indices& own = rows.friction[c];
    const double s = std::pow(
        A_inverse(n, n) / largest_eigenvalue(scaled_submatrix(A, own, std::vector<double>(own.size(), 1))),
        0.25);
    normals.push_back(n);
    normal_scale.push_back(1 / s);
    frictions.insert(frictions.end(), own.begin(), own.end());
    friction_scale.insert(friction_scale.end(), own.size(), s);
  }
  if (frictions.empty()) return std::numeric_limits<double>::infinity();
  return 2 / std::sqrt(largest_eigenvalue(scaled_submatrix(A_inverse, normals, normal_scale)) *
                       largest_eigenvalue(scaled_submatrix(A, frictions, friction_scale)));
}

}  // namespace

std::string_view to_string(Verdict answer) {
  return answer == Verdict::yes ? "yes" : answer == Verdict::no ? "no" : "undecided";
}

Theorem1 apply_theorem_1(const AccelerationProblem& problem) {
  Theorem1 theorem;
  const Reduced rows = reduce(problem);
  Indices with_friction, sliding;
  for (int c = 0; c < problem.contacts(); ++c) {
    const FrictionSet& set = problem.friction[c];
    if (set.frictionless()) continue;
    with_friction.push_back(c);
    // The row of a sliding contact is already scaled by its point of the set.
    const bool slides = problem.sliding[c] != 0;
    const double mu = set.mu * (slides ? 1 : outer_radius(set, problem.size_of(c) - 1));
    theorem.friction = std::max(theorem.friction, mu);
    if (!slides) continue;
    sliding.push_back(c);
    theorem.sliding_friction = std::max(theorem.sliding_friction, mu);
  }
  theorem.all_rolling = sliding.empty();
  theorem.rows = rows.Y.rows;

  Matrix unit = rows.Y;
  std::vector<double> inverse_lengths(theorem.rows);
  for (int r = 0; r < theorem.rows; ++r) {
    double largest = 0, sum = 0;  // scaled, so that squares do not underflow
    for (int k = 0; k < unit.columns; ++k) largest = std::max(largest, std::abs(unit(r, k)));
    if (largest == 0) continue;
    for (int k = 0; k < unit.columns; ++k) sum += (unit(r, k) / largest) * (unit(r, k) / largest);
    const double length = std::sqrt(sum);
    for (int k = 0; k < unit.columns; ++k) unit(r, k) = unit(r, k) / largest / length;
    inverse_lengths[r] = 1 / (largest * length);
  }
  const std::vector<double> singular = singular_values(unit.values, unit.rows, unit.columns);
  theorem.rank = static_cast<int>(std::ranges::count_if(singular, [](double x) { return x > kRank; }));
  if (theorem.rows > 0) theorem.least_eigenvalue = singular.back() * singular.back();

  if (theorem.positive_definite()) {
    // Via unit rows, the best conditioned factor: A = D U Uᵀ D.
    Matrix A_inverse = inverse(gram(unit));
    for (int i = 0; i < theorem.rows; ++i) {
      for (int j = 0; j < theorem.rows; ++j) A_inverse(i, j) *= inverse_lengths[i] * inverse_lengths[j];
    }
    const Matrix A = gram(rows.Y);
    theorem.existence_bound = friction_bound(rows, A, A_inverse, sliding);
    theorem.uniqueness_bound = friction_bound(rows, A, A_inverse, with_friction);
    theorem.condition_B = Verdict::yes;  // Jᵀ c = 0 only for c = 0
  } else if (theorem.all_rolling) {
    theorem.condition_B = check_condition_B(problem);
  }
  return theorem;
}

}  // namespace pawl
