#include <pawl/solve/contact/impulse_cone.h>

#include <algorithm>
#include <cmath>

#include <pawl/base/numeric_util.h>
#include <pawl/base/tolerances.h>
#include <pawl/linalg/dense.h>

namespace pawl::internal {
namespace {

/// Projection of z on a cone of balls, and its Jacobian. A ball that slides, or is at its limit |x| = μ x_n,
/// is determined by x_n, so the squared distance is quadratic in x_n alone. The balls at the limit are found
/// in order of decreasing length.
void project_on_balls(const ImpulseCone& cone, int n, const double* z, double* x, ConeMatrix& jacobian) {
  std::fill_n(x, n, 0.0);
  jacobian.fill(0.0);
  if (cone.separating) return;
  const double mu = cone.mu;
  double numerator = z[0], denominator = 1;  // x_n = numerator/denominator
  std::array<double, 2> size{};
  std::array<bool, 2> limited{};
  for (int b = 0; b < cone.balls; ++b) {
    const ImpulseCone::Ball& ball = cone.ball[b];
    double along = 0, square = 0;
    for (int k = 0; k < ball.size; ++k) {
      const double entry = z[1 + ball.begin + k];
      along += ball.direction[k] * entry;
      square += entry * entry;
    }
    size[b] = std::sqrt(square);
    if (ball.slides) numerator += mu * along, denominator += mu * mu;
  }
  const bool swapped = cone.balls == 2 && size[1] > size[0];
  for (int k = 0; k < cone.balls; ++k) {
    const int b = swapped ? 1 - k : k;
    if (cone.ball[b].slides || size[b] <= mu * numerator / denominator) continue;
    limited[b] = true;
    numerator += mu * size[b], denominator += mu * mu;
  }
  const double x_n = numerator / denominator;
  if (x_n <= 0) return;

  ConeEdge normal{1 / denominator};  // d x_n / d z
  x[0] = x_n;
  for (int b = 0; b < cone.balls; ++b) {
    const ImpulseCone::Ball& ball = cone.ball[b];
    for (int k = 0; k < ball.size; ++k) {
      const int r = 1 + ball.begin + k;
      if (ball.slides || limited[b]) {
        const double direction = ball.slides ? ball.direction[k] : z[r] / size[b];
        x[r] = mu * x_n * direction;
        normal[r] = mu * direction / denominator;
      } else {
        x[r] = z[r];
      }
    }
  }
  std::copy_n(normal.begin(), n, jacobian.begin());
  for (int b = 0; b < cone.balls; ++b) {
    const ImpulseCone::Ball& ball = cone.ball[b];
    const bool fixed = ball.slides || limited[b];
    for (int k = 0; k < ball.size; ++k) {
      const int r = 1 + ball.begin + k;
      double* row = jacobian.data() + r * n;
      if (fixed) {
        for (int c = 0; c < n; ++c) row[c] += x[r] / x_n * normal[c];
      } else {
        row[r] = 1;
      }
      if (!limited[b]) continue;
      for (int j = 0; j < ball.size; ++j) {
        const int c = 1 + ball.begin + j;
        row[c] += mu * x_n / size[b] * ((r == c ? 1.0 : 0.0) - z[r] / size[b] * (z[c] / size[b]));
      }
    }
  }
}

/// A subset of a cone's edges with the Cholesky factor of their Gram matrix, for least squares over their
/// span.
struct EdgeSpan {
  int n = 0, count = 0;
  std::array<const ConeEdge*, kMaxConeRows> edge{};
  std::array<double, kMaxConeRows * kMaxConeRows> L{};

  double product(const ConeEdge& a, const double* z) const {
    double sum = 0;
    for (int r = 0; r < n; ++r) sum += a[r] * z[r];
    return sum;
  }
  /// Returns false if the edges are linearly dependent.
  bool factor() {
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j <= i; ++j) L[i * count + j] = product(*edge[i], edge[j]->data());
    }
    if (!cholesky(L, count)) return false;
    for (int i = 0; i < count; ++i) {
      if (L[i * (count + 1)] < tolerances::kSame * std::sqrt(product(*edge[i], edge[i]->data())))
        return false;
    }
    return true;
  }
  /// Coefficients c of the point Σ c_i edge_i nearest to z.
  std::array<double, kMaxConeRows> nearest(const double* z) const {
    std::array<double, kMaxConeRows> c{};
    for (int i = 0; i < count; ++i) c[i] = product(*edge[i], z);
    solve_lower(L, count, c);
    solve_lower_transposed(L, count, c);
    return c;
  }
  /// The orthogonal projector on the span.
  void projector(ConeMatrix& P) const {
    P.fill(0.0);
    for (int column = 0; column < n; ++column) {
      ConeEdge unit{};
      unit[column] = 1;
      const auto c = nearest(unit.data());
      for (int i = 0; i < count; ++i) {
        for (int r = 0; r < n; ++r) P[r * n + column] += c[i] * (*edge[i])[r];
      }
    }
  }
  bool add(const ConeEdge& more) {
    if (count == n) return false;
    edge[count++] = &more;
    if (factor()) return true;
    --count;
    factor();
    return false;
  }
  void remove(int i) {
    std::copy(edge.begin() + i + 1, edge.begin() + count, edge.begin() + i);
    --count;
    factor();
  }
};

/// The same for a cone spanned by edges: nonnegative least squares by the Lawson-Hanson active-set method.
void project_on_edges(std::span<const ConeEdge> edges, int n, const double* z, double* x,
                      ConeMatrix& jacobian) {
  EdgeSpan face;
  face.n = n;
  std::array<double, kMaxConeRows> c{};
  std::fill_n(x, n, 0.0);
  const double negligible = tolerances::kSum * largest({z, static_cast<std::size_t>(n)});
  for (std::size_t round = 0; round < 4 * edges.size(); ++round) {
    ConeEdge rest{};
    for (int r = 0; r < n; ++r) rest[r] = z[r] - x[r];
    const ConeEdge* best = nullptr;
    double most = negligible;
    for (const ConeEdge& edge : edges) {
      const double gain = face.product(edge, rest.data());
      if (gain > most) most = gain, best = &edge;
    }
    if (best == nullptr || !face.add(*best)) break;
    c[face.count - 1] = 0;
    for (;;) {
      const auto target = face.nearest(z);
      int blocking = -1;
      double length = 1;
      for (int i = 0; i < face.count; ++i) {
        if (target[i] > 0) continue;
        const double limit = c[i] / (c[i] - target[i]);
        if (blocking < 0 || limit < length) length = limit, blocking = i;
      }
      for (int i = 0; i < face.count; ++i) c[i] += length * (target[i] - c[i]);
      if (blocking < 0) break;
      std::copy(c.begin() + blocking + 1, c.begin() + face.count, c.begin() + blocking);
      face.remove(blocking);
    }
    std::fill_n(x, n, 0.0);
    for (int i = 0; i < face.count; ++i) {
      for (int r = 0; r < n; ++r) x[r] += c[i] * (*face.edge[i])[r];
    }
  }
  face.projector(jacobian);
}

}  // namespace

void project_on_cone(const ImpulseCone& cone, std::span<const ConeEdge> edges, int n, const double* z,
                     double* x, ConeMatrix& jacobian) {
  if (cone.edges > 0) {
    project_on_edges(edges, n, z, x, jacobian);
  } else {
    project_on_balls(cone, n, z, x, jacobian);
  }
}

void project_on_span(const ImpulseCone& cone, std::span<const ConeEdge> edges, int n, ConeMatrix& Q) {
  Q.fill(0.0);
  if (cone.separating) return;
  if (cone.edges > 0) {
    EdgeSpan span;
    span.n = n;
    for (const ConeEdge& edge : edges) span.add(edge);
    return span.projector(Q);
  }
  // Sticking entries span their own axes. The normal and all sliding friction span one direction.
  ConeEdge sliding{1};
  double square = 1;
  for (int b = 0; b < cone.balls; ++b) {
    const ImpulseCone::Ball& ball = cone.ball[b];
    for (int r = 1 + ball.begin; r < 1 + ball.begin + ball.size; ++r) {
      if (ball.slides) {
        sliding[r] = cone.mu * ball.direction[r - 1 - ball.begin];
        square += sliding[r] * sliding[r];
      } else {
        Q[r * (n + 1)] = 1;
      }
    }
  }
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) Q[r * n + c] += sliding[r] * sliding[c] / square;
  }
}

}  // namespace pawl::internal
