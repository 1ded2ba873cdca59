#include <pawl/record/ordered_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <pawl/error.h>

namespace pawl::internal {
namespace {

// Level of a version 1 B-tree node, 0 at the leaves. The block starts with "TREE", type, level.
int tree_level(std::span<const std::byte> block) {
  const bool is_node = block.size() > 5 && std::memcmp(block.data(), "TREE", 4) == 0;
  return is_node ? std::to_integer<int>(block[5]) : 0;
}

// A lock of the open file, not of the process: the system drops it when a killed program's files are closed.
// It is not flock(), which HDF5 takes for reading: a running file stays readable.
struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// Returns false if another program holds the lock. File systems without locks are used without one.
bool try_lock(int descriptor) {
  struct flock lock = whole_file(F_WRLCK);
  return ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

/// True if the name still belongs to the open file: its last owner may have renamed or removed it.
bool has_name(int descriptor, const std::string& path) {
  struct stat open_file {
  }, named{};
  return ::fstat(descriptor, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

int open_locked(const std::string& path) {
  const auto fail = [&](int error) {
    throw Error(fmt::format("{}: can't create the file: {}", path, std::generic_category().message(error)));
  };
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) fail(errno);
    if (!try_lock(descriptor)) {
      ::close(descriptor);
      throw Error(fmt::format("{}: another run is writing it; choose another output", path));
    }
    if (!has_name(descriptor, path)) {
      ::close(descriptor);
      continue;
    }
    // What a killed program left behind. Devices can't be shortened.
    if (::ftruncate(descriptor, 0) != 0 && errno != EINVAL) {
      const int error = errno;
      ::close(descriptor);
      fail(error);
    }
    return descriptor;
  }
}

}  // namespace

OrderedFile::OrderedFile(const std::string& path) : descriptor_(open_locked(path)) {}

bool OrderedFile::in_use(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return false;
  if (descriptor < 0)
    throw Error(fmt::format("{}: can't be opened: {}", path, std::generic_category().message(errno)));
  struct flock lock = whole_file(F_WRLCK);
  const bool locked = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(descriptor);
  return locked;
}

OrderedFile::~OrderedFile() {
  ::close(descriptor_);
}

void OrderedFile::write(BlockKind kind, std::uint64_t address, std::span<const std::byte> bytes) {
  // Data may be written in place: rows that are already counted are overwritten with their present values.
  if (kind == BlockKind::data || address >= committed_end_) {
    write_now(address, bytes);
  } else {
    assert(address / kPageBytes == (address + bytes.size() - 1) / kPageBytes &&
           "a kill could tear this block");
    pending_.insert_or_assign(address, PendingBlock{kind, {bytes.begin(), bytes.end()}});
  }
}

void OrderedFile::write_now(std::uint64_t address, std::span<const std::byte> bytes) {
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (written > 0) {
      address += static_cast<std::uint64_t>(written);
      size_ = std::max(size_, address);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      error_ = written == 0 ? ENOSPC : errno;
    }
  }
}

bool OrderedFile::read(std::uint64_t address, std::span<std::byte> bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(address + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(done), bytes.end(), std::byte{0});

  const std::uint64_t end = address + bytes.size();
  for (const auto& [start, block] : pending_) {
    const std::uint64_t first = std::max(start, address);
    const std::uint64_t last = std::min(start + block.bytes.size(), end);
    if (first < last)
      std::memcpy(bytes.data() + (first - address), block.bytes.data() + (first - start), last - first);
  }
  return true;
}

void OrderedFile::commit(std::uint64_t end) {
  if (error_ == 0 && size_ < end) {
    // HDF5 reports a file as truncated if it is shorter than the length in the superblock.
    if (::ftruncate(descriptor_, static_cast<off_t>(end)) == 0) {
      size_ = end;
    } else {
      error_ = errno;
    }
  }
  std::vector<std::tuple<BlockKind, int, std::uint64_t>> order;
  for (const auto& [address, block] : pending_)
    order.emplace_back(block.kind, -tree_level(block.bytes), address);
  std::sort(order.begin(), order.end());
  for (const auto& [kind, level, address] : order) write_now(address, pending_.at(address).bytes);
  pending_.clear();
  if (committed_end_ > 0) protect();
}

void OrderedFile::protect() {
  committed_end_ = size_;
}

void OrderedFile::sync() {
  // EINVAL: the file does not support fsync, for example /dev/null.
  if (error_ == 0 && ::fsync(descriptor_) != 0 && errno != EINVAL) error_ = errno;
}

}  // namespace pawl::internal
