#pragma once
// Philox4x32-10, counter-based random numbers [Salmon2011]: every number is a function of key and counter, so
// that samples need no order.

#include <array>
#include <cstdint>

namespace pawl::internal {

constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// Random bits of one sample of one stream, for a seed.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t sample) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const std::array<std::uint32_t, 4> bits =
      philox({low(sample), high(sample), low(stream), high(stream)}, {low(seed), high(seed)});
  return std::uint64_t{bits[1]} << 32 | bits[0];
}

/// Strictly between 0 and 1: the middle of one of 2^52 intervals.
constexpr double to_unit_interval(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

}  // namespace pawl::internal
