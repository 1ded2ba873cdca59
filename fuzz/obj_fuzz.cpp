// Fuzzes the OBJ reader with arbitrary bytes.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <pawl/collision/mesh/mesh_file.h>

#include "check_mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  pawl::internal::fuzz::read_mesh([&] { return pawl::internal::parse_obj(bytes, "fuzz"); });
  pawl::internal::fuzz::read_points([&] { return pawl::internal::parse_obj_points(bytes, "fuzz"); });
  return 0;
}
