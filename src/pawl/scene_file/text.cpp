#include <pawl/scene_file/text.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <pawl/base/printable.h>
#include <pawl/scene.h>

namespace pawl::internal {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

}  // namespace

std::string read_text_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) {
    throw SceneError(path, {}, "", "this is a directory: a scene is a YAML file");
  }
  // Opening a pipe by its name would wait for someone to write to it. Those under /dev are open already:
  // /dev/stdin, and /dev/fd/63 of a shell's <(…).
  const bool opens_at_once = std::filesystem::is_fifo(status) && path.starts_with("/dev/");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) && !opens_at_once) {
    throw SceneError(path, {}, "", "this is not a regular file: a scene is a YAML file");
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
