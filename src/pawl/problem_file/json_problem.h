#pragma once
// Pawl's JSON format for contact problems. Internal to problem_file/.

#include <string>
#include <string_view>

#include <pawl/problem_file.h>

namespace pawl::internal {

StoredContactProblem parse_json(std::string_view text, const std::string& name);

}  // namespace pawl::internal
