#include <serve/http_parser.h>

#include <algorithm>
#include <charconv>

#include <pawl/json/json.h>

namespace pawl::internal {
namespace {

bool is_token(std::string_view word) {
  constexpr std::string_view kTokenPunctuation = "!#$%&'*+-.^_`|~";  // RFC 9110, 5.6.2
  return !word.empty() && std::ranges::all_of(word, [&](unsigned char c) {
    return std::isalnum(c) != 0 || kTokenPunctuation.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool is_visible(std::string_view word) {
  return std::ranges::all_of(word, [](unsigned char c) { return c > ' ' && c < 127; });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Returns `text` up to the first `mark` and removes both from it. Without a mark, takes all of `text`.
std::string_view consume_until(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + mark.size());
  return part;
}

std::string to_lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

std::optional<HttpReply> parse_target(std::string_view target, HttpRequest& request) {
  if (target.empty() || target.front() != '/' || !is_visible(target)) return error_reply(400, "not a path");
  request.path = consume_until(target, "?");
  while (!target.empty()) {
    std::string_view value = consume_until(target, "&");
    const std::string name(consume_until(value, "="));
    if (!request.query.emplace(name, value).second) return error_reply(400, "a question is asked twice");
  }
  return std::nullopt;
}

std::optional<HttpReply> parse_request_line(std::string_view line, HttpHead& head) {
  head.request.method = consume_until(line, " ");
  const std::string_view target = consume_until(line, " ");
  if (line != "HTTP/1.1" && line != "HTTP/1.0") return error_reply(400, "not HTTP/1.1");
  head.keep_alive = line == "HTTP/1.1";
  const std::string& method = head.request.method;
  if (!is_token(method)) return error_reply(400, "not a request");
  if (method != "GET" && method != "HEAD" && method != "POST")
    return error_reply(405, "only GET, HEAD and POST");
  return parse_target(target, head.request);
}

std::optional<HttpReply> parse_header_line(std::string_view line, HttpRequest& request) {
  if (line.find(':') == std::string_view::npos) return error_reply(400, "a header without a colon");
  const std::string_view name = consume_until(line, ":");
  const std::string_view value = trim(line);
  const auto is_control = [](unsigned char c) { return (c < ' ' && c != '\t') || c == 127; };
  if (!is_token(name) || std::ranges::any_of(value, is_control)) return error_reply(400, "not a header");
  // Browsers join lists into one header. A repeated name is probably an attack.
  if (!request.header.emplace(to_lower(name), value).second) return error_reply(400, "a header comes twice");
  return std::nullopt;
}

std::optional<HttpReply> parse_length(HttpHead& head) {
  const auto& header = head.request.header;
  if (header.contains("transfer-encoding")) return error_reply(501, "a body needs its Content-Length");
  const auto length = header.find("content-length");
  if (length == header.end()) return std::nullopt;
  const std::string& text = length->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), head.body_bytes);
  if (error == std::errc::result_out_of_range) return error_reply(413, "the body is too long");
  if (error != std::errc() || end != text.data() + text.size()) return error_reply(400, "not a length");
  if (head.body_bytes > kMaxBodyBytes) return error_reply(413, "the body is too long");
  if (head.body_bytes > 0 && head.request.method != "POST") return error_reply(400, "a body is for POST");
  return std::nullopt;
}

}  // namespace

HttpReply error_reply(int status, std::string_view what) {
  return {.status = status, .body = Json{{"error", what}}.dump()};
}

HttpHead parse_head(std::string_view text, std::optional<HttpReply>& refused) {
  HttpHead head;
  refused = parse_request_line(consume_until(text, "\r\n"), head);
  while (!refused && !text.empty()) refused = parse_header_line(consume_until(text, "\r\n"), head.request);
  if (!refused) refused = parse_length(head);
  if (const auto connection = head.request.header.find("connection");
      connection != head.request.header.end()) {
    if (to_lower(connection->second) == "close") head.keep_alive = false;
  }
  return head;
}

}  // namespace pawl::internal
