#pragma once
// As much of HTTP/1.1 as a page on this machine needs, and a limit to everything that comes in.
//
// Own code: docs/architecture.md tells why.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace pawl::internal {

struct HttpRequest {
  std::string method;                         // GET, HEAD or POST
  std::string path;                           // as it came: no escapes are resolved
  std::map<std::string, std::string> query;   // likewise
  std::map<std::string, std::string> header;  // names in small letters; no name comes twice
  std::string body;
};

/// Sends a piece of a reply that goes on; false once nobody listens any more.
using HttpSend = std::function<bool(std::string_view piece)>;

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  /// Where it is there, in place of the body: called once, and the connection is closed when it returns.
  std::function<void(const HttpSend& send)> stream{};
};

/// {"error": what}
HttpReply error_reply(int status, std::string_view what);

/// Listens from its making to its end on 127.0.0.1 and, where there is one, ::1; a thread a connection.
class HttpServer {
 public:
  /// Called in many threads at once. What it throws is answered with 500.
  using Handler = std::function<HttpReply(const HttpRequest& request)>;

  /// Port 0: any that is free. Throws Error where the port can't be had.
  HttpServer(int port, Handler handler);
  ~HttpServer();  // waits for all handlers; streams learn by `send` that nobody listens
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::internal
