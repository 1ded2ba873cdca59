#pragma once
// Attributes of an element: its own, or those of its default class.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/math.h>
#include <pawl/robot/xml_tree.h>

namespace pawl::internal {

/// A default class: attributes by element, those of the parent class included.
using DefaultClass = std::map<std::string, std::map<std::string, std::string>, std::less<>>;

/// An element together with its defaults, if the format has any.
class Element {
 public:
  explicit Element(const XmlElement& xml) : xml_(&xml) {}
  /// `tag` is the element whose defaults apply.
  Element(const XmlElement& xml, const DefaultClass& defaults, std::string_view tag);

  const XmlElement& xml() const { return *xml_; }
  const std::string* find(std::string_view attribute) const;
  bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
  std::string text(std::string_view attribute, std::string_view fallback = "") const;
  double number(std::string_view attribute, double fallback) const;
  int integer(std::string_view attribute, int fallback) const;
  /// From `min` to `max` numbers; none if the attribute is absent.
  std::vector<double> numbers(std::string_view attribute, std::size_t min, std::size_t max) const;
  Vec3 vector(std::string_view attribute, const Vec3& fallback = {}) const;
  /// "true" or "false".
  bool flag(std::string_view attribute, bool fallback) const;
  /// "true", "false" or, as when absent, "auto".
  std::optional<bool> limited(std::string_view attribute) const;
  /// One of the words.
  std::string choice(std::string_view attribute, std::string_view fallback,
                     const std::vector<std::string_view>& words) const;
  [[noreturn]] void fail(std::string_view attribute, const std::string& reason) const {
    internal::fail(*xml_, attribute, reason);
  }

 private:
  const XmlElement* xml_;
  const std::map<std::string, std::string>* defaults_ = nullptr;
};

/// The numbers of an attribute's text. Throws SceneError unless there are from `min` to `max` finite ones.
std::vector<double> parse_numbers(const XmlElement& element, std::string_view attribute,
                                  const std::string& text, std::size_t min, std::size_t max);

}  // namespace pawl::internal
