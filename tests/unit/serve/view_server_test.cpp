#include <serve/view_server.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <list>
#include <random>
#include <thread>

#include <pawl/error.h>
#include <pawl/view/frames.h>
#include <pawl/view/info.h>

#include "client.h"
#include "recorded_run.h"

namespace pawl::internal {
namespace {

using nlohmann::json;
using test::ask;
using test::Client;
using test::Folder;
using test::get;
using test::post;
using test::Response;

constexpr std::string_view kPage =
    "<!doctype html><script type=\"application/json\" id=\"pawl-boot\">{}</script><p>the page</p>";

class RecordedServer : public testing::Test {
 protected:
  RecordedServer() {
    test::record(test::kBallAndBox, folder_ / "run.h5");
    served_run_ = std::make_unique<RecordedRun>(folder_ / "run.h5");
    server_ = std::make_unique<ViewServer>(kPage, *served_run_, 0);
  }
  int port() const { return server_->port(); }
  std::string root() const { return "/" + server_->token() + "/"; }
  Response fetch(const std::string& what) const { return ask(port(), get(port(), root() + what)); }
  /// Retries, because clients that have left may still be served, and the server rejects new ones while there
  /// are too many.
  void expect_alive() const {
    int status = 0;
    for (int i = 0; i < 200 && status != 200; ++i) {
      if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      status = fetch("run0/info").status;
    }
    EXPECT_EQ(status, 200);
  }

  Folder folder_;
  std::unique_ptr<RecordedRun> served_run_;
  std::unique_ptr<ViewServer> server_;
};

TEST_F(RecordedServer, ServesThePageWithItsBoot) {
  const Response page = fetch("");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.head, testing::HasSubstr("Content-Type: text/html"));
  EXPECT_THAT(page.body,
              testing::HasSubstr(R"({"mode":"served","live":false,"runs":["run0"]}</script><p>the page)"));
}

TEST_F(RecordedServer, AnswersWhatTheLibrarySays) {
  const RunView run(folder_ / "run.h5");
  EXPECT_EQ(fetch("run0/info").body, info_json(run));
  EXPECT_EQ(fetch("run0/frames?first=10&count=5").body, frames_chunk(run, 10, 5));
  EXPECT_EQ(fetch("run0/frames?first=99&count=64").body, frames_chunk(run, 99, 2)) << "cut at the end";
  EXPECT_EQ(json::parse(fetch("run0/series?points=10&from=0.2&to=5e-1").body)["steps"]["time"].front(), 0.2);
  EXPECT_EQ(fetch("run0/series").status, 200);
  EXPECT_EQ(fetch("run0/contact?id=1.0.0").status, 200);
}

TEST_F(RecordedServer, AnswersManyRequestsOfOneConnection) {
  Client client(port());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(client.send(get(port(), root() + "run0/frames?first=" + std::to_string(i) + "&count=1")));
    const Response answer = client.answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(test::Chunk(answer.body).first, static_cast<std::uint32_t>(i));
  }
}

TEST_F(RecordedServer, AnswersOnBothLoopbackAddresses) {
  Client client(port(), AF_INET6);
  if (!client.connected()) GTEST_SKIP() << "this machine has no ::1";
  client.send(fmt::format("GET {} HTTP/1.1\r\nHost: [::1]:{}\r\n\r\n", root(), port()));
  EXPECT_EQ(client.answer().status, 200);
}

TEST_F(RecordedServer, AnswersManyClientsAtOnce) {
  std::vector<std::thread> clients;
  std::atomic<int> good = 0;
  for (int i = 0; i < 24; ++i) {
    clients.emplace_back([&] {
      for (int k = 0; k < 10; ++k) {
        if (fetch("run0/series?points=50").status == 200) ++good;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 240);
}

TEST_F(RecordedServer, HasAnotherTokenEachTime) {
  const ViewServer other(kPage, *served_run_, 0);
  EXPECT_NE(other.token(), server_->token());
  EXPECT_EQ(server_->token().size(), 32u);
  EXPECT_EQ(ask(port(), get(port(), "/" + other.token() + "/")).status, 404);
}

TEST_F(RecordedServer, SaysSoWhenItsPortIsTaken) {
  try {
    const ViewServer other(kPage, *served_run_, port());
    FAIL() << "two servers on one port";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(port())));
  }
}

/// A malicious or malformed request and its permitted status codes; 0 means no response.
struct Probe {
  std::string name, bytes;
  std::vector<int> answers;
};

/// More than 500 invalid requests.
std::vector<Probe> probes(int port, const std::string& token) {
  const std::string root = "/" + token + "/";
  std::vector<Probe> all;
  const auto add = [&](std::string name, std::string bytes, std::vector<int> answers) {
    all.push_back({std::move(name), std::move(bytes), std::move(answers)});
  };
  // Paths that must not exist, with or without the token.
  const std::string paths[] = {"etc/passwd",
                               "../etc/passwd",
                               "../../../../etc/passwd",
                               "..%2f..%2fetc%2fpasswd",
                               "%2e%2e/%2e%2e/etc/passwd",
                               "%252e%252e%252fetc%252fpasswd",
                               "..%c0%af..%c0%afetc/passwd",
                               "..\\..\\windows\\win.ini",
                               "....//....//etc/passwd",
                               ".",
                               "..",
                               "./",
                               "../",
                               "index.html",
                               "page.html",
                               "favicon.ico",
                               "run.h5",
                               "run0",
                               "run0/",
                               "run1/info",
                               "run00/info",
                               "run0/info/",
                               "run0/info%00",
                               "run0/info;a",
                               "run0//info",
                               "RUN0/INFO",
                               "run0/inf%6f",
                               "run0/../run0/info",
                               "run0/frames/0",
                               "proc/self/environ",
                               "file:///etc/passwd",
                               "http://127.0.0.1/",
                               "events/",
                               "controls",
                               "%",
                               "%%%",
                               "~root",
                               ".git/config",
                               "a b",
                               std::string(4000, 'a'),
                               std::string(2000, '/')};
  for (const std::string& path : paths) {
    for (const std::string& start : {std::string("/"), root, "//" + token + "/", "/" + token, "/x" + root}) {
      if (start + path == root) continue;
      add("path " + start + path.substr(0, 60), get(port, start + path), {400, 404});
    }
  }
  // Tokens.
  for (const std::string& wrong :
       {std::string(), std::string("0"), std::string(32, '0'), token.substr(1), token + "0",
        token.substr(0, 31) + "g", "%" + token, std::string(32, '\xff'), "../" + token}) {
    for (const char* what : {"", "run0/info", "run0/frames?first=0&count=1", "events"}) {
      add("token " + wrong, get(port, "/" + wrong + "/" + what), {400, 404});
    }
  }
  add("token in capitals",
      get(port,
          [&] {
            std::string large = root;
            for (char& c : large) c = static_cast<char>(std::toupper(c));
            return large == root ? "/x/" : large;
          }()),
      {404});
  // Hosts and origins.
  const std::string ours = std::to_string(port);
  for (const std::string& host :
       {std::string("evil.example"), "evil.example:" + ours, std::string("127.0.0.1"),
        std::string("127.0.0.1:1"), "127.0.0.1.evil.example:" + ours, "localhost.evil.example:" + ours,
        "127.0.0.1:" + ours + "0", "0.0.0.0:" + ours, "[::]:" + ours, "127.1:" + ours, "2130706433:" + ours,
        "LOCALHOST:" + ours + " x", std::string(), "user@127.0.0.1:" + ours, "127.0.0.1:" + ours + "/",
        "127.0.0.1:" + ours + "@evil.example", std::string(3000, 'h')}) {
    for (const char* what : {"", "run0/info", "run0/series", "control"}) {
      add("host " + host.substr(0, 60),
          fmt::format("GET {}{} HTTP/1.1\r\nHost: {}\r\n\r\n", root, what, host), {400, 403});
    }
  }
  add("no host", "GET " + root + " HTTP/1.1\r\n\r\n", {400, 403});
  add("two hosts", get(port, root, "Host: 127.0.0.1:" + ours + "\r\n"), {400});
  for (const std::string& origin :
       {std::string("null"), std::string("http://evil.example"), "https://127.0.0.1:" + ours,
        std::string("http://127.0.0.1"), "http://127.0.0.1:" + ours + ".evil.example",
        "http://evil.example:" + ours, std::string("file://"), "http://127.0.0.1:" + ours + "/",
        std::string("http://localhost:1"), "ws://127.0.0.1:" + ours}) {
    for (const char* what : {"", "run0/info", "run0/frames?first=0&count=1"}) {
      add("origin " + origin, get(port, root + what, "Origin: " + origin + "\r\n"), {403});
    }
    add("post from " + origin,
        post(port, root + "control", R"({"action":"run"})", "Origin: " + origin + "\r\n"), {403});
  }
  // Query parameters.
  const char* numbers[] = {"",
                           "-1",
                           "-0",
                           "1.5",
                           "1e3",
                           "NaN",
                           "nan",
                           "inf",
                           "-inf",
                           "0x10",
                           "1 ",
                           "+1",
                           "%31",
                           "１",
                           "18446744073709551616",
                           "99999999999999999999999999",
                           "4294967296",
                           "1;2",
                           "1,2",
                           "'1'",
                           "\"1\"",
                           "null",
                           "[]",
                           "{}",
                           "true"};
  for (const char* number : numbers) {
    add(fmt::format("first {}", number),
        get(port, fmt::format("{}run0/frames?first={}&count=1", root, number)), {400});
    add(fmt::format("count {}", number),
        get(port, fmt::format("{}run0/frames?first=0&count={}", root, number)), {400});
    add(fmt::format("points {}", number), get(port, fmt::format("{}run0/series?points={}", root, number)),
        {400});
    add(fmt::format("id {}", number), get(port, fmt::format("{}run0/contact?id={}", root, number)), {400});
    add(fmt::format("ids {}", number), get(port, fmt::format("{}run0/contact?id=1.{}.1.", root, number)),
        {400});
  }
  for (const char* number : {"", "NaN", "nan", "inf", "-inf", "1e999", "x", "1e", "--1", "0x", "1 2"}) {
    add(fmt::format("from {}", number), get(port, fmt::format("{}run0/series?from={}", root, number)), {400});
    add(fmt::format("to {}", number), get(port, fmt::format("{}run0/series?to={}", root, number)), {400});
  }
  for (const char* query : {"frames",
                            "frames?",
                            "frames?first=0",
                            "frames?count=1",
                            "frames?first=0&count=0",
                            "frames?first=0&count=1000000",
                            "frames?first=101&count=1",
                            "frames?first=0&count=1&first=1",
                            "frames?first=0&count=1&extra=1",
                            "frames?&&&&",
                            "frames?first",
                            "frames?=0&=1",
                            "series?points=0",
                            "series?points=100001",
                            "series?points=1&points=2",
                            "series?pints=1",
                            "contact",
                            "contact?id=",
                            "contact?id=1",
                            "contact?id=1.2",
                            "contact?id=1.2.3.4",
                            "contact?id=-1.2.3",
                            "contact?id=1.2.-3",
                            "contact?id=a.b.c",
                            "contact?id=...",
                            "contact?id=99999999999.1.1",
                            "info?x=1",
                            "info?=",
                            "frames?first=0&count=1#x&y"}) {
    add(fmt::format("query {}", query), get(port, root + "run0/" + query), {400});
  }
  // Methods and versions.
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "PROPFIND", "get",
                             "FOO", "", " ", "G\tT", "\xff\xfe", "GET\r\nX: y", "GET /"}) {
    add(fmt::format("method {}", method),
        fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", method, root, port), {400, 405});
  }
  for (const char* version :
       {"HTTP/0.9", "HTTP/2.0", "HTTP/1.2", "HTTP/1.11", "http/1.1", "", "HTTP/", "HTTP/1.1 x"}) {
    add(fmt::format("version {}", version),
        fmt::format("GET {} {}\r\nHost: 127.0.0.1:{}\r\n\r\n", root, version, port), {400});
  }
  for (const char* target :
       {"http://127.0.0.1/", "*", "", "?", "info", "\\", "//", "/\x01", "/\x7f", "/\xc3\xa4"}) {
    add(fmt::format("target {}", target), get(port, target), {400, 404});
  }
  add("post to a GET", post(port, root + "run0/info", "{}"), {405});
  add("post to the page", post(port, root, "{}"), {405});
  add("get of control", get(port, root + "control"), {405});
  add("control of a recorded run", post(port, root + "control", R"({"action":"run"})"), {404});
  add("events of a recorded run", get(port, root + "events"), {404});
  // Heads and bodies.
  add("huge header", get(port, root, "X: " + std::string(20000, 'x') + "\r\n"), {431});
  add("header without end", "GET / HTTP/1.1\r\nX: " + std::string(1 << 20, 'x'), {0, 431});
  add("huge target", get(port, root + std::string(20000, 'x')), {431});
  std::string many;
  for (int i = 0; i < 5000; ++i) many += fmt::format("X{}: y\r\n", i);
  add("many headers", get(port, root, many), {431});
  for (const char* line : {"no colon\r\n", ": no name\r\n", "a b: c\r\n", " folded: x\r\n", "X: a\r\n b\r\n",
                           "X\x01: y\r\n", "X: \x01\r\n", "X : y\r\n", "\xff: y\r\n", "X: a\nY: b\r\n",
                           "X: a\rY: b\r\n", "Origin: null\r\nOrigin: null\r\n"}) {
    add("header line", get(port, root, line), {400, 403});
  }
  for (const char* length : {"-1", "x", "", "1e3", "65537", "99999999999999999999", "0x10", "1,1", " "}) {
    add(fmt::format("length {}", length),
        fmt::format("POST {}control HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n\r\n", root, port,
                    length),
        {400, 413});
  }
  add("two lengths", post(port, root + "control", "{}", "Content-Length: 2\r\n"), {400});
  add("chunked",
      fmt::format("POST {}control HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nTransfer-Encoding: "
                  "chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                  root, port),
      {501});
  add("body shorter than told",
      fmt::format("POST {}control HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 100\r\n\r\n{{}}", root,
                  port),
      {0});
  add("get with a body", get(port, root, "Content-Length: 2\r\n") + "{}", {400});
  // Random bytes.
  std::mt19937 random(3);
  for (int i = 0; i < 40; ++i) {
    std::string noise(random() % 3000, ' ');
    for (char& c : noise) c = static_cast<char>(random());
    add("noise", noise + (i % 2 == 0 ? "\r\n\r\n" : ""), {0, 400, 405});
  }
  add("nothing", "", {0});
  add("TLS",
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(500, 'a') + "\r\n\r\n",
      {400});
  return all;
}

TEST_F(RecordedServer, RejectsInvalidRequests) {
  const std::vector<Probe> all = probes(port(), server_->token());
  EXPECT_GE(all.size(), 500u);
  for (const Probe& probe : all) {
    const Response answer = ask(port(), probe.bytes);
    EXPECT_THAT(probe.answers, testing::Contains(answer.status)) << probe.name << "\n"
                                                                 << answer.body.substr(0, 200);
    EXPECT_THAT(answer.body, testing::Not(testing::HasSubstr("root:"))) << probe.name;
  }
  RecordProperty("probes", static_cast<int>(all.size()));
  expect_alive();
}

TEST_F(RecordedServer, SurvivesHeadsCutAnywhere) {
  const std::string whole = get(port(), root() + "run0/info");
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    EXPECT_EQ(ask(port(), whole.substr(0, length)).status, 0) << length;
  }
  expect_alive();
}

TEST_F(RecordedServer, SurvivesClientsThatLeave) {
  for (int i = 0; i < 100; ++i) {
    Client client(port());
    client.send(get(port(), root() + "run0/frames?first=0&count=101"));
  }
  expect_alive();
}

TEST_F(RecordedServer, GoesOnWhenMoreClientsWaitThanItServes) {
  {
    std::vector<std::unique_ptr<Client>> idle;
    for (int i = 0; i < 200; ++i) idle.push_back(std::make_unique<Client>(port()));
  }
  expect_alive();
}

TEST_F(RecordedServer, AdmitsWhoKnowsTheTokenThoughStrangersFillIt) {
  const auto start = std::chrono::steady_clock::now();
  Client friendly(port());
  ASSERT_TRUE(friendly.send(get(port(), root() + "run0/info")));
  ASSERT_EQ(friendly.answer().status, 200);
  std::list<Client> strangers;
  for (int i = 0; i < 200; ++i) {
    strangers.emplace_back(port());
    if (i % 3 == 0) strangers.back().send("GET / HTTP/1.1\r\n");
    if (i % 20 == 0) {
      EXPECT_EQ(fetch("run0/info").status, 200) << i;
    }
  }
  EXPECT_EQ(fetch("run0/info").status, 200);
  ASSERT_TRUE(friendly.send(get(port(), root() + "run0/info")));
  EXPECT_EQ(friendly.answer().status, 200) << "who was admitted stays";
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

TEST_F(RecordedServer, DisconnectsStrangersSoon) {
  Client stranger(port());
  ASSERT_TRUE(stranger.send(get(port(), "/nothing/")));
  EXPECT_EQ(stranger.answer().status, 404);
  EXPECT_EQ(stranger.receive([](const std::string&) { return false; }),
            "");  // returns at the end of the stream
  const auto start = std::chrono::steady_clock::now();
  Client silent(port());
  silent.receive([](const std::string&) { return false; });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
}

TEST_F(RecordedServer, EndsThoughAClientIsSilent) {
  Client silent(port());
  Client half(port());
  half.send("GET / HT");
  server_.reset();
  SUCCEED();
}

}  // namespace
}  // namespace pawl::internal
