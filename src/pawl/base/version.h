#pragma once

namespace pawl {
inline constexpr const char* kVersion = "0.1.0";
}
