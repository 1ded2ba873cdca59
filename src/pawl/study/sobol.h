#pragma once
// Sobol' points with the direction numbers of [JoeKuo2008], from Boost.

#include <cstdint>
#include <vector>

namespace pawl::internal {

inline constexpr std::size_t kMaxSobolDimensions = 1000;

/// The point of this index, 64 bits of each coordinate; point 0 is the origin.
std::vector<std::uint64_t> sobol_point(std::uint64_t index, int dimensions);

}  // namespace pawl::internal
