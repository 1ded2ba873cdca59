#pragma once
// JSON values, written and read as in nlohmann/json. Each file that includes nlohmann/json.hpp takes 6 s or
// more to compile, so the program uses this class.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::internal {

/// Why a text could not be read.
struct JsonError {
  bool number_too_large = false;  // else it is not JSON, or nested deeper than 100 levels
  std::size_t bytes = 0;          // read when the error was found
};

/// Null, a boolean, a number, a string, an array or an object. Objects keep the order of their keys.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json(std::nullptr_t = nullptr);
  Json(std::same_as<bool> auto value) : Json(Value(value)) {}
  Json(std::signed_integral auto value) : Json(Value(static_cast<std::int64_t>(value))) {}
  Json(std::unsigned_integral auto value) requires(!std::same_as<decltype(value), bool>)
      : Json(Value(static_cast<std::uint64_t>(value))) {}
  Json(double value);  // NaN and infinity are written as null
  Json(const char* value);
  Json(std::string_view value);
  Json(const std::string& value);
  /// An object if every entry is a pair {"key", value}, else an array.
  Json(std::initializer_list<Json> list);
  /// An array.
  template <std::ranges::input_range Range>
  requires(!std::convertible_to<Range, std::string_view>) Json(const Range& range) : Json(array()) {
    for (const auto& value : range) push_back(value);
  }
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  static Json array();
  static Json object();
  /// Empty if the text could not be read.
  static std::optional<Json> parse(std::string_view text, JsonError* error = nullptr);

  bool is_null() const;
  bool is_number() const;
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;

  /// 0 if it is not a number.
  double number() const;
  /// Empty if it is not a whole number of 64 bits.
  std::optional<std::int64_t> integer() const;
  /// "" if it is not a string.
  std::string text() const;
  /// Number of entries of an array or object.
  std::size_t size() const;
  /// An entry of an array.
  const Json& operator[](std::size_t index) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// An entry of an object, or nullptr. Of equal keys in a text, the last counts.
  const Json* find(std::string_view key) const;
  /// An entry of an object; null if there is none.
  const Json& operator[](std::string_view key) const;
  /// Adds the entry if there is none. A null value becomes an object.
  Json& operator[](std::string_view key);
  /// The entries of an object; none if it is no object.
  const Object& members() const;

  /// A null value becomes an array.
  void push_back(Json value);
  /// Sets the entries of another object.
  void update(const Json& object);

  /// Everything on one line if indent < 0. Invalid UTF-8 bytes become �. If `ascii`, other characters are
  /// escaped.
  std::string dump(int indent = -1, bool ascii = false) const;

 private:
  using Value =
      std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object>;
  explicit Json(Value value);
  class Builder;
  struct Format {
    int indent;
    bool ascii;
  };
  void dump(std::string& out, const Format& format, int depth) const;

  Value value_;
};

}  // namespace pawl::internal
