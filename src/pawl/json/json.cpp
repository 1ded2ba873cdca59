#include <pawl/json/json.h>

#include <algorithm>

#include <nlohmann/json.hpp>

namespace pawl::internal {
namespace {

constexpr std::size_t kMaxDepth = 100;  // arrays and objects are written and destroyed recursively

std::string double_text(double value) {
  return nlohmann::json(value).dump();
}

std::string string_text(const std::string& value, bool ascii) {
  return nlohmann::json(value).dump(-1, ' ', ascii, nlohmann::json::error_handler_t::replace);
}

}  // namespace

/// Builds the value from the events of nlohmann's parser.
class Json::Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Json result;
  JsonError error;

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(value); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(object()); }
  bool start_array(std::size_t) override { return open(array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& key) override {
    std::get<Object>(open_.back().value_).emplace_back(std::move(key), Json());
    return true;
  }
  bool parse_error(std::size_t bytes, const std::string&, const nlohmann::detail::exception& what) override {
    error = {dynamic_cast<const nlohmann::json::parse_error*>(&what) == nullptr, bytes};
    return false;
  }

 private:
  bool open(Json list) {
    open_.push_back(std::move(list));
    return open_.size() <= kMaxDepth;
  }
  bool close() {
    Json list = std::move(open_.back());
    open_.pop_back();
    return add(std::move(list));
  }
  bool add(Json value) {
    if (open_.empty()) {
      result = std::move(value);
    } else if (open_.back().is_object()) {
      std::get<Object>(open_.back().value_).back().second = std::move(value);
    } else {
      open_.back().push_back(std::move(value));
    }
    return true;
  }

  Array open_;  // lists whose end was not read yet
};

Json::Json(std::nullptr_t) {}
Json::Json(Value value) : value_(std::move(value)) {}
Json::Json(double value) : value_(value) {}
Json::Json(const char* value) : value_(std::string(value)) {}
Json::Json(std::string_view value) : value_(std::string(value)) {}
Json::Json(const std::string& value) : value_(value) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json::Json(std::initializer_list<Json> list) {
  const bool pairs = std::ranges::all_of(list, [](const Json& entry) {
    const Array* pair = std::get_if<Array>(&entry.value_);
    return pair != nullptr && pair->size() == 2 && pair->front().is_string();
  });
  if (!pairs) {
    value_ = Array(list);
    return;
  }
  Object& object = value_.emplace<Object>();
  for (const Json& entry : list) object.emplace_back(entry[0].text(), entry[1]);
}

Json Json::array() {
  return Json(Value(Array()));
}

Json Json::object() {
  return Json(Value(Object()));
}

std::optional<Json> Json::parse(std::string_view text, JsonError* error) {
  Builder builder;
  if (nlohmann::json::sax_parse(text, &builder)) return std::move(builder.result);
  if (error != nullptr) *error = builder.error;
  return {};
}

bool Json::is_null() const {
  return std::holds_alternative<std::monostate>(value_);
}

bool Json::is_number() const {
  return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<std::uint64_t>(value_) ||
         std::holds_alternative<double>(value_);
}

bool Json::is_string() const {
  return std::holds_alternative<std::string>(value_);
}

bool Json::is_array() const {
  return std::holds_alternative<Array>(value_);
}

bool Json::is_object() const {
  return std::holds_alternative<Object>(value_);
}

double Json::number() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  return 0;
}

std::optional<std::int64_t> Json::integer() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value;
  const auto* value = std::get_if<std::uint64_t>(&value_);
  if (value == nullptr || !std::in_range<std::int64_t>(*value)) return {};
  return static_cast<std::int64_t>(*value);
}

std::string Json::text() const {
  const auto* value = std::get_if<std::string>(&value_);
  return value != nullptr ? *value : "";
}

std::size_t Json::size() const {
  if (const auto* array = std::get_if<Array>(&value_)) return array->size();
  return members().size();
}

const Json* Json::find(std::string_view key) const {
  const Object& object = members();
  const auto found =
      std::find_if(object.rbegin(), object.rend(), [key](const auto& entry) { return entry.first == key; });
  return found != object.rend() ? &found->second : nullptr;
}

const Json& Json::operator[](std::size_t index) const {
  return std::get<Array>(value_).at(index);
}

const Json& Json::operator[](std::string_view key) const {
  static const Json kNull;
  const Json* found = find(key);
  return found != nullptr ? *found : kNull;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  if (const Json* found = find(key)) return const_cast<Json&>(*found);
  return std::get<Object>(value_).emplace_back(key, Json()).second;
}

const Json::Object& Json::members() const {
  static const Object kNone;
  const auto* object = std::get_if<Object>(&value_);
  return object != nullptr ? *object : kNone;
}

void Json::push_back(Json value) {
  if (is_null()) value_ = Array();
  std::get<Array>(value_).push_back(std::move(value));
}

void Json::update(const Json& object) {
  for (const auto& [key, value] : object.members()) (*this)[key] = value;
}

std::string Json::dump(int indent, bool ascii) const {
  std::string out;
  dump(out, {indent, ascii}, 0);
  return out;
}

void Json::dump(std::string& out, const Format& format, int depth) const {
  const auto new_line = [&](int level) {
    if (format.indent >= 0) out.append(1, '\n').append(static_cast<std::size_t>(level) * format.indent, ' ');
  };
  const auto dump_list = [&](const char* brackets, const auto& list, const auto& dump_entry) {
    out += brackets[0];
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out += ',';
      new_line(depth + 1);
      dump_entry(list[i]);
    }
    if (!list.empty()) new_line(depth);
    out += brackets[1];
  };
  if (is_null()) out += "null";
  if (const auto* value = std::get_if<bool>(&value_)) out += *value ? "true" : "false";
  if (const auto* value = std::get_if<std::int64_t>(&value_)) out += std::to_string(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) out += std::to_string(*value);
  if (const auto* value = std::get_if<double>(&value_)) out += double_text(*value);
  if (const auto* value = std::get_if<std::string>(&value_)) out += string_text(*value, format.ascii);
  if (const auto* array = std::get_if<Array>(&value_)) {
    dump_list("[]", *array, [&](const Json& entry) { entry.dump(out, format, depth + 1); });
  }
  if (const auto* object = std::get_if<Object>(&value_)) {
    dump_list("{}", *object, [&](const Object::value_type& entry) {
      out += string_text(entry.first, format.ascii) + (format.indent < 0 ? ":" : ": ");
      entry.second.dump(out, format, depth + 1);
    });
  }
}

}  // namespace pawl::internal
