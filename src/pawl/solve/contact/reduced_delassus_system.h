#pragma once
// Newton's linear system for a rank-deficient W. Example: a box on its face has four contacts with twelve
// rows, but six degrees of freedom.

#include <span>
#include <vector>

#include <pawl/linalg/block_lu.h>
#include <pawl/linalg/block_matrix.h>

namespace pawl::internal {

/// Blocks with the same neighbours, such as the contacts between the same two bodies, form a group. A few
/// rows of each group are kept; the others are linear combinations: W = R V Qᵀ. V holds the kept rows and
/// columns of W; R and Q are block diagonal. With C and B block diagonal, in the blocks of W, and G = C⁻¹ B,
///   [C + B W] x = f
/// reduces to a system of the size of V for z = Qᵀ x:
///   [I + Qᵀ G R V] z = Qᵀ C⁻¹ f,   x = C⁻¹ f - G R V z.
/// Dependence is tested within each group only, and to rounding. Callers must check the residual of the
/// solution.
class ReducedDelassusSystem {
 public:
  /// Finds the groups and their independent rows. Returns false if too many rows remain to gain from it.
  bool reduce(const BlockMatrix& W);
  /// Factors I + Qᵀ G R V. The block of G for block i starts at offset[i].
  void factor(std::span<const double> G, std::span<const int> offset);
  /// Computes R V z from x = C⁻¹ f.
  void solve(std::span<const double> x, std::span<double> R_V_z);

 private:
  void find_groups(const BlockMatrix& W);
  void gather_group(const BlockMatrix& W, int group);
  int select_independent_rows(int group);
  void gather_reduced_matrix(const BlockMatrix& W);

  int groups() const { return static_cast<int>(first_.size()); }
  int blocks() const { return static_cast<int>(group_.size()); }
  int size_of(int block) const { return begin_[block + 1] - begin_[block]; }

  BlockMatrix V_, A_;  // kept rows and columns of W; matrix to factor
  BlockLu lu_;
  std::vector<int> begin_;                 // [blocks + 1] first rows of the blocks of W
  std::vector<int> group_;                 // [blocks]
  std::vector<int> first_, last_;          // [groups] first and last block
  std::vector<int> next_;                  // [blocks] next block of the same group, or -1
  std::vector<int> rows_;                  // [groups] number of rows
  std::vector<int> row_in_group_;          // [blocks] index of its first row within the group
  std::vector<int> reduced_row_;           // [rows] index among the kept rows of its group, or -1
  std::vector<int> offset_;                // [blocks] offset of its rows in R and Q
  std::vector<double> R_, Q_;              // row-major, as wide as the group's number of kept rows
  std::vector<double> D_, zeros_;          // W of one group
  std::vector<int> pivots_;                // kept rows of one group, indexed within the group
  std::vector<int> reduced_row_in_group_;  // the same as reduced_row_, for one group
  std::vector<int> columns_;               // neighbours of one group
  std::vector<std::size_t> entry_;  // [groups] offset in V of the current group's block with this group
  std::vector<double> H_, G_R_, z_, V_z_;
};

}  // namespace pawl::internal
