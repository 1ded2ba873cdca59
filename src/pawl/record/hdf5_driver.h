#pragma once
// Tells HDF5 to write through an OrderedFile.

#include <pawl/hdf5/hdf5_file.h>
#include <pawl/record/ordered_file.h>

namespace pawl::internal::h5 {

/// A file access property list for H5Fcreate and H5Fopen, whose file name is then of no account. The file
/// must be closed before `disk` goes. Each H5Fflush is a commit.
Handle make_file_access(OrderedFile& disk);

}  // namespace pawl::internal::h5
