#pragma once
// Problems and answers, written to files.

#include <string>

#include <pawl/contact_problem.h>

namespace pawl::internal::cli {

/// By its ending, .hdf5 or .h5.
bool is_fclib_path(const std::string& path);

/// How FCLIB holds a problem: by W, or by M and H.
enum class FclibForm { local, global };
/// The one that needs no work.
FclibForm native_form(const ContactProblem& problem);

/// `from` is the file the problem was read from, for the title.
void write_fclib(const std::string& path, const ContactProblem& problem, FclibForm form,
                 const std::string& from);

}  // namespace pawl::internal::cli
