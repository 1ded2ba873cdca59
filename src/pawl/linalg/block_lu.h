#pragma once
// Sparse direct solution of A x = b for matrices of blocks whose pattern stays while their values change.

#include <span>
#include <vector>

#include <pawl/linalg/block_matrix.h>

namespace pawl::internal {

/// Multifrontal LU. The pattern is made symmetric, ordered by approximate minimum degree and cut into
/// supernodes once; factor() then runs on dense fronts and allocates nothing. Pivots are sought within a
/// supernode only, which serves matrices whose symmetric part is positive or nearly so; a pivot that vanishes
/// is replaced by a small one, counted, and left to refinement.
class BlockLu {
 public:
  /// Does nothing where the pattern, and the place of every block's values, is that of the last call.
  void analyse(const BlockMatrix& A);
  /// Factors A, whose pattern was analysed; the count of pivots that had to be replaced. The methods leave
  /// these to refinement, and only tests count them.
  int factor(const BlockMatrix& A);
  /// x := A⁻¹ x.
  void solve(std::span<double> x);

  /// Multiplications of one factorisation, by which tests see fill-in.
  double work() const { return work_; }

 private:
  struct Supernode {
    int begin = 0;           // first of its pivots, in elimination order
    int pivots = 0;          // count of them
    int below = 0;           // count of later rows it reaches
    int row_offset = 0;      // of these in rows_
    std::size_t offset = 0;  // of its factors: its rows, padded, then L (below × pivots)
    int children = 0;        // how many updates it takes off the stack
    int scatter = 0;         // first of its entries in scatter_; the next supernode's is the end
    int run = 0, runs = 0;   // of its rows below, in its parent's front: runs_[run … run + runs)
  };
  struct Run {  // rows that follow each other in the parent's front
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
  std::vector<int> pivot_;  // [size] row chosen, within its supernode
  std::vector<double> front_, stack_, x_;
  std::vector<std::size_t> update_offset_;  // stack of updates waiting for their parents
  std::vector<int> update_node_;
  double work_ = 0;
};

}  // namespace pawl::internal
