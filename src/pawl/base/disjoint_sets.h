#pragma once
// Disjoint sets (union-find) over indices; the root of a set is its smallest index.

#include <algorithm>
#include <vector>

namespace pawl::internal {

/// The root of the set of i; root[i] is the parent of i, and root[i] = i at a root. Halves the path.
inline int find_root(std::vector<int>& root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

/// Merges the sets of a and b.
inline void unite(std::vector<int>& root, int a, int b) {
  const int root_a = find_root(root, a), root_b = find_root(root, b);
  root[std::max(root_a, root_b)] = std::min(root_a, root_b);
}

}  // namespace pawl::internal
