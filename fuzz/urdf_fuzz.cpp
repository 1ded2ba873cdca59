// Fuzzes the reader of URDF: the result is a model or an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <pawl/error.h>
#include <pawl/model.h>
#include <pawl/urdf/urdf_scene.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pawl::internal;
  try {
    const XmlElement root =
        parse_xml({reinterpret_cast<const char*>(data), size}, "fuzz.urdf", Includes::kept);
    pawl::compile(urdf_scene(root, {}, {}).scene);
  } catch (const pawl::Error&) {
  }
  return 0;
}
