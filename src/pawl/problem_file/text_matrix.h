#pragma once
// Matrices in the text files of Siconos. Internal to problem_file/.

#include "matrix_entries.h"
#include "text_scanner.h"

namespace pawl::internal {

/// Storage (0 dense, 1 sparse blocks, 2 sparse), rows, columns, entries. The size must be rows × columns;
/// messages refer to the matrix by `name`. Zeros are dropped, except in the blocks of storage 1.
MatrixEntries read_text_matrix(TextScanner& in, const char* name, int rows, int columns);

}  // namespace pawl::internal
