// Fuzzes expressions: the result is a finite number or an Error, and the same text gives the same bits. As
// the value of a parameter too, which may have a unit or a tolerance.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <pawl/error.h>
#include <pawl/scene_file.h>
#include <pawl/scene_file/expression.h>

namespace {

using pawl::internal::Amount;

std::optional<double> value_of(std::string_view text) {
  try {
    const auto amount_of_name = [](std::string_view name) -> Amount {
      if (name == "a") return {0.5, pawl::internal::Unit{1}, false};
      if (name == "b") return {-3, std::nullopt, false};
      throw pawl::Error("no such name");
    };
    return pawl::internal::evaluate(text, amount_of_name).value;
  } catch (const pawl::Error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::optional<double> value = value_of(text);
  if (value && !std::isfinite(*value)) std::abort();
  const std::optional<double> again = value_of(text);
  if (value.has_value() != again.has_value()) std::abort();
  if (value && std::bit_cast<std::uint64_t>(*value) != std::bit_cast<std::uint64_t>(*again)) std::abort();
  try {
    pawl::parse_scene("pawl: 1\nparameters:\n  a: 1 m\n  x: " + std::string(text) + "\n", "fuzz.yaml");
  } catch (const pawl::Error&) {
  }
  return 0;
}
