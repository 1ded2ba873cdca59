#include <pawl/solve/contact/primal_hessian.h>

#include <algorithm>

#include <pawl/linalg/dense.h>

namespace pawl::internal {
namespace {

/// C += Aᵀ B, A [inner × rows] and B [inner × columns].
void add_product_with_transposed(const double* A, const double* B, int inner, int rows, int columns,
                                 double* C) {
  for (int r = 0; r < rows; ++r, C += columns) {
    for (int k = 0; k < inner; ++k) {
      for (int c = 0; c < columns; ++c) C[c] += A[k * rows + r] * B[k * columns + c];
    }
  }
}
/// The same with compile-time sizes, for contacts of free bodies.
template <int inner, int size>
void add_product_with_transposed(const double* A, const double* B, double* C) {
  for (int r = 0; r < size; ++r, C += size) {
    double sum[size];
    for (int c = 0; c < size; ++c) sum[c] = C[c];
    for (int k = 0; k < inner; ++k) {
      for (int c = 0; c < size; ++c) sum[c] += A[k * size + r] * B[k * size + c];
    }
    for (int c = 0; c < size; ++c) C[c] = sum[c];
  }
}

}  // namespace

void PrimalHessian::set_pattern(const ScaledProblem& problem) {
  body_pairs_.clear();
  for (int body = 0; body < problem.bodies(); ++body) body_pairs_.emplace_back(body, body);
  for (int i = 0; i < problem.blocks(); ++i) {
    for (const auto& a : problem.bodies_of(i)) {
      for (const auto& b : problem.bodies_of(i)) body_pairs_.emplace_back(a.body, b.body);
    }
  }
  std::ranges::sort(body_pairs_);
  body_pairs_.erase(std::unique(body_pairs_.begin(), body_pairs_.end()), body_pairs_.end());
  A_.begin.assign(1, 0);
  A_.row.assign(1, 0);
  A_.entries.clear();
  std::size_t offset = 0, pair = 0;
  for (int body = 0; body < problem.bodies(); ++body) {
    A_.begin.push_back(A_.begin.back() + problem.body_size(body));
    for (; pair < body_pairs_.size() && body_pairs_[pair].first == body; ++pair) {
      const int other = body_pairs_[pair].second;
      A_.entries.push_back({other, offset});
      offset += static_cast<std::size_t>(problem.body_size(body)) * problem.body_size(other);
    }
    A_.row.push_back(static_cast<int>(A_.entries.size()));
  }
  A_.values.resize(offset);
}

void PrimalHessian::assemble(const ScaledProblem& problem, double shift, std::span<const double> G,
                             std::span<const int> offset) {
  std::ranges::fill(A_.values, 0.0);
  add_to_diagonal(A_, shift);
  for (int i = 0; i < problem.blocks(); ++i) {
    const int n = problem.size_of(i);
    for (const auto& b : problem.bodies_of(i)) {
      const int columns = problem.body_size(b.body);
      G_Y_.resize(n * columns);
      multiply(G.data() + offset[i], problem.Y(b), n, n, columns, G_Y_.data());
      for (const auto& a : problem.bodies_of(i)) {
        const int rows = problem.body_size(a.body);
        const double* Y_a = problem.Y(a);
        double* out = A_.values.data() + A_.find(a.body, b.body)->offset;
        if (n == 3 && rows == 6 && columns == 6) {
          add_product_with_transposed<3, 6>(Y_a, G_Y_.data(), out);
        } else {
          add_product_with_transposed(Y_a, G_Y_.data(), n, rows, columns, out);
        }
      }
    }
  }
}

}  // namespace pawl::internal
