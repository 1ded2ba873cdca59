#pragma once
// What the readers of robots share: the scene under construction, and the remarks about the file.

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <pawl/robot.h>
#include <pawl/robot/xml_tree.h>

namespace pawl::internal {

/// A frame in another: rotation and origin.
struct Frame {
  Quat q;
  Vec3 p;

  Vec3 operator*(const Vec3& point) const { return to_matrix(q) * point + p; }
  Frame operator*(const Frame& inner) const { return {normalized(q * inner.q), *this * inner.p}; }
};
inline Frame inverse(const Frame& X) {
  const Quat q = conjugate(X.q);
  return {q, -(to_matrix(q) * X.p)};
}

struct RobotContext {
  std::string path;
  const XmlElement& root;
  Scene scene;
  std::vector<RobotRemark> remarks;

  explicit RobotContext(const XmlElement& xml) : path(xml.file), root(xml) {}

  /// Adds a remark, or counts it if the same one exists already.
  void remark(RobotVerdict verdict, const XmlElement& element, std::string_view attribute,
              std::string_view reason);
  /// True if there is a remark about whole elements of this name.
  bool has_remark_of_whole(const std::string& element) const;
  /// True if there is a remark about this attribute of this very element.
  bool has_remark(const XmlElement& element, std::string_view attribute) const;
  SceneBody& scene_body(const std::string& name);
  /// A name for a body of the scene that no other has, of the letters that names may have.
  std::string scene_name(const std::string& wish);

 private:
  std::set<std::string> scene_names_;
  std::map<std::tuple<std::string, std::string, RobotVerdict, std::string>, std::size_t>
      places_;  // of remarks
  std::set<std::pair<const XmlElement*, std::string>> told_;
};

/// Attributes of an element with one verdict, as words.
struct AttributeRow {
  std::string_view element, attributes;
  std::string_view ignored_reason = {};  // empty: taken
};

/// Elements that are left out with all that is in them.
struct IgnoredElement {
  std::string_view name, reason;
};

/// What a reader does with the attributes and elements of its format. Sections have no attributes.
struct AttributeTable {
  std::span<const AttributeRow> rows;
  std::span<const IgnoredElement> ignored;
  std::span<const std::string_view> sections;
};

/// Remarks about every element and attribute that has no other, and sorts them all by their verdicts.
void remark_attributes(RobotContext& context, const AttributeTable& table);

/// The scene as a scene file, with what the readers make of it: no forces, no planar world.
std::string scene_text(const Scene& scene);

/// The scene as its own text gives it, so that this text is the same scene. Places are those of the robot's
/// file.
Scene reread(const RobotContext& context, const std::vector<std::string>& overrides);

}  // namespace pawl::internal
