#include <pawl/robot/xml_tree.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <tinyxml2.h>

#include <pawl/base/read_bytes.h>
#include <pawl/scene.h>

namespace pawl::internal {
namespace {

namespace fs = std::filesystem;

class XmlReader {
 public:
  XmlReader(const std::string& path, Includes includes)
      : main_folder_(fs::path(path).parent_path()), includes_(includes) {}

  XmlElement read(const std::string& path) { return parse(read_bytes(path), path); }

  XmlElement parse(std::string_view bytes, const std::string& path) {
    if (bytes.size() > kMaxXmlBytes) throw SceneError(path, {}, "xml", "it is larger than 64 MB");
    tinyxml2::XMLDocument document;
    if (document.Parse(bytes.data(), bytes.size()) != tinyxml2::XML_SUCCESS) {
      throw SceneError(path, {document.ErrorLineNum(), 0}, "xml", syntax_error(document));
    }
    if (document.RootElement() == nullptr) throw SceneError(path, {}, "xml", "there is no element in it");
    chain_.push_back(path);
    XmlElement root = convert(*document.RootElement(), path);
    chain_.pop_back();
    return root;
  }

 private:
  static std::string syntax_error(const tinyxml2::XMLDocument& document) {
    switch (document.ErrorID()) {
      case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
        return "the file is empty";
      case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
        return "an element is closed by another's name, or never: is the file cut off?";
      case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
        return "elements are nested too deeply";
      default:
        return fmt::format("not XML ({}): is the file cut off?", document.ErrorName());
    }
  }

  XmlElement convert(const tinyxml2::XMLElement& source, const std::string& file) {
    XmlElement element;
    element.name = source.Name();
    element.file = file;
    element.line = source.GetLineNum();
    if (const char* const text = source.GetText()) element.text = text;
    if (++elements_ > kMaxXmlElements) {
      throw SceneError(chain_.front(), {}, "xml",
                       fmt::format("it has more than {} elements, with all it includes", kMaxXmlElements));
    }
    for (const auto* each = source.FirstAttribute(); each != nullptr; each = each->Next()) {
      element.attributes.push_back({each->Name(), each->Value()});
    }
    for (const auto* child = source.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      XmlElement converted = convert(*child, file);
      if (converted.name != "include" || includes_ == Includes::kept) {
        element.children.push_back(std::move(converted));
        continue;
      }
      XmlElement included = read(path_of(converted));
      for (XmlElement& each : included.children) element.children.push_back(std::move(each));
    }
    return element;
  }

  /// Includes are relative to the main file, or else to the file they stand in.
  std::string path_of(const XmlElement& include) const {
    const std::string* file = include.find("file");
    if (file == nullptr || file->empty()) fail(include, "file", "missing: the path of an XML file is needed");
    fs::path path = main_folder_ / *file;
    if (!fs::exists(path)) path = fs::path(include.file).parent_path() / *file;
    if (!fs::exists(path)) fail(include, "file", fmt::format("there is no file '{}'", *file));
    for (const std::string& open : chain_) {
      std::error_code ignored;
      if (fs::equivalent(path, open, ignored)) {
        fail(include, "file", fmt::format("'{}' includes itself, directly or through others", *file));
      }
    }
    return path.string();
  }

  fs::path main_folder_;
  Includes includes_;
  std::vector<std::string> chain_;  // files being read, from the main file on
  int elements_ = 0;
};

}  // namespace

const std::string* XmlElement::find(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &XmlAttribute::name);
  return found == attributes.end() ? nullptr : &found->value;
}

void fail(const XmlElement& element, std::string_view attribute, const std::string& reason) {
  const std::string* name = element.find("name");
  std::string field = element.name;
  if (name != nullptr) field += fmt::format("[{}]", *name);
  if (!attribute.empty()) field += fmt::format(".{}", attribute);
  throw SceneError(element.file, {element.line, 0}, field, reason);
}

XmlElement read_xml(const std::string& path, Includes includes) {
  return XmlReader(path, includes).read(path);
}

XmlElement parse_xml(std::string_view text, const std::string& path, Includes includes) {
  return XmlReader(path, includes).parse(text, path);
}

}  // namespace pawl::internal
