#pragma once
// Random scenes for the golden hashes. Numbers are drawn as integers and written in decimal, so that the text
// of scene `seed` is the same on every machine and compiler.

#include <cstdint>
#include <string>

namespace pawl::internal {

std::string random_scene(std::uint64_t seed);

}  // namespace pawl::internal
