#pragma once
// HDF5 file drivers that write through an OrderedFile and read through a CheckedFile.

#include <pawl/hdf5/hdf5_file.h>
#include <pawl/record/checked_file.h>
#include <pawl/record/ordered_file.h>

namespace pawl::internal::h5 {

/// Returns a file access property list for H5Fcreate and H5Fopen, which then ignore their file name. The file
/// must be closed before `disk` is destroyed. Each H5Fflush is a commit.
Handle make_file_access(OrderedFile& disk);
/// The same for H5Fopen with H5F_ACC_RDONLY.
Handle make_file_access(CheckedFile& disk);

}  // namespace pawl::internal::h5
