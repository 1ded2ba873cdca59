#include <pawl/base/printable.h>

#include <fmt/format.h>

namespace pawl::internal {
namespace {

/// Of a whole UTF-8 character: ASCII controls, and those of U+0080 to U+009F, which some terminals obey too.
bool is_control(std::string_view letter) {
  const auto first = static_cast<unsigned char>(letter[0]);
  if (letter.size() == 1) return (first < 0x20 && first != '\t' && first != '\n') || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(letter[1]) < 0xA0;
}

}  // namespace

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

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = letter_length(text);
    const std::string_view letter = text.substr(0, length == 0 ? 1 : length);
    if (length > 0 && !is_control(letter)) {
      result += letter;
    } else {
      for (const char c : letter) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(letter.size());
  }
  return result;
}

}  // namespace pawl::internal
