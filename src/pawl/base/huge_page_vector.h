#pragma once
// Memory of long lists: in large pages where the system has them, so that looks here and there do not wait
// for the tables that say where a page is.

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace pawl::internal {

constexpr std::size_t kHugePageSize = std::size_t{1} << 21;  // bytes, on x86-64 and on ARM

/// Begins with a line of the cache; from a large page on, with a page, and then has whole ones.
void* allocate_block(std::size_t bytes);
/// Gives back what was allocated with the same number of bytes.
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

/// For lists that may grow to many megabytes and are looked at here and there.
template <class T>
using HugePageVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace pawl::internal
