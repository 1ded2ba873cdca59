#pragma once
// The part of HTTP/1.1 that a local page needs, with limits on all input.
//
// docs/architecture.md explains why no library is used.

#include <functional>
#include <map>
#include <memory>
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
  /// If set, replaces the body. Called once; the connection is closed when it returns.
  std::function<void(const HttpSend& send)> stream{};
};

/// {"error": what}
HttpReply error_reply(int status, std::string_view what);

/// Listens on 127.0.0.1 and, if available, ::1 for its lifetime; one thread per connection.
class HttpServer {
 public:
  /// Called from many threads at once. Exceptions are answered with status 500.
  using Handler = std::function<HttpReply(const HttpRequest& request)>;

  /// Port 0 selects a free port. Throws Error if the port is not available.
  HttpServer(int port, Handler handler);
  ~HttpServer();  // waits for all handlers; `send` of open streams returns false
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::internal
