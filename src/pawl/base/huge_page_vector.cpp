#include <pawl/base/huge_page_vector.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace pawl::internal {
namespace {

constexpr std::size_t kCacheLine = 64;  // bytes

std::align_val_t alignment(std::size_t bytes) {
  return std::align_val_t{bytes < kHugePageSize ? kCacheLine : kHugePageSize};
}

}  // namespace

void* allocate_block(std::size_t bytes) {
  if (bytes < kHugePageSize) return ::operator new(bytes, alignment(bytes));
  if (bytes > std::numeric_limits<std::size_t>::max() - kHugePageSize) throw std::bad_alloc();
  const std::size_t whole_pages = (bytes + kHugePageSize - 1) / kHugePageSize * kHugePageSize;
  void* block = ::operator new(whole_pages, alignment(bytes));
#ifdef MADV_HUGEPAGE
  madvise(block, whole_pages, MADV_HUGEPAGE);  // advice only: without it the pages are small
#endif
  return block;
}

void free_block(void* block, std::size_t bytes) noexcept {
  ::operator delete(block, alignment(bytes));
}

}  // namespace pawl::internal
