#pragma once
// Internal to problem_file/.

#include <string>
#include <string_view>

#include <pawl/problem_file.h>

namespace pawl::internal {

/// The contact problem of an FCLIB file given by its bytes; `name` is what messages call it.
StoredContactProblem parse_fclib(std::string_view bytes, const std::string& name);

}  // namespace pawl::internal
