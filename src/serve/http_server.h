#pragma once
// The part of HTTP/1.1 that a local page needs, with limits on all input.
//
// docs/architecture.md explains why no library is used.

#include <functional>
#include <memory>
#include <string_view>

#include <serve/http_message.h>

namespace pawl::internal {

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
