#pragma once
// Packs states of a run into a binary chunk for the page (docs/viewer.md).

#include <cstdint>
#include <span>
#include <string>

#include <pawl/view/run_view.h>

namespace pawl::internal {

/// Floats per contact in a chunk: point, normal, tangent, gap, force, velocity, friction.
inline constexpr int kContactFloats = 22;

/// The states [first, first + count), which must exist.
std::string frames_chunk(const RunView& run, std::uint64_t first, std::uint64_t count);

/// Arbitrary states in ascending order, renumbered from 0.
std::string frames_chunk(const RunView& run, std::span<const std::uint64_t> states);

/// Bytes of a chunk with that many states and contacts.
std::uint64_t chunk_bytes(const RunView& run, std::uint64_t states, std::uint64_t contacts);

/// Number of states that make a chunk of about 1 MB, which is transferred at once.
std::uint64_t recommended_chunk_states(const RunView& run);

}  // namespace pawl::internal
