#include <pawl/collision/distance/penetration_depth.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <pawl/collision/distance/curve.h>
#include <pawl/collision/distance/face_contact.h>
#include <pawl/collision/distance/newton_refinement.h>

namespace pawl::internal {
namespace {

/// The pair with the first core moved by `shift` (in its own frame).
CorePair translated(const CorePair& pair, const Vec3& shift) {
  CorePair other = pair;
  other.p_AB -= shift;
  other.rounding += 1e-15 * norm(shift);
  return other;
}

/// The nearest points when the first core is moved along n until `clearance` sizes lie between the two, given
/// back in the places that they had before. If n is an optimum then n is their direction.
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

/// The way from one direction to a better one, twice as far as long as it leads up.
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

/// A direction n and the point of b - a that lies the farthest along it. Plain numbers, since hundreds of
/// them that begin as zero would cost more than the search.
struct Node {
  double direction[3], point[3];

  Vec3 n() const { return {direction[0], direction[1], direction[2]}; }
  Vec3 u() const { return {point[0], point[1], point[2]}; }
};

Vec3 any_perpendicular(const Vec3& n) {
  return normalized(cross(n, std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
}

/// A triangle of directions (planar: an arc), by the numbers of its corners.
template <int kCorners>
struct CellOf {
  double bound;  // of the depth of every direction within, m
  std::array<int, kCorners> corners;
};

/// Branch and bound for the least depth h(n) = -s(n) = max over the points u of b - a of n · u.
/// Cells have three corners, and two in the plane.
template <int kCorners>
class Search {
 public:
  explicit Search(const CorePair& pair) : pair_(pair) {}

  /// A ball of radius ρ that rolls inside a and one inside b make one of the sum of the radii that rolls
  /// inside b - a. At an optimum n of depth D ≤ ρ it touches the boundary from (D - ρ) n, so that in all
  /// directions the depth is at least ρ - (ρ - D) cos ≥ D: there is no better one.
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
  /// Where shapes are nearly coaxial, all directions of a ring are nearly as good, and it takes thousands of
  /// nodes to tell them apart.
  static constexpr int kMaxNodes = 6000, kMaxOptima = 24, kMaxAscents = 32;
  /// rad; a cell as small is taken to have one optimum at the most.
  static constexpr double kMinCellSize = kCorners == 2 ? 1e-6 : 0.005;

  static bool has_larger_bound(const Cell& a, const Cell& b) { return a.bound > b.bound; }

  void record(const SeparatingDirection& optimum) {
    if (++ascents_ == 1 || is_better(pair_, optimum, best_)) best_ = optimum;
    if (optimum.error <= 1e-9 * pair_.size && optimum_count_ < kMaxOptima)
      optima_[optimum_count_++] = optimum.n;
  }

  /// Of shapes that are nearly concentric or coaxial the other side is nearly as good.
  void try_mirrored_directions() {
    if (separation_along(-best_.n) > best_.s) record(local_ascent(pair_, -best_.n));
    for (const Vec3& axis : {Vec3{0, 0, 1}, column(pair_.R_AB, 2)}) {
      const Vec3 n = normalized(2 * dot(best_.n, axis) * axis - best_.n);
      if (kCorners == 3 && separation_along(n) > best_.s - 1e-3 * pair_.size &&
          norm(n - best_.n) > kMinCellSize) {
        record(local_ascent(pair_, n));
      }
    }
  }

  double separation_along(const Vec3& n) const { return dot(n, support(pair_, n).w); }

  /// Directions that are optima of their own and may lie closer to each other than cells are split.
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
        if (length < 1e-14) continue;
        visit(n / length);
        visit(-n / length);
      }
    }
  }

  /// The best direction with points as exact as they can be had.
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

  /// The depth of all directions of a cell. Each u of its corners, and each convex mixture ū of them, gives
  /// h(n) ≥ ū · n ≥ min over the corners of ū · n_k, times Σμ/|Σμ n_k| ≤ √3 for n = Σ μ_k n_k/|…|, which
  /// counts where it is negative. The mixture with the same ū · n_k for all k is the best when it is one.
  double bound(const Cell& cell) const {
    Payoff payoff;  // [j][k] = u_j · n_k, made positive by the size
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
      const double det = dot(p0, c0);  // the weights of the mixture are these sums over their own sum
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

  /// With the best direction as a corner, where the points that carry it say the most.
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

/// With the first core moved out by t along n, the direction n⁺ of the nearest points has
/// t n⁺·n + s(n⁺) ≥ t + s(n): never worse than n, and the same n only at an optimum (a proximal step, the
/// longer the smaller t). Where it goes up it is tried to go on.
SeparatingDirection local_ascent(const CorePair& pair, const Vec3& start) {
  constexpr int kMaxSteps = 16;
  Vec3 n = start;
  SeparatingDirection best;
  double clearance = 0.25, tolerance = has_rim(pair.a) || has_rim(pair.b) ? 1e-6 : 1e-3;
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
    clearance = std::max(0.2 * clearance, 1e-4);
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
