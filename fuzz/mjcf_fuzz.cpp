// Fuzzes the reader of MJCF: the result is a model or an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <pawl/error.h>
#include <pawl/mjcf/mjcf_scene.h>
#include <pawl/model.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pawl::internal;
  try {
    const XmlElement root =
        parse_xml({reinterpret_cast<const char*>(data), size}, "fuzz.xml", Includes::expanded);
    pawl::compile(mjcf_scene(root, {}, {}).scene);
  } catch (const pawl::Error&) {
  }
  return 0;
}
