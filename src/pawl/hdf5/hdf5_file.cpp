#include <pawl/hdf5/exit.h>
#include <pawl/hdf5/hdf5_file.h>

#include <fmt/format.h>

namespace pawl::internal::h5 {
namespace {

herr_t copy_description(unsigned, const H5E_error2_t* entry, void* reason) {
  *static_cast<std::string*>(reason) = entry->desc;
  return 1;  // stop at the first, the innermost
}

std::string reason() {
  std::string text = "no reason given";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, copy_description, &text);
  // HDF5 embeds the system's message among addresses and descriptors; extract it.
  constexpr std::string_view kMark = "error message = '";
  if (const auto start = text.find(kMark); start != std::string::npos) {
    const auto from = start + kMark.size();
    text = text.substr(from, text.find('\'', from) - from);
  }
  return text;
}

[[noreturn]] void fail(std::string_view action) {
  throw Failure(fmt::format("can't {}: {}", action, reason()));
}

void write(hid_t object, const char* name, hid_t file_type, hid_t memory_type, hid_t space,
           const void* value) {
  const std::string action = fmt::format("write attribute '{}'", name);
  const Handle attribute =
      check(H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT), action);
  if (value != nullptr) check_ok(H5Awrite(attribute, memory_type, value), action);
}

void write_scalar(hid_t object, const char* name, hid_t file_type, hid_t memory_type, const void* value) {
  write(object, name, file_type, memory_type, check(H5Screate(H5S_SCALAR), name), value);
}

/// An existing attribute of the wanted class, with `wanted_count` values if that is not negative.
struct OpenAttribute {
  OpenAttribute(hid_t object, const char* name, H5T_class_t wanted, hssize_t wanted_count) {
    if (H5Aexists(object, name) == 0) throw Failure(fmt::format("it has no attribute '{}'", name));
    attribute = check(H5Aopen(object, name, H5P_DEFAULT), fmt::format("open attribute '{}'", name));
    const Handle type = check(H5Aget_type(attribute), name);
    const bool is_text = wanted == H5T_STRING && H5Tis_variable_str(type) > 0;
    if (H5Tget_class(type) != wanted || (wanted == H5T_STRING && !is_text)) {
      throw Failure(fmt::format("attribute '{}' has the wrong type", name));
    }
    space = check(H5Aget_space(attribute), name);
    count = H5Sget_simple_extent_npoints(space);
    if (count < 0 || (wanted_count >= 0 && count != wanted_count)) {
      throw Failure(fmt::format("attribute '{}' has the wrong shape", name));
    }
  }
  Handle attribute;
  Handle space;
  hssize_t count = 0;
};

void read_scalar(hid_t object, const char* name, H5T_class_t wanted, hid_t memory_type, void* value) {
  const OpenAttribute open(object, name, wanted, 1);
  check_ok(H5Aread(open.attribute, memory_type, value), fmt::format("read attribute '{}'", name));
}

std::vector<std::string> read_texts(const OpenAttribute& open, const char* name) {
  std::vector<char*> pointers(static_cast<std::size_t>(open.count), nullptr);
  std::vector<std::string> values;
  if (pointers.empty()) return values;
  const Handle type = text_type();
  check_ok(H5Aread(open.attribute, type, pointers.data()), fmt::format("read attribute '{}'", name));
  for (const char* text : pointers) values.emplace_back(text == nullptr ? "" : text);
  H5Dvlen_reclaim(type, open.space, H5P_DEFAULT, pointers.data());
  return values;
}

}  // namespace

void do_not_clean_up_at_exit() {
  H5dont_atexit();
}

Handle check(hid_t id, std::string_view action) {
  if (id < 0) fail(action);
  return Handle(id);
}

void check_ok(herr_t result, std::string_view action) {
  if (result < 0) fail(action);
}

bool has_link(hid_t file, const std::string& name) {
  // HDF5 reports a missing intermediate group as an error.
  const auto slash = name.rfind('/');
  if (slash != std::string::npos && !has_link(file, name.substr(0, slash))) return false;
  const htri_t found = H5Lexists(file, name.c_str(), H5P_DEFAULT);
  if (found < 0) fail(fmt::format("look for /{}", name));
  return found > 0;
}

Handle text_type() {
  Handle type = check(H5Tcopy(H5T_C_S1), "make a string type");
  check_ok(H5Tset_size(type, H5T_VARIABLE), "make a string type");
  check_ok(H5Tset_cset(type, H5T_CSET_UTF8), "make a string type");
  return type;
}

void write_attribute(hid_t object, const char* name, const std::string& value) {
  const char* text = value.c_str();
  const Handle type = text_type();
  write_scalar(object, name, type, type, &text);
}

void write_attribute(hid_t object, const char* name, const std::vector<std::string>& values) {
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  const hsize_t count = texts.size();
  const Handle type = text_type();
  const Handle space = check(H5Screate_simple(1, &count, nullptr), name);
  write(object, name, type, type, space, texts.empty() ? nullptr : texts.data());
}

void write_attribute(hid_t object, const char* name, double value) {
  write_scalar(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void write_attribute(hid_t object, const char* name, int value) {
  write_scalar(object, name, H5T_STD_I32LE, H5T_NATIVE_INT, &value);
}

void write_attribute(hid_t object, const char* name, bool value) {
  const unsigned char byte = value ? 1 : 0;
  write_scalar(object, name, H5T_STD_U8LE, H5T_NATIVE_UCHAR, &byte);
}

void read_attribute(hid_t object, const char* name, std::string& value) {
  value = read_texts(OpenAttribute(object, name, H5T_STRING, 1), name).front();
}

void read_attribute(hid_t object, const char* name, std::vector<std::string>& values) {
  values = read_texts(OpenAttribute(object, name, H5T_STRING, -1), name);
}

void read_attribute(hid_t object, const char* name, double& value) {
  read_scalar(object, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, &value);
}

void read_attribute(hid_t object, const char* name, int& value) {
  read_scalar(object, name, H5T_INTEGER, H5T_NATIVE_INT, &value);
}

void read_attribute(hid_t object, const char* name, bool& value) {
  unsigned char byte = 0;
  read_scalar(object, name, H5T_INTEGER, H5T_NATIVE_UCHAR, &byte);
  value = byte != 0;
}

}  // namespace pawl::internal::h5
