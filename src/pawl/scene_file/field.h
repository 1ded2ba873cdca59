#pragma once
// Typed and checked access to the values of a scene. A wrong value throws a SceneError that names its
// location, the field, the value and the rule it breaks. Internal to scene/.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pawl/math.h>
#include <pawl/scene_file/quantity.h>
#include <pawl/scene_file/yaml_tree.h>

namespace pawl::internal {

/// The word of the file for one value of an enum.
template <class E>
struct Choice {
  std::string_view word;
  E value;
};

/// One value of the scene and its path. Cheap to copy; the document must outlive it.
class Field {
 public:
  explicit Field(const Document& document);  // the root

  const std::string& path() const { return path_; }
  SourceLocation location() const { return key_origin_.location; }
  /// The value as messages show it: "0.5", "'heavy'", "a list", …
  std::string display_text() const;
  /// The location of the value, for the message of another field: "on line 7" or "by --set run.step=2".
  std::string location_text() const;
  /// True if --set gives the value.
  bool overridden() const { return node_->origin.source > 0; }
  [[noreturn]] void fail(const std::string& reason) const;
  /// Fails with the location of a key of this map, or of the map if the key is absent.
  [[noreturn]] void fail_at(std::string_view key, const std::string& reason) const;

  // Maps.
  void expect_object(std::string_view object) const;
  void expect_variant(std::string_view object, std::string_view variant) const;
  bool has(std::string_view key) const { return node_->find(key) != nullptr; }
  std::optional<Field> find(std::string_view key) const;
  /// If the key is absent the message is "missing: <what>".
  Field require(std::string_view key, std::string_view what) const;
  /// The entries of a map from free names to objects, in the file's order. A null value is an empty map.
  std::vector<std::pair<std::string, Field>> named_entries(std::string_view what) const;
  /// The number under a key of this map, if there is one.
  std::optional<double> find_number(std::string_view key, const Quantity& quantity) const;
  double require_number(std::string_view key, const Quantity& quantity) const;
  /// An angle or angular velocity: in radians under `key`, or in degrees under `key`_deg.
  std::optional<double> find_angle(std::string_view key, const Quantity& quantity) const;
  /// A vector of `size` numbers; with two of them z = 0.
  std::optional<Vec3> find_vector(std::string_view key, const Quantity& quantity, int size) const;
  std::string require_word(std::string_view key, std::string_view what) const;

  // Single values and lists.
  bool is_sequence() const { return node_->kind == YamlNode::Kind::sequence; }
  bool is_map() const { return node_->kind == YamlNode::Kind::map; }
  bool is_word(std::string_view text) const {
    return node_->kind == YamlNode::Kind::scalar && node_->text == text;
  }
  bool is_null() const { return node_->kind == YamlNode::Kind::null; }
  std::vector<Field> items(std::string_view what) const;
  /// A number, or an expression of parameters.
  double number(const Quantity& quantity) const;
  /// The components of the parameter that the field names, if it names one with so many.
  std::optional<std::vector<double>> parameter(const Quantity& quantity, std::size_t count) const;
  int integer(std::string_view what, int low, int high) const;
  bool boolean(std::string_view what) const;
  std::string word(std::string_view what) const;
  double duration(const Quantity& quantity) const;
  std::vector<double> numbers(const Quantity& quantity, std::size_t count) const;
  Vec3 vector(const Quantity& quantity, int size) const;
  /// A vector that must not be zero, normalised.
  Vec3 direction(const Quantity& quantity, int size) const;

  /// The enum value whose word stands in the field.
  template <class E>
  E choice(std::string_view what, std::span<const Choice<E>> choices) const {
    std::vector<std::string_view> words;
    for (const Choice<E>& choice : choices) words.push_back(choice.word);
    return choices[choose(what, words)].value;
  }
  std::size_t choose(std::string_view what, const std::vector<std::string_view>& words) const;

 private:
  Field(const Document& document, const YamlNode& node, const Origin& key_origin, std::string path);
  std::string join(std::string_view key) const;
  double expression(std::string_view what, std::string_view unit, const std::string& rule) const;
  void check_range(double value, const Quantity& quantity) const;
  [[noreturn]] void fail_as(std::string_view what, const std::string& rule) const;

  const Document* document_;
  const YamlNode* node_;
  Origin key_origin_;  // of the value's key, or of the value itself if it has no key
  std::string path_;
};

}  // namespace pawl::internal
