#pragma once
// What a client sent, taken apart.

#include <optional>
#include <string_view>

#include <serve/http_server.h>

namespace pawl::internal {

inline constexpr std::size_t kMaxHeadBytes = 16 << 10;
inline constexpr std::size_t kMaxBodyBytes = 64 << 10;

struct HttpHead {
  HttpRequest request;
  std::size_t body_bytes = 0;
  bool keep_alive = true;
};

/// The head of a request, up to and without its empty line. `refused` is set where it is not one we answer.
/// Strict, as nothing but a browser is expected: what could be understood in two ways is refused.
HttpHead parse_head(std::string_view text, std::optional<HttpReply>& refused);

}  // namespace pawl::internal
