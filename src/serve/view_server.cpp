#include <serve/view_server.h>

#include <sys/random.h>

#include <array>
#include <charconv>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include <pawl/base/parse.h>
#include <pawl/error.h>
#include <pawl/json/json.h>
#include <pawl/view/frames.h>
#include <pawl/view/info.h>
#include <pawl/view/report.h>
#include <pawl/view/series.h>
#include <serve/live_run.h>

namespace pawl::internal {
namespace {

constexpr int kMaxStreams = 16;
constexpr std::uint64_t kMaxPoints = 100000;
constexpr std::uint64_t kContactPoints = 4000;
constexpr std::uint64_t kMaxChunks = 16;  // per request

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error("the system gives no random numbers for the address");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// Comparison time does not depend on the number of matching characters.
bool constant_time_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

/// A request that is malformed or cannot be answered.
class BadRequest : public Error {
 public:
  using Error::Error;
};

/// The query parameters of a request; each is read once.
class QueryParameters {
 public:
  explicit QueryParameters(const HttpRequest& request) : unread_(request.query) {}

  std::string text(const std::string& name) {
    const auto found = unread_.extract(name);
    if (found.empty()) throw BadRequest(fmt::format("'{}' is missing", name));
    return found.mapped();
  }
  std::uint64_t integer(const std::string& name) { return parse_integer<std::uint64_t>(name, text(name)); }
  std::uint64_t integer_or(const std::string& name, std::uint64_t fallback) {
    return unread_.contains(name) ? integer(name) : fallback;
  }
  double real_or(const std::string& name, double fallback) {
    if (!unread_.contains(name)) return fallback;
    double value = 0;
    if (parse_number(text(name), value) != std::errc() || !std::isfinite(value)) {
      throw BadRequest(fmt::format("'{}' must be a number", name));
    }
    return value;
  }
  /// Throws if unread parameters are left.
  void end() const {
    if (!unread_.empty()) throw BadRequest("a question that nobody knows");
  }

  template <class T>
  static T parse_integer(const std::string& name, std::string_view text) {
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.front() == '-') {
      throw BadRequest(fmt::format("'{}' must be a whole number from 0 on", name));
    }
    return value;
  }

 private:
  std::map<std::string, std::string> unread_;
};

std::string frames_reply(QueryParameters& query_parameters, const RunView& run) {
  const std::uint64_t first = query_parameters.integer("first"), count = query_parameters.integer("count");
  query_parameters.end();
  const std::uint64_t most = kMaxChunks * recommended_chunk_states(run);
  if (first >= run.states()) throw BadRequest(fmt::format("there are {} states", run.states()));
  if (count < 1 || count > most) throw BadRequest(fmt::format("'count' must be from 1 to {}", most));
  return frames_chunk(run, first, std::min(count, run.states() - first));
}

std::string series_reply(QueryParameters& query_parameters, const RunView& run) {
  SeriesRange range;
  range.points = query_parameters.integer_or("points", range.points);
  range.from = query_parameters.real_or("from", range.from);
  range.to = query_parameters.real_or("to", range.to);
  query_parameters.end();
  if (range.points < 1 || range.points > kMaxPoints) {
    throw BadRequest(fmt::format("'points' must be from 1 to {}", kMaxPoints));
  }
  return series_json(run, range);
}

std::string contact_reply(QueryParameters& query_parameters, const RunView& run) {
  const std::string id = query_parameters.text("id");
  query_parameters.end();
  const std::size_t first = id.find('.'), second = id.find('.', first + 1);
  if (first == std::string::npos || second == std::string::npos) {
    throw BadRequest("'id' must be SHAPEA.SHAPEB.FEATURE");
  }
  const std::string_view all = id;
  return contact_json(
      run,
      {QueryParameters::parse_integer<std::int32_t>("id", all.substr(0, first)),
       QueryParameters::parse_integer<std::int32_t>("id", all.substr(first + 1, second - first - 1)),
       QueryParameters::parse_integer<std::uint64_t>("id", all.substr(second + 1))},
      kContactPoints);
}

/// Converts a value of "set" to the text of a --set option.
std::string value_text(const std::string& key, const Json& value, const std::vector<Parameter>& known) {
  const auto parameter = std::ranges::find(known, key, &Parameter::key);
  if (parameter == known.end())
    throw BadRequest(fmt::format("{} can't be changed here", internal::quote(key)));
  if (parameter->choices.empty()) {
    if (!value.is_number()) throw BadRequest(fmt::format("{} must be a number", key));
    return fmt::format("{}", value.number());
  }
  const std::string choice = value.text();
  if (std::ranges::find(parameter->choices, choice) == parameter->choices.end()) {
    throw BadRequest(fmt::format("{} must be one of {}", key, fmt::join(parameter->choices, ", ")));
  }
  return choice;
}

std::string event_text(const LiveRun::Progress& progress) {
  const Json json{{"message", progress.message}, {"phase", to_string(progress.phase)},
                  {"run", progress.run},         {"states", progress.states},
                  {"time", progress.time},       {"until", progress.until}};
  return fmt::format("data: {}\n\n", json.dump());
}

}  // namespace

ViewServer::ViewServer(std::string_view page, ServedRun& served_run, int port)
    : page_(insert_boot_json(page, fmt::format("{{\"mode\":\"served\",\"live\":{},\"runs\":[\"run0\"]}}",
                                               served_run.live() != nullptr))),
      served_run_(served_run),
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
  // DNS rebinding: a foreign page may resolve its own name to this machine, but the browser still sends that
  // name.
  const std::string host = header("host"), origin = header("origin");
  bool our_host = false, our_origin = origin.empty();
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"}) {
    const std::string here = fmt::format("{}:{}", name, port());
    our_host |= host == here;
    our_origin |= origin == "http://" + here;
  }
  if (!our_host || !our_origin) return error_reply(403, "not from here");

  const std::string_view path = request.path;
  if (path.size() < token_.size() + 2 || path[token_.size() + 1] != '/' ||
      !constant_time_equal(path.substr(1, token_.size()), token_)) {
    return error_reply(404, "there is nothing here");
  }
  HttpReply reply = answer_admitted(path.substr(token_.size() + 2), request);
  reply.admits = true;
  return reply;
}

HttpReply ViewServer::answer_admitted(std::string_view what, const HttpRequest& request) {
  try {
    if (what == "control") {
      return request.method == "POST" ? answer_control(request.body)
                                      : error_reply(405, "control takes a POST");
    }
    if (request.method == "POST") return error_reply(405, "this takes a GET");
    if (what.empty()) return {.type = "text/html; charset=utf-8", .body = page_};
    if (what == "events") return events();
    return answer_run(what, request);
  } catch (const BadRequest& bad_request) {
    return error_reply(400, bad_request.what());
  }
}

HttpReply ViewServer::answer_run(std::string_view what, const HttpRequest& request) {
  QueryParameters query_parameters(request);
  const auto json = [&](auto make_reply) {
    return HttpReply{
        .body = served_run_.with_run([&](const RunView& run) { return make_reply(query_parameters, run); })};
  };
  if (what == "run0/info") {
    query_parameters.end();
    return json([](QueryParameters&, const RunView& run) { return info_json(run); });
  }
  if (what == "run0/series") return json(series_reply);
  if (what == "run0/contact") return json(contact_reply);
  if (what == "run0/frames") {
    HttpReply reply = json(frames_reply);
    reply.type = "application/octet-stream";
    return reply;
  }
  return error_reply(404, "there is nothing here");
}

HttpReply ViewServer::answer_control(const std::string& body) {
  LiveRun* live = served_run_.live();
  if (live == nullptr) return error_reply(404, "this run is recorded: there is nothing to control");
  const Json request = Json::parse(body).value_or(Json());
  if (!request["action"].is_string()) {
    return error_reply(400, "not a JSON object with an action");
  }
  const std::string action = request["action"].text();
  if (action == "run") {
    live->run();
  } else if (action == "pause") {
    live->pause();
  } else if (action == "reset" || action == "restart") {
    const Json set = request.contains("set") ? request["set"] : Json::object();
    if (!set.is_object()) return error_reply(400, "'set' must be an object");
    std::map<std::string, std::string> values;
    const std::vector<Parameter> known = live->parameters();
    for (const auto& [key, value] : set.members()) values[key] = value_text(key, value, known);
    try {
      live->restart(values, action == "restart");
    } catch (const Error& error) {
      return error_reply(400, error.what());
    }
  } else {
    return error_reply(400, "the actions are run, pause, reset and restart");
  }
  return {.body = "{}"};
}

HttpReply ViewServer::events() {
  LiveRun* live = served_run_.live();
  if (live == nullptr) return error_reply(404, "this run is recorded: nothing happens to it");
  if (++streams_ > kMaxStreams) {
    --streams_;
    return error_reply(503, "too many pages watch");
  }
  // Decremented when the reply is destroyed, even if it was never streamed.
  const std::shared_ptr<void> counted(nullptr, [this](void*) { --streams_; });
  return {.type = "text/event-stream", .body = "", .stream = [live, counted](const HttpSend& send) {
            using namespace std::chrono_literals;
            std::uint64_t seen = ~std::uint64_t{0};
            for (bool listens = true; listens;) {
              const LiveRun::Progress now = live->progress(seen, 200ms);
              listens = send(now.version == seen ? "" : event_text(now));
              seen = now.version;
              std::this_thread::sleep_for(90ms);  // at most about ten events per second
            }
          }};
}

}  // namespace pawl::internal
