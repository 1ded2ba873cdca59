#pragma once
// A scene's text before it is YAML: that there is a file, of a fair size, holding text. Internal to scene/.

#include <string>
#include <string_view>

namespace pawl::internal {

/// The bytes of a file, or a SceneError that says why there are none.
std::string read_text_file(const std::string& path);

/// Refuses what is too large, or no UTF-8 text; `file` is the name for messages.
void check_text(std::string_view text, const std::string& file);

}  // namespace pawl::internal
