// Fuzzes the parser of request heads: the result is a request or a refusal. Accepted requests have no control
// characters and no body above the limit.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <serve/http_parser.h>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<pawl::internal::HttpReply> refused;
  const pawl::internal::HttpHead head =
      pawl::internal::parse_head({reinterpret_cast<const char*>(data), size}, refused);
  if (refused) {
    require(refused->status >= 400 && refused->body.starts_with("{\"error\":"));
    return 0;
  }
  require(head.request.path.starts_with('/'));
  require(head.body_bytes <= pawl::internal::kMaxBodyBytes);
  for (const unsigned char c : head.request.path) require(c > ' ' && c < 127);
  for (const auto& [name, value] : head.request.header) {
    for (const unsigned char c : name + value) require(c == '\t' || (c >= ' ' && c != 127));
  }
  return 0;
}
