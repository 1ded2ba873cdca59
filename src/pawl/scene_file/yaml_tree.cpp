#include <pawl/scene_file/yaml_tree.h>

#include <sstream>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace pawl::internal {
namespace {

// A scene has at most seven levels. The limit protects against malicious or corrupt input.
constexpr std::size_t kMaxDepth = 64;
// Over a third of a gigabyte of tree, more than any scene that can be simulated.
constexpr std::size_t kMaxNodes = 3'000'000;
// Anchors and aliases are copied: without a limit a short file could exhaust the memory.
constexpr std::size_t kMaxCopied = 1'000'000;

std::size_t count_nodes(const YamlNode& node) {
  std::size_t count = 1;
  for (const YamlNode& item : node.items) count += count_nodes(item);
  return count;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const Document& document, int source, std::string field)
      : document_(document), source_(source), field_(std::move(field)) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { complete(node_at(mark), anchor); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = node_at(mark);
    node.kind = YamlNode::Kind::scalar;
    node.quoted = tag == "!";  // yaml-cpp's tag for quoted and block scalars
    if (!node.quoted) refuse_tag(mark, tag);
    node.text = value;
    complete(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) fail(mark, "this alias stands inside the very node it refers to");
    count_copy(found->second);
    complete(YamlNode(found->second), 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override { close(); }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& reason) const {
    document_.fail(origin_at(mark), path(), reason);
  }

 private:
  /// A collection that is not closed yet.
  struct Frame {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;                        // map: the key is read, its value is next
    YamlKey key;                                 // map: that key
    std::unordered_map<std::string, int> lines;  // map: the line of each key read so far
  };

  Origin origin_at(const YAML::Mark& mark) const {
    if (source_ > 0 || mark.is_null()) return {source_, {}};
    return {0, {mark.line + 1, mark.column + 1}};
  }

  YamlNode node_at(const YAML::Mark& mark) {
    if (++node_count_ > kMaxNodes) fail(mark, fmt::format("the text holds more than {} values", kMaxNodes));
    YamlNode node;
    node.origin = origin_at(mark);
    return node;
  }

  void count_copy(const YamlNode& node) {
    copied_ += count_nodes(node);
    if (copied_ <= kMaxCopied) return;
    document_.fail(node.origin, path(), fmt::format("its aliases stand for more than {} values", kMaxCopied));
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?")
      fail(mark, fmt::format("the tag '{}' means nothing in a scene: leave it out", tag));
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    refuse_tag(mark, tag);
    if (frames_.size() >= kMaxDepth) fail(mark, fmt::format("nested more than {} levels deep", kMaxDepth));
    Frame frame;
    frame.node = node_at(mark);
    frame.node.kind = kind;
    frame.anchor = anchor;
    frames_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (frame.node.kind == YamlNode::Kind::map) merge(frame.node);
    complete(std::move(frame.node), frame.anchor);
  }

  void complete(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      count_copy(node);
      anchored_.insert_or_assign(anchor, node);
    }
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& parent = frames_.back();
    if (parent.node.kind == YamlNode::Kind::sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.has_key) {
      parent.node.keys.push_back(std::move(parent.key));
      parent.node.items.push_back(std::move(node));
      parent.has_key = false;
    } else {
      read_key(parent, std::move(node));
    }
  }

  void read_key(Frame& map, YamlNode node) {
    if (node.kind != YamlNode::Kind::scalar) document_.fail(node.origin, path(), "a key must be a word");
    map.key = {std::move(node.text), node.origin};
    map.has_key = true;
    const auto [first, is_new] = map.lines.try_emplace(map.key.text, map.key.origin.location.line);
    if (is_new) return;
    const std::string where = source_ == 0 ? fmt::format(", first on line {}", first->second) : "";
    document_.fail(map.key.origin, path(), fmt::format("written twice{}: keep one of the two", where));
  }

  // YAML's merge key: {<<: *ball, mass: 2} has the keys of the ball, with another mass.
  void merge(YamlNode& map) const {
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
      if (map.keys[i].text != "<<") continue;
      const Origin origin = map.keys[i].origin;
      YamlNode value = std::move(map.items[i]);
      map.keys.erase(map.keys.begin() + static_cast<std::ptrdiff_t>(i));
      map.items.erase(map.items.begin() + static_cast<std::ptrdiff_t>(i));
      std::vector<YamlNode> bases;
      if (value.kind == YamlNode::Kind::sequence) {
        bases = std::move(value.items);
      } else {
        bases.push_back(std::move(value));
      }
      for (YamlNode& base : bases) merge_from(map, std::move(base), origin);
      return;
    }
  }

  void merge_from(YamlNode& map, YamlNode base, const Origin& origin) const {
    if (base.kind != YamlNode::Kind::map)
      document_.fail(origin, path(), "'<<' takes an alias of a map, or a list of them");
    for (std::size_t i = 0; i < base.keys.size(); ++i) {
      if (map.find(base.keys[i].text) != nullptr) continue;
      map.keys.push_back(std::move(base.keys[i]));
      map.items.push_back(std::move(base.items[i]));
    }
  }

  /// The path of the field being read, as in bodies.ball.shapes.0.
  std::string path() const {
    std::string path = field_;
    for (const Frame& frame : frames_) {
      const bool is_map = frame.node.kind == YamlNode::Kind::map;
      if (is_map && !frame.has_key) break;
      if (!path.empty()) path += '.';
      path += is_map ? frame.key.text : std::to_string(frame.node.items.size());
    }
    return path;
  }

  const Document& document_;
  int source_;
  std::string field_;
  std::size_t node_count_ = 0;
  std::size_t copied_ = 0;
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, YamlNode> anchored_;
  YamlNode root_;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &items[i];
  }
  return nullptr;
}

void Document::fail(const Origin& origin, const std::string& field, const std::string& reason) const {
  throw SceneError(sources[static_cast<std::size_t>(origin.source)], origin.location, field, reason);
}

YamlNode parse_yaml(const Document& document, std::string_view text, int source, const std::string& field) {
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(document, source, field);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    YamlNode root = builder.take_root();
    TreeBuilder rest(document, source, field);
    if (parser.HandleNextDocument(rest)) {
      document.fail({source, rest.take_root().origin.location}, field,
                    "a second YAML document begins: a scene is one");
    }
    return root;
  } catch (const YAML::Exception& error) {
    builder.fail(error.mark, fmt::format("not valid YAML: {}", error.msg));
  }
}

}  // namespace pawl::internal
