#include <pawl/collision/broad_phase/broad_phase.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace pawl::internal {

namespace {

/// Room of a fat box on every side, in mean sides. More room means fewer changes and more candidates.
constexpr double kFatMargin = 0.08;
/// How many motions a fat box looks ahead.
constexpr double kPredictionSteps = 4;
/// But no farther than this, in mean sides.
constexpr double kMaxPrediction = 0.25;
/// Where one in kRebuildRatio leaves its fat box and moves farther than this, in mean sides, room does not
/// pay.
constexpr double kFarMotion = 0.03;
/// After so many girths travel is counted anew: limits, which are floats, would become too coarse beside it.
constexpr double kMaxTravel = 8;
/// When one in so many has left its fat box, it is faster to start over than to ask for each.
constexpr std::size_t kRebuildRatio = 4;

// In has_moved_; limits hold as long as none of the two travels anew.
constexpr char kMoved = 1, kTravelReset = 3;

constexpr std::size_t kPrefetchDistance = 4;         // shapes ahead
constexpr std::size_t kPrefetchDistanceSorted = 32;  // pairs ahead
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Aabb kNone{{kNan, kNan, kNan}, {kNan, kNan, kNan}};        // contains nothing
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();  // a limit that no travel is within

/// From 0.5 to 1.5, another one for every shape and place: shapes that move alike, as all in a falling heap
/// do, do not leave their fat boxes all at once. Multiples of irrational numbers spread evenly (Weyl).
double margin_factor(int shape, const Aabb& box, double side) {
  const double turns =
      0.6180339887498949 * shape + 7.0710678118654755 * (box.low.x + box.low.y + box.low.z) / side;
  return 0.5 + (turns - std::floor(turns));
}

/// Along any axis, m.
double max_norm(const Vec3& motion) {
  return std::max(std::max(std::abs(motion.x), std::abs(motion.y)), std::abs(motion.z));
}

/// With room to move in: on every side, and several times the last motion ahead.
Aabb enlarge(const Aabb& tight, const Vec3& motion, int shape) {
  const double side = half_perimeter(tight) / 3;
  const double factor = margin_factor(shape, tight, side);
  const Vec3 ahead = kPredictionSteps * factor * motion;
  const Aabb fat = expand(tight, kFatMargin * factor * side);
  const Aabb all = merge(fat, {fat.low + ahead, fat.high + ahead});
  return is_valid(all) ? all : tight;
}

constexpr float kMaxFloat = std::numeric_limits<float>::max();

/// A fat box a proper one: what is infinite or inside out is held by none.
bool contains_valid(const Aabb& fat, const Aabb& box) {
  return contains(fat, box) &
         ((box.low.x <= box.high.x) & (box.low.y <= box.high.y) & (box.low.z <= box.high.z));
}

/// The largest of six. In a tree without branches, which std::max of a list is not.
double largest(const Vec3& a, const Vec3& b) {
  return std::max(std::max(std::max(a.x, b.x), std::max(a.y, b.y)), std::max(a.z, b.z));
}

/// How far the faces of a box are from those of another, at most, m.
double farthest_face(const Aabb& a, const Aabb& b) {
  const Vec3 low = a.low - b.low, high = a.high - b.high;
  return largest({std::abs(low.x), std::abs(low.y), std::abs(low.z)},
                 {std::abs(high.x), std::abs(high.y), std::abs(high.z)});
}

/// The sum, rounded up so that it is never less than the true one: four roundings of 2⁻²⁴ each, or where
/// floats underflow half of the least one. Nothing added changes nothing.
float add_travel(float travel, double by) {
  constexpr float kUp = 1 + 0x1p-21F, kMinFloat = std::numeric_limits<float>::min();
  const float sum = (travel + static_cast<float>(std::min<double>(by, kMaxFloat))) * kUp + kMinFloat;
  return by == 0 ? travel : sum;
}

/// The signed gap along the axis where it is largest, m: ≤ 0 where they overlap, exactly.
double gap_along_axes(const Aabb& a, const Aabb& b) {
  return largest(a.low - b.high, b.low - a.high);
}

/// How far two shapes may have travelled together until their boxes, now `gap` apart along the axes, begin to
/// overlap or cease to: rounded down. With the sign of minus the gap, also if it is 0.
float travel_limit(double travel, double gap) {
  constexpr double kDown = 1 - 0x1p-21;
  const double limit = std::min<double>(kDown * (travel + std::abs(gap)), kMaxFloat);
  return static_cast<float>(std::copysign(limit, 0 - gap));
}

using Int32x8 = int __attribute__((vector_size(32)));
constexpr int kRow = 8, kLongRow = 16;  // numbers that are put in order at once

/// The pairs of a with up to kMaxCount others, which differ: each goes behind as many as are smaller, without
/// branches, as no one can guess their order. Reads and writes kMaxCount in any case.
template <int kMaxCount>
void sort_row(int a, const int* others, int count, ShapePair* pairs) {
  constexpr int kVectors = kMaxCount / 8;
  std::array<Int32x8, kVectors> rows, positions{};
  std::array<int, kMaxCount> row, position;
  for (int i = 0; i < kVectors; ++i) {
    std::memcpy(&rows[i], others + 8 * i, sizeof(Int32x8));
    const Int32x8 is_none = Int32x8{0, 1, 2, 3, 4, 5, 6, 7} >= count - 8 * i;  // all bits, or none
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
  fat_.assign(roles.size(), kNone);
  travel_.assign(roles.size(), 0);
  is_tight_.assign(roles.size(), 0);
  has_moved_.assign(roles.size(), 0);
  counts_.resize(roles.size() + 1);
  moving_tree_.build(moving_, fat_);
  fixed_tree_.build(fixed_, fat_);
  fixed_half_margin_ = -1;
  candidate_count_ = pair_count_ = 0;
  // Few shapes have few pairs: room for all of them, so that no step needs more.
  const std::size_t all = roles.size() * (roles.size() - std::min<std::size_t>(roles.size(), 1)) / 2;
  reserve_candidates(std::min(all, 4 * roles.size()));
  moved_.reserve(moving_.size());
}

bool BroadPhase::update(std::span<const Aabb> boxes, double contact_margin) {
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
  if (is_first) regime_ = MotionRegime::few_leave;  // all did, and that says nothing of the next step
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

/// Takes the boxes of moving shapes and finds out which have left their fat box: these get another one, or
/// all after a step where many left, so that the next steps find little to do. Where many went far, all pairs
/// are looked for at every step, and none gets room, which would only make them more. One look at each, as
/// what is looked at twice comes twice from far away. False: a box is not proper.
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
      if (is_valid(fat_[shape])) moved_.push_back(shape);  // leaves the tree, once
      fat_[shape] = kNone;
    }
    boxes_[shape] = boxes[shape];
  }
  regime_ = MotionRegime::few_leave;
  if (left * kRebuildRatio > moving_.size()) regime_ = MotionRegime::many_leave;
  if (far * kRebuildRatio > moving_.size()) regime_ = MotionRegime::many_move_far;
  return all_valid;
}

/// Another fat box, by how the shape moved since the last update. True: it went far.
bool BroadPhase::refit_shape(int shape, const Aabb& box, const Aabb& now, const Aabb& before) {
  const Vec3 motion = 0.5 * (box.low - boxes_[shape].low) + 0.5 * (box.high - boxes_[shape].high);
  const double distance = max_norm(motion), side = half_perimeter(now) / 3;
  // Room of who is so fast would be far out and not serve for long.
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

/// Fat boxes that have no room overlap only if the boxes do: that is known, until one of them moves. Where
/// none has, nothing is left to pick.
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
      // Two that moved find each other twice, and each finds itself.
      if (!has_moved_[other] || shape < other) new_.push_back(canonical_pair(shape, other));
    }
  }
  filter_new_pairs();
  reserve_candidates(candidate_count_ + new_.size());
  sort_new(pairs_);  // which are picked anew in any case
  merge_new();
  for (const int shape : moved_) has_moved_[shape] = 0;
}

/// For so many candidates and a row; where there is none, for twice as many, as others will join them.
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

/// Into a list with room for a row more. By a, counting how many come before: only the b are put in rows, as
/// half the bytes stay nearer. Then row by row.
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

/// Candidates of shapes that did not move, and the new ones, in pairs_: of these, those that were candidates
/// before keep their limits. Whether one stays is not branched on, as no one can guess it.
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

/// Boxes are far away in memory, so only those of shapes are looked at that have travelled far enough for a
/// change, and they are sent for a block ahead.
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

/// Of a block of candidates.
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

/// Sees to it that signs of the limits are right.
void BroadPhase::update_limits(const UnresolvedPairs& unresolved) {
  for (const int i : std::span(unresolved.positions).first(unresolved.count)) {
    const auto [a, b] = candidates_[i];
    const double apart = gap_along_axes(expand(boxes_[a], half_margin_), expand(boxes_[b], half_margin_));
    limits_[i] = travel_limit(double{travel_[a]} + double{travel_[b]}, apart);
  }
}

/// The median, m, which neither the few large ones nor the few small ones change. +∞: all are points.
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

/// No two of all boxes are farther apart, m.
double BroadPhase::max_aabb_gap() const {
  Aabb all{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (const HugePageVector<int>* shapes : {&moving_, &fixed_}) {
    for (const int shape : *shapes) {
      if (is_valid(boxes_[shape])) all = merge(all, boxes_[shape]);
    }
  }
  return all.low.x <= all.high.x ? norm(all.high - all.low) : 0;
}

/// Pairs whose boxes have a gap in (beyond, up_to] that is less than `upper`.
void BroadPhase::rank_pairs(double beyond, double up_to, double upper) {
  new_.clear();
  if (beyond >= 0) {
    wide_.resize(boxes_.size());
    const double by = std::min({up_to, upper, 0.25 * std::numeric_limits<double>::max()});  // still proper
    // One box of a pair grown by all is found as well as both by half.
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

/// In the order of (gap of the boxes, a, b). False: no other is nearer than `upper`.
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
