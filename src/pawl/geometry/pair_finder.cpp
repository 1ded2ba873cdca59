#include <pawl/geometry/pair_finder.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace pawl {

namespace {

/// Room of a fat box on every side, in mean sides. More room means fewer changes and more candidates.
constexpr double kFatness = 0.08;
/// How many motions a fat box looks ahead.
constexpr double kAhead = 4;
/// But no farther than this, in mean sides.
constexpr double kMostAhead = 0.25;
/// Where one in kOneIn leaves its fat box and moves farther than this, in mean sides, room does not pay.
constexpr double kFar = 0.03;
/// After so many girths travel is counted anew: limits, which are floats, would become too coarse beside it.
constexpr double kMostTravel = 8;
/// When one in so many has left its fat box, it is faster to start over than to ask for each.
constexpr std::size_t kOneIn = 4;

// In has_moved_; limits hold as long as none of the two travels anew.
constexpr char kMoved = 1, kTravelsAnew = 3;

constexpr std::size_t kSoon = 4;         // shapes ahead
constexpr std::size_t kSoonSorted = 32;  // pairs ahead
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Box kNone{{kNan, kNan, kNan}, {kNan, kNan, kNan}};         // contains nothing
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();  // a limit that no travel is within

/// From 0.5 to 1.5, another one for every shape and place: shapes that move alike, as all in a falling heap
/// do, do not leave their fat boxes all at once. Multiples of irrational numbers spread evenly (Weyl).
double share_of_room(int shape, const Box& box, double side) {
  const double turns =
      0.6180339887498949 * shape + 7.0710678118654755 * (box.low.x + box.low.y + box.low.z) / side;
  return 0.5 + (turns - std::floor(turns));
}

/// Along any axis, m.
double way_of(const Vec3& motion) {
  return std::max(std::max(std::abs(motion.x), std::abs(motion.y)), std::abs(motion.z));
}

/// With room to move in: on every side, and several times the last motion ahead.
Box fattened(const Box& tight, const Vec3& motion, int shape) {
  const double side = girth(tight) / 3;
  const double share = share_of_room(shape, tight, side);
  const Vec3 ahead = kAhead * share * motion;
  const Box fat = grown(tight, kFatness * share * side);
  const Box all = united(fat, {fat.low + ahead, fat.high + ahead});
  return is_proper(all) ? all : tight;
}

constexpr float kMostFloat = std::numeric_limits<float>::max();

/// A fat box a proper one: what is infinite or inside out is held by none.
bool holds(const Box& fat, const Box& box) {
  return contains(fat, box) &
         ((box.low.x <= box.high.x) & (box.low.y <= box.high.y) & (box.low.z <= box.high.z));
}

/// The largest of six. In a tree without branches, which std::max of a list is not.
double largest(const Vec3& a, const Vec3& b) {
  return std::max(std::max(std::max(a.x, b.x), std::max(a.y, b.y)), std::max(a.z, b.z));
}

/// How far the faces of a box are from those of another, at most, m.
double farthest_face(const Box& a, const Box& b) {
  const Vec3 low = a.low - b.low, high = a.high - b.high;
  return largest({std::abs(low.x), std::abs(low.y), std::abs(low.z)},
                 {std::abs(high.x), std::abs(high.y), std::abs(high.z)});
}

/// The sum, rounded up so that it is never less than the true one: four roundings of 2⁻²⁴ each, or where
/// floats underflow half of the least one. Nothing added changes nothing.
float farther(float travel, double by) {
  constexpr float kUp = 1 + 0x1p-21F, kLeast = std::numeric_limits<float>::min();
  const float sum = (travel + static_cast<float>(std::min<double>(by, kMostFloat))) * kUp + kLeast;
  return by == 0 ? travel : sum;
}

/// The signed gap along the axis where it is largest, m: ≤ 0 where they overlap, exactly.
double gap_along_axes(const Box& a, const Box& b) {
  return largest(a.low - b.high, b.low - a.high);
}

/// How far two shapes may have travelled together until their boxes, now `gap` apart along the axes, begin to
/// overlap or cease to: rounded down. With the sign of minus the gap, also if it is 0.
float travel_limit(double travel, double gap) {
  constexpr double kDown = 1 - 0x1p-21;
  const double limit = std::min<double>(kDown * (travel + std::abs(gap)), kMostFloat);
  return static_cast<float>(std::copysign(limit, 0 - gap));
}

using Eight = int __attribute__((vector_size(32)));
constexpr int kRow = 8, kLongRow = 16;  // numbers that are put in order at once

/// The pairs of a with up to kMost others, which differ: each goes behind as many as are smaller, without
/// branches, as no one can guess their order. Reads and writes kMost in any case.
template <int kMost>
void put_in_order(int a, const int* others, int count, ShapePair* pairs) {
  constexpr int kEights = kMost / 8;
  std::array<Eight, kEights> rows, places{};
  std::array<int, kMost> row, place;
  for (int i = 0; i < kEights; ++i) {
    std::memcpy(&rows[i], others + 8 * i, sizeof(Eight));
    const Eight is_none = Eight{0, 1, 2, 3, 4, 5, 6, 7} >= count - 8 * i;  // all bits, or none
    rows[i] = (rows[i] & ~is_none) | (is_none & std::numeric_limits<int>::max());
    std::memcpy(&row[8 * i], &rows[i], sizeof(Eight));
  }
  for (const int number : row) {
    for (int i = 0; i < kEights; ++i) places[i] -= rows[i] > number;
  }
  for (int i = 0; i < kEights; ++i) std::memcpy(&place[8 * i], &places[i], sizeof(Eight));
  for (int i = 0; i < kMost; ++i) pairs[place[i]] = {a, row[i]};
}

}  // namespace

void PairFinder::reset(std::span<const ShapeRole> roles, MayMeet may_meet) {
  may_meet_ = std::move(may_meet);
  moving_.clear();
  fixed_.clear();
  for (int i = 0; i < static_cast<int>(roles.size()); ++i) {
    if (roles[i] == ShapeRole::moving) moving_.push_back(i);
    if (roles[i] == ShapeRole::fixed) fixed_.push_back(i);
  }
  boxes_.clear();
  pace_ = Pace::few_leave;
  fat_.assign(roles.size(), kNone);
  travel_.assign(roles.size(), 0);
  is_tight_.assign(roles.size(), 0);
  has_moved_.assign(roles.size(), 0);
  counts_.resize(roles.size() + 1);
  moving_tree_.build(moving_, fat_);
  fixed_tree_.build(fixed_, fat_);
  fixed_half_reach_ = -1;
  candidate_count_ = pair_count_ = 0;
  // Few shapes have few pairs: room for all of them, so that no step needs more.
  const std::size_t all = roles.size() * (roles.size() - std::min<std::size_t>(roles.size(), 1)) / 2;
  make_room(std::min(all, 4 * roles.size()));
  moved_.reserve(moving_.size());
}

bool PairFinder::update(std::span<const Box> boxes, double reach) {
  const double half_reach = 0.5 * reach;
  const bool is_first = boxes_.empty();
  if (is_first) {
    boxes_.assign(boxes.begin(), boxes.end());
    half_reach_ = -1;
  }
  const bool fixed_leave = half_reach > fixed_half_reach_;
  if (half_reach != half_reach_) grow_fixed(half_reach);
  const bool none_has_room = pace_ == Pace::many_go_far;
  const bool all_proper = take(boxes, half_reach) && fixed_are_proper_;
  half_reach_ = half_reach;
  if (is_first) pace_ = Pace::few_leave;  // all did, and that says nothing of the next step
  if (fixed_leave) place_fixed();
  candidates_are_pairs_ = false;
  if (fixed_leave || moved_.size() * kOneIn > moving_.size()) {
    start_over(none_has_room);
  } else if (!moved_.empty()) {
    follow_moved();
  }
  if (!candidates_are_pairs_) pick_pairs();
  return all_proper;
}

void PairFinder::grow_fixed(double half_reach) {
  fixed_are_proper_ = true;
  for (const int shape : fixed_) {
    const Box now = grown(boxes_[shape], half_reach);
    fixed_are_proper_ &= is_proper(now);
    travel_[shape] = farther(travel_[shape], farthest_face(grown(boxes_[shape], half_reach_), now));
  }
}

/// Takes the boxes of moving shapes and finds out which have left their fat box: these get another one, or
/// all after a step where many left, so that the next steps find little to do. Where many went far, all pairs
/// are looked for at every step, and none gets room, which would only make them more. One look at each, as
/// what is looked at twice comes twice from far away. False: a box is not proper.
bool PairFinder::take(std::span<const Box> boxes, double half_reach) {
  bool all_proper = true;
  const bool all_get_another = pace_ != Pace::few_leave;
  std::size_t left = 0, far = 0;
  moved_.clear();
  for (const int shape : moving_) {
    const Box now = grown(boxes[shape], half_reach), before = grown(boxes_[shape], half_reach_);
    const bool stays = holds(fat_[shape], now);
    left += stays ? 0 : 1;
    if (stays && !all_get_another) {
      travel_[shape] = farther(travel_[shape], farthest_face(before, now));
    } else if (is_proper(now)) {
      const bool goes_far = give_room(shape, boxes[shape], now, before);
      far += !stays && goes_far ? 1 : 0;
      moved_.push_back(shape);
    } else {
      all_proper = false;
      if (is_proper(fat_[shape])) moved_.push_back(shape);  // leaves the tree, once
      fat_[shape] = kNone;
    }
    boxes_[shape] = boxes[shape];
  }
  pace_ = Pace::few_leave;
  if (left * kOneIn > moving_.size()) pace_ = Pace::many_leave;
  if (far * kOneIn > moving_.size()) pace_ = Pace::many_go_far;
  return all_proper;
}

/// Another fat box, by how the shape moved since the last update. True: it went far.
bool PairFinder::give_room(int shape, const Box& box, const Box& now, const Box& before) {
  const Vec3 motion = 0.5 * (box.low - boxes_[shape].low) + 0.5 * (box.high - boxes_[shape].high);
  const double way = way_of(motion), side = girth(now) / 3;
  // Room of who is so fast would be far out and not serve for long.
  const bool gets_none = pace_ == Pace::many_go_far || !(kAhead * way <= kMostAhead * side);
  fat_[shape] = gets_none ? now : fattened(now, motion, shape);
  is_tight_[shape] = fat_[shape] == now;
  float travel = 0;
  if (pace_ == Pace::few_leave && !is_tight_[shape])
    travel = farther(travel_[shape], farthest_face(before, now));
  travel_[shape] = double{travel} <= kMostTravel * girth(now) ? travel : 0;
  return way > kFar * side;
}

void PairFinder::place_fixed() {
  for (const int shape : fixed_) {
    fat_[shape] = grown(boxes_[shape], half_reach_);
    is_tight_[shape] = 1;
    travel_[shape] = 0;
  }
  fixed_tree_.update(fixed_, fat_);
  fixed_half_reach_ = half_reach_;
}

/// Fat boxes that have no room overlap only if the boxes do: that is known, until one of them moves. Where
/// none has, nothing is left to pick.
void PairFinder::start_over(bool none_has_room) {
  constexpr std::array<float, 2> kUntilOneMoves{kUnknown, 0};
  moving_tree_.update(moved_, fat_);
  new_.clear();
  moving_tree_.find_pairs(new_);
  moving_tree_.find_pairs_with(fixed_tree_, new_);
  drop_those_that_never_meet();
  candidate_count_ = new_.size();
  make_room(candidate_count_);
  sort_new(candidates_);
  candidates_are_pairs_ = none_has_room && half_reach_ == fixed_half_reach_;
  if (candidates_are_pairs_) {
    std::fill_n(limits_.begin(), candidate_count_, 0.F);
    return;
  }
  for (std::size_t i = 0; i < candidate_count_; ++i)
    limits_[i] = kUntilOneMoves[is_tight_[candidates_[i].a] & is_tight_[candidates_[i].b]];
}

void PairFinder::follow_moved() {
  for (const int shape : moved_) has_moved_[shape] = travel_[shape] == 0 ? kTravelsAnew : kMoved;
  moving_tree_.update(moved_, fat_);
  moving_tree_.arrange(moved_);
  new_.clear();
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    if (i + kSoon < moved_.size()) send_for(fat_[moved_[i + kSoon]]);
    const int shape = moved_[i];
    if (!is_proper(fat_[shape])) continue;
    near_.clear();
    moving_tree_.find_overlapping(fat_[shape], near_);
    fixed_tree_.find_overlapping(fat_[shape], near_);
    for (const int other : near_) {
      // Two that moved find each other twice, and each finds itself.
      if (!has_moved_[other] || shape < other) new_.push_back(ordered(shape, other));
    }
  }
  drop_those_that_never_meet();
  make_room(candidate_count_ + new_.size());
  sort_new(pairs_);  // which are picked anew in any case
  merge_new();
  for (const int shape : moved_) has_moved_[shape] = 0;
}

/// For so many candidates and a row; where there is none, for twice as many, as others will join them.
void PairFinder::make_room(std::size_t candidates) {
  if (candidates + kLongRow <= candidates_.size()) return;
  const std::size_t room = 2 * candidates + kLongRow;
  new_.reserve(room);
  rows_.resize(room);
  for (LongList<float>* list : {&limits_, &merged_limits_}) list->resize(room);
  for (LongList<ShapePair>* list : {&pairs_, &merged_, &candidates_}) list->resize(room);
}

void PairFinder::drop_those_that_never_meet() {
  if (may_meet_) std::erase_if(new_, [this](const ShapePair& pair) { return !may_meet_(pair.a, pair.b); });
}

/// Into a list with room for a row more. By a, counting how many come before: only the b are put in rows, as
/// half the bytes stay nearer. Then row by row.
void PairFinder::sort_new(LongList<ShapePair>& to) {
  std::fill(counts_.begin(), counts_.end(), 0);
  for (const ShapePair& pair : new_) ++counts_[pair.a + 1];
  for (std::size_t i = 1; i < counts_.size(); ++i) counts_[i] += counts_[i - 1];
  for (std::size_t i = 0; i < new_.size(); ++i) {
    if (i + kSoonSorted < new_.size()) __builtin_prefetch(&rows_[counts_[new_[i + kSoonSorted].a]], 1);
    rows_[counts_[new_[i].a]++] = new_[i].b;
  }
  int begin = 0;
  for (int a = 0; a + 1 < static_cast<int>(counts_.size()); ++a) {
    const int end = counts_[a];
    if (end - begin > kLongRow) {
      std::sort(rows_.begin() + begin, rows_.begin() + end);
      for (int i = begin; i < end; ++i) to[i] = {a, rows_[i]};
    } else if (end - begin > kRow) {
      put_in_order<kLongRow>(a, rows_.data() + begin, end - begin, to.data() + begin);
    } else if (end > begin) {
      put_in_order<kRow>(a, rows_.data() + begin, end - begin, to.data() + begin);
    }
    begin = end;
  }
}

/// Candidates of shapes that did not move, and the new ones, in pairs_: of these, those that were candidates
/// before keep their limits. Whether one stays is not branched on, as no one can guess it.
void PairFinder::merge_new() {
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
    *merged_limit++ = was_there != 0 && moved(pair) != kTravelsAnew ? *limit : kUnknown;
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
void PairFinder::pick_pairs() {
  std::array<Unsure, 2> blocks;
  pair_count_ = 0;
  find_unsure(0, blocks[0]);
  for (std::size_t begin = 0, turn = 0; begin < candidate_count_; begin += kBlock, turn ^= 1) {
    find_unsure(begin + kBlock, blocks[turn ^ 1]);
    measure(blocks[turn]);
    const std::size_t end = std::min(begin + kBlock, candidate_count_);
    for (std::size_t i = begin; i < end; ++i) {
      pairs_[pair_count_] = candidates_[i];
      pair_count_ += std::signbit(limits_[i]) ? 0 : 1;
    }
  }
}

/// Of a block of candidates.
void PairFinder::find_unsure(std::size_t begin, Unsure& unsure) const {
  const std::size_t end = std::min(begin + kBlock, candidate_count_);
  unsure.count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const auto [a, b] = candidates_[i];
    unsure.places[unsure.count] = static_cast<int>(i);
    unsure.count += travel_[a] + travel_[b] <= std::abs(limits_[i]) ? 0 : 1;
  }
  for (const int i : std::span(unsure.places).first(unsure.count)) {
    send_for(boxes_[candidates_[i].a]);
    send_for(boxes_[candidates_[i].b]);
  }
}

/// Sees to it that signs of the limits are right.
void PairFinder::measure(const Unsure& unsure) {
  for (const int i : std::span(unsure.places).first(unsure.count)) {
    const auto [a, b] = candidates_[i];
    const double apart = gap_along_axes(grown(boxes_[a], half_reach_), grown(boxes_[b], half_reach_));
    limits_[i] = travel_limit(double{travel_[a]} + double{travel_[b]}, apart);
  }
}

/// The median, m, which neither the few large ones nor the few small ones change. +∞: all are points.
double PairFinder::typical_side() {
  sides_.clear();
  for (const int shape : moving_) {
    if (is_proper(fat_[shape])) sides_.push_back(girth(fat_[shape]) / 3);
  }
  if (sides_.empty()) return kInfinity;
  const auto median = sides_.begin() + static_cast<std::ptrdiff_t>(sides_.size() / 2);
  std::ranges::nth_element(sides_, median);
  return *median > 0 ? *median : kInfinity;
}

/// No two of all boxes are farther apart, m.
double PairFinder::widest_gap() const {
  Box all{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (const LongList<int>* shapes : {&moving_, &fixed_}) {
    for (const int shape : *shapes) {
      if (is_proper(boxes_[shape])) all = united(all, boxes_[shape]);
    }
  }
  return all.low.x <= all.high.x ? norm(all.high - all.low) : 0;
}

/// Pairs whose boxes have a gap in (beyond, up_to] that is less than `upper`.
void PairFinder::rank_pairs(double beyond, double up_to, double upper) {
  new_.clear();
  if (beyond >= 0) {
    wide_.resize(boxes_.size());
    const double by = std::min({up_to, upper, 0.25 * std::numeric_limits<double>::max()});  // still proper
    // One box of a pair grown by all is found as well as both by half.
    for (const int shape : moving_) wide_[shape] = grown(boxes_[shape], by);
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
bool PairFinder::take_next(ShapePair& pair, double upper) {
  if (ranked_.empty() || !(ranked_.front().gap < upper)) return false;
  pair = ranked_.front().pair;
  std::ranges::pop_heap(ranked_, std::greater<>());
  ranked_.pop_back();
  return true;
}

void PairFinder::find_near(const HalfSpace& half_space, double reach, std::vector<int>& shapes) {
  const double offset = half_space.offset + reach;
  near_.clear();
  moving_tree_.find_below(half_space.normal, offset, near_);
  shapes.clear();
  for (const int shape : near_) {
    if (height_over(boxes_[shape], half_space.normal, offset) <= 0) shapes.push_back(shape);
  }
  std::ranges::sort(shapes);
}

}  // namespace pawl
