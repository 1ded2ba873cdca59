#pragma once
// The HTML page of pawl view and pawl report, embedded in the program.

#include <string_view>

namespace pawl::internal {

/// Throws Error if the program was built without it.
std::string_view viewer_page();

}  // namespace pawl::internal
