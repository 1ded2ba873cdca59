#pragma once
// Writes problems and solutions to files.

#include <string>

#include <pawl/contact_problem.h>

namespace pawl::internal::cli {

/// True for the extensions .hdf5 and .h5.
bool is_fclib_path(const std::string& path);

/// FCLIB's forms of a problem: local (W) or global (M and H).
enum class FclibForm { local, global };
/// The form in which the problem is stored, which needs no conversion.
FclibForm native_form(const ContactProblem& problem);

/// `from` is the file from which the problem was read; it becomes the title.
void write_fclib(const std::string& path, const ContactProblem& problem, FclibForm form,
                 const std::string& from);

}  // namespace pawl::internal::cli
