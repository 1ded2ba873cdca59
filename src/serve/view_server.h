#pragma once
// The page and its data over HTTP: docs/viewer.md.

#include <atomic>
#include <string>

#include <serve/http_server.h>
#include <serve/served_run.h>

namespace pawl::internal {

class ViewServer {
 public:
  /// Serves from its making to its end. `served_run` must outlive it. Port 0: any that is free. Throws Error.
  ViewServer(std::string_view page, ServedRun& served_run, int port);

  /// Where the page is, with the token that opens it.
  std::string address() const;
  int port() const { return server_.port(); }
  const std::string& token() const { return token_; }

 private:
  HttpReply answer(const HttpRequest& request);
  HttpReply answer_run(std::string_view what, const HttpRequest& request);
  HttpReply answer_control(const std::string& body);
  HttpReply events();

  std::string page_;
  ServedRun& served_run_;
  std::string token_;
  std::atomic<int> streams_ = 0;
  HttpServer server_;  // last: it calls the others
};

}  // namespace pawl::internal
