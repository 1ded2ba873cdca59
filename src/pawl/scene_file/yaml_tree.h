#pragma once
// The text of a scene as a tree that remembers where everything stood. Internal to scene/.
//
// An own tree, not yaml-cpp's nodes, because those accept a key written twice, let an alias point into
// itself, and forget which of file and command line a value came from.

#include <string>
#include <string_view>
#include <vector>

#include <pawl/scene.h>

namespace pawl::internal {

/// Where a node was written: source 0 is the file, source i > 0 the i-th override (which has no line).
struct Origin {
  int source = 0;
  SourceLocation location;
};

struct YamlKey {
  std::string text;
  Origin origin;
};

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };
  Kind kind = Kind::null;
  bool quoted = false;  // scalar: in quotes, so text and never a number
  Origin origin;
  std::string text;           // scalar
  std::vector<YamlKey> keys;  // map: keys[i] names items[i]
  std::vector<YamlNode> items;

  const YamlNode* find(std::string_view key) const;
};

/// One scene text with the overrides laid over it.
struct Document {
  std::vector<std::string> sources;  // for messages: the file's name, then "--set path=value" each
  YamlNode root;

  [[noreturn]] void fail(const Origin& origin, const std::string& field, const std::string& reason) const;
};

/// Parses text that belongs to document.sources[source]; `field` is the path of its root, for messages.
YamlNode parse_yaml(const Document& document, std::string_view text, int source, const std::string& field);

/// Lays "path=value" over document.root, and adds it to the sources.
void apply_override(Document& document, const std::string& override_text);

}  // namespace pawl::internal
