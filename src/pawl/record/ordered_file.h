#pragma once
// A file that is valid after every system call of its writer, so that a kill cannot corrupt it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pawl::internal {

/// Kind of a block of an HDF5 file; the order of the enumerators is the order of writing in commit().
enum class BlockKind { superblock, index, other, header, data };

/// The layer between HDF5 and the disk. HDF5 writes its metadata in an unspecified order, and a kill between
/// two writes can leave a file that does not open. This class writes two kinds of blocks at once: rows of
/// data, and blocks past the end of the last commit, to which nothing refers yet. Blocks that overwrite
/// committed ones are held back until commit(). It writes them in an order in which every prefix is a valid
/// file:
///
///   1. the superblock, which holds the file length; a larger length does no harm
///   2. chunk indices, parents before children: they gain chunks past the rows counted so far. When a node is
///      split, the parent lists both halves before the left half is shortened, so every chunk is still found
///   3. object headers, which hold the row counts and so make the new rows visible
///
/// A kill can also cut a write short, but only at the end of a memory page. Held-back blocks therefore must
/// not cross a page boundary, so that each is on the disk either in its old or in its new version.
///
/// This does not protect against power loss: the system writes pages in its own order, and only sync() waits
/// for the disk.
class OrderedFile {
 public:
  // The smallest page size of any machine; larger ones are multiples of it.
  static constexpr std::uint64_t kPageBytes = 4096;

  /// Creates or empties the file, and locks it until it is closed. Throws Error, also if another OrderedFile
  /// is open on it.
  explicit OrderedFile(const std::string& path);
  /// True if an OrderedFile is open on the file, whatever its name was then. Throws Error if that can't be
  /// told.
  static bool in_use(const std::string& path);
  ~OrderedFile();
  OrderedFile(const OrderedFile&) = delete;
  OrderedFile& operator=(const OrderedFile&) = delete;

  /// Never fails, because HDF5 cannot recover from failed writes. After the first error nothing more is
  /// written, so that the disk keeps the last commit.
  void write(BlockKind kind, std::uint64_t address, std::span<const std::byte> bytes);
  /// Bytes past the end read as 0. Returns false on a read error.
  bool read(std::uint64_t address, std::span<std::byte> bytes) const;
  /// Writes the held-back blocks. `end` is the new end of the file.
  void commit(std::uint64_t end);
  /// From now on only commit() replaces blocks that are on the disk.
  void protect();
  /// Waits until the disk has all data (fsync).
  void sync();

  std::uint64_t size() const { return size_; }
  /// errno of the first call that failed, or 0.
  int error() const { return error_; }

 private:
  struct PendingBlock {
    BlockKind kind;
    std::vector<std::byte> bytes;
  };

  void write_now(std::uint64_t address, std::span<const std::byte> bytes);

  int descriptor_ = -1;
  int error_ = 0;
  std::uint64_t size_ = 0;           // bytes of the file on the disk
  std::uint64_t committed_end_ = 0;  // blocks before this address may be referred to
  std::map<std::uint64_t, PendingBlock> pending_;
};

}  // namespace pawl::internal
