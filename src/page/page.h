#pragma once
// The page of pawl view and pawl report, as a part of the program.

#include <string_view>

namespace pawl::internal {

/// Throws Error where the program was built without it.
std::string_view viewer_page();

}  // namespace pawl::internal
