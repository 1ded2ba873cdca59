#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include <pawl/linalg/block_matrix.h>

namespace pawl::internal {
namespace block_matrix_test {

using testing::ElementsAre;

TEST(BlockMatrix, AddsToTheDiagonalOfBlocksOfEverySize) {
  BlockMatrix A = to_block_matrix({0, 1, 3}, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  add_to_diagonal(A, 0.5);
  EXPECT_THAT(dense(A), ElementsAre(1.5, 2, 3, 4, 5.5, 6, 7, 8, 9.5));
}

TEST(BlockMatrix, LeavesDiagonalBlocksThatAreNotStored) {
  BlockMatrix A;
  A.begin = {0, 1, 2};
  A.row = {0, 1, 2};
  A.entries = {{1, 0}, {1, 1}};  // [0 2; 0 3]: the first diagonal block is zero
  A.values = {2, 3};
  add_to_diagonal(A, 1);
  EXPECT_THAT(dense(A), ElementsAre(0, 2, 0, 4));
}

}  // namespace block_matrix_test
}  // namespace pawl::internal
