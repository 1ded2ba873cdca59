// Overrides of the form path=value, applied to the tree before it is read and checked.

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <pawl/scene_file/nearest.h>
#include <pawl/scene_file/yaml_tree.h>

namespace pawl::internal {
namespace {

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
    parts.push_back(path.substr(begin, dot - begin));
    begin = dot + 1;
  }
  parts.push_back(path.substr(begin));
  return parts;
}

std::optional<std::size_t> as_index(const std::string& part) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
  return index;
}

/// Follows the path of one override from the root to the node it sets.
class Walk {
 public:
  Walk(Document& document, std::vector<std::string> parts)
      : document_(document),
        origin_{static_cast<int>(document.sources.size()) - 1, {}},
        parts_(std::move(parts)) {}

  YamlNode& target() {
    YamlNode* node = &document_.root;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      switch (node->kind) {
        case YamlNode::Kind::null:
          *node = empty_map(i);
          [[fallthrough]];
        case YamlNode::Kind::map:
          node = &entry(*node, i);
          break;
        case YamlNode::Kind::sequence:
          node = &element(*node, i);
          break;
        case YamlNode::Kind::scalar:
          fail(i, fmt::format("'{}' is a single value: there is no '{}' in it", node->text, parts_[i]));
      }
    }
    return *node;
  }

 private:
  [[noreturn]] void fail(std::size_t depth, const std::string& reason) const {
    std::string field;
    for (std::size_t i = 0; i < depth; ++i) field += (i == 0 ? "" : ".") + parts_[i];
    document_.fail(origin_, field, reason);
  }

  YamlNode empty_map(std::size_t depth) const {
    if (as_index(parts_[depth])) {
      fail(
          depth,
          "not in the file, so its elements cannot be set one by one: set the whole list, as path=[a, b, c]");
    }
    YamlNode map;
    map.kind = YamlNode::Kind::map;
    map.origin = origin_;
    return map;
  }

  YamlNode& entry(YamlNode& map, std::size_t depth) const {
    const bool is_last = depth + 1 == parts_.size();
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
      if (map.keys[i].text != parts_[depth]) continue;
      if (is_last) map.keys[i].origin = origin_;  // an error in the new value is attributed to the override
      return map.items[i];
    }
    if (!is_last || parts_[0] == "parameters") refuse_misspelt_name(map, depth);
    map.keys.push_back({parts_[depth], origin_});
    map.items.emplace_back().origin = origin_;
    return map.items.back();
  }

  // An override may add a field or a whole body, but bodies.bal.mass=2 is a misspelt name and not a new body.
  void refuse_misspelt_name(const YamlNode& map, std::size_t depth) const {
    const bool holds_names = parts_[0] == "bodies" || parts_[0] == "materials" || parts_[0] == "forces" ||
                             parts_[0] == "parameters";
    if (depth != 1 || !holds_names) return;
    std::vector<std::string_view> names;
    for (const YamlKey& key : map.keys) names.push_back(key.text);
    fail(depth + 1, fmt::format("not in the file{}", hint(parts_[depth], names, "there are")));
  }

  YamlNode& element(YamlNode& sequence, std::size_t depth) const {
    const std::optional<std::size_t> index = as_index(parts_[depth]);
    if (!index || *index >= sequence.items.size()) {
      const std::string range = sequence.items.empty()
                                    ? "which is empty"
                                    : fmt::format("with elements 0 to {}", sequence.items.size() - 1);
      fail(depth, fmt::format("a list {}: there is no element '{}'", range, parts_[depth]));
    }
    return sequence.items[*index];
  }

  Document& document_;
  Origin origin_;
  std::vector<std::string> parts_;
};

}  // namespace

void apply_override(Document& document, const std::string& override_text) {
  document.sources.push_back("--set " + override_text);
  const int source = static_cast<int>(document.sources.size()) - 1;
  const std::size_t equals = override_text.find('=');
  const std::string path = override_text.substr(0, equals);
  std::vector<std::string> parts = split(path);
  if (equals == std::string::npos || std::find(parts.begin(), parts.end(), "") != parts.end()) {
    document.fail({source, {}}, "", "not an override: it must be path=value, as in bodies.ball.mass=2");
  }
  YamlNode value = parse_yaml(document, std::string_view(override_text).substr(equals + 1), source, path);
  value.origin = {source, {}};
  Walk(document, std::move(parts)).target() = std::move(value);
}

}  // namespace pawl::internal
