// A library for LD_PRELOAD that makes one call of the C library fail, or all from one on.
//
// PAWL_FAIL="malloc 100" lets the hundredth allocation fail, "malloc 100+" also all later ones. The other
// calls are write, fsync, rename and open. PAWL_FAIL_COUNT=FILE writes to FILE how many calls of each there
// were.

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace {

enum Call { kMalloc, kWrite, kFsync, kRename, kOpen, kCalls };
constexpr const char* kNames[kCalls] = {"malloc", "write", "fsync", "rename", "open"};

std::atomic<long> counts[kCalls];
int failing = -1;  // the call that fails, or -1
long failing_count = 0;
bool for_good = false;
const char* count_file = nullptr;

bool fails(Call call) {
  const long count = ++counts[call];
  return call == failing && (count == failing_count || (for_good && count > failing_count));
}

template <class Function>
Function find_next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

template <class T>
T fail_with(int error, T value) {
  errno = error;
  return value;
}

__attribute__((constructor)) void read_environment() {
  count_file = ::getenv("PAWL_FAIL_COUNT");
  for (std::atomic<long>& count : counts) count = 0;  // without those of the dynamic linker
  const char* wanted = ::getenv("PAWL_FAIL");
  if (wanted == nullptr) return;
  char name[16] = "";
  char more = 0;
  if (::sscanf(wanted, "%15s %ld%c", name, &failing_count, &more) < 2) ::_exit(99);
  for_good = more == '+';
  for (int call = 0; call < kCalls; ++call) {
    if (::strcmp(name, kNames[call]) == 0) failing = call;
  }
  if (failing < 0) ::_exit(99);
}

__attribute__((destructor)) void write_counts() {
  if (count_file == nullptr) return;
  char text[200];
  int length = 0;
  for (int call = 0; call < kCalls; ++call) {
    length += ::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), "%s %ld\n",
                         kNames[call], counts[call].load());
  }
  const int file =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_CREAT | O_TRUNC, 0666));
  ::syscall(SYS_write, file, text, length);
}

}  // namespace

extern "C" {

// The program's own malloc() calls these (src/cli/out_of_memory.cpp).
void* __libc_malloc(std::size_t size) {
  static void* (*const next)(std::size_t) = find_next<void* (*)(std::size_t)>("__libc_malloc");
  return fails(kMalloc) ? fail_with<void*>(ENOMEM, nullptr) : next(size);
}
void* __libc_calloc(std::size_t count, std::size_t size) {
  static void* (*const next)(std::size_t, std::size_t) =
      find_next<void* (*)(std::size_t, std::size_t)>("__libc_calloc");
  return fails(kMalloc) ? fail_with<void*>(ENOMEM, nullptr) : next(count, size);
}
void* __libc_realloc(void* old, std::size_t size) {
  static void* (*const next)(void*, std::size_t) = find_next<void* (*)(void*, std::size_t)>("__libc_realloc");
  return fails(kMalloc) ? fail_with<void*>(ENOMEM, nullptr) : next(old, size);
}
void* __libc_memalign(std::size_t alignment, std::size_t size) {
  static void* (*const next)(std::size_t, std::size_t) =
      find_next<void* (*)(std::size_t, std::size_t)>("__libc_memalign");
  return fails(kMalloc) ? fail_with<void*>(ENOMEM, nullptr) : next(alignment, size);
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  // Messages must get through.
  if (file > 2 && fails(kWrite)) return fail_with<ssize_t>(EIO, -1);
  return ::syscall(SYS_write, file, bytes, size);
}
ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t address) {
  if (fails(kWrite)) return fail_with<ssize_t>(EIO, -1);
  return ::syscall(SYS_pwrite64, file, bytes, size, address);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t size, off_t address) {
  return pwrite(file, bytes, size, address);
}
int ftruncate(int file, off_t size) noexcept {
  if (fails(kWrite)) return fail_with(EIO, -1);
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
int fsync(int file) {
  if (fails(kFsync)) return fail_with(EIO, -1);
  return static_cast<int>(::syscall(SYS_fsync, file));
}
int rename(const char* from, const char* to) noexcept {
  if (fails(kRename)) return fail_with(EIO, -1);
  return static_cast<int>(::syscall(SYS_rename, from, to));
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (fails(kOpen)) return fail_with(EMFILE, -1);
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open(path, flags, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  static FILE* (*const next)(const char*, const char*) =
      find_next<FILE* (*)(const char*, const char*)>("fopen64");
  return fails(kOpen) ? fail_with<FILE*>(EMFILE, nullptr) : next(path, mode);
}
FILE* fopen(const char* path, const char* mode) {
  return fopen64(path, mode);
}

}  // extern "C"
