#pragma once
// A file that HDF5 reads, with checks of what HDF5 trusts.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pawl::internal {

/// The layer between HDF5 and a trajectory that may be damaged. HDF5 protects object headers, groups and
/// small attributes by checksums and refuses them if a byte is wrong. It trusts three structures without a
/// checksum: a wrong byte in them leads it past the end of its buffers, or round in circles. They are checked
/// here before HDF5 sees them, and a read of a damaged one fails:
///
///   global heaps      collections of strings. Each entry must lie inside and have exactly the size of its
///                     text, which has no zero byte and is padded with zeros.
///   chunk indices     trees of nodes. A child must be one level below its parent.
///   long attributes   lists of strings past 4 KB, stored as plain data. Each must refer to an entry of a
///                     heap, and give its size.
class CheckedFile {
 public:
  /// Throws h5::Failure if the file can't be opened or does not begin as an HDF5 file.
  explicit CheckedFile(const std::string& path);
  ~CheckedFile();
  CheckedFile(const CheckedFile&) = delete;
  CheckedFile& operator=(const CheckedFile&) = delete;

  enum class Kind { index, data, other };
  /// Bytes past the end read as 0. Returns false if the file can't be read or is damaged.
  bool read(Kind kind, std::uint64_t address, std::span<std::byte> bytes);
  std::uint64_t size() const { return size_; }

  /// While one of these exists, plain data is a global heap or a long attribute, not rows.
  class ReadingAttributes {
   public:
    explicit ReadingAttributes(CheckedFile& file) : file_(file) { file_.reading_attributes_ = true; }
    ~ReadingAttributes() { file_.reading_attributes_ = false; }
    ReadingAttributes(const ReadingAttributes&) = delete;
    ReadingAttributes& operator=(const ReadingAttributes&) = delete;

   private:
    CheckedFile& file_;
  };

  /// What is wrong with the file, or "".
  const std::string& damage() const { return damage_; }

 private:
  struct Heap {
    std::uint64_t bytes = 0;
    std::map<std::uint32_t, std::uint64_t> entry_sizes;  // by number
  };

  bool read_plain(std::uint64_t address, std::span<std::byte> bytes) const;
  bool fail(std::string what);
  /// The heap, or null if it is damaged.
  const Heap* check_heap(std::uint64_t address);
  bool is_inside_known_heap(std::uint64_t address) const;
  bool check_index(std::uint64_t address, std::span<const std::byte> node);
  bool check_attribute(std::uint64_t address, std::span<const std::byte> message);

  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  bool reading_attributes_ = false;
  std::map<std::uint64_t, Heap> heaps_;  // checked, by address
  std::string damage_;
};

}  // namespace pawl::internal
