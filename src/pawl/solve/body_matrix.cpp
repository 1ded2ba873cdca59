#include <pawl/solve/body_matrix.h>

#include <algorithm>

#include <pawl/base/dense.h>

namespace pawl {

void BodyMatrix::lay_out(const ScaledProblem& problem) {
  couples_.clear();
  for (int body = 0; body < problem.bodies(); ++body) couples_.emplace_back(body, body);
  for (int i = 0; i < problem.blocks(); ++i) {
    for (const auto& a : problem.bodies_of(i)) {
      for (const auto& b : problem.bodies_of(i)) couples_.emplace_back(a.body, b.body);
    }
  }
  std::ranges::sort(couples_);
  couples_.erase(std::unique(couples_.begin(), couples_.end()), couples_.end());
  A_.begin.assign(1, 0);
  A_.row.assign(1, 0);
  A_.entries.clear();
  std::size_t offset = 0, couple = 0;
  for (int body = 0; body < problem.bodies(); ++body) {
    A_.begin.push_back(A_.begin.back() + problem.body_size(body));
    for (; couple < couples_.size() && couples_[couple].first == body; ++couple) {
      const int other = couples_[couple].second;
      A_.entries.push_back({other, offset});
      offset += static_cast<std::size_t>(problem.body_size(body)) * problem.body_size(other);
    }
    A_.row.push_back(static_cast<int>(A_.entries.size()));
  }
  A_.values.resize(offset);
}

void BodyMatrix::assemble(const ScaledProblem& problem, double shift, std::span<const double> G,
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
        for (int r = 0; r < rows; ++r) {
          for (int k = 0; k < n; ++k) {
            for (int c = 0; c < columns; ++c)
              out[r * columns + c] += Y_a[k * rows + r] * G_Y_[k * columns + c];
          }
        }
      }
    }
  }
}

}  // namespace pawl
