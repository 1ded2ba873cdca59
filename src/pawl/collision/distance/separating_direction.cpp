#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

bool is_better(const CorePair& pair, const SeparatingDirection& one, const SeparatingDirection& other) {
  const double more = one.s - other.s;
  if (std::abs(more) > 4 * pair.rounding) return more > 0;
  return one.error < other.error;
}

bool is_exact(const CorePair& pair, const SeparatingDirection& optimum) {
  return optimum.error <= 8 * pair.rounding;
}

SeparatingDirection evaluate_direction(const CorePair& pair, const Simplex& simplex, const Vec3& n) {
  SeparatingDirection optimum;
  optimum.n = n;
  double sum = 0;
  for (int i = 0; i < simplex.count; ++i) {
    optimum.a += simplex.weights[i] * simplex.points[i].a;
    optimum.b += simplex.weights[i] * simplex.points[i].b;
    sum += simplex.weights[i];
    if (simplex.weights[i] > 0) optimum.support_points[optimum.count++] = simplex.points[i].w;
  }
  optimum.a = optimum.a / sum;
  optimum.b = optimum.b / sum;
  const PairSupport& hint = simplex.points[0];
  optimum.s = dot(n, support(pair, n, hint.piece_a, hint.piece_b).w);
  optimum.error = norm(optimum.a - optimum.b - optimum.s * n);
  return optimum;
}

}  // namespace pawl::internal
