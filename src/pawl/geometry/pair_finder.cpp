#include <pawl/geometry/pair_finder.h>

namespace pawl {

namespace {

/// Room of a fat box on every side, in mean sides. More room means fewer reinsertions and more candidates.
constexpr double kFatness = 0.05;
/// When one in so many has left its fat box, it is faster to start over than to reinsert them one by one.
constexpr std::size_t kOneIn = 16;

}  // namespace

void PairFinder::reset(std::span<const ShapeRole> roles, MayMeet may_meet) {
  roles_.assign(roles.begin(), roles.end());
  may_meet_ = std::move(may_meet);
  moving_.clear();
  for (int i = 0; i < static_cast<int>(roles.size()); ++i) {
    if (roles[i] == ShapeRole::moving) moving_.push_back(i);
  }
  boxes_.clear();
  has_moved_.assign(roles.size(), 0);
  counts_.resize(roles.size() + 1);
  moving_tree_.clear();
  fixed_tree_.clear();
  fixed_half_reach_ = -1;
  candidates_.clear();
  pair_count_ = 0;
}

bool PairFinder::update(std::span<const Box> boxes, double reach) {
  const double half_reach = 0.5 * reach;
  if (boxes_.empty()) boxes_.assign(boxes.begin(), boxes.end());
  const bool fixed_changed = half_reach > fixed_half_reach_;
  if (fixed_changed) place_fixed(half_reach);
  const bool all_proper = find_moved(boxes, half_reach) && fixed_are_proper_;
  if (fixed_changed || moved_.size() * kOneIn > moving_.size()) {
    start_over(boxes, half_reach);
  } else if (!moved_.empty()) {
    reinsert_moved(boxes, half_reach);
  }
  for (const int shape : moving_) boxes_[shape] = boxes[shape];
  pick_pairs(half_reach);
  return all_proper;
}

void PairFinder::place_fixed(double half_reach) {
  items_.clear();
  fat_boxes_.clear();
  fixed_are_proper_ = true;
  for (int shape = 0; shape < static_cast<int>(roles_.size()); ++shape) {
    if (roles_[shape] != ShapeRole::fixed) continue;
    const Box box = grown(boxes_[shape], half_reach);
    fixed_are_proper_ &= is_proper(box);
    if (!is_proper(box)) continue;
    items_.push_back(shape);
    fat_boxes_.push_back(box);
  }
  fixed_tree_.build(items_, fat_boxes_);
  fixed_half_reach_ = half_reach;
}

/// False: a moving shape's box is not proper.
bool PairFinder::find_moved(std::span<const Box> boxes, double half_reach) {
  moved_.clear();
  bool all_proper = true;
  for (const int shape : moving_) {
    const Box box = grown(boxes[shape], half_reach);
    const bool proper = is_proper(box), placed = moving_tree_.holds(shape);
    all_proper &= proper;
    // One that is not proper leaves the tree if it is there, once.
    if (proper ? !placed || !contains(moving_tree_.box(shape), box) : placed) moved_.push_back(shape);
  }
  return all_proper;
}

Vec3 PairFinder::motion(int shape, const Box& now) const {
  const Box& before = boxes_[shape];
  return 0.5 * (now.low - before.low) + 0.5 * (now.high - before.high);
}

void PairFinder::add_candidate(int a, int b) {
  const auto [first, second] = std::minmax(a, b);
  if (!may_meet_ || may_meet_(first, second)) new_.push_back({first, second});
}

/// All get new fat boxes, and the next steps will find little to do.
void PairFinder::start_over(std::span<const Box> boxes, double half_reach) {
  items_.clear();
  fat_boxes_.clear();
  for (const int shape : moving_) {
    const Box box = grown(boxes[shape], half_reach);
    if (!is_proper(box)) continue;
    const Box fat = fattened(box, motion(shape, boxes[shape]), kFatness);
    items_.push_back(shape);
    fat_boxes_.push_back(is_proper(fat) ? fat : box);
  }
  moving_tree_.build(items_, fat_boxes_);
  new_.clear();
  const auto add = [this](int a, int b) { add_candidate(a, b); };
  moving_tree_.for_each_pair(pair_stack_, add);
  moving_tree_.for_each_pair_with(fixed_tree_, pair_stack_, add);
  sort_new();
  std::swap(candidates_, new_);
}

void PairFinder::reinsert_moved(std::span<const Box> boxes, double half_reach) {
  for (const int shape : moved_) {
    has_moved_[shape] = 1;
    moving_tree_.move(shape, grown(boxes[shape], half_reach), motion(shape, boxes[shape]), kFatness);
  }
  new_.clear();
  for (const int shape : moved_) {
    if (!moving_tree_.holds(shape)) continue;
    const Box& box = moving_tree_.box(shape);
    moving_tree_.for_each_overlapping(box, stack_, [&](int other) {
      // Two that moved find each other twice, and each finds itself.
      if (!has_moved_[other] || shape < other) add_candidate(shape, other);
    });
    fixed_tree_.for_each_overlapping(box, stack_, [&](int other) { add_candidate(shape, other); });
  }
  sort_new();
  std::erase_if(candidates_,
                [this](const ShapePair& pair) { return has_moved_[pair.a] || has_moved_[pair.b]; });
  sorted_.resize(candidates_.size() + new_.size());
  std::ranges::merge(candidates_, new_, sorted_.begin());
  std::swap(candidates_, sorted_);
  for (const int shape : moved_) has_moved_[shape] = 0;
}

/// By b, then by a, each time counting how many come before: pairs are many and shapes are few.
void PairFinder::sort_new() {
  sorted_.resize(new_.size());
  for (int ShapePair::*const key : {&ShapePair::b, &ShapePair::a}) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (const ShapePair& pair : new_) ++counts_[pair.*key + 1];
    for (std::size_t i = 1; i < counts_.size(); ++i) counts_[i] += counts_[i - 1];
    for (const ShapePair& pair : new_) sorted_[counts_[pair.*key]++] = pair;
    std::swap(new_, sorted_);
  }
}

void PairFinder::pick_pairs(double half_reach) {
  if (pairs_.size() < candidates_.size()) pairs_.resize(candidates_.size());
  pair_count_ = 0;
  for (const ShapePair& pair : candidates_) {
    pairs_[pair_count_] = pair;
    pair_count_ += overlap(grown(boxes_[pair.a], half_reach), grown(boxes_[pair.b], half_reach)) ? 1 : 0;
  }
}

void PairFinder::find_near(const HalfSpace& half_space, double reach, std::vector<int>& shapes) {
  shapes.clear();
  const double offset = half_space.offset + reach;
  moving_tree_.for_each_below(half_space.normal, offset, stack_, [&](int shape) {
    if (height_over(boxes_[shape], half_space.normal, offset) <= 0) shapes.push_back(shape);
  });
  std::ranges::sort(shapes);
}

}  // namespace pawl
