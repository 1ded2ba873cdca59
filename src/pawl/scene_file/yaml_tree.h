#pragma once
// The text of a scene as a tree with source locations. Internal to scene/.
//
// yaml-cpp's own nodes are not used: they accept duplicate keys and an alias inside its own node. They also
// do not record whether a value comes from the file or the command line.

#include <string>
#include <string_view>
#include <vector>

#include <pawl/scene.h>
#include <pawl/scene_file/parameters.h>

namespace pawl::internal {

/// The location of a node: source 0 is the file, source i > 0 the i-th override, which has no line.
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
  bool quoted = false;  // scalar: in quotes, hence never a number
  Origin origin;
  std::string text;           // scalar
  std::vector<YamlKey> keys;  // map: keys[i] names items[i]
  std::vector<YamlNode> items;

  const YamlNode* find(std::string_view key) const;
};

/// The text of one scene with its overrides applied.
struct Document {
  // For messages: the file's name, then one "--set path=value" per override.
  std::vector<std::string> sources;
  YamlNode root;
  Parameters parameters;  // for the fields outside of `parameters`

  [[noreturn]] void fail(const Origin& origin, const std::string& field, const std::string& reason) const;
};

/// Parses the text of document.sources[source]; `field` is the path of its root, for messages.
YamlNode parse_yaml(const Document& document, std::string_view text, int source, const std::string& field);

/// Applies "path=value" to document.root and appends it to the sources.
void apply_override(Document& document, const std::string& override_text);

}  // namespace pawl::internal
