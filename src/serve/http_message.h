#pragma once
// HTTP requests and replies.

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace pawl::internal {

struct HttpRequest {
  std::string method;                         // GET, HEAD or POST
  std::string path;                           // as received: escapes are not decoded
  std::map<std::string, std::string> query;   // as received: escapes are not decoded
  std::map<std::string, std::string> header;  // lower-case names, each at most once
  std::string body;
};

/// Sends a piece of a streamed reply; returns false once the client is gone.
using HttpSend = std::function<bool(std::string_view piece)>;

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  /// The client may stay. Others are disconnected after the reply, or earlier if many wait.
  bool admits = false;
  /// If set, replaces the body. Called once; the connection is closed when it returns.
  std::function<void(const HttpSend& send)> stream{};
};

/// {"error": what}
HttpReply error_reply(int status, std::string_view what);

}  // namespace pawl::internal
