#pragma once
// HDF5 at the end of a program. Apart from hdf5_file.h, so that the program needs no headers of HDF5.

namespace pawl::internal::h5 {

/// Call before anything else of HDF5. HDF5 then does not clean up at the exit of the program. It keeps parts
/// of a file that it found damaged, and would try in vain to close them and print that. Whoever calls this
/// closes his files himself.
void do_not_clean_up_at_exit();

}  // namespace pawl::internal::h5
