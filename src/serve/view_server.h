#pragma once
// Serves the page and its data over HTTP (docs/viewer.md).

#include <atomic>
#include <string>

#include <serve/http_server.h>
#include <serve/served_run.h>

namespace pawl::internal {

class ViewServer {
 public:
  /// Serves for its lifetime. `served_run` must outlive it. Port 0 selects a free port. Throws Error.
  ViewServer(std::string_view page, ServedRun& served_run, int port);

  /// URL of the page, including its access token.
  std::string address() const;
  int port() const { return server_.port(); }
  const std::string& token() const { return token_; }

 private:
  HttpReply answer(const HttpRequest& request);
  /// The answer to a client that knows the token; `what` follows it in the path.
  HttpReply answer_admitted(std::string_view what, const HttpRequest& request);
  HttpReply answer_run(std::string_view what, const HttpRequest& request);
  HttpReply answer_control(const std::string& body);
  HttpReply events();

  std::string page_;
  ServedRun& served_run_;
  std::string token_;
  std::atomic<int> streams_ = 0;
  HttpServer server_;  // last: it calls the other members
};

}  // namespace pawl::internal
