#include <serve/http_server.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <list>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pawl/error.h>
#include <serve/http_parser.h>

namespace pawl::internal {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kMaxConnections = 64;
constexpr std::size_t kMaxThreads = 2 * kMaxConnections;  // with connections that are being closed
constexpr auto kRequestTimeout = 10s;  // to receive a whole request; for a reply, without any progress
constexpr auto kIdleTimeout = 60s;     // between requests of a connection
constexpr auto kStrangerTimeout = 5s;  // both, before the first request that is admitted

class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  operator int() const { return value_; }

 private:
  int value_;
};

/// Waits for a socket event. Returns false when the server stops, after `until`, and on errors.
bool wait_for(int socket, short events, int stop, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd both[] = {{socket, events, 0}, {stop, POLLIN, 0}};
    const int ready = ::poll(both, 2, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || both[1].revents != 0) return false;
    return true;
  }
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

/// One client connection with all its requests.
class Connection {
 public:
  Connection(int socket, int stop, const HttpServer::Handler& handler, std::atomic<bool>& admitted)
      : socket_(socket), stop_(stop), handler_(handler), admitted_(admitted) {}

  void serve() {
    while (serve_request()) {
    }
    shutdown_gracefully();
  }

 private:
  /// Returns whether another request may follow.
  bool serve_request() {
    const auto start = Clock::now();
    const auto stranger_until = start + kStrangerTimeout;
    if (received_.empty() && !receive(admitted_ ? start + kIdleTimeout : stranger_until)) return false;
    const auto until = admitted_ ? Clock::now() + kRequestTimeout : stranger_until;
    std::size_t end = std::string::npos;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (received_.size() > kMaxHeadBytes) return reject(error_reply(431, "the head is too long"));
      if (!receive(until)) return false;
    }
    if (end > kMaxHeadBytes) return reject(error_reply(431, "the head is too long"));
    std::optional<HttpReply> refused;
    HttpHead head = parse_head(std::string_view(received_).substr(0, end), refused);
    if (refused) return reject(*refused);
    received_.erase(0, end + 4);
    while (received_.size() < head.body_bytes) {
      if (!receive(until)) return false;
    }
    head.request.body = received_.substr(0, head.body_bytes);
    received_.erase(0, head.body_bytes);
    return answer(head);
  }

  bool answer(const HttpHead& head) {
    HttpReply reply;
    try {
      reply = handler_(head.request);
    } catch (const std::exception& error) {
      reply = error_reply(500, error.what());
    }
    if (reply.admits) admitted_ = true;
    const bool keep = head.keep_alive && !reply.stream && admitted_;
    if (!send_head(reply, keep)) return false;
    if (head.request.method == "HEAD") return keep;
    if (reply.stream) {
      reply.stream([this](std::string_view piece) { return send(piece); });
      return false;
    }
    return send(reply.body) && keep;
  }

  /// Replies and gives up the connection: the rest of the input cannot be interpreted.
  bool reject(const HttpReply& reply) {
    if (send_head(reply, false)) send(reply.body);
    return false;
  }

  bool send_head(const HttpReply& reply, bool keep) {
    std::string head = fmt::format(
        "HTTP/1.1 {} {}\r\n"
        "Content-Type: {}\r\n"
        "Connection: {}\r\n"
        "Cache-Control: no-store\r\n"
        "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
        "'none'\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\n"
        "Referrer-Policy: no-referrer\r\n"
        "X-Content-Type-Options: nosniff\r\n"
        "X-Frame-Options: DENY\r\n",
        reply.status, reason_phrase(reply.status), reply.type, keep ? "keep-alive" : "close");
    if (!reply.stream) head += fmt::format("Content-Length: {}\r\n", reply.body.size());
    return send(head + "\r\n");
  }

  bool receive(Clock::time_point until) {
    char bytes[8192];
    if (!wait_for(socket_, POLLIN, stop_, until)) return false;
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    received_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  bool send(std::string_view bytes) {
    auto until = Clock::now() + kRequestTimeout;
    // An empty piece from a stream only checks whether the client is still connected.
    if (bytes.empty()) return !peer_closed();
    while (!bytes.empty()) {
      if (!wait_for(socket_, POLLOUT, stop_, until)) return false;
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
      if (count <= 0) continue;
      bytes.remove_prefix(static_cast<std::size_t>(count));
      until = Clock::now() + kRequestTimeout;  // any progress restarts the timeout
    }
    return true;
  }

  bool peer_closed() const {
    pollfd both[] = {{socket_, POLLRDHUP, 0}, {stop_, POLLIN, 0}};
    return ::poll(both, 2, 0) != 0;
  }

  /// Closing with unread bytes would reset the connection, and the client might not receive the reply.
  void shutdown_gracefully() {
    ::shutdown(socket_, SHUT_WR);
    const auto until = Clock::now() + 500ms;
    for (std::size_t drained = 0; drained < (1 << 20); drained += received_.size()) {
      received_.clear();
      if (!receive(until)) break;
    }
    ::shutdown(socket_, SHUT_RDWR);
  }

  int socket_;
  int stop_;
  const HttpServer::Handler& handler_;
  std::atomic<bool>& admitted_;
  std::string received_;  // bytes received but not yet parsed
};

Descriptor listen_on(const sockaddr* address, socklen_t size) {
  Descriptor socket(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket < 0) return Descriptor();
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address->sa_family == AF_INET6) ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  if (::bind(socket, address, size) != 0 || ::listen(socket, 64) != 0) return Descriptor();
  return socket;
}

Descriptor listen_v4(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return listen_on(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

Descriptor listen_v6(int port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<std::uint16_t>(port));
  address.sin6_addr = in6addr_loopback;
  return listen_on(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

int port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

}  // namespace

struct HttpServer::Impl {
  Impl(int wanted, Handler handler_)
      : handler(std::move(handler_)), stop(::eventfd(0, EFD_CLOEXEC)), v4(listen_v4(wanted)) {
    if (v4 < 0) {
      throw Error(fmt::format("can't listen on port {} of 127.0.0.1: {}", wanted,
                              std::generic_category().message(errno)));
    }
    port = port_of(v4);
    v6 = listen_v6(port);  // IPv6 may be unavailable
    acceptor = std::thread([this] { accept_all(); });
  }

  ~Impl() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(stop, &one, sizeof one);  // wakes all polls
    acceptor.join();
    for (Client& client : clients) client.thread.join();
  }

  struct Client {
    explicit Client(Descriptor connection) : socket(std::move(connection)) {}
    Descriptor socket;
    std::atomic<bool> done = false;
    std::atomic<bool> admitted = false;  // one of its requests was
    bool dismissed = false;
    std::thread thread{};
  };

  void accept_all() {
    for (;;) {
      pollfd all[] = {{stop, POLLIN, 0}, {v4, POLLIN, 0}, {v6, POLLIN, 0}};
      if (::poll(all, v6 < 0 ? 2 : 3, -1) < 0 && errno != EINTR) return;
      if (all[0].revents != 0) return;
      for (int i = 1; i < 3; ++i) {
        if (all[i].revents != 0) accept_from(all[i].fd);
      }
    }
  }

  void accept_from(int listener) {
    Descriptor socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    join_finished_clients();
    if (socket < 0) {
      // For example out of descriptors: the client stays in the queue, so an immediate retry would not help.
      if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) std::this_thread::sleep_for(50ms);
      return;
    }
    if (!make_room()) return;
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Client& client = clients.emplace_back(std::move(socket));
    try {
      client.thread = std::thread([this, &client] {
        Connection(client.socket, stop, handler, client.admitted).serve();
        client.done = true;
      });
    } catch (const std::system_error&) {
      clients.pop_back();  // no more threads: the connection is closed without a reply
    }
  }

  /// Dismisses the oldest stranger if there are too many connections, so that strangers can't keep out who is
  /// admitted. Returns false if there is none.
  bool make_room() {
    const auto present = std::ranges::count(clients, false, &Client::dismissed);
    if (clients.size() >= kMaxThreads) return false;
    if (static_cast<std::size_t>(present) < kMaxConnections) return true;
    const auto stranger = std::ranges::find_if(
        clients, [](const Client& client) { return !client.dismissed && !client.admitted; });
    if (stranger == clients.end()) return false;
    ::shutdown(stranger->socket, SHUT_RDWR);  // ends its waiting
    stranger->dismissed = true;
    return true;
  }

  void join_finished_clients() {
    clients.remove_if([](Client& client) {
      if (!client.done) return false;
      client.thread.join();
      return true;
    });
  }

  Handler handler;
  Descriptor stop, v4, v6;
  int port = 0;
  std::thread acceptor;
  std::list<Client> clients;  // used by the acceptor, and by others only after it has ended
};

HttpServer::HttpServer(int port, Handler handler) : impl_(std::make_unique<Impl>(port, std::move(handler))) {}
HttpServer::~HttpServer() = default;

int HttpServer::port() const {
  return impl_->port;
}

}  // namespace pawl::internal
