#include <pawl/collision/distance/newton_refinement.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/crossing.h>

namespace pawl::internal {
namespace {

/// The pairs of pieces that carry the optimum: at most one more than the degrees of freedom of n.
struct ActiveSet {
  int count = 0;
  std::array<int, 3> piece_a{}, piece_b{};
  std::array<double, 3> weights{};

  bool contains(int a, int b) const {
    for (int i = 0; i < count; ++i) {
      if (piece_a[i] == a && piece_b[i] == b) return true;
    }
    return false;
  }
  int smallest_weight() const {
    return static_cast<int>(std::min_element(weights.begin(), weights.begin() + count) - weights.begin());
  }
  void drop(int i) {
    for (int j = i; j + 1 < count; ++j) {
      piece_a[j] = piece_a[j + 1];
      piece_b[j] = piece_b[j + 1];
      weights[j] = weights[j + 1];
    }
    --count;
  }
  void add(int a, int b, double weight) {
    piece_a[count] = a;
    piece_b[count] = b;
    weights[count++] = weight;
  }
};

/// Points of a simplex on the same pair of pieces are merged.
ActiveSet active_set(const Simplex& simplex, int most) {
  ActiveSet set;
  for (int i = 0; i < simplex.count; ++i) {
    const PairSupport& point = simplex.points[i];
    bool known = false;
    for (int j = 0; j < set.count && !known; ++j) {
      known = set.piece_a[j] == point.piece_a && set.piece_b[j] == point.piece_b;
      if (known) set.weights[j] += simplex.weights[i];
    }
    if (known) continue;
    if (set.count == most) {
      const int smallest_weight = set.smallest_weight();
      if (set.weights[smallest_weight] >= simplex.weights[i]) continue;
      set.drop(smallest_weight);
    }
    set.add(point.piece_a, point.piece_b, simplex.weights[i]);
  }
  return set;
}

/// Gaussian elimination with row pivoting of [n × n | right side]. False if a pivot vanishes.
bool solve_in_place(std::array<std::array<double, 7>, 6>& rows, int n, std::array<double, 6>& x) {
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r) {
      if (std::abs(rows[r][c]) > std::abs(rows[pivot][c])) pivot = r;
    }
    if (!(std::abs(rows[pivot][c]) > tolerances::kData)) return false;
    std::swap(rows[c], rows[pivot]);
    for (int r = c + 1; r < n; ++r) {
      const double factor = rows[r][c] / rows[c][c];
      if (factor == 0) continue;
      for (int k = c; k <= n; ++k) rows[r][k] -= factor * rows[c][k];
    }
  }
  for (int r = n - 1; r >= 0; --r) {
    double sum = rows[r][n];
    for (int k = r + 1; k < n; ++k) sum -= rows[r][k] * x[k];
    x[r] = sum / rows[r][r];
  }
  return true;
}

/// Two unit vectors perpendicular to n; in the plane one.
std::array<Vec3, 2> tangents(const Vec3& n, bool planar) {
  if (planar) return {Vec3{-n.y, n.x, 0}, Vec3{}};
  const Vec3 helper = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 t = normalized(cross(n, helper));
  return {t, cross(n, t)};
}

/// The Hessian of -s in the tangent plane of n.
using Curvature = std::array<std::array<double, 2>, 2>;
void add_to(Curvature& M, double amount, double x, double y) {
  M[0][0] += amount * x * x;
  M[0][1] += amount * x * y;
  M[1][0] += amount * x * y;
  M[1][1] += amount * y * y;
}
/// Flips the sign of negative curvature. There -s has a ridge, and the Newton step would ascend to it instead
/// of descending. n does not turn along (fixed_x, fixed_y).
void flip_negative_curvature(Curvature& M, double fixed_x, double fixed_y) {
  const double length2 = fixed_x * fixed_x + fixed_y * fixed_y;
  const auto along = [&](double x, double y) {
    return x * (M[0][0] * x + M[0][1] * y) + y * (M[1][0] * x + M[1][1] * y);
  };
  if (length2 > 0) {  // one direction is left
    const double length = std::sqrt(length2), x = -fixed_y / length, y = fixed_x / length;
    if (const double c = along(x, y); c < 0) add_to(M, -2 * c, x, y);
    return;
  }
  const double angle = 0.5 * std::atan2(2 * M[0][1], M[0][0] - M[1][1]);  // of the larger eigenvalue
  const double x = std::cos(angle), y = std::sin(angle);
  const double larger = along(x, y), smaller = along(-y, x);
  if (larger < 0) add_to(M, -2 * larger, x, y);
  if (smaller < 0) add_to(M, -2 * smaller, -y, x);
}

/// Optimality conditions on given pieces, with T the tangents of n and H = Σ λᵢ Hᵢ the sum of their
/// derivatives:
///     Tᵀ Σ λᵢ wᵢ(n) = 0,   n · wᵢ(n) = s for every i,   Σ λᵢ = 1.
/// A small rotation dt of n moves wᵢ by -Hᵢ T dt and T by -n dtᵀ, so the Newton step solves
///     (TᵀHT + s) dt = Σ λᵢ⁺ Tᵀwᵢ,   n · wᵢ + dt · Tᵀwᵢ = s⁺,   Σ λᵢ⁺ = 1.
/// Lengths are in units of the pair's size.
class Newton {
 public:
  Newton(const CorePair& pair, ActiveSet& set, Vec3& n)
      : pair_(pair), set_(set), n_(n), m_(pair.a.planar ? 1 : 2), k_(set.count) {}

  bool converges() {
    constexpr int kMaxSteps = 30;
    constexpr double kMaxTurn = 0.3;  // rad
    double last_turn = 1, turn_before = 1;
    for (int step = 0; step < kMaxSteps; ++step) {
      assemble();
      std::array<double, 6> x{};
      if (!solve_in_place(rows_, m_ + 1 + k_, x)) return false;
      const double turn = std::sqrt(x[0] * x[0] + (m_ == 2 ? x[1] * x[1] : 0));
      if (!std::isfinite(turn)) return false;
      const double shorter = turn > kMaxTurn ? kMaxTurn / turn : 1;
      n_ = normalized(n_ + shorter * (x[0] * T_[0] + (m_ == 2 ? x[1] : 0) * T_[1]));
      for (int i = 0; i < k_; ++i) set_.weights[i] = x[m_ + 1 + i];
      if (turn < tolerances::kQuadratic)
        return true;  // quadratic convergence: the next step would be below rounding
      // Converged as far as rounding allows, which is earlier if the curvature is small. The last two turns
      // are compared, since on a curved ridge long steps alternate with short ones back to it.
      if (step > 9 && turn < kMaxTurn && turn > 0.5 * std::max(last_turn, turn_before))
        return turn < tolerances::kCoarse;
      turn_before = std::exchange(last_turn, turn);
    }
    return false;
  }

 private:
  void assemble() {  // unknowns: dt (m), s, λ (k)
    T_ = tangents(n_, m_ == 1);
    rows_ = {};
    const int end = m_ + 1 + k_;
    const double unit = 1 / pair_.size;
    Mat3 H;
    double s = 0;
    for (int i = 0; i < k_; ++i) {
      const int a = set_.piece_a[i], b = set_.piece_b[i];
      const Vec3 w = unit * support_of_pieces(pair_, a, b, n_).w;
      H = H + (unit * set_.weights[i]) * support_derivative(pair_, a, b, n_);
      s += set_.weights[i] * dot(n_, w);
      for (int j = 0; j < m_; ++j) {
        rows_[j][m_ + 1 + i] = -dot(T_[j], w);
        rows_[m_ + i][j] = dot(T_[j], w);
      }
      rows_[m_ + i][m_] = -1;
      rows_[m_ + i][end] = -dot(n_, w);
      rows_[m_ + k_][m_ + 1 + i] = 1;
    }
    rows_[m_ + k_][end] = 1;
    add_curvature(H, s);
  }

  void add_curvature(const Mat3& H, double s) {
    if (m_ == 1) {
      const double curvature = dot(T_[0], H * T_[0]) + s;
      rows_[0][0] = k_ == 1 ? std::abs(curvature) : curvature;
      return;
    }
    Curvature M;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) M[i][j] = dot(T_[i], H * T_[j]) + (i == j ? s : 0);
    }
    if (k_ == 1 && s < 0) flip_negative_curvature(M, 0, 0);
    if (k_ == 2 && s < 0) flip_negative_curvature(M, rows_[2][0] - rows_[3][0], rows_[2][1] - rows_[3][1]);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) rows_[i][j] = M[i][j];
    }
  }

  const CorePair& pair_;
  ActiveSet& set_;
  Vec3& n_;
  const int m_, k_;  // degrees of freedom of n, number of pairs of pieces
  std::array<Vec3, 2> T_;
  std::array<std::array<double, 7>, 6> rows_;
};

SeparatingDirection evaluate_on_pieces(const CorePair& pair, const ActiveSet& set, const Vec3& n) {
  Simplex simplex;
  simplex.count = set.count;
  for (int i = 0; i < set.count; ++i) {
    simplex.points[i] = support_of_pieces(pair, set.piece_a[i], set.piece_b[i], n);
    simplex.weights[i] = std::max(set.weights[i], 0.0);
  }
  return evaluate_direction(pair, simplex, n);
}

/// The outward normal of the flat face best aligned with a direction, in the shape's frame; 0 if none is.
Vec3 most_aligned_face(const Convex& shape, const Vec3& d) {
  Vec3 best;
  double most = 0.9999;  // cosine: within about 0.014 rad
  const auto consider = [&](const Vec3& normal) {
    if (dot(normal, d) > most) most = dot(normal, d), best = normal;
  };
  if (const auto visit = core_ops(shape).visit_face_normals) visit(shape, Mat3::identity(), 1, consider);
  return best;
}

SeparatingDirection newton_refine_pieces(const CorePair& pair, const Simplex& simplex, Vec3 n,
                                         const SeparatingDirection& initial) {
  constexpr int kMaxRounds = 8;
  const int most = pair.a.planar ? 2 : 3;
  SeparatingDirection best = initial;
  ActiveSet set = active_set(simplex, most);
  for (int round = 0; round < kMaxRounds; ++round) {
    if (!Newton(pair, set, n).converges()) return best;
    const SeparatingDirection now = evaluate_on_pieces(pair, set, n);
    if (is_better(pair, now, best)) best = now;
    if (is_exact(pair, best)) return best;
    if (const int smallest_weight = set.smallest_weight();
        set.weights[smallest_weight] < 0 && set.count > 1) {
      set.drop(smallest_weight);
      continue;
    }
    const PairSupport next = support(pair, n, set.piece_a[0], set.piece_b[0]);
    if (set.contains(next.piece_a, next.piece_b)) return best;
    if (set.count == most) set.drop(set.smallest_weight());
    set.add(next.piece_a, next.piece_b, 0);
  }
  return best;
}

}  // namespace

SeparatingDirection newton_refine(const CorePair& pair, const Simplex& simplex, const Vec3& n) {
  const SeparatingDirection initial = evaluate_direction(pair, simplex, n);
  if (is_exact(pair, initial)) return initial;
  if (const auto found = optimum_on_crossing(pair, simplex, n); found && !is_better(pair, initial, *found)) {
    return *found;
  }
  SeparatingDirection best = newton_refine_pieces(pair, simplex, n, initial);
  if (is_exact(pair, best)) return best;
  const Vec3 of_a = -most_aligned_face(pair.a, -best.n);
  const Vec3 of_b = pair.R_AB * most_aligned_face(pair.b, transpose(pair.R_AB) * best.n);
  for (const Vec3& normal : {of_a, of_b}) {
    if (normal == Vec3{}) continue;
    if (const SeparatingDirection flat = evaluate_direction(pair, simplex, normal);
        is_better(pair, flat, best))
      best = flat;
  }
  return best;
}

}  // namespace pawl::internal
