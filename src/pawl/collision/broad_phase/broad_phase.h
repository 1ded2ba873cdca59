#pragma once
// Which shapes are near each other: the pairs that are worth an exact look.

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <pawl/collision/broad_phase/aabb_tree.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// Fixed shapes are never near each other; of those left out, such as half-spaces, nothing is asked.
enum class ShapeRole : char { moving, fixed, excluded };

/// The least gap of all pairs.
struct ClosestPair {
  double gap = 0;     // m; the upper bound where no pair is closer
  ShapePair pair;     // {-1, -1}: none
  int evaluated = 0;  // pairs whose exact gap was asked for
  int rounds = 0;     // that it took, each twice as far as the last
};

/// Keeps the pairs of boxes that are fatter than asked for, so that most steps only look through a list.
/// What it answers does not depend on what it was asked before. A step allocates nothing once it has seen as
/// many pairs.
class BroadPhase {
 public:
  /// Whether two shapes, a < b, may ever meet. Asked when their boxes come near, not at every step.
  /// None: all may.
  using PairFilter = std::function<bool(int a, int b)>;

  /// Forgets everything. [shapes]
  void reset(std::span<const ShapeRole> roles, PairFilter pair_filter = {});

  /// Takes the boxes of this step, [shapes]; those of fixed shapes only the first time. False: a box is not
  /// proper; it is near nothing, the others are as they should be. reach: m, ≥ 0.
  bool update(std::span<const Aabb> boxes, double contact_margin);

  /// Those whose boxes overlap, each grown by half the reach: all that are no farther apart than the reach.
  /// Ordered by (a, b).
  std::span<const ShapePair> pairs() const {
    return candidates_are_pairs_ ? std::span(candidates_).first(candidate_count_)
                                 : std::span(pairs_).first(pair_count_);
  }

  /// The moving shapes whose boxes come within `contact_margin` of the half-space, ascending.
  void query_half_space(const HalfSpace& half_space, double contact_margin, std::vector<int>& shapes);

  /// The pair of least exact_gap(a, b) that is less than `upper`, m. The gap must be no less than that of the
  /// boxes, as it is of what lies within them. Of equal ones, the pair whose boxes are nearer, then the
  /// first.
  template <class ExactGap>
  ClosestPair closest(double upper, ExactGap&& exact_gap);

 private:
  static constexpr std::size_t kBlock = 128;  // candidates looked at together
  /// Those of a block whose limit does not hold any more.
  struct UnresolvedPairs {
    std::array<int, kBlock> positions;
    std::size_t count = 0;
  };

  /// Of a step: how many shapes left their fat boxes, and went far.
  enum class MotionRegime : char { few_leave, many_leave, many_move_far };

  void grow_fixed(double half_margin);
  bool update_moving(std::span<const Aabb> boxes, double half_margin);
  bool refit_shape(int shape, const Aabb& box, const Aabb& now, const Aabb& before);
  void insert_fixed();
  void rebuild_pairs(bool none_enlarged);
  void update_moved_pairs();
  void reserve_candidates(std::size_t candidates);
  void filter_new_pairs();
  void sort_new(HugePageVector<ShapePair>& to);
  void merge_new();
  void select_pairs();
  void find_unresolved(std::size_t begin, UnresolvedPairs& unresolved) const;
  void update_limits(const UnresolvedPairs& unresolved);
  double median_side();
  double max_aabb_gap() const;
  void rank_pairs(double beyond, double up_to, double upper);
  bool pop_nearest(ShapePair& pair, double upper);

  PairFilter pair_filter_;
  HugePageVector<int> moving_, fixed_;  // shapes, ascending
  HugePageVector<Aabb> boxes_;          // [shapes], of the last update
  HugePageVector<Aabb> fat_;            // [shapes], in the trees: they contain boxes_ grown by half_margin_
  HugePageVector<float> travel_;   // [shapes], m: no face of the grown box has gone farther since it was 0
  HugePageVector<char> is_tight_;  // [shapes]: fat_ was given no room
  double half_margin_ = 0;         // of the last update
  bool fixed_are_valid_ = true;
  MotionRegime regime_ = MotionRegime::few_leave;  // at the last update
  double fixed_half_margin_ = -1;  // by which fat boxes of fixed shapes are grown; -1: not placed yet
  AabbTree moving_tree_, fixed_tree_;
  AabbTree wide_tree_;  // of boxes grown farther, while the closest pair is sought
  HugePageVector<Aabb> wide_;
  // Ordered; boxes in the trees overlap, and they may meet. The lists have room for more.
  HugePageVector<ShapePair> candidates_;
  std::size_t candidate_count_ = 0;
  /// [candidates], m: as long as both have not travelled farther together, the grown boxes overlap if it is
  /// positive, and do not if it is negative. With a sign where it is 0; NaN: not known yet.
  HugePageVector<float> limits_, merged_limits_;
  HugePageVector<ShapePair> pairs_;
  std::size_t pair_count_ = 0;
  bool candidates_are_pairs_ = false;  // all of them, and pairs_ says nothing

  HugePageVector<int> moved_;       // shapes that left their fat box
  HugePageVector<char> has_moved_;  // [shapes]
  std::vector<int> near_;           // shapes
  HugePageVector<ShapePair> new_, merged_;
  HugePageVector<int> counts_;  // [shapes + 1]
  HugePageVector<int> rows_;
  struct RankedPair {
    double gap = 0;  // of the boxes
    ShapePair pair;
    constexpr auto operator<=>(const RankedPair&) const = default;
  };
  HugePageVector<RankedPair> ranked_;  // a heap, the least first
  HugePageVector<double> sides_;
};

template <class ExactGap>
ClosestPair BroadPhase::closest(double upper, ExactGap&& exact_gap) {
  ClosestPair best{upper, {-1, -1}};
  if (moving_.empty() || moving_.size() + fixed_.size() < 2) return best;
  // Round by round, all whose boxes are no farther apart than so far, until that is farther than the best.
  double beyond = -std::numeric_limits<double>::infinity(), up_to = 2 * half_margin_;
  const double max_gap = max_aabb_gap();
  while (true) {
    ++best.rounds;
    rank_pairs(beyond, up_to, best.gap);
    for (ShapePair pair; pop_nearest(pair, best.gap);) {
      if (pair_filter_ && !pair_filter_(pair.a, pair.b)) continue;
      ++best.evaluated;
      const double gap = exact_gap(pair.a, pair.b);
      if (gap < best.gap) {
        best.gap = gap;
        best.pair = pair;
      }
    }
    if (up_to >= best.gap || up_to >= max_gap) return best;
    beyond = up_to;
    up_to = std::max(2 * up_to, median_side());
  }
}

}  // namespace pawl::internal
