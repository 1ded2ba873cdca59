#pragma once
// The broad phase: finds the pairs of shapes whose AABBs are within the contact margin.

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <pawl/collision/broad_phase/aabb_tree.h>
#include <pawl/geometry.h>

namespace pawl::internal {

/// Fixed-fixed pairs are skipped. Excluded shapes, such as half-spaces, are not in the broad phase.
enum class ShapeRole : char { moving, fixed, excluded };

/// The pair of least gap.
struct ClosestPair {
  double gap = 0;     // m; `upper` if no pair is closer
  ShapePair pair;     // {-1, -1}: none
  int evaluated = 0;  // number of exact gaps computed
  int rounds = 0;     // number of search rounds; each doubles the search distance
};

/// Keeps candidate pairs of enlarged ("fat") AABBs, so that most updates only scan a list. The result of an
/// update does not depend on earlier updates. An update allocates nothing once the lists have reached their
/// size.
class BroadPhase {
 public:
  /// True if the shapes a < b may ever collide. Called when their fat AABBs first overlap, not at every
  /// update. Empty: all pairs may.
  using PairFilter = std::function<bool(int a, int b)>;

  /// Clears everything. roles: [shapes].
  void reset(std::span<const ShapeRole> roles, PairFilter pair_filter = {});

  /// Sets the AABBs, [shapes]; those of fixed shapes are read the first time only. contact_margin: m, ≥ 0.
  /// Returns false if a box is invalid; an invalid box has no pairs, all other pairs are correct.
  bool update(std::span<const Aabb> boxes, double contact_margin);

  /// Pairs whose boxes overlap when each is grown by half the contact margin: all pairs with gap ≤ contact
  /// margin. Sorted by (a, b).
  std::span<const ShapePair> pairs() const {
    return candidates_are_pairs_ ? std::span(candidates_).first(candidate_count_)
                                 : std::span(pairs_).first(pair_count_);
  }

  /// Moving shapes whose AABBs come within `contact_margin` of the half-space, ascending.
  void query_half_space(const HalfSpace& half_space, double contact_margin, std::vector<int>& shapes);

  /// The pair of least exact_gap(a, b) below `upper`, m. The exact gap must be at least the gap of the AABBs,
  /// which holds for shapes inside their AABBs. Ties go to the smaller AABB gap, then to the smaller (a, b).
  template <class ExactGap>
  ClosestPair closest(double upper, ExactGap&& exact_gap);

 private:
  static constexpr std::size_t kBlock = 128;  // candidates processed together
  /// Candidates of a block whose travel limit is exceeded.
  struct UnresolvedPairs {
    std::array<int, kBlock> positions;
    std::size_t count = 0;
  };

  /// How many shapes left their fat boxes in an update, and whether many moved far.
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
  HugePageVector<Aabb> fat_;            // [shapes], in the trees: contain boxes_ grown by half_margin_
  /// [shapes], m: upper bound of the motion of any face of the grown box since the last reset.
  HugePageVector<float> travel_;
  HugePageVector<char> is_tight_;  // [shapes]: fat_ is not enlarged
  double half_margin_ = 0;         // m, of the last update
  bool fixed_are_valid_ = true;
  MotionRegime regime_ = MotionRegime::few_leave;  // of the last update
  double fixed_half_margin_ = -1;  // m, by which fat boxes of fixed shapes are grown; -1: not inserted yet
  AabbTree moving_tree_, fixed_tree_;
  AabbTree wide_tree_;  // AABBs grown farther, for closest()
  HugePageVector<Aabb> wide_;
  // Sorted candidates: fat boxes overlap and the filter accepts the pair. The lists have spare capacity.
  HugePageVector<ShapePair> candidates_;
  std::size_t candidate_count_ = 0;
  /// [candidates], m: limits of travel_[a] + travel_[b]. Until the limit is reached, the grown boxes overlap
  /// if it is positive and do not if it is negative; ±0 is signed too. NaN: unknown.
  HugePageVector<float> limits_, merged_limits_;
  HugePageVector<ShapePair> pairs_;
  std::size_t pair_count_ = 0;
  bool candidates_are_pairs_ = false;  // then pairs_ is unused

  HugePageVector<int> moved_;       // shapes that left their fat boxes
  HugePageVector<char> has_moved_;  // [shapes]
  std::vector<int> near_;           // shapes
  HugePageVector<ShapePair> new_, merged_;
  HugePageVector<int> counts_;  // [shapes + 1]
  HugePageVector<int> rows_;
  struct RankedPair {
    double gap = 0;  // m, of the AABBs
    ShapePair pair;
    constexpr auto operator<=>(const RankedPair&) const = default;
  };
  HugePageVector<RankedPair> ranked_;  // min-heap
  HugePageVector<double> sides_;
};

template <class ExactGap>
ClosestPair BroadPhase::closest(double upper, ExactGap&& exact_gap) {
  ClosestPair best{upper, {-1, -1}};
  if (moving_.empty() || moving_.size() + fixed_.size() < 2) return best;
  // Each round ranks the pairs with AABB gap in (beyond, up_to], until up_to exceeds the best gap.
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
