#include <serve/view_server.h>

#include <sys/random.h>

#include <array>
#include <charconv>
#include <cmath>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <pawl/base/error.h>
#include <pawl/base/words.h>
#include <pawl/view/frames.h>
#include <pawl/view/info.h>
#include <pawl/view/report.h>
#include <pawl/view/series.h>
#include <serve/live_run.h>

namespace pawl {
namespace {

using Json = nlohmann::json;

constexpr int kMostStreams = 16;
constexpr std::uint64_t kMostPoints = 100000;
constexpr std::uint64_t kContactPoints = 4000;
constexpr std::uint64_t kMostChunks = 16;  // that a request may take at once

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error("the system gives no random numbers for the address");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// In a time that does not tell how much of it is right.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

/// A question that can't be answered.
class Unclear : public Error {
 public:
  using Error::Error;
};

/// The questions of a request, each taken once.
class Questions {
 public:
  explicit Questions(const HttpRequest& request) : left_(request.query) {}

  std::string text(const std::string& name) {
    const auto found = left_.extract(name);
    if (found.empty()) throw Unclear(fmt::format("'{}' is missing", name));
    return found.mapped();
  }
  std::uint64_t whole(const std::string& name) { return whole_number<std::uint64_t>(name, text(name)); }
  std::uint64_t whole_or(const std::string& name, std::uint64_t otherwise) {
    return left_.contains(name) ? whole(name) : otherwise;
  }
  double real_or(const std::string& name, double otherwise) {
    if (!left_.contains(name)) return otherwise;
    double value = 0;
    if (parse_number(text(name), value) != std::errc() || !std::isfinite(value)) {
      throw Unclear(fmt::format("'{}' must be a number", name));
    }
    return value;
  }
  /// What nobody asked for is a mistake.
  void end() const {
    if (!left_.empty()) throw Unclear("a question that nobody knows");
  }

  template <class T>
  static T whole_number(const std::string& name, std::string_view text) {
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.front() == '-') {
      throw Unclear(fmt::format("'{}' must be a whole number from 0 on", name));
    }
    return value;
  }

 private:
  std::map<std::string, std::string> left_;
};

std::string ask_frames(Questions& questions, const RunView& run) {
  const std::uint64_t first = questions.whole("first"), count = questions.whole("count");
  questions.end();
  const std::uint64_t most = kMostChunks * advised_chunk(run);
  if (first >= run.states()) throw Unclear(fmt::format("there are {} states", run.states()));
  if (count < 1 || count > most) throw Unclear(fmt::format("'count' must be from 1 to {}", most));
  return frames_chunk(run, first, std::min(count, run.states() - first));
}

std::string ask_series(Questions& questions, const RunView& run) {
  SeriesRange range;
  range.points = questions.whole_or("points", range.points);
  range.from = questions.real_or("from", range.from);
  range.to = questions.real_or("to", range.to);
  questions.end();
  if (range.points < 1 || range.points > kMostPoints) {
    throw Unclear(fmt::format("'points' must be from 1 to {}", kMostPoints));
  }
  return series_json(run, range);
}

std::string ask_contact(Questions& questions, const RunView& run) {
  const std::string id = questions.text("id");
  questions.end();
  const std::size_t first = id.find('.'), second = id.find('.', first + 1);
  if (first == std::string::npos || second == std::string::npos) {
    throw Unclear("'id' must be SHAPEA.SHAPEB.FEATURE");
  }
  const std::string_view all = id;
  return contact_json(run,
                      {Questions::whole_number<std::int32_t>("id", all.substr(0, first)),
                       Questions::whole_number<std::int32_t>("id", all.substr(first + 1, second - first - 1)),
                       Questions::whole_number<std::uint64_t>("id", all.substr(second + 1))},
                      kContactPoints);
}

/// A value of "set" as --set takes it.
std::string value_text(const std::string& key, const Json& value, const std::vector<Parameter>& known) {
  const auto parameter = std::ranges::find(known, key, &Parameter::key);
  if (parameter == known.end()) throw Unclear(fmt::format("{} can't be changed here", pawl::quoted(key)));
  if (parameter->choices.empty()) {
    if (!value.is_number()) throw Unclear(fmt::format("{} must be a number", key));
    return fmt::format("{}", value.get<double>());
  }
  const std::string choice = value.is_string() ? value.get<std::string>() : "";
  if (std::ranges::find(parameter->choices, choice) == parameter->choices.end()) {
    throw Unclear(fmt::format("{} must be one of {}", key, fmt::join(parameter->choices, ", ")));
  }
  return choice;
}

std::string event_text(const LiveRun::Progress& progress) {
  const Json json{
      {"phase", to_string(progress.phase)}, {"time", progress.time},       {"until", progress.until},
      {"states", progress.states},          {"message", progress.message}, {"run", progress.run}};
  return fmt::format("data: {}\n\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

ViewServer::ViewServer(std::string_view page, Shown& shown, int port)
    : page_(with_boot(page, fmt::format("{{\"mode\":\"served\",\"live\":{},\"runs\":[\"run0\"]}}",
                                        shown.live() != nullptr))),
      shown_(shown),
      token_(make_token()),
      server_(port, [this](const HttpRequest& request) { return answer(request); }) {}

std::string ViewServer::address() const {
  return fmt::format("http://127.0.0.1:{}/{}/", port(), token_);
}

HttpReply ViewServer::answer(const HttpRequest& request) {
  const auto header = [&](const char* name) {
    const auto found = request.header.find(name);
    return found == request.header.end() ? std::string() : found->second;
  };
  // A page from elsewhere may have its name lead to this machine; the browser still tells whom it meant.
  const std::string host = header("host"), origin = header("origin");
  bool our_host = false, our_origin = origin.empty();
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"}) {
    const std::string here = fmt::format("{}:{}", name, port());
    our_host |= host == here;
    our_origin |= origin == "http://" + here;
  }
  if (!our_host || !our_origin) return refusal(403, "not from here");

  const std::string_view path = request.path;
  if (path.size() < token_.size() + 2 || path[token_.size() + 1] != '/' ||
      !same_secret(path.substr(1, token_.size()), token_)) {
    return refusal(404, "there is nothing here");
  }
  const std::string_view what = path.substr(token_.size() + 2);
  try {
    if (what == "control") {
      return request.method == "POST" ? answer_control(request.body) : refusal(405, "control takes a POST");
    }
    if (request.method == "POST") return refusal(405, "this takes a GET");
    if (what.empty()) return {.type = "text/html; charset=utf-8", .body = page_};
    if (what == "events") return events();
    return answer_run(what, request);
  } catch (const Unclear& unclear) {
    return refusal(400, unclear.what());
  }
}

HttpReply ViewServer::answer_run(std::string_view what, const HttpRequest& request) {
  Questions questions(request);
  const auto json = [&](auto ask) {
    return HttpReply{.body = shown_.look([&](const RunView& run) { return ask(questions, run); })};
  };
  if (what == "run0/info") {
    questions.end();
    return json([](Questions&, const RunView& run) { return info_json(run); });
  }
  if (what == "run0/series") return json(ask_series);
  if (what == "run0/contact") return json(ask_contact);
  if (what == "run0/frames") {
    HttpReply reply = json(ask_frames);
    reply.type = "application/octet-stream";
    return reply;
  }
  return refusal(404, "there is nothing here");
}

HttpReply ViewServer::answer_control(const std::string& body) {
  LiveRun* live = shown_.live();
  if (live == nullptr) return refusal(404, "this run is recorded: there is nothing to control");
  const Json request = Json::parse(body, nullptr, false);
  if (!request.is_object() || !request.contains("action") || !request["action"].is_string()) {
    return refusal(400, "not a JSON object with an action");
  }
  const std::string action = request["action"];
  if (action == "run") {
    live->run();
  } else if (action == "pause") {
    live->pause();
  } else if (action == "reset" || action == "restart") {
    const Json set = request.value("set", Json::object());
    if (!set.is_object()) return refusal(400, "'set' must be an object");
    std::map<std::string, std::string> values;
    const std::vector<Parameter> known = live->parameters();
    for (const auto& [key, value] : set.items()) values[key] = value_text(key, value, known);
    try {
      live->restart(values, action == "restart");
    } catch (const Error& error) {
      return refusal(400, error.what());
    }
  } else {
    return refusal(400, "the actions are run, pause, reset and restart");
  }
  return {.body = "{}"};
}

HttpReply ViewServer::events() {
  LiveRun* live = shown_.live();
  if (live == nullptr) return refusal(404, "this run is recorded: nothing happens to it");
  if (++streams_ > kMostStreams) {
    --streams_;
    return refusal(503, "too many pages watch");
  }
  // Counted down when the reply is gone, whether or not it was ever streamed.
  const std::shared_ptr<void> counted(nullptr, [this](void*) { --streams_; });
  return {.type = "text/event-stream", .body = "", .stream = [live, counted](const HttpSend& send) {
            using namespace std::chrono_literals;
            std::uint64_t seen = ~std::uint64_t{0};
            for (bool listens = true; listens;) {
              const LiveRun::Progress now = live->progress(seen, 200ms);
              listens = send(now.version == seen ? "" : event_text(now));
              seen = now.version;
              std::this_thread::sleep_for(90ms);  // at most about ten a second
            }
          }};
}

}  // namespace pawl
