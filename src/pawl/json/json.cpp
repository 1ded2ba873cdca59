#include <pawl/json/json.h>

#include <algorithm>

#include <nlohmann/json.hpp>

namespace pawl::internal {
namespace {

constexpr int kMaxDepth = 100;  // arrays and objects are read and destroyed recursively

std::string double_text(double value) {
  return nlohmann::json(value).dump();
}

std::string string_text(const std::string& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Json from_nlohmann(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get_ref<const std::string&>();
  if (value.is_array()) {
    Json array = Json::array();
    for (const nlohmann::json& entry : value) array.push_back(from_nlohmann(entry));
    return array;
  }
  if (value.is_object()) {
    Json object = Json::object();
    for (const auto& [key, entry] : value.items()) object[key] = from_nlohmann(entry);
    return object;
  }
  return {};
}

}  // namespace

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

std::optional<Json> Json::parse(std::string_view text) {
  bool deep = false;
  const auto check_depth = [&deep](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
    deep |= depth > kMaxDepth;
    return !deep;
  };
  const nlohmann::json parsed = nlohmann::json::parse(text, check_depth, false);
  if (deep || parsed.is_discarded()) return {};
  return from_nlohmann(parsed);
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

bool Json::is_object() const {
  return std::holds_alternative<Object>(value_);
}

double Json::number() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  return 0;
}

std::string Json::text() const {
  const auto* value = std::get_if<std::string>(&value_);
  return value != nullptr ? *value : "";
}

std::size_t Json::size() const {
  if (const auto* array = std::get_if<Array>(&value_)) return array->size();
  return members().size();
}

bool Json::contains(std::string_view key) const {
  return std::ranges::find(members(), key, &Object::value_type::first) != members().end();
}

const Json& Json::operator[](std::size_t index) const {
  return std::get<Array>(value_).at(index);
}

const Json& Json::operator[](std::string_view key) const {
  static const Json kNull;
  const Object& object = members();
  const auto found = std::ranges::find(object, key, &Object::value_type::first);
  return found != object.end() ? found->second : kNull;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  Object& object = std::get<Object>(value_);
  const auto found = std::ranges::find(object, key, &Object::value_type::first);
  return found != object.end() ? found->second : object.emplace_back(key, Json()).second;
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

std::string Json::dump(int indent) const {
  std::string out;
  dump(out, indent, 0);
  return out;
}

void Json::dump(std::string& out, int indent, int depth) const {
  const auto new_line = [&](int level) {
    if (indent >= 0) out.append(1, '\n').append(static_cast<std::size_t>(level) * indent, ' ');
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
  if (const auto* value = std::get_if<std::string>(&value_)) out += string_text(*value);
  if (const auto* array = std::get_if<Array>(&value_)) {
    dump_list("[]", *array, [&](const Json& entry) { entry.dump(out, indent, depth + 1); });
  }
  if (const auto* object = std::get_if<Object>(&value_)) {
    dump_list("{}", *object, [&](const Object::value_type& entry) {
      out += string_text(entry.first) + (indent < 0 ? ":" : ": ");
      entry.second.dump(out, indent, depth + 1);
    });
  }
}

}  // namespace pawl::internal
