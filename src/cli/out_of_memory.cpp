// The program ends at the first allocation that fails, with a message and exit code 2.
//
// HDF5 does not survive failed allocations: its clean-up frees twice, follows null pointers or writes half of
// its metadata. An immediate end is safe instead: it is like a kill, which leaves a readable .part file
// (pawl/record/ordered_file.h). These functions replace those of the C library in the whole program, also for
// HDF5. Requests so large that only a file's content can have asked for them fail as usual: the code that
// reads the file says so.

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"

extern "C" {
// Names of the C library for its own functions (glibc).
void* __libc_malloc(size_t size) noexcept;
void* __libc_calloc(size_t count, size_t size) noexcept;
void* __libc_realloc(void* old, size_t size) noexcept;
void* __libc_memalign(size_t alignment, size_t size) noexcept;
}

namespace {

constexpr size_t kLarge = size_t{64} << 20;

void* check(void* made, size_t size) noexcept {
  if (made != nullptr || size == 0 || size >= kLarge) return made;
  // Neither streams nor strings, which would allocate.
  constexpr char kMessage[] = "pawl: out of memory\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  ::_exit(pawl::internal::cli::kExitBadInput);
}

}  // namespace

extern "C" {

void* malloc(size_t size) noexcept {
  return check(__libc_malloc(size), size);
}

void* calloc(size_t count, size_t size) noexcept {
  return check(__libc_calloc(count, size), size != 0 && count > kLarge / size ? kLarge : count * size);
}

void* realloc(void* old, size_t size) noexcept {
  return check(__libc_realloc(old, size), size);
}

void* memalign(size_t alignment, size_t size) noexcept {
  return check(__libc_memalign(alignment, size), size);
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return memalign(alignment, size);
}

int posix_memalign(void** made, size_t alignment, size_t size) noexcept {
  void* const memory = memalign(alignment, size);
  if (memory == nullptr && size > 0) return ENOMEM;
  *made = memory;
  return 0;
}

}  // extern "C"
