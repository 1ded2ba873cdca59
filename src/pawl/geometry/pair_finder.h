#pragma once
// Which shapes are near each other: the pairs that are worth an exact look.

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <pawl/geometry/box_tree.h>
#include <pawl/geometry/convex.h>

namespace pawl {

/// Fixed shapes are never near each other; of those left out, such as half-spaces, nothing is asked.
enum class ShapeRole : char { moving, fixed, left_out };

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
class PairFinder {
 public:
  /// Whether two shapes, a < b, may ever meet. Asked when their boxes come near, not at every step.
  /// None: all may.
  using MayMeet = std::function<bool(int a, int b)>;

  /// Forgets everything. [shapes]
  void reset(std::span<const ShapeRole> roles, MayMeet may_meet = {});

  /// Takes the boxes of this step, [shapes]; those of fixed shapes only the first time. False: a box is not
  /// proper; it is near nothing, the others are as they should be. reach: m, ≥ 0.
  bool update(std::span<const Box> boxes, double reach);

  /// Those whose boxes overlap, each grown by half the reach: all that are no farther apart than the reach.
  /// Ordered by (a, b).
  std::span<const ShapePair> pairs() const {
    return candidates_are_pairs_ ? std::span(candidates_).first(candidate_count_)
                                 : std::span(pairs_).first(pair_count_);
  }

  /// The moving shapes whose boxes come within `reach` of the half-space, ascending.
  void find_near(const HalfSpace& half_space, double reach, std::vector<int>& shapes);

  /// The pair of least exact_gap(a, b) that is less than `upper`, m. The gap must be no less than that of the
  /// boxes, as it is of what lies within them. Of equal ones, the pair whose boxes are nearer, then the
  /// first.
  template <class ExactGap>
  ClosestPair closest(double upper, ExactGap&& exact_gap);

 private:
  static constexpr std::size_t kBlock = 128;  // candidates looked at together
  /// Those of a block whose limit does not hold any more.
  struct Unsure {
    std::array<int, kBlock> places;
    std::size_t count = 0;
  };

  /// Of a step: how many shapes left their fat boxes, and went far.
  enum class Pace : char { few_leave, many_leave, many_go_far };

  void grow_fixed(double half_reach);
  bool take(std::span<const Box> boxes, double half_reach);
  bool give_room(int shape, const Box& box, const Box& now, const Box& before);
  void place_fixed();
  void start_over(bool none_has_room);
  void follow_moved();
  void make_room(std::size_t candidates);
  void drop_those_that_never_meet();
  void sort_new(LongList<ShapePair>& to);
  void merge_new();
  void pick_pairs();
  void find_unsure(std::size_t begin, Unsure& unsure) const;
  void measure(const Unsure& unsure);
  double typical_side();
  double widest_gap() const;
  void rank_pairs(double beyond, double up_to, double upper);
  bool take_next(ShapePair& pair, double upper);

  MayMeet may_meet_;
  LongList<int> moving_, fixed_;  // shapes, ascending
  LongList<Box> boxes_;           // [shapes], of the last update
  LongList<Box> fat_;             // [shapes], in the trees: they contain boxes_ grown by half_reach_
  LongList<float> travel_;        // [shapes], m: no face of the grown box has gone farther since it was 0
  LongList<char> is_tight_;       // [shapes]: fat_ was given no room
  double half_reach_ = 0;         // of the last update
  bool fixed_are_proper_ = true;
  Pace pace_ = Pace::few_leave;   // at the last update
  double fixed_half_reach_ = -1;  // by which fat boxes of fixed shapes are grown; -1: not placed yet
  BoxTree moving_tree_, fixed_tree_;
  BoxTree wide_tree_;  // of boxes grown farther, while the closest pair is sought
  LongList<Box> wide_;
  // Ordered; boxes in the trees overlap, and they may meet. The lists have room for more.
  LongList<ShapePair> candidates_;
  std::size_t candidate_count_ = 0;
  /// [candidates], m: as long as both have not travelled farther together, the grown boxes overlap if it is
  /// positive, and do not if it is negative. With a sign where it is 0; NaN: not known yet.
  LongList<float> limits_, merged_limits_;
  LongList<ShapePair> pairs_;
  std::size_t pair_count_ = 0;
  bool candidates_are_pairs_ = false;  // all of them, and pairs_ says nothing

  LongList<int> moved_;       // shapes that left their fat box
  LongList<char> has_moved_;  // [shapes]
  std::vector<int> near_;     // shapes
  LongList<ShapePair> new_, merged_;
  LongList<int> counts_;  // [shapes + 1]
  LongList<int> rows_;
  struct RankedPair {
    double gap = 0;  // of the boxes
    ShapePair pair;
    constexpr auto operator<=>(const RankedPair&) const = default;
  };
  LongList<RankedPair> ranked_;  // a heap, the least first
  LongList<double> sides_;
};

template <class ExactGap>
ClosestPair PairFinder::closest(double upper, ExactGap&& exact_gap) {
  ClosestPair best{upper, {-1, -1}};
  if (moving_.empty() || moving_.size() + fixed_.size() < 2) return best;
  // Round by round, all whose boxes are no farther apart than so far, until that is farther than the best.
  double beyond = -std::numeric_limits<double>::infinity(), up_to = 2 * half_reach_;
  const double most = widest_gap();
  while (true) {
    ++best.rounds;
    rank_pairs(beyond, up_to, best.gap);
    for (ShapePair pair; take_next(pair, best.gap);) {
      if (may_meet_ && !may_meet_(pair.a, pair.b)) continue;
      ++best.evaluated;
      const double gap = exact_gap(pair.a, pair.b);
      if (gap < best.gap) {
        best.gap = gap;
        best.pair = pair;
      }
    }
    if (up_to >= best.gap || up_to >= most) return best;
    beyond = up_to;
    up_to = std::max(2 * up_to, typical_side());
  }
}

}  // namespace pawl
