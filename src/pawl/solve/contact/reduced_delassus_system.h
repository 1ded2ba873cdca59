#pragma once
// Newton's linear system where rows of W follow from others: a box that stands on its face has four contacts,
// twelve rows, and moves in six ways.

#include <span>
#include <vector>

#include <pawl/linalg/block_lu.h>
#include <pawl/linalg/block_matrix.h>

namespace pawl::internal {

/// Blocks with the same neighbours, as contacts between the same two bodies are, form a group. Of the rows of
/// a group in W a few are kept, and the others follow from them: W = R V Qᵀ, with V the kept rows and columns
/// of W, and R and Q block diagonal. With C and B block diagonal, one block for each of W, and G = C⁻¹ B,
///   [C + B W] x = f
/// then is a system of the size of V, for z = Qᵀ x:
///   [I + Qᵀ G R V] z = Qᵀ C⁻¹ f,   x = C⁻¹ f - G R V z.
/// That the others follow is seen within each group only, and to rounding: who uses the answer looks at its
/// residual.
class ReducedDelassusSystem {
 public:
  /// Finds the groups and the rows to keep; false where these are too many to be worth it.
  bool reduce(const BlockMatrix& W);
  /// Factors I + Qᵀ G R V; the block of G that belongs to block i stands at offset[i].
  void factor(std::span<const double> G, std::span<const int> offset);
  /// R V z, for x = C⁻¹ f.
  void solve(std::span<const double> x, std::span<double> R_V_z);

 private:
  void find_groups(const BlockMatrix& W);
  void gather_group(const BlockMatrix& W, int group);
  int select_independent_rows(int group);
  void gather_reduced_matrix(const BlockMatrix& W);

  int groups() const { return static_cast<int>(first_.size()); }
  int blocks() const { return static_cast<int>(group_.size()); }
  int size_of(int block) const { return begin_[block + 1] - begin_[block]; }

  BlockMatrix V_, A_;  // kept rows and columns of W; the matrix that is factored
  BlockLu lu_;
  std::vector<int> begin_;                 // [blocks + 1] of W
  std::vector<int> group_;                 // [blocks]
  std::vector<int> first_, last_;          // [groups] blocks of a group
  std::vector<int> next_;                  // [blocks] of the same group, or -1
  std::vector<int> rows_;                  // [groups] how many it has
  std::vector<int> row_in_group_;          // [blocks] of its first row among those of its group
  std::vector<int> reduced_row_;           // [rows] number among the kept ones of its group, or -1
  std::vector<int> offset_;                // [blocks] of a block's rows in R and Q
  std::vector<double> R_, Q_;              // row by row, as wide as rows are kept of the group
  std::vector<double> D_, zeros_;          // W of one group
  std::vector<int> pivots_;                // rows kept of one group, in its own count
  std::vector<int> reduced_row_in_group_;  // as reduced_row_, of one group
  std::vector<int> columns_;               // groups next to one
  std::vector<std::size_t> entry_;  // [groups] where V has the block of the group at hand with this one
  std::vector<double> H_, G_R_, z_, V_z_;
};

}  // namespace pawl::internal
