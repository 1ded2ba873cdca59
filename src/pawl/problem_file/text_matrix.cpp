#include "text_matrix.h"

#include <limits>
#include <string>

#include <fmt/format.h>

namespace pawl::internal {
namespace {

constexpr long long kMaxCount = std::numeric_limits<int>::max();

enum Storage { kDense, kSparseBlocks, kSparse };
enum Origin { kFromTriplets = 1, kFromColumns, kFromRows };

/// Rows and columns repeated, then the entries in column-major order.
void read_dense(TextScanner& in, const char* name, MatrixEntries& matrix) {
  in.integer({"count of rows"}, matrix.rows, matrix.rows);
  in.integer({"count of columns"}, matrix.columns, matrix.columns);
  in.check_remaining(static_cast<long long>(matrix.rows) * matrix.columns, {name});
  for (int j = 0; j < matrix.columns; ++j) {
    for (int i = 0; i < matrix.rows; ++i) {
      if (const double x = in.number({name, i, j}); x != 0) matrix.entries.push_back({i, j, x});
    }
  }
}

/// [count + 1] first index of each block. The file lists the ends; the last is `size`.
std::vector<int> read_ends(TextScanner& in, const char* name, long long count, int size) {
  in.check_remaining(count, {name});
  std::vector<int> begin{0};
  for (long long k = 0; k < count; ++k) {
    begin.push_back(static_cast<int>(in.integer({name, k}, begin.back() + 1, size)));
  }
  if (begin.back() != size) {
    in.fail({name, count - 1}, fmt::format("must be {}, the size of the matrix, not {}", size, begin.back()));
  }
  return begin;
}

void read_sparse_blocks(TextScanner& in, const char* name, MatrixEntries& matrix) {
  const long long blocks = in.integer({"count of blocks"}, 0, kMaxCount);
  const long long block_rows = in.integer({"count of block rows"}, 1, matrix.rows);
  const long long block_columns = in.integer({"count of block columns"}, 1, matrix.columns);
  const std::vector<int> row_begin = read_ends(in, "ends of block rows", block_rows, matrix.rows);
  const std::vector<int> column_begin = read_ends(in, "ends of block columns", block_columns, matrix.columns);
  // Trailing rows without blocks may lack a pointer.
  const long long pointers = in.integer({"count of row pointers"}, 1, block_rows + 1);
  in.integer({"count of block column numbers"}, blocks, blocks);
  in.check_remaining(pointers + blocks, {"row pointers and block columns"});
  std::vector<long long> first{in.integer({"row pointers", 0}, 0, 0)};
  for (long long k = 1; k < pointers; ++k) {
    first.push_back(in.integer({"row pointers", k}, first.back(), blocks));
  }
  if (first.back() != blocks) {
    in.fail({"row pointers", pointers - 1},
            fmt::format("must be {}, the count of blocks, not {}", blocks, first.back()));
  }
  std::vector<int> column_of;
  for (long long k = 0; k < blocks; ++k) {
    column_of.push_back(static_cast<int>(in.integer({"block columns", k}, 0, block_columns - 1)));
  }
  for (std::size_t row = 0; row + 1 < first.size(); ++row) {
    for (long long k = first[row]; k < first[row + 1]; ++k) {
      in.integer({"number of a block"}, k, k);
      const int column = column_of[k];
      for (int j = column_begin[column]; j < column_begin[column + 1]; ++j) {
        for (int i = row_begin[row]; i < row_begin[row + 1]; ++i) {
          matrix.entries.push_back({i, j, in.number({name, i, j})});
        }
      }
    }
  }
}

/// Parses CSparse's output, "3-by-3, nzmax: 4 nnz: 4, …", where a comma follows some numbers.
long long read_printed(TextScanner& in, const char* name, std::string_view word, long long low,
                       long long high) {
  if (word.ends_with(',')) word.remove_suffix(1);
  long long value = 0;
  if (!parse_integer(word, value) || value < low || value > high) {
    in.fail({name}, fmt::format("must be a whole number from {} to {}", low, high));
  }
  return value;
}

/// Origin (1 triplets, 2 compressed columns, 3 compressed rows), then CSparse's printed format.
void read_sparse(TextScanner& in, const char* name, MatrixEntries& matrix) {
  const long long origin = in.integer({"origin of the sparse matrix"}, kFromTriplets, kFromRows);
  if (in.peek().find("Sparse") != std::string_view::npos) in.skip_line();  // version line
  const bool triplets = in.peek() == "triplet:";
  if (triplets) in.word();
  const std::string_view size = in.word();
  if (size != fmt::format("{}-by-{},", matrix.rows, matrix.columns)) {
    in.fail({"size"}, fmt::format("must be '{}-by-{},', as CSparse prints it", matrix.rows, matrix.columns));
  }
  in.expect("nzmax:");
  in.word();
  in.expect("nnz:");
  const long long count = read_printed(in, "count of entries", in.word(), 0, kMaxCount);
  const auto put = [&](int i, int j, double x) {
    if (x != 0) matrix.entries.push_back({i, j, x});
  };
  if (triplets) {
    for (long long k = 0; k < count; ++k) {
      const int i = static_cast<int>(in.integer({"row", k}, 0, matrix.rows - 1));
      const int j = static_cast<int>(in.integer({"column", k}, 0, matrix.columns - 1));
      in.expect(":");
      put(i, j, in.number({name, i, j}));
    }
    return;
  }
  in.expect("1-norm:");
  in.word();
  // CSparse has no compressed rows: they are printed as columns of the transpose.
  const bool by_rows = origin == kFromRows;
  const int lines = by_rows ? matrix.rows : matrix.columns, across = by_rows ? matrix.columns : matrix.rows;
  long long seen = 0;
  for (int line = 0; line < lines; ++line) {
    in.expect("col");
    in.integer({"column number"}, line, line);
    in.expect(":");
    in.expect("locations");
    in.integer({"first location"}, seen, seen);
    in.expect("to");
    const long long last = in.integer({"last location"}, seen - 1, count - 1);
    for (; seen <= last; ++seen) {
      const int k = static_cast<int>(in.integer({by_rows ? "column" : "row", seen}, 0, across - 1));
      in.expect(":");
      const int i = by_rows ? line : k, j = by_rows ? k : line;
      put(i, j, in.number({name, i, j}));
    }
  }
  if (seen != count)
    in.fail({"last location"}, fmt::format("must be {}: there are {} entries", count - 1, count));
}

}  // namespace

MatrixEntries read_text_matrix(TextScanner& in, const char* name, int rows, int columns) {
  const long long storage = in.integer({"storage"}, kDense, kSparse);
  MatrixEntries matrix;
  matrix.rows = static_cast<int>(in.integer({"count of rows"}, rows, rows));
  matrix.columns = static_cast<int>(in.integer({"count of columns"}, columns, columns));
  if (storage == kDense) read_dense(in, name, matrix);
  if (storage == kSparseBlocks) read_sparse_blocks(in, name, matrix);
  if (storage == kSparse) read_sparse(in, name, matrix);
  return matrix;
}

}  // namespace pawl::internal
