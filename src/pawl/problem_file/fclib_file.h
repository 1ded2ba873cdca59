#pragma once
// Checked reading of FCLIB's groups and datasets. Throws h5::Failure, without the file name. Internal to
// problem_file/.

#include <string>
#include <string_view>
#include <vector>

#include <pawl/hdf5/hdf5_file.h>

#include "matrix_entries.h"

namespace pawl::internal {

/// Opens an HDF5 file in memory for reading.
h5::Handle open_image(std::string_view bytes);

/// Values must be finite; their number must be `size`, if that is not negative.
std::vector<double> read_doubles(hid_t file, const std::string& name, long long size);

/// Reads a dataset with one integer in [low, high].
int read_integer(hid_t file, const std::string& name, int low, int high);

/// A group {m, n, nz, p, i, x}: triplets (nz ≥ 0: row i, column p), compressed columns (-1) or rows (-2).
MatrixEntries read_matrix(hid_t file, const std::string& name);

}  // namespace pawl::internal
