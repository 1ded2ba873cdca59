#pragma once

#include <string>
#include <string_view>

#include <pawl/error.h>
#include <pawl/problem_file.h>

namespace pawl::internal::test {

/// Error message for the bytes of a file named "file"; "" if they are accepted.
inline std::string complaint(std::string_view bytes, std::optional<ProblemKind> kind = std::nullopt) {
  try {
    parse_problem(bytes, "file", kind);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace pawl::internal::test
