#pragma once

#include <string>
#include <string_view>

#include <pawl/base/error.h>
#include <pawl/problem_file/problem_file.h>

namespace pawl::test {

/// What the reader says of the bytes as a file called "file"; "" if it takes them.
inline std::string complaint(std::string_view bytes, std::optional<ProblemKind> kind = std::nullopt) {
  try {
    parse_problem(bytes, "file", kind);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace pawl::test
