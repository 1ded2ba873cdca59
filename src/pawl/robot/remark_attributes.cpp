#include <algorithm>
#include <sstream>

#include <pawl/robot/robot_context.h>

namespace pawl::internal {
namespace {

bool holds(std::string_view words, std::string_view word) {
  std::istringstream list{std::string(words)};
  for (std::string each; list >> each;) {
    if (each == word) return true;
  }
  return false;
}

void remark_element(RobotContext& context, const AttributeTable& table, const XmlElement& xml) {
  if (const auto ignored = std::ranges::find(table.ignored, xml.name, &IgnoredElement::name);
      ignored != table.ignored.end()) {
    context.remark(RobotVerdict::ignored, xml, "", ignored->reason);
    return;
  }
  if (std::ranges::find(table.rows, xml.name, &AttributeRow::element) == table.rows.end() &&
      std::ranges::find(table.sections, xml.name) == table.sections.end()) {
    if (!context.has_remark_of_whole(xml.name)) {
      context.remark(RobotVerdict::ignored, xml, "", "not known here");
    }
    return;
  }
  for (const XmlAttribute& attribute : xml.attributes) {
    if (context.has_remark(xml, attribute.name)) continue;
    const auto row = std::ranges::find_if(table.rows, [&](const AttributeRow& each) {
      return each.element == xml.name && holds(each.attributes, attribute.name);
    });
    if (row == table.rows.end()) {
      context.remark(RobotVerdict::ignored, xml, attribute.name, "not known here");
    } else {
      context.remark(row->ignored_reason.empty() ? RobotVerdict::taken : RobotVerdict::ignored, xml,
                     attribute.name, row->ignored_reason);
    }
  }
  for (const XmlElement& child : xml.children) remark_element(context, table, child);
}

}  // namespace

void remark_attributes(RobotContext& context, const AttributeTable& table) {
  remark_element(context, table, context.root);
  std::ranges::stable_sort(context.remarks, std::ranges::greater{}, &RobotRemark::verdict);
}

}  // namespace pawl::internal
