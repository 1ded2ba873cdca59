#pragma once
// Reads a scene's text and checks size and encoding, before YAML is parsed. Internal to scene/.

#include <string>
#include <string_view>

namespace pawl::internal {

/// The bytes of a file. Throws SceneError with the reason if it cannot be read.
std::string read_text_file(const std::string& path);

/// Throws SceneError if the text is too large or not UTF-8; `file` is the name for messages.
void check_text(std::string_view text, const std::string& file);

}  // namespace pawl::internal
