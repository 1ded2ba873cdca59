#include <pawl/scene_file/text.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <pawl/scene.h>

namespace pawl::internal {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

/// The length in bytes of the UTF-8 character at the front of `text`, 0 if it is not valid.
std::size_t letter_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong encodings, surrogates, and code points above U+10FFFF.
  if (byte(0) == 0xE0 && byte(1) < 0xA0) return 0;
  if (byte(0) == 0xED && byte(1) > 0x9F) return 0;
  if (byte(0) == 0xF0 && byte(1) < 0x90) return 0;
  if (byte(0) == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

}  // namespace

std::string read_text_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw SceneError(path, {}, "", "this is a directory: a scene is a YAML file");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw SceneError(path, {}, "",
                     fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  }
  std::string text;
  std::array<char, 65536> block{};
  // Reads past the limit by at most one block; check_text then refuses the size.
  while (text.size() <= kMaxBytes && stream) {
    stream.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw SceneError(path, {}, "", "cannot be read to its end");
  return text;
}

void check_text(std::string_view text, const std::string& file) {
  if (text.size() > kMaxBytes) {
    throw SceneError(file, {}, "",
                     fmt::format("larger than {} MB, the most a scene may have", kMaxBytes >> 20));
  }
  SourceLocation location{1, 1};
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = letter_length(text.substr(i, 4));
    if (length == 0 || is_control(text[i])) {
      throw SceneError(file, location, "",
                       fmt::format("the byte 0x{:02X} is no part of a text: a scene is a YAML file in UTF-8",
                                   static_cast<unsigned char>(text[i])));
    }
    location.column += 1;
    if (text[i] == '\n') location = {location.line + 1, 1};
    i += length;
  }
}

}  // namespace pawl::internal
