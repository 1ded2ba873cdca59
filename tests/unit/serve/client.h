#pragma once
// An HTTP client that sends arbitrary bytes.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace pawl::internal::test {

struct Response {
  int status = 0;  // 0: no response
  std::string head, body;
};

class Client {
 public:
  explicit Client(int port, int family = AF_INET) : socket_(::socket(family, SOCK_STREAM, 0)) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<std::uint16_t>(port));
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = v4.sin_port;
    v6.sin6_addr = in6addr_loopback;
    connected_ = family == AF_INET ? ::connect(socket_, reinterpret_cast<sockaddr*>(&v4), sizeof v4) == 0
                                   : ::connect(socket_, reinterpret_cast<sockaddr*>(&v6), sizeof v6) == 0;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }

  /// Reads until `enough(received)`, the end of the stream, or 10 s without data.
  template <class Enough>
  std::string receive(Enough enough) {
    while (!enough(received_)) {
      pollfd one{socket_, POLLIN, 0};
      if (::poll(&one, 1, 10000) <= 0) break;
      char bytes[65536];
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0) break;
      received_.append(bytes, static_cast<std::size_t>(count));
    }
    return received_;
  }

  /// Receives the next complete response.
  Response answer() {
    Response answer;
    std::size_t length = 0, end = std::string::npos;
    receive([&](const std::string& text) {
      end = text.find("\r\n\r\n");
      if (end == std::string::npos) return false;
      const std::size_t field = text.find("Content-Length: ");
      length = field < end ? std::stoul(text.substr(field + 16)) : 0;
      return text.size() >= end + 4 + length;
    });
    if (end == std::string::npos) return answer;
    answer.status = std::stoi(received_.substr(9));
    answer.head = received_.substr(0, end);
    answer.body = received_.substr(end + 4, length);
    received_.erase(0, end + 4 + length);
    return answer;
  }

 private:
  int socket_;
  bool connected_ = false;
  std::string received_;
};

/// Sends one request on a new connection.
inline Response ask(int port, std::string_view bytes) {
  Client client(port);
  client.send(bytes);
  client.end_sending();
  return client.answer();
}

inline std::string get(int port, std::string_view target, std::string_view more = "") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", target, port, more);
}

inline std::string post(int port, std::string_view target, std::string_view body,
                        std::string_view more = "") {
  return fmt::format("POST {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n{}\r\n{}", target, port,
                     body.size(), more, body);
}

}  // namespace pawl::internal::test
