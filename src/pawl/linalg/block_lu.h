#pragma once
// Sparse direct solver for A x = b, where A is a block matrix whose pattern is analysed once and reused.

#include <span>
#include <vector>

#include <pawl/linalg/block_matrix.h>

namespace pawl::internal {

/// Multifrontal LU. analyse() symmetrises the pattern, orders it by approximate minimum degree and cuts it
/// into supernodes. factor() then works on dense fronts and does not allocate.
/// Pivots are sought within a supernode only. That suffices for matrices whose symmetric part is positive
/// definite or nearly so. A vanishing pivot is replaced by a small one, counted, and left to iterative
/// refinement.
class BlockLu {
 public:
  /// Does nothing if the pattern and the offsets of all blocks equal those of the last call.
  void analyse(const BlockMatrix& A);
  /// Factors A, whose pattern must have been analysed. Returns the number of replaced pivots; only tests use
  /// it, because the solvers rely on iterative refinement.
  int factor(const BlockMatrix& A);
  /// x := A⁻¹ x.
  void solve(std::span<double> x);

  /// Multiplications per factorisation; tests measure fill-in by it.
  double work() const { return work_; }

 private:
  struct Supernode {
    int begin = 0;           // first pivot, in elimination order
    int pivots = 0;          // number of pivots
    int below = 0;           // number of later rows coupled to it
    int row_offset = 0;      // of the coupled rows in rows_
    std::size_t offset = 0;  // of its factors: pivot rows (padded), then L (below × pivots)
    int children = 0;        // number of child updates it pops from the stack
    int scatter = 0;         // first entry in scatter_; ends where the next supernode's begins
    int run = 0, runs = 0;   // position of its coupled rows in the parent's front: runs_[run … run + runs)
  };
  struct Run {  // consecutive rows in the parent's front
    int start = 0, length = 0;
  };
  struct Scatter {
    std::size_t offset;  // of the block in A.values
    int rows, columns;
    int front_row, front_column;
  };
  void analyse_as_single_front(const BlockMatrix& A);
  void order(const BlockMatrix& A);
  void compute_fronts(const BlockMatrix& A);

  std::vector<int> pattern_begin_, pattern_row_, pattern_column_;  // of the last analysis
  std::vector<std::size_t> pattern_offset_;
  std::vector<int> block_position_;  // [blocks] first row in elimination order
  std::vector<Supernode> supernodes_;
  std::vector<int> rows_;
  std::vector<Scatter> scatter_;
  std::vector<int> position_;  // [size] of a row in elimination order
  std::vector<Run> runs_;
  std::vector<double> factors_;
  std::vector<int> pivot_;  // [size] pivot row, relative to its supernode
  std::vector<double> front_, stack_, x_;
  std::vector<std::size_t> update_offset_;  // stack of updates not yet added to their parents
  std::vector<int> update_node_;
  double work_ = 0;
};

}  // namespace pawl::internal
