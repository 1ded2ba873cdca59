#include <pawl/base/parse.h>

#include <charconv>

#include <fmt/format.h>

namespace pawl::internal {

std::errc parse_number(std::string_view word, double& value) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return end == word.data() + word.size() ? error : std::errc::invalid_argument;
}

std::string quote(std::string_view word) {
  constexpr std::size_t kMaxShown = 40;
  std::string text = "'";
  for (const char c : word.substr(0, kMaxShown)) {
    const bool plain = c > ' ' && c < 127;
    text += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text + (word.size() > kMaxShown ? "…'" : "'");
}

}  // namespace pawl::internal
