#pragma once
// Numbers that tell the mechanisms of two models, and two states, apart.

#include <bit>
#include <cstdint>

#include <pawl/model.h>

namespace pawl::internal {

/// FNV-1a by words of 64 bits.
class Hash {
 public:
  void add(std::uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3; }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// Over bodies, shapes and joints. Materials, gravity, forces, drives and the start are left out: a state
/// makes sense where these are changed.
std::uint64_t fingerprint(const Model& model);

/// Over all numbers of a state: a file with a wrong digit would continue another motion.
std::uint64_t checksum(const State& state);

}  // namespace pawl::internal
