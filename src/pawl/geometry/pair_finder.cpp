#include <pawl/geometry/pair_finder.h>

#include <algorithm>

namespace pawl {

namespace {

/// Room of a fat box on every side, in mean sides. More room means fewer changes and more candidates.
constexpr double kFatness = 0.08;
/// How many motions a fat box looks ahead.
constexpr double kAhead = 4;
/// But no farther than this, in mean sides.
constexpr double kMostAhead = 0.25;
/// When one in so many has left its fat box, it is faster to start over than to ask for each.
constexpr std::size_t kOneIn = 4;

constexpr std::size_t kSoon = 24;  // candidates ahead
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Box kNone{{kNan, kNan, kNan}, {kNan, kNan, kNan}};  // contains nothing

/// From 0.5 to 1.5, another one for every shape and place: shapes that move alike, as all in a falling heap
/// do, do not leave their fat boxes all at once. Multiples of irrational numbers spread evenly (Weyl).
double share_of_room(int shape, const Box& box, double side) {
  const double turns =
      0.6180339887498949 * shape + 7.0710678118654755 * (box.low.x + box.low.y + box.low.z) / side;
  return 0.5 + (turns - std::floor(turns));
}

/// With room to move in: on every side, and several times the last motion ahead. Who is so fast that this
/// would be far out gets no room at all, since it would not serve for long.
Box fattened(const Box& tight, const Vec3& motion, int shape) {
  const double side = girth(tight) / 3;
  const double share = share_of_room(shape, tight, side);
  const Vec3 ahead = kAhead * share * motion;
  if (!(std::max({std::abs(ahead.x), std::abs(ahead.y), std::abs(ahead.z)}) <= kMostAhead * side))
    return tight;
  const Box fat = grown(tight, kFatness * share * side);
  const Box all = united(fat, {fat.low + ahead, fat.high + ahead});
  return is_proper(all) ? all : tight;
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
  grown_.assign(roles.size(), kNone);
  fat_.assign(roles.size(), kNone);
  has_moved_.assign(roles.size(), 0);
  counts_.resize(roles.size() + 1);
  moving_tree_.build(moving_, fat_);
  fixed_tree_.build(fixed_, fat_);
  fixed_half_reach_ = -1;
  candidates_.clear();
  pair_count_ = 0;
}

bool PairFinder::update(std::span<const Box> boxes, double reach) {
  const double half_reach = 0.5 * reach;
  reach_ = reach;
  if (boxes_.empty()) boxes_.assign(boxes.begin(), boxes.end());
  const bool all_proper = grow(boxes, half_reach);
  const bool fixed_leave = half_reach > fixed_half_reach_;
  if (fixed_leave) place_fixed(half_reach);
  if (fixed_leave || moved_.size() * kOneIn > moving_.size()) {
    start_over(boxes);
  } else if (!moved_.empty()) {
    follow_moved(boxes);
  }
  // These lists take each other's places: each has the room of the largest.
  const std::size_t room = std::max({candidates_.capacity(), new_.capacity(), sorted_.capacity()});
  for (std::vector<ShapePair>* list : {&candidates_, &new_, &sorted_}) list->reserve(room);
  for (const int shape : moving_) boxes_[shape] = boxes[shape];
  pick_pairs();
  return all_proper;
}

/// Finds out which have left their fat box. False: a box is not proper.
bool PairFinder::grow(std::span<const Box> boxes, double half_reach) {
  bool all_proper = true;
  for (const int shape : fixed_) {
    grown_[shape] = grown(boxes_[shape], half_reach);
    all_proper &= is_proper(grown_[shape]);
  }
  moved_.clear();
  for (const int shape : moving_) {
    const Box box = grown(boxes[shape], half_reach);
    grown_[shape] = box;
    const bool proper = is_proper(box);
    all_proper &= proper;
    // One that is not proper leaves the tree if it is there, once.
    if (proper ? !contains(fat_[shape], box) : is_proper(fat_[shape])) moved_.push_back(shape);
  }
  return all_proper;
}

void PairFinder::place_fixed(double half_reach) {
  for (const int shape : fixed_) fat_[shape] = grown_[shape];
  fixed_tree_.update(fixed_, fat_);
  fixed_half_reach_ = half_reach;
}

/// By how it moved since the last update.
void PairFinder::fatten(int shape, const Box& now) {
  const Box& before = boxes_[shape];
  const Vec3 motion = 0.5 * (now.low - before.low) + 0.5 * (now.high - before.high);
  fat_[shape] = is_proper(grown_[shape]) ? fattened(grown_[shape], motion, shape) : kNone;
}

/// All get new fat boxes, and the next steps will find little to do.
void PairFinder::start_over(std::span<const Box> boxes) {
  for (const int shape : moving_) fatten(shape, boxes[shape]);
  moving_tree_.update(moving_, fat_);
  new_.clear();
  moving_tree_.find_pairs(new_);
  moving_tree_.find_pairs_with(fixed_tree_, new_);
  sort_new();
  std::swap(candidates_, new_);
}

void PairFinder::follow_moved(std::span<const Box> boxes) {
  for (const int shape : moved_) {
    has_moved_[shape] = 1;
    fatten(shape, boxes[shape]);
  }
  moving_tree_.update(moved_, fat_);
  moving_tree_.arrange(moved_);
  new_.clear();
  for (const int shape : moved_) {
    if (!is_proper(fat_[shape])) continue;
    near_.clear();
    moving_tree_.find_overlapping(fat_[shape], near_);
    fixed_tree_.find_overlapping(fat_[shape], near_);
    for (const int other : near_) {
      // Two that moved find each other twice, and each finds itself.
      if (!has_moved_[other] || shape < other) new_.push_back(ordered(shape, other));
    }
  }
  sort_new();
  merge_new();
  for (const int shape : moved_) has_moved_[shape] = 0;
}

/// Those that may meet: by b, then by a, each time counting how many come before: pairs are many and shapes
/// are few.
void PairFinder::sort_new() {
  if (may_meet_) std::erase_if(new_, [this](const ShapePair& pair) { return !may_meet_(pair.a, pair.b); });
  sorted_.resize(new_.size());
  for (int ShapePair::*const key : {&ShapePair::b, &ShapePair::a}) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (const ShapePair& pair : new_) ++counts_[pair.*key + 1];
    for (std::size_t i = 1; i < counts_.size(); ++i) counts_[i] += counts_[i - 1];
    for (const ShapePair& pair : new_) sorted_[counts_[pair.*key]++] = pair;
    std::swap(new_, sorted_);
  }
}

/// Candidates of shapes that did not move, and the new ones. Without branches, as no one can guess which.
void PairFinder::merge_new() {
  std::size_t kept = 0;
  for (const ShapePair& pair : candidates_) {
    candidates_[kept] = pair;
    kept += (has_moved_[pair.a] | has_moved_[pair.b]) == 0 ? 1 : 0;
  }
  const auto key = [](const ShapePair& pair) { return static_cast<std::int64_t>(pair.a) << 32 | pair.b; };
  candidates_.resize(kept + 1);
  new_.push_back({std::numeric_limits<int>::max(), 0});  // behind all others
  candidates_.back() = new_.back();
  sorted_.resize(kept + new_.size() - 1);
  std::size_t old_place = 0, new_place = 0;
  for (ShapePair& pair : sorted_) {
    const bool is_new = key(new_[new_place]) < key(candidates_[old_place]);
    const ShapePair* const from = is_new ? &new_[new_place] : &candidates_[old_place];
    pair = *from;
    new_place += is_new ? 1 : 0;
    old_place += is_new ? 0 : 1;
  }
  std::swap(candidates_, sorted_);
}

void PairFinder::pick_pairs() {
  if (pairs_.size() < candidates_.size()) pairs_.resize(candidates_.size());
  pair_count_ = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    // Where boxes do not fit into the cache, most of the time would go by waiting for the second one.
    if (i + kSoon < candidates_.size()) __builtin_prefetch(&grown_[candidates_[i + kSoon].b]);
    const ShapePair pair = candidates_[i];
    pairs_[pair_count_] = pair;
    pair_count_ += overlap(grown_[pair.a], grown_[pair.b]) ? 1 : 0;
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
  for (const std::vector<int>* shapes : {&moving_, &fixed_}) {
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
