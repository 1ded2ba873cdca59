#pragma once
// Which things hang together: trees of numbers whose roots stand for their sets.

#include <algorithm>
#include <vector>

namespace pawl::internal {

/// The first of i's set, where root[i] leads there; root[i] = i is a set of its own.
inline int find_root(std::vector<int>& root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

/// Makes one set of those of a and b.
inline void unite(std::vector<int>& root, int a, int b) {
  const int root_a = find_root(root, a), root_b = find_root(root, b);
  root[std::max(root_a, root_b)] = std::min(root_a, root_b);
}

}  // namespace pawl::internal
