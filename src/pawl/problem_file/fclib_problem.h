#pragma once
// Parser of FCLIB problems. Internal to problem_file/.

#include <string>
#include <string_view>

#include <pawl/problem_file.h>

namespace pawl::internal {

/// Parses the bytes of an FCLIB file; messages refer to it by `name`.
StoredContactProblem parse_fclib(std::string_view bytes, const std::string& name);

}  // namespace pawl::internal
