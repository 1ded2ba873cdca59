#include <pawl/state_file.h>

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <pawl/base/atomic_write.h>
#include <pawl/base/parse.h>
#include <pawl/base/read_bytes.h>
#include <pawl/error.h>
#include <pawl/json/json.h>
#include <pawl/model/fingerprint.h>

namespace pawl {

using namespace internal;

namespace {

constexpr const char* kFormat = "pawl-state";
constexpr int kVersion = 1;
constexpr std::size_t kDigits = 16;  // of a word in hexadecimal

std::string hexadecimal(std::uint64_t word) {
  return fmt::format("{:016x}", word);
}

Json named_numbers(const std::vector<std::string>& names, const std::vector<double>& numbers) {
  Json object = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) object[names[i]] = numbers[i];
  return object;
}

void check_finite(const std::string& file, const std::string& name, double number) {
  if (!std::isfinite(number)) throw Error(fmt::format("{}: {} is {}: it must be finite", file, name, number));
}

/// Reads one state file for one model.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name, const Model& model) : file_(name), model_(model) {
    std::optional<Json> parsed = Json::parse(bytes);
    if (!parsed || !parsed->is_object()) fail("it is no JSON object: cut off, damaged, or not a state file");
    json_ = std::move(*parsed);
  }

  State read() const {
    check_format();
    State state;
    state.time = number(entry("time"), "time");
    state.q = numbers("q", q_columns(model_));
    state.v = numbers("v", v_columns(model_));
    if (word(entry("model").text(), "model") != fingerprint(model_)) {
      fail(
          "it is a state of another scene: the bodies have the same names, but other masses, shapes or "
          "joints");
    }
    state.history = words(entry("history"));
    if (word(entry("checksum").text(), "checksum") != checksum(state))
      fail("its numbers do not have its checksum: it is damaged, or was edited");
    return state;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(fmt::format("{}: {}", file_, reason));
  }

  const Json& entry(const char* key) const {
    const Json* found = json_.find(key);
    if (found == nullptr) fail(fmt::format("it has no '{}': it is damaged, or not a state file", key));
    return *found;
  }

  void check_format() const {
    if (entry("format").text() != kFormat)
      fail(fmt::format("its format is not \"{}\": it is not a state file", kFormat));
    const std::optional<std::int64_t> version = entry("version").integer();
    if (!version || *version < 1) fail(fmt::format("its version must be {}", kVersion));
    if (*version > kVersion) {
      fail(fmt::format("it has version {}, and this Pawl reads up to version {}: use a newer Pawl", *version,
                       kVersion));
    }
  }

  double number(const Json& value, const std::string& name) const {
    if (!value.is_number()) fail(fmt::format("{} must be a number", name));
    check_finite(file_, name, value.number());
    return value.number();
  }

  /// The numbers of an object, which must have exactly these names in this order.
  std::vector<double> numbers(const char* key, const std::vector<std::string>& names) const {
    const Json::Object& members = entry(key).members();
    for (std::size_t i = 0; i < std::min(members.size(), names.size()); ++i) {
      if (members[i].first != names[i]) {
        fail(fmt::format("it is a state of another scene: it has {} where this one has '{}'",
                         quote(members[i].first), names[i]));
      }
    }
    if (members.size() != names.size()) {
      fail(fmt::format("it is a state of another scene: its {} has {} numbers, and that of this one {}", key,
                       members.size(), names.size()));
    }
    std::vector<double> values;
    for (const auto& [name, value] : members)
      values.push_back(number(value, fmt::format("{}.{}", key, name)));
    return values;
  }

  std::uint64_t word(std::string_view text, const char* key) const {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    if (text.size() != kDigits || std::from_chars(text.data(), end, value, 16).ptr != end)
      fail(fmt::format("'{}' must consist of words of {} hexadecimal digits", key, kDigits));
    return value;
  }

  std::vector<std::uint64_t> words(const Json& value) const {
    const std::string text = value.text();
    std::vector<std::uint64_t> list;
    for (std::size_t i = 0; i < text.size(); i += kDigits)
      list.push_back(word(std::string_view(text).substr(i, kDigits), "history"));
    return list;
  }

  const std::string& file_;
  const Model& model_;
  Json json_;
};

}  // namespace

void save_state(const std::string& path, const State& state, const Model& model) {
  const std::vector<std::string> q_names = q_columns(model), v_names = v_columns(model);
  if (state.q.size() != q_names.size() || state.v.size() != v_names.size()) {
    throw Error(fmt::format("{}: the state has {} coordinates and {} rates, the model {} and {}", path,
                            state.q.size(), state.v.size(), q_names.size(), v_names.size()));
  }
  check_finite(path, "time", state.time);
  for (std::size_t i = 0; i < q_names.size(); ++i) check_finite(path, q_names[i], state.q[i]);
  for (std::size_t i = 0; i < v_names.size(); ++i) check_finite(path, v_names[i], state.v[i]);
  std::string history;
  for (const std::uint64_t word : state.history) history += hexadecimal(word);
  Json out = Json::object();
  out["format"] = kFormat;
  out["version"] = kVersion;
  out["model"] = hexadecimal(fingerprint(model));
  out["time"] = state.time;
  out["q"] = named_numbers(q_names, state.q);
  out["v"] = named_numbers(v_names, state.v);
  out["history"] = history;
  out["checksum"] = hexadecimal(checksum(state));
  write_text(path, out.dump(1) + "\n");
}

State parse_state(std::string_view bytes, const std::string& name, const Model& model) {
  return Reader(bytes, name, model).read();
}

State load_state(const std::string& path, const Model& model) {
  return parse_state(read_bytes(path), path, model);
}

}  // namespace pawl
