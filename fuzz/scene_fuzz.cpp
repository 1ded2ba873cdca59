// Fuzzes the scene reader: the result is a model or an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <pawl/error.h>
#include <pawl/model.h>
#include <pawl/scene_file.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const pawl::Scene scene = pawl::parse_scene({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
    pawl::compile(scene);
  } catch (const pawl::Error&) {
  }
  return 0;
}
