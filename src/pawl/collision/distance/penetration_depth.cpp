#include <pawl/collision/distance/penetration_depth.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/curve.h>
#include <pawl/collision/distance/face_contact.h>
#include <pawl/collision/distance/newton_refinement.h>

namespace pawl::internal {
namespace {

/// The pair with the first core translated by `shift` (in its own frame).
CorePair translated(const CorePair& pair, const Vec3& shift) {
  CorePair other = pair;
  other.p_AB -= shift;
  other.rounding += tolerances::kData * norm(shift);
  return other;
}

/// Translates the first core along n until the gap is `clearance` times the size of the pair, and finds the
/// closest points. They are returned in the original position. If n is an optimum, it is also the direction
/// of the closest points.
struct SeparatedSimplex {
  Simplex simplex;
  Vec3 n;
};
SeparatedSimplex separate_along(const CorePair& pair, const Vec3& n, double clearance, double tolerance) {
  const double s = dot(n, support(pair, n).w);
  const Vec3 shift = (clearance * pair.size - s) * n;
  const CorePair separated = translated(pair, shift);
  GjkState nearest = start_gjk(separated, n);
  iterate_gjk(separated, tolerance * pair.size, nearest);
  SeparatedSimplex result{nearest.simplex, nearest.w / nearest.upper};
  for (int i = 0; i < result.simplex.count; ++i) {
    result.simplex.points[i].b += shift;
    result.simplex.points[i].w -= shift;
  }
  return result;
}

/// Extrapolates from a direction through a better one, doubling the step while s increases.
Vec3 extrapolate(const CorePair& pair, const Vec3& from, const SeparatingDirection& to) {
  Vec3 best = to.n;
  double s = to.s;
  for (double factor = 2; factor < 100; factor *= 2) {
    const Vec3 n = normalized(from + factor * (to.n - from));
    const double next = dot(n, support(pair, n).w);
    if (!(next > s)) break;
    best = n;
    s = next;
  }
  return best;
}

/// A direction n and the point of b - a farthest along it. Plain arrays, since initialising all nodes to zero
/// would cost more than the search.
struct Node {
  double direction[3], point[3];

  Vec3 n() const { return {direction[0], direction[1], direction[2]}; }
  Vec3 u() const { return {point[0], point[1], point[2]}; }
};

Vec3 any_perpendicular(const Vec3& n) {
  return normalized(cross(n, std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
}

/// A triangle of directions (planar: an arc), by the indices of its corners.
template <int kCorners>
struct CellOf {
  double bound;  // lower bound of the depth of all directions of the cell, m
  std::array<int, kCorners> corners;
};

/// Branch and bound for the least depth h(n) = -s(n) = max n · u over the points u of b - a. Cells have three
/// corners, in the plane two.
template <int kCorners>
class Search {
 public:
  explicit Search(const CorePair& pair) : pair_(pair) {}

  /// Early exit: let balls of radii ρ_a and ρ_b roll inside a and b. Then a ball of radius ρ = ρ_a + ρ_b
  /// rolls inside b - a. At an optimum n of depth D ≤ ρ it touches the boundary with its centre at (D - ρ) n.
  /// At an angle θ from n the depth is at least ρ - (ρ - D) cos θ ≥ D: no direction is better.
  SeparatingDirection run(const Vec3& start) {
    Vec3 first = start;
    double max_separation = separation_along(start);
    for_each_flat_direction([&](const Vec3& n) {
      if (const double s = separation_along(n); s > max_separation) max_separation = s, first = n;
    });
    record(local_ascent(pair_, first));
    if (is_exact(pair_, best_) && (-best_.s <= rolling_radius(pair_.a) + rolling_radius(pair_.b) ||
                                   best_.proven || is_proven_optimal(pair_, best_))) {
      return best_;
    }
    for_each_flat_direction([&](const Vec3& n) {
      if (separation_along(n) > best_.s) record(local_ascent(pair_, n));
    });
    try_mirrored_directions();
    subdivide_sphere();
    while (cell_count_ > 0) {
      std::pop_heap(cells_.begin(), cells_.begin() + cell_count_, has_larger_bound);
      const Cell cell = cells_[--cell_count_];
      if (cell.bound >= -best_.s - 4 * pair_.rounding) break;
      const auto [i, j, length2] = longest_side(cell);
      if (length2 < 4 * kMinCellSize * kMinCellSize && is_near_known_optimum(cell)) continue;
      if (length2 < kMinCellSize * kMinCellSize) {
        if (ascents_ < kMaxAscents) record(local_ascent(pair_, middle(cell)));
        continue;
      }
      if (node_count_ == kMaxNodes) break;
      split(cell, i, j);
    }
    return best_refined();
  }

 private:
  using Cell = CellOf<kCorners>;
  /// If the shapes are nearly coaxial, all directions of a ring are nearly equal, and it takes thousands of
  /// nodes to separate them.
  static constexpr int kMaxNodes = 6000, kMaxOptima = 24, kMaxAscents = 32;
  /// rad; a cell of this size is assumed to contain at most one optimum.
  static constexpr double kMinCellSize = kCorners == 2 ? tolerances::kFine : 0.005;

  static bool has_larger_bound(const Cell& a, const Cell& b) { return a.bound > b.bound; }

  void record(const SeparatingDirection& optimum) {
    if (++ascents_ == 1 || is_better(pair_, optimum, best_)) best_ = optimum;
    if (optimum.error <= tolerances::kQuadratic * pair_.size && optimum_count_ < kMaxOptima)
      optima_[optimum_count_++] = optimum.n;
  }

  /// For nearly concentric or coaxial shapes, the opposite direction is nearly as good.
  void try_mirrored_directions() {
    if (separation_along(-best_.n) > best_.s) record(local_ascent(pair_, -best_.n));
    for (const Vec3& axis : {Vec3{0, 0, 1}, column(pair_.R_AB, 2)}) {
      const Vec3 n = normalized(2 * dot(best_.n, axis) * axis - best_.n);
      if (kCorners == 3 && separation_along(n) > best_.s - tolerances::kCoarse * pair_.size &&
          norm(n - best_.n) > kMinCellSize) {
        record(local_ascent(pair_, n));
      }
    }
  }

  double separation_along(const Vec3& n) const { return dot(n, support(pair_, n).w); }

  /// Directions that are optima by themselves and may be closer to each other than the cell size.
  template <class Visit>
  void for_each_flat_direction(Visit visit) const {
    if (const auto faces = core_ops(pair_.a).visit_face_normals) faces(pair_.a, Mat3::identity(), -1, visit);
    if (const auto faces = core_ops(pair_.b).visit_face_normals) faces(pair_.b, pair_.R_AB, 1, visit);
    if (kCorners == 3) visit_lines(visit);
  }

  /// Straight lines of the two surfaces that cross lie in a common flat face of b - a, thin when they are
  /// nearly parallel.
  template <class Visit>
  void visit_lines(Visit visit) const {
    const CoreOps &a = core_ops(pair_.a), &b = core_ops(pair_.b);
    for (int i = a.line_axes_begin; i < a.line_axes_end; ++i) {
      for (int j = b.line_axes_begin; j < b.line_axes_end; ++j) {
        const Vec3 n = cross(column(Mat3::identity(), i), column(pair_.R_AB, j));
        const double length = norm(n);
        if (length < tolerances::kZeroLength) continue;
        visit(n / length);
        visit(-n / length);
      }
    }
  }

  /// The best direction, with witness points as accurate as possible.
  SeparatingDirection best_refined() const {
    if (is_exact(pair_, best_)) return best_;
    const SeparatingDirection again = evaluate_optimal_direction(pair_, best_.n);
    return again.error < best_.error ? again : best_;
  }

  int add_node(const Vec3& n) {
    const Vec3 w = support(pair_, n).w;
    nodes_[node_count_] = {{n.x, n.y, n.z}, {-w.x, -w.y, -w.z}};
    return node_count_++;
  }

  /// Lower bound of the depth in a cell. Each support point u_j of its corners, and each convex combination ū
  /// of them, gives h(n) ≥ ū · n. For n = Σ μ_k n_k/|Σ μ_k n_k|,
  ///     ū · n ≥ f min_k ū · n_k,   1 ≤ f = Σ μ_k/|Σ μ_k n_k| ≤ √3,
  /// where f matters if the min is negative. The best combination has the same ū · n_k for all k, if its
  /// weights are not negative.
  double bound(const Cell& cell) const {
    Payoff payoff;  // [j][k] = u_j · n_k, plus the size to make it positive
    double best = -std::numeric_limits<double>::infinity();
    for (int j = 0; j < kCorners; ++j) {
      double min_dot = std::numeric_limits<double>::infinity();
      for (int k = 0; k < kCorners; ++k) {
        payoff[j][k] = dot(nodes_[cell.corners[j]].u(), nodes_[cell.corners[k]].n()) + pair_.size;
        min_dot = std::min(min_dot, payoff[j][k]);
      }
      best = std::max(best, min_dot);
    }
    best -= pair_.size;
    for (int i = 0; i < best_.count && best < -best_.s; ++i) {
      double min_dot = std::numeric_limits<double>::infinity();
      for (const int corner : cell.corners)
        min_dot = std::min(min_dot, -dot(best_.support_points[i], nodes_[corner].n()));
      best = std::max(best, min_dot);
    }
    if (best < -best_.s) best = std::max(best, mixed_strategy_bound(payoff) - pair_.size);
    return best < 0 ? std::sqrt(3.0) * best : best;
  }

  using Payoff = std::array<std::array<double, kCorners>, kCorners>;
  static double mixed_strategy_bound(const Payoff& p) {
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    if constexpr (kCorners == 2) {
      const double t = (p[1][1] - p[1][0]) / ((p[0][0] - p[0][1]) + (p[1][1] - p[1][0]));
      return t >= 0 && t <= 1 ? t * p[0][0] + (1 - t) * p[1][0] : kNone;
    } else {
      const Vec3 p0{p[0][0], p[0][1], p[0][2]}, p1{p[1][0], p[1][1], p[1][2]}, p2{p[2][0], p[2][1], p[2][2]};
      const Vec3 c0 = cross(p1, p2), c1 = cross(p2, p0), c2 = cross(p0, p1);
      const double det = dot(p0, c0);  // weights of the combination: t0, t1, t2 over their sum
      const double t0 = c0.x + c0.y + c0.z, t1 = c1.x + c1.y + c1.z, t2 = c2.x + c2.y + c2.z;
      const bool mixture = det > 0 ? t0 >= 0 && t1 >= 0 && t2 >= 0 : t0 <= 0 && t1 <= 0 && t2 <= 0;
      return mixture && det != 0 ? det / (t0 + t1 + t2) : kNone;
    }
  }

  void add_cell(Cell cell) {
    cell.bound = bound(cell);
    if (cell.bound >= -best_.s - 4 * pair_.rounding) return;
    cells_[cell_count_++] = cell;
    std::push_heap(cells_.begin(), cells_.begin() + cell_count_, has_larger_bound);
  }

  /// The best direction is a corner: there its support points give the tightest bounds.
  void subdivide_sphere() {
    const Vec3& n = best_.n;
    const Vec3 side = kCorners == 2 ? Vec3{-n.y, n.x, 0} : any_perpendicular(n);
    add_node(n);
    add_node(-n);
    add_node(side);
    add_node(-side);
    if (kCorners == 3) {
      add_node(cross(n, side));
      add_node(-cross(n, side));
    }
    for (int octant = 0; octant < (kCorners == 2 ? 4 : 8); ++octant) {
      Cell cell{};
      for (int axis = 0; axis < kCorners; ++axis) cell.corners[axis] = 2 * axis + (octant >> axis & 1);
      add_cell(cell);
    }
  }

  struct Side {
    int from, to;
    double length2;
  };
  Side longest_side(const Cell& cell) const {
    Side longest{0, 1, -1};
    for (int i = 0; i < kCorners; ++i) {
      for (int j = i + 1; j < kCorners; ++j) {
        const Vec3 side = nodes_[cell.corners[i]].n() - nodes_[cell.corners[j]].n();
        if (dot(side, side) > longest.length2) longest = {i, j, dot(side, side)};
      }
    }
    return longest;
  }

  Vec3 middle(const Cell& cell) const {
    Vec3 sum;
    for (int i = 0; i < kCorners; ++i) sum += nodes_[cell.corners[i]].n();
    return normalized(sum);
  }

  bool is_near_known_optimum(const Cell& cell) const {
    for (int o = 0; o < optimum_count_; ++o) {
      bool near = true;
      for (int i = 0; i < kCorners; ++i)
        near &= norm(nodes_[cell.corners[i]].n() - optima_[o]) < kMinCellSize;
      if (near) return true;
    }
    return false;
  }

  void split(const Cell& cell, int i, int j) {
    const Vec3 n = normalized(nodes_[cell.corners[i]].n() + nodes_[cell.corners[j]].n());
    const int node = add_node(n);
    if (dot(n, nodes_[node].u()) < -best_.s && ascents_ < kMaxAscents) record(local_ascent(pair_, n));
    for (const int replaced : {i, j}) {
      Cell half_cell = cell;
      half_cell.corners[replaced] = node;
      add_cell(half_cell);
    }
  }

  const CorePair& pair_;
  int node_count_ = 0, cell_count_ = 0, optimum_count_ = 0, ascents_ = 0;
  std::array<Node, kMaxNodes> nodes_;
  std::array<Cell, kMaxNodes + 16> cells_;
  std::array<Vec3, kMaxOptima> optima_;
  SeparatingDirection best_;
};

}  // namespace

/// Let the first core be moved out by t along n. The direction n⁺ of the closest points then satisfies
///     t n⁺ · n + s(n⁺) ≥ t + s(n),
/// so it is never worse than n, and equals n only at an optimum. This is a proximal step, longer for smaller
/// t. An improving step is extrapolated.
SeparatingDirection local_ascent(const CorePair& pair, const Vec3& start) {
  constexpr int kMaxSteps = 16;
  Vec3 n = start;
  SeparatingDirection best;
  double clearance = 0.25,
         tolerance = has_rim(pair.a) || has_rim(pair.b) ? tolerances::kFine : tolerances::kCoarse;
  for (int step = 0; step < kMaxSteps; ++step) {
    const SeparatedSimplex separated = separate_along(pair, n, clearance, tolerance);
    const SeparatingDirection here = evaluate_direction(pair, separated.simplex, n);
    const bool here_is_better = step == 0 || is_better(pair, here, best);
    if (here_is_better) best = here;
    if (is_exact(pair, best)) return best;
    const SeparatingDirection now = newton_refine(pair, separated.simplex, separated.n);
    const bool now_is_better = is_better(pair, now, best);
    if (now_is_better) best = now;
    if (is_exact(pair, best)) return best;
    if (step > 3 && !here_is_better && !now_is_better) return best;
    n = extrapolate(pair, n, best);
    clearance = std::max(0.2 * clearance, tolerances::kMedium);
    tolerance *= 0.01;
  }
  return best;
}

SeparatingDirection evaluate_optimal_direction(const CorePair& pair, const Vec3& n) {
  return evaluate_direction(pair, separate_along(pair, n, 0.25, 0).simplex, n);
}

SeparatingDirection penetration_depth(const CorePair& pair, const Vec3& start) {
  return pair.a.planar ? Search<2>(pair).run(start) : Search<3>(pair).run(start);
}

}  // namespace pawl::internal
