// Fuzzes the text problem readers: every kind of problem, and the detected kind.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "check_problem.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pawl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find("\x89HDF") != std::string_view::npos) return 0;  // covered by fclib_problem_fuzz
  internal::fuzz::read(text);
  for (const ProblemKind kind : {ProblemKind::contact, ProblemKind::lcp, ProblemKind::mixed_lcp}) {
    internal::fuzz::read(text, kind);
  }
  return 0;
}
