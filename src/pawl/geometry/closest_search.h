#pragma once
// The pairs of two trees of boxes, the nearest first.

#include <span>
#include <vector>

#include <pawl/geometry/box_tree.h>

namespace pawl {

/// Two shapes by their numbers.
struct ShapePair {
  int a = 0, b = 0;
  constexpr auto operator<=>(const ShapePair&) const = default;
};

/// Branch and bound: what lies in two boxes has no smaller gap than the boxes, so nothing needs to be looked
/// at below two nodes that are farther apart than the best pair so far. Keeps its memory between searches.
class ClosestSearch {
 public:
  /// Pairs within `moving`, and of it with `fixed`. Boxes of the trees contain those of boxes[item], by which
  /// pairs are ordered. All must stay as they are until the search is over.
  void start(const BoxTree& moving, const BoxTree& fixed, std::span<const Box> boxes, double upper);
  /// The next pair by (gap of the boxes, a, b), whatever the trees look like. False: no other boxes are
  /// nearer than `upper`, which may shrink from call to call.
  bool next(double upper, ShapePair& pair);

 private:
  enum class Kind : char { moving_nodes, fixed_nodes, items };  // nodes first: equal items may be below them
  struct Entry {
    double bound = 0;
    Kind kind = Kind::items;
    int a = 0, b = 0;
    constexpr auto operator<=>(const Entry&) const = default;
  };

  void push(const Entry& entry, double upper);
  void push_nodes(Kind kind, int a, int b, double upper);
  void expand(const Entry& entry, double upper);

  const BoxTree *moving_ = nullptr, *fixed_ = nullptr;
  std::span<const Box> boxes_;
  std::vector<Entry> heap_;
};

}  // namespace pawl
