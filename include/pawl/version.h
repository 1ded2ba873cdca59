#pragma once
// The version of the library; CMake reads it from here.

namespace pawl {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace pawl
