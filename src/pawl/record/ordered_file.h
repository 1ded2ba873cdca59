#pragma once
// A file that can be opened after every single system call of its writer, so that a kill cannot spoil it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pawl::internal {

/// What a block of an HDF5 file holds, as far as the order of writing depends on it.
enum class BlockKind { superblock, index, other, header, data };

/// Lies between HDF5 and the disk. HDF5 writes its metadata in an order of its own, and a kill between two of
/// those writes can leave a file that does not open. Here blocks nobody refers to yet (those past the end of
/// the last commit) and rows of data go straight to the disk; blocks written over ones already on the disk
/// are held back until commit(), which writes them so that every prefix of the sequence is a valid file:
///
///   1. the superblock, which says how long the file is: longer does no harm
///   2. chunk indices, parents before children: they gain chunks past the rows counted so far. A parent that
///      knows of a split before its left child has been shortened finds every chunk in either
///   3. object headers, which hold the row counts: from here on the new rows are there
///
/// A kill can also cut a write short, but only at the end of a page of memory: blocks that are held back must
/// not cross one, so that each is on the disk either as it was or as it should be.
///
/// Power loss is another matter: the system writes pages in its own order, and only sync() waits for it.
class OrderedFile {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;  // the smallest page of any machine; others are multiples

  /// Creates or empties the file. Throws Error.
  explicit OrderedFile(const std::string& path);
  ~OrderedFile();
  OrderedFile(const OrderedFile&) = delete;
  OrderedFile& operator=(const OrderedFile&) = delete;

  /// Never fails, as HDF5 can't recover from writes that do: after the first error nothing more reaches the
  /// disk, which so keeps the last commit.
  void write(BlockKind kind, std::uint64_t address, std::span<const std::byte> bytes);
  /// Bytes past the end are 0. False when the disk refuses.
  bool read(std::uint64_t address, std::span<std::byte> bytes) const;
  /// Writes what was held back. `end` is where the file ends from now on.
  void commit(std::uint64_t end);
  /// From now on what is on the disk is only replaced by commit().
  void protect();
  /// Waits until the disk itself has all.
  void sync();

  std::uint64_t size() const { return size_; }
  /// errno of the first call that failed; 0 if none did.
  int error() const { return error_; }

 private:
  struct PendingBlock {
    BlockKind kind;
    std::vector<std::byte> bytes;
  };

  void write_now(std::uint64_t address, std::span<const std::byte> bytes);

  int descriptor_ = -1;
  int error_ = 0;
  std::uint64_t size_ = 0;           // of the file on the disk
  std::uint64_t committed_end_ = 0;  // blocks before this address are referred to
  std::map<std::uint64_t, PendingBlock> pending_;
};

}  // namespace pawl::internal
