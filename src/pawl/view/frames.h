#pragma once
// States of a run as bytes for the page: the chunk of docs/viewer.md.

#include <cstdint>
#include <span>
#include <string>

#include <pawl/view/run_view.h>

namespace pawl::internal {

/// Numbers of one contact in a chunk: point, normal, tangent, gap, force, velocity, friction.
inline constexpr int kContactFloats = 22;

/// The states first … first + count, which must be there.
std::string frames_chunk(const RunView& run, std::uint64_t first, std::uint64_t count);

/// States anywhere in the run, in ascending order, as if they followed each other from 0 on.
std::string frames_chunk(const RunView& run, std::span<const std::uint64_t> states);

/// Bytes of a chunk with so many states and contacts.
std::uint64_t chunk_bytes(const RunView& run, std::uint64_t states, std::uint64_t contacts);

/// How many states a chunk should have, so that it comes at once: about a megabyte of them.
std::uint64_t recommended_chunk_states(const RunView& run);

}  // namespace pawl::internal
