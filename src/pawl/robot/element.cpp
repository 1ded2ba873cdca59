#include <pawl/robot/element.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include <pawl/base/parse.h>
#include <pawl/scene_file/nearest.h>

namespace pawl::internal {

Element::Element(const XmlElement& xml, const DefaultClass& defaults, std::string_view tag) : xml_(&xml) {
  if (const auto found = defaults.find(tag); found != defaults.end()) defaults_ = &found->second;
}

const std::string* Element::find(std::string_view attribute) const {
  if (const std::string* own = xml_->find(attribute)) return own;
  if (defaults_ == nullptr) return nullptr;
  const auto found = defaults_->find(std::string(attribute));
  return found == defaults_->end() ? nullptr : &found->second;
}

std::string Element::text(std::string_view attribute, std::string_view fallback) const {
  const std::string* found = find(attribute);
  return found == nullptr ? std::string(fallback) : *found;
}

double Element::number(std::string_view attribute, double fallback) const {
  const std::vector<double> found = numbers(attribute, 1, 1);
  return found.empty() ? fallback : found[0];
}

int Element::integer(std::string_view attribute, int fallback) const {
  const double value = number(attribute, fallback);
  if (value != std::round(value) || std::abs(value) > 2147483647.0) {
    fail(attribute, fmt::format("{} is not a whole number of 32 bits", value));
  }
  return static_cast<int>(value);
}

std::vector<double> Element::numbers(std::string_view attribute, std::size_t min, std::size_t max) const {
  const std::string* found = find(attribute);
  return found == nullptr ? std::vector<double>{} : parse_numbers(*xml_, attribute, *found, min, max);
}

Vec3 Element::vector(std::string_view attribute, const Vec3& fallback) const {
  const std::vector<double> found = numbers(attribute, 3, 3);
  return found.empty() ? fallback : Vec3{found[0], found[1], found[2]};
}

bool Element::flag(std::string_view attribute, bool fallback) const {
  return choice(attribute, fallback ? "true" : "false", {"true", "false"}) == "true";
}

std::optional<bool> Element::limited(std::string_view attribute) const {
  const std::string word = choice(attribute, "auto", {"true", "false", "auto"});
  return word == "auto" ? std::nullopt : std::optional(word == "true");
}

std::string Element::choice(std::string_view attribute, std::string_view fallback,
                            const std::vector<std::string_view>& words) const {
  const std::string word = text(attribute, fallback);
  if (std::ranges::find(words, word) != words.end()) return word;
  fail(attribute, fmt::format("'{}' is none of its values{}", word, hint(word, words, "there are")));
}

std::vector<double> parse_numbers(const XmlElement& element, std::string_view attribute,
                                  const std::string& text, std::size_t min, std::size_t max) {
  std::vector<double> values;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    double value = 0;
    if (parse_number(word, value) != std::errc() || !std::isfinite(value)) {
      fail(element, attribute, fmt::format("{} is not a finite number", quote(word)));
    }
    values.push_back(value);
    if (values.size() > max) break;
  }
  if (values.size() < min || values.size() > max) {
    fail(element, attribute,
         fmt::format("'{}' holds {}{} numbers: it must be {}", text.substr(0, 60),
                     values.size() > max ? "more than " : "", std::min(values.size(), max),
                     min == max ? fmt::format("{}", min) : fmt::format("{} to {}", min, max)));
  }
  return values;
}

}  // namespace pawl::internal
