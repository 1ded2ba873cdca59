#pragma once
// A vector in huge pages where the system has them, to reduce TLB misses on random access.

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace pawl::internal {

constexpr std::size_t kHugePageSize = std::size_t{1} << 21;  // bytes, on x86-64 and on ARM

/// Aligned to a cache line; from kHugePageSize on, aligned to a huge page and rounded up to whole ones.
void* allocate_block(std::size_t bytes);
/// Frees a block; `bytes` must be the size passed to allocate_block.
void free_block(void* block, std::size_t bytes) noexcept;

template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  constexpr HugePageAllocator(const HugePageAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_block(count * sizeof(T)));
  }
  void deallocate(T* block, std::size_t count) noexcept { free_block(block, count * sizeof(T)); }

  friend constexpr bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
};

/// For arrays that may grow to many megabytes and are accessed at random.
template <class T>
using HugePageVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace pawl::internal
