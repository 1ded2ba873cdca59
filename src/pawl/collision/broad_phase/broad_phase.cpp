#include <pawl/collision/broad_phase/broad_phase.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>

#include <pawl/base/numeric_util.h>

namespace pawl::internal {

namespace {

/// Margin of a fat box on every side, in mean side lengths. A larger margin means fewer refits and more
/// candidates.
constexpr double kFatMargin = 0.08;
/// Number of motions by which a fat box is extended ahead.
constexpr double kPredictionSteps = 4;
/// Upper limit of that extension, in mean side lengths.
constexpr double kMaxPrediction = 0.25;
/// Motion beyond which enlarging does not pay, in mean side lengths, if 1 in kRebuildRatio shapes leaves its
/// fat box and moves that far.
constexpr double kFarMotion = 0.03;
/// Travel is reset beyond this many half perimeters: limits are floats and would become too coarse.
constexpr double kMaxTravel = 8;
/// If more than 1 in kRebuildRatio shapes left their fat boxes, finding all pairs anew is faster than single
/// queries.
constexpr std::size_t kRebuildRatio = 4;

// Values of has_moved_. A pair keeps its limit unless the travel of one of its shapes was reset.
constexpr char kMoved = 1, kTravelReset = 3;

constexpr std::size_t kPrefetchDistance = 4;                         // shapes ahead
constexpr std::size_t kPrefetchDistanceSorted = 32;                  // pairs ahead
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();  // a limit that any travel exceeds

/// Between 0.5 and 1.5, different for every shape and position. So shapes that move alike, as in a falling
/// pile, do not leave their fat boxes in the same step. Multiples of irrational numbers are equidistributed
/// (Weyl).
double margin_factor(int shape, const Aabb& box, double side) {
  const double turns =
      0.6180339887498949 * shape + 7.0710678118654755 * (box.low.x + box.low.y + box.low.z) / side;
  return 0.5 + (turns - std::floor(turns));
}

/// Max norm, m.
double max_norm(const Vec3& motion) {
  return std::max(std::max(std::abs(motion.x), std::abs(motion.y)), std::abs(motion.z));
}

/// Adds a margin on every side, and several times the last motion ahead.
Aabb enlarge(const Aabb& tight, const Vec3& motion, int shape) {
  const double side = half_perimeter(tight) / 3;
  const double factor = margin_factor(shape, tight, side);
  const Vec3 ahead = kPredictionSteps * factor * motion;
  const Aabb fat = expand(tight, kFatMargin * factor * side);
  const Aabb all = merge(fat, {fat.low + ahead, fat.high + ahead});
  return is_valid(all) ? all : tight;
}

constexpr float kMaxFloat = std::numeric_limits<float>::max();

/// True if `fat` contains `box` and `box` is valid.
bool contains_valid(const Aabb& fat, const Aabb& box) {
  return contains(fat, box) &
         ((box.low.x <= box.high.x) & (box.low.y <= box.high.y) & (box.low.z <= box.high.z));
}

/// The max of six numbers. A tree of branch-free maxima, unlike std::max of an initializer list.
double largest(const Vec3& a, const Vec3& b) {
  return std::max(std::max(std::max(a.x, b.x), std::max(a.y, b.y)), std::max(a.z, b.z));
}

/// Max distance between corresponding faces of two boxes, m.
double farthest_face(const Aabb& a, const Aabb& b) {
  const Vec3 low = a.low - b.low, high = a.high - b.high;
  return largest({std::abs(low.x), std::abs(low.y), std::abs(low.z)},
                 {std::abs(high.x), std::abs(high.y), std::abs(high.z)});
}

/// travel + by, rounded up to at least the exact sum: covers four roundings of 2⁻²⁴ each, or half the
/// smallest float on underflow. Unchanged if by = 0.
float add_travel(float travel, double by) {
  constexpr float kUp = 1 + 0x1p-21F, kMinFloat = std::numeric_limits<float>::min();
  const float sum = (travel + static_cast<float>(std::min<double>(by, kMaxFloat))) * kUp + kMinFloat;
  return by == 0 ? travel : sum;
}

/// Signed gap along the axis where it is largest, m: ≤ 0 exactly where the boxes overlap.
double gap_along_axes(const Aabb& a, const Aabb& b) {
  return largest(a.low - b.high, b.low - a.high);
}

/// Upper limit of the summed travel of two shapes, rounded down. Below it, their boxes, now `gap` apart along
/// the axes, neither begin nor cease to overlap. Its sign is that of -gap, also for ±0.
float travel_limit(double travel, double gap) {
  constexpr double kDown = 1 - 0x1p-21;
  const double limit = std::min<double>(kDown * (travel + std::abs(gap)), kMaxFloat);
  return static_cast<float>(std::copysign(limit, 0 - gap));
}

using Int32x8 = int __attribute__((vector_size(32)));
constexpr int kRow = 8, kLongRow = 16;  // entries sorted at once

/// Writes the pairs of a with up to kMaxCount distinct others, in order: the position of each is the number
/// of smaller ones. Branch-free, since the order is unpredictable. Always reads and writes kMaxCount entries.
template <int kMaxCount>
void sort_row(int a, const int* others, int count, ShapePair* pairs) {
  constexpr int kVectors = kMaxCount / 8;
  std::array<Int32x8, kVectors> rows, positions{};
  std::array<int, kMaxCount> row, position;
  for (int i = 0; i < kVectors; ++i) {
    std::memcpy(&rows[i], others + 8 * i, sizeof(Int32x8));
    const Int32x8 is_none = Int32x8{0, 1, 2, 3, 4, 5, 6, 7} >= count - 8 * i;  // all bits or none
    rows[i] = (rows[i] & ~is_none) | (is_none & std::numeric_limits<int>::max());
    std::memcpy(&row[8 * i], &rows[i], sizeof(Int32x8));
  }
  for (const int value : row) {
    for (int i = 0; i < kVectors; ++i) positions[i] -= rows[i] > value;
  }
  for (int i = 0; i < kVectors; ++i) std::memcpy(&position[8 * i], &positions[i], sizeof(Int32x8));
  for (int i = 0; i < kMaxCount; ++i) pairs[position[i]] = {a, row[i]};
}

}  // namespace

void BroadPhase::reset(std::span<const ShapeRole> roles, PairFilter pair_filter) {
  pair_filter_ = std::move(pair_filter);
  moving_.clear();
  fixed_.clear();
  for (int i = 0; i < static_cast<int>(roles.size()); ++i) {
    if (roles[i] == ShapeRole::moving) moving_.push_back(i);
    if (roles[i] == ShapeRole::fixed) fixed_.push_back(i);
  }
  boxes_.clear();
  regime_ = MotionRegime::few_leave;
  fat_.assign(roles.size(), kInvalidAabb);
  travel_.assign(roles.size(), 0);
  is_tight_.assign(roles.size(), 0);
  has_moved_.assign(roles.size(), 0);
  counts_.resize(roles.size() + 1);
  moving_tree_.build(moving_, fat_);
  fixed_tree_.build(fixed_, fat_);
  fixed_half_margin_ = -1;
  candidate_count_ = pair_count_ = 0;
  // For few shapes, room for all pairs, so that no update allocates.
  const std::size_t all = roles.size() * (roles.size() - std::min<std::size_t>(roles.size(), 1)) / 2;
  reserve_candidates(std::min(all, 4 * roles.size()));
  moved_.reserve(moving_.size());
}

bool BroadPhase::update(std::span<const Aabb> boxes, double contact_margin) {
  assert(contact_margin >= 0);
  const double half_margin = 0.5 * contact_margin;
  const bool is_first = boxes_.empty();
  if (is_first) {
    boxes_.assign(boxes.begin(), boxes.end());
    half_margin_ = -1;
  }
  const bool fixed_leave = half_margin > fixed_half_margin_;
  if (half_margin != half_margin_) grow_fixed(half_margin);
  const bool none_enlarged = regime_ == MotionRegime::many_move_far;
  const bool all_valid = update_moving(boxes, half_margin) && fixed_are_valid_;
  half_margin_ = half_margin;
  // In the first update all shapes leave, which does not predict the next.
  if (is_first) regime_ = MotionRegime::few_leave;
  if (fixed_leave) insert_fixed();
  candidates_are_pairs_ = false;
  if (fixed_leave || moved_.size() * kRebuildRatio > moving_.size()) {
    rebuild_pairs(none_enlarged);
  } else if (!moved_.empty()) {
    update_moved_pairs();
  }
  if (!candidates_are_pairs_) select_pairs();
  return all_valid;
}

void BroadPhase::grow_fixed(double half_margin) {
  fixed_are_valid_ = true;
  for (const int shape : fixed_) {
    const Aabb now = expand(boxes_[shape], half_margin);
    fixed_are_valid_ &= is_valid(now);
    travel_[shape] = add_travel(travel_[shape], farthest_face(expand(boxes_[shape], half_margin_), now));
  }
}

/// Updates the AABBs of moving shapes and refits the fat boxes of shapes that left theirs. After an update in
/// which many left, all fat boxes are refitted, so that the next updates have little to do.
/// When many moved far, all pairs are searched in every update, and no box is enlarged: that would only add
/// candidates. A single pass over the shapes, as a second would load the boxes from memory again. Returns
/// false if a box is invalid.
bool BroadPhase::update_moving(std::span<const Aabb> boxes, double half_margin) {
  bool all_valid = true;
  const bool refit_all = regime_ != MotionRegime::few_leave;
  std::size_t left = 0, far = 0;
  moved_.clear();
  for (const int shape : moving_) {
    const Aabb now = expand(boxes[shape], half_margin), before = expand(boxes_[shape], half_margin_);
    const bool stays = contains_valid(fat_[shape], now);
    left += stays ? 0 : 1;
    if (stays && !refit_all) {
      travel_[shape] = add_travel(travel_[shape], farthest_face(before, now));
    } else if (is_valid(now)) {
      const bool moves_far = refit_shape(shape, boxes[shape], now, before);
      far += !stays && moves_far ? 1 : 0;
      moved_.push_back(shape);
    } else {
      all_valid = false;
      if (is_valid(fat_[shape])) moved_.push_back(shape);  // removed from the tree, once
      fat_[shape] = kInvalidAabb;
    }
    boxes_[shape] = boxes[shape];
  }
  regime_ = MotionRegime::few_leave;
  if (left * kRebuildRatio > moving_.size()) regime_ = MotionRegime::many_leave;
  if (far * kRebuildRatio > moving_.size()) regime_ = MotionRegime::many_move_far;
  return all_valid;
}

/// Computes a new fat box from the motion since the last update. True if the shape moved far.
bool BroadPhase::refit_shape(int shape, const Aabb& box, const Aabb& now, const Aabb& before) {
  const Vec3 motion = 0.5 * (box.low - boxes_[shape].low) + 0.5 * (box.high - boxes_[shape].high);
  const double distance = max_norm(motion), side = half_perimeter(now) / 3;
  // At high speed the extension would be large and soon outdated.
  const bool stays_tight =
      regime_ == MotionRegime::many_move_far || !(kPredictionSteps * distance <= kMaxPrediction * side);
  fat_[shape] = stays_tight ? now : enlarge(now, motion, shape);
  is_tight_[shape] = fat_[shape] == now;
  float travel = 0;
  if (regime_ == MotionRegime::few_leave && !is_tight_[shape])
    travel = add_travel(travel_[shape], farthest_face(before, now));
  travel_[shape] = double{travel} <= kMaxTravel * half_perimeter(now) ? travel : 0;
  return distance > kFarMotion * side;
}

void BroadPhase::insert_fixed() {
  for (const int shape : fixed_) {
    fat_[shape] = expand(boxes_[shape], half_margin_);
    is_tight_[shape] = 1;
    travel_[shape] = 0;
  }
  fixed_tree_.update(fixed_, fat_);
  fixed_half_margin_ = half_margin_;
}

/// Fat boxes that are not enlarged overlap exactly if the grown boxes do. Such a pair needs no test until one
/// of its shapes moves. If no box is enlarged, all candidates are pairs.
void BroadPhase::rebuild_pairs(bool none_enlarged) {
  constexpr std::array<float, 2> kUntilOneMoves{kUnknown, 0};
  moving_tree_.update(moved_, fat_);
  new_.clear();
  moving_tree_.find_pairs(new_);
  moving_tree_.find_pairs_with(fixed_tree_, new_);
  filter_new_pairs();
  candidate_count_ = new_.size();
  reserve_candidates(candidate_count_);
  sort_new(candidates_);
  candidates_are_pairs_ = none_enlarged && half_margin_ == fixed_half_margin_;
  if (candidates_are_pairs_) {
    std::fill_n(limits_.begin(), candidate_count_, 0.F);
    return;
  }
  for (std::size_t i = 0; i < candidate_count_; ++i)
    limits_[i] = kUntilOneMoves[is_tight_[candidates_[i].a] & is_tight_[candidates_[i].b]];
}

void BroadPhase::update_moved_pairs() {
  for (const int shape : moved_) has_moved_[shape] = travel_[shape] == 0 ? kTravelReset : kMoved;
  moving_tree_.update(moved_, fat_);
  moving_tree_.sort_spatially(moved_);
  new_.clear();
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    if (i + kPrefetchDistance < moved_.size()) prefetch(fat_[moved_[i + kPrefetchDistance]]);
    const int shape = moved_[i];
    if (!is_valid(fat_[shape])) continue;
    near_.clear();
    moving_tree_.find_overlapping(fat_[shape], near_);
    fixed_tree_.find_overlapping(fat_[shape], near_);
    for (const int other : near_) {
      // Two moved shapes find each other twice, and each shape finds itself.
      if (!has_moved_[other] || shape < other) new_.push_back(canonical_pair(shape, other));
    }
  }
  filter_new_pairs();
  reserve_candidates(candidate_count_ + new_.size());
  sort_new(pairs_);  // pairs_ as scratch: it is rewritten by select_pairs()
  merge_new();
  for (const int shape : moved_) has_moved_[shape] = 0;
}

/// Ensures room for these candidates and one row. Grows to twice the size, as more candidates will follow.
void BroadPhase::reserve_candidates(std::size_t candidates) {
  if (candidates + kLongRow <= candidates_.size()) return;
  const std::size_t room = 2 * candidates + kLongRow;
  new_.reserve(room);
  rows_.resize(room);
  for (HugePageVector<float>* list : {&limits_, &merged_limits_}) list->resize(room);
  for (HugePageVector<ShapePair>* list : {&pairs_, &merged_, &candidates_}) list->resize(room);
}

void BroadPhase::filter_new_pairs() {
  if (pair_filter_)
    std::erase_if(new_, [this](const ShapePair& pair) { return !pair_filter_(pair.a, pair.b); });
}

/// Sorts new_ into `to`, which has room for one more row. A counting sort by a stores only b, half of the
/// bytes; then each row is sorted.
void BroadPhase::sort_new(HugePageVector<ShapePair>& to) {
  std::fill(counts_.begin(), counts_.end(), 0);
  for (const ShapePair& pair : new_) ++counts_[pair.a + 1];
  for (std::size_t i = 1; i < counts_.size(); ++i) counts_[i] += counts_[i - 1];
  for (std::size_t i = 0; i < new_.size(); ++i) {
    if (i + kPrefetchDistanceSorted < new_.size())
      __builtin_prefetch(&rows_[counts_[new_[i + kPrefetchDistanceSorted].a]], 1);
    rows_[counts_[new_[i].a]++] = new_[i].b;
  }
  int begin = 0;
  for (int a = 0; a + 1 < static_cast<int>(counts_.size()); ++a) {
    const int end = counts_[a];
    if (end - begin > kLongRow) {
      std::sort(rows_.begin() + begin, rows_.begin() + end);
      for (int i = begin; i < end; ++i) to[i] = {a, rows_[i]};
    } else if (end - begin > kRow) {
      sort_row<kLongRow>(a, rows_.data() + begin, end - begin, to.data() + begin);
    } else if (end > begin) {
      sort_row<kRow>(a, rows_.data() + begin, end - begin, to.data() + begin);
    }
    begin = end;
  }
}

/// Merges the new pairs, sorted in pairs_, with the candidates of shapes that did not move. New pairs that
/// were candidates before keep their limits. Branch-free, since the outcome is unpredictable.
void BroadPhase::merge_new() {
  const auto key = [](const ShapePair& pair) { return static_cast<std::int64_t>(pair.a) << 32 | pair.b; };
  const auto moved = [at = has_moved_.data()](const ShapePair& pair) { return at[pair.a] | at[pair.b]; };
  const ShapePair* old = candidates_.data();
  const float* limit = limits_.data();
  ShapePair* merged = merged_.data();
  float* merged_limit = merged_limits_.data();
  const auto keep_until = [&](std::int64_t next) {
    for (; key(*old) < next; ++old, ++limit) {
      *merged = *old;
      *merged_limit = *limit;
      const int stays = moved(*old) == 0 ? 1 : 0;
      merged += stays;
      merged_limit += stays;
    }
  };
  constexpr int kLast = std::numeric_limits<int>::max();
  candidates_[candidate_count_] = {kLast, kLast};
  for (const ShapePair& pair : std::span(pairs_).first(new_.size())) {
    keep_until(key(pair));
    const int was_there = *old == pair ? 1 : 0;
    *merged++ = pair;
    *merged_limit++ = was_there != 0 && moved(pair) != kTravelReset ? *limit : kUnknown;
    old += was_there;
    limit += was_there;
  }
  keep_until(key({kLast, kLast}));
  candidate_count_ = static_cast<std::size_t>(merged - merged_.data());
  std::swap(candidates_, merged_);
  std::swap(limits_, merged_limits_);
}

/// Boxes are read only for pairs whose shapes have travelled far enough for a change. They are prefetched one
/// block ahead.
void BroadPhase::select_pairs() {
  std::array<UnresolvedPairs, 2> blocks;
  pair_count_ = 0;
  find_unresolved(0, blocks[0]);
  for (std::size_t begin = 0, turn = 0; begin < candidate_count_; begin += kBlock, turn ^= 1) {
    find_unresolved(begin + kBlock, blocks[turn ^ 1]);
    update_limits(blocks[turn]);
    const std::size_t end = std::min(begin + kBlock, candidate_count_);
    for (std::size_t i = begin; i < end; ++i) {
      pairs_[pair_count_] = candidates_[i];
      pair_count_ += std::signbit(limits_[i]) ? 0 : 1;
    }
  }
}

/// For one block of candidates.
void BroadPhase::find_unresolved(std::size_t begin, UnresolvedPairs& unresolved) const {
  const std::size_t end = std::min(begin + kBlock, candidate_count_);
  unresolved.count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const auto [a, b] = candidates_[i];
    unresolved.positions[unresolved.count] = static_cast<int>(i);
    unresolved.count += travel_[a] + travel_[b] <= std::abs(limits_[i]) ? 0 : 1;
  }
  for (const int i : std::span(unresolved.positions).first(unresolved.count)) {
    prefetch(boxes_[candidates_[i].a]);
    prefetch(boxes_[candidates_[i].b]);
  }
}

/// Recomputes the limits, and with them their signs.
void BroadPhase::update_limits(const UnresolvedPairs& unresolved) {
  for (const int i : std::span(unresolved.positions).first(unresolved.count)) {
    const auto [a, b] = candidates_[i];
    const double apart = gap_along_axes(expand(boxes_[a], half_margin_), expand(boxes_[b], half_margin_));
    limits_[i] = travel_limit(double{travel_[a]} + double{travel_[b]}, apart);
  }
}

/// Median of the mean sides, m, which a few very large or small boxes do not change. +∞ if it is 0 or there
/// is no valid box.
double BroadPhase::median_side() {
  sides_.clear();
  for (const int shape : moving_) {
    if (is_valid(fat_[shape])) sides_.push_back(half_perimeter(fat_[shape]) / 3);
  }
  if (sides_.empty()) return kInfinity;
  const auto median = sides_.begin() + static_cast<std::ptrdiff_t>(sides_.size() / 2);
  std::ranges::nth_element(sides_, median);
  return *median > 0 ? *median : kInfinity;
}

/// Upper bound of the gap of any two AABBs, m.
double BroadPhase::max_aabb_gap() const {
  Aabb all{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (const HugePageVector<int>* shapes : {&moving_, &fixed_}) {
    for (const int shape : *shapes) {
      if (is_valid(boxes_[shape])) all = merge(all, boxes_[shape]);
    }
  }
  return all.low.x <= all.high.x ? norm(all.high - all.low) : 0;
}

/// Ranks the pairs whose AABB gap is in (beyond, up_to] and less than `upper`.
void BroadPhase::rank_pairs(double beyond, double up_to, double upper) {
  new_.clear();
  if (beyond >= 0) {
    wide_.resize(boxes_.size());
    // The last limit keeps the boxes finite.
    const double by = std::min({up_to, upper, 0.25 * std::numeric_limits<double>::max()});
    // Growing one box of a pair by the full distance finds the same pairs as growing both by half.
    for (const int shape : moving_) wide_[shape] = expand(boxes_[shape], by);
    wide_tree_.build(moving_, wide_);
    wide_tree_.find_pairs(new_);
    wide_tree_.find_pairs_with(fixed_tree_, new_);
  }
  ranked_.clear();
  for (const ShapePair& pair : beyond >= 0 ? std::span<const ShapePair>(new_) : pairs()) {
    const double between = gap(boxes_[pair.a], boxes_[pair.b]);
    if (between > beyond && between <= up_to && between < upper) ranked_.push_back({between, pair});
  }
  std::ranges::make_heap(ranked_, std::greater<>());
}

/// In the order of (AABB gap, a, b). False if no other pair is nearer than `upper`.
bool BroadPhase::pop_nearest(ShapePair& pair, double upper) {
  if (ranked_.empty() || !(ranked_.front().gap < upper)) return false;
  pair = ranked_.front().pair;
  std::ranges::pop_heap(ranked_, std::greater<>());
  ranked_.pop_back();
  return true;
}

void BroadPhase::query_half_space(const HalfSpace& half_space, double contact_margin,
                                  std::vector<int>& shapes) {
  const double offset = half_space.offset + contact_margin;
  near_.clear();
  moving_tree_.find_below(half_space.normal, offset, near_);
  shapes.clear();
  for (const int shape : near_) {
    if (height_over(boxes_[shape], half_space.normal, offset) <= 0) shapes.push_back(shape);
  }
  std::ranges::sort(shapes);
}

}  // namespace pawl::internal
