#include <cstddef>
#include <cstdint>
#include <string_view>

#include "check_problem.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with('{')) pawl::internal::fuzz::read(text);
  return 0;
}
