#pragma once
// Parses the head of an HTTP request.

#include <optional>
#include <string_view>

#include <serve/http_message.h>

namespace pawl::internal {

inline constexpr std::size_t kMaxHeadBytes = 16 << 10;
inline constexpr std::size_t kMaxBodyBytes = 64 << 10;

struct HttpHead {
  HttpRequest request;
  std::size_t body_bytes = 0;
  bool keep_alive = true;
};

/// Parses the head of a request, without its empty line. Sets `refused` to the error reply if the request is
/// not supported. The parser is strict, because only browsers are expected: ambiguous input is refused.
HttpHead parse_head(std::string_view text, std::optional<HttpReply>& refused);

}  // namespace pawl::internal
