#include <pawl/record/checked_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <pawl/hdf5/hdf5_file.h>

namespace pawl::internal {
namespace {

using h5::Failure;

// The layout of these structures: HDF5 File Format Specification, sections III.A.1, III.E and IV.A.2.
constexpr std::string_view kFileSignature("\x89HDF\r\n\x1a\n", 8);
constexpr std::string_view kHeapSignature = "GCOL", kNodeSignature = "TREE";
constexpr std::size_t kHeapHeader = 16, kEntryHeader = 16, kReference = 16;
constexpr std::uint64_t kMinHeap = 4096;
constexpr std::size_t kNodeHeader = 24, kNodeChildren = 64;
constexpr std::byte kChunkNode{1};

template <class T>
T value_at(std::span<const std::byte> bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool begins_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

std::uint64_t round_up(std::uint64_t size) {
  return (size + 7) / 8 * 8;
}

/// True if `size` is the length of the text and zeros follow it.
bool is_text(std::span<const std::byte> padded, std::uint64_t size) {
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  const auto end = padded.begin() + static_cast<std::ptrdiff_t>(size);
  return std::none_of(padded.begin(), end, is_zero) && std::all_of(end, padded.end(), is_zero);
}

/// True if this datatype message is the one of strings of any length in UTF-8, in any of its versions (the
/// upper half of the first byte of a type).
bool is_string_type(std::span<const std::byte> type) {
  constexpr std::array<unsigned char, 20> kStrings{
      9, 1, 1, 0, kReference, 0, 0, 0,  // variable length, UTF-8; bytes of a reference
      0, 0, 0, 0, 1,          0, 0, 0,  // of integers of one byte
      0, 0, 8, 0,                       // from bit 0, of 8 bits
  };
  constexpr std::size_t kBaseType = 8;
  if (type.size() != kStrings.size()) return false;
  for (std::size_t i = 0; i < type.size(); ++i) {
    const int version_mask = i == 0 || i == kBaseType ? 15 : 255;
    if ((std::to_integer<int>(type[i]) & version_mask) != kStrings[i]) return false;
  }
  return true;
}

/// True if this dataspace message (version 2) is that of a list
/// of `count` elements, perhaps with its greatest length.
bool is_list_of(std::uint64_t count, std::span<const std::byte> shape) {
  constexpr std::size_t kHeader = 4, kLength = 8;
  if (shape.size() < kHeader + kLength) return false;
  const std::byte has_max = shape[2];
  const std::size_t lengths = has_max == std::byte{1} ? 2 : 1;
  if (shape[0] != std::byte{2} || shape[1] != std::byte{1} || has_max > std::byte{1} ||
      shape[3] != std::byte{1} || shape.size() != kHeader + lengths * kLength)
    return false;
  for (std::size_t i = 0; i < lengths; ++i) {
    if (value_at<std::uint64_t>(shape, kHeader + i * kLength) != count) return false;
  }
  return true;
}

}  // namespace

CheckedFile::CheckedFile(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw Failure("can't open: " + std::generic_category().message(errno));
  // Opening a pipe would block until its other end is open.
  if (!S_ISREG(status.st_mode))
    throw Failure(S_ISDIR(status.st_mode) ? "is a directory" : "is not a plain file");
  if (status.st_size == 0) throw Failure("not a Pawl trajectory: the file is empty");
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw Failure("can't open: " + std::generic_category().message(errno));
  size_ = static_cast<std::uint64_t>(status.st_size);
  std::array<std::byte, 8> start{};
  if (!read_plain(0, start) || !begins_with(start, kFileSignature)) {
    ::close(descriptor_);
    throw Failure("not a Pawl trajectory: it is not an HDF5 file");
  }
}

CheckedFile::~CheckedFile() {
  ::close(descriptor_);
}

bool CheckedFile::fail(std::string what) {
  if (damage_.empty()) damage_ = std::move(what);
  return false;
}

bool CheckedFile::read_plain(std::uint64_t address, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    address += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  return true;
}

bool CheckedFile::read(Kind kind, std::uint64_t address, std::span<std::byte> bytes) {
  if (!read_plain(address, bytes)) return fail("can't read: " + std::generic_category().message(errno));
  switch (kind) {
    case Kind::index:
      return check_index(address, bytes);
    case Kind::data:
      if (!reading_attributes_ || is_inside_known_heap(address)) return true;
      return begins_with(bytes, kHeapSignature) ? check_heap(address) != nullptr
                                                : check_attribute(address, bytes);
    case Kind::other:
      return true;
  }
  return false;
}

// HDF5 reads the first 4 KB of a heap, and then the rest.
bool CheckedFile::is_inside_known_heap(std::uint64_t address) const {
  const auto after = heaps_.upper_bound(address);
  if (after == heaps_.begin()) return false;
  const auto& [start, heap] = *std::prev(after);
  return address < start + heap.bytes;
}

const CheckedFile::Heap* CheckedFile::check_heap(std::uint64_t address) {
  const auto known = heaps_.find(address);
  if (known != heaps_.end()) return &known->second;
  const auto damaged = [&] {
    fail(fmt::format("the strings at byte {} are damaged", address));
    return nullptr;
  };
  std::array<std::byte, kHeapHeader> header{};
  if (address > size_ || !read_plain(address, header) || !begins_with(header, kHeapSignature))
    return damaged();
  const auto size = value_at<std::uint64_t>(header, 8);
  if (size < kMinHeap || size > size_ - address) return damaged();
  std::vector<std::byte> bytes(size);
  if (!read_plain(address, bytes)) return damaged();

  Heap heap{size, {}};
  std::uint64_t at = kHeapHeader;
  while (size - at >= kEntryHeader) {
    const auto number = value_at<std::uint16_t>(bytes, at);
    const auto length = value_at<std::uint64_t>(bytes, at + 8);
    const std::uint64_t room = size - at;
    // Entry 0 is the free space up to the end; its length includes its header.
    if (number == 0) {
      if (length != room) return damaged();
      at = size;
      break;
    }
    if (length > room - kEntryHeader || round_up(length) > room - kEntryHeader) return damaged();
    const auto text = std::span<const std::byte>(bytes).subspan(at + kEntryHeader, round_up(length));
    if (!is_text(text, length) || !heap.entry_sizes.emplace(number, length).second) return damaged();
    at += kEntryHeader + round_up(length);
  }
  return &heaps_.emplace(address, std::move(heap)).first->second;
}

bool CheckedFile::check_index(std::uint64_t address, std::span<const std::byte> node) {
  const auto damaged = [&] { return fail(fmt::format("the chunk index at byte {} is damaged", address)); };
  if (node.size() < kNodeHeader || !begins_with(node, kNodeSignature)) return true;  // HDF5 refuses it
  const int level = std::to_integer<int>(node[5]);
  if (node[4] != kChunkNode || level == 0) return true;
  // Header, then keys and the addresses of children in turn, with a key at both ends.
  const std::size_t children_bytes = kNodeChildren * sizeof(std::uint64_t);
  if (node.size() < kNodeHeader + children_bytes) return damaged();
  const std::size_t key = (node.size() - kNodeHeader - children_bytes) / (kNodeChildren + 1);
  if (kNodeHeader + children_bytes + key * (kNodeChildren + 1) != node.size()) return damaged();
  const auto used = value_at<std::uint16_t>(node, 6);
  if (used > kNodeChildren) return damaged();
  for (std::size_t i = 0; i < used; ++i) {
    const auto child = value_at<std::uint64_t>(node, kNodeHeader + key + i * (key + sizeof(std::uint64_t)));
    std::array<std::byte, 6> start{};
    if (child >= size_ || !read_plain(child, start) || !begins_with(start, kNodeSignature) ||
        start[4] != kChunkNode || std::to_integer<int>(start[5]) != level - 1) {
      return damaged();
    }
  }
  return true;
}

// Version, flags, sizes of name, type and shape, character set; then these three, and the references to the
// strings: length, address of the heap, number of the entry. HDF5 believes every size that the type and the
// shape give, so both must be those of a list of strings.
bool CheckedFile::check_attribute(std::uint64_t address, std::span<const std::byte> message) {
  const auto damaged = [&] { return fail(fmt::format("the attribute at byte {} is damaged", address)); };
  constexpr std::size_t kHeader = 9;
  if (message.size() < kHeader || message[0] != std::byte{3} || message[1] != std::byte{0}) return damaged();
  const std::size_t type_at = kHeader + value_at<std::uint16_t>(message, 2);
  const std::size_t shape_at = type_at + value_at<std::uint16_t>(message, 4);
  const std::size_t data = shape_at + value_at<std::uint16_t>(message, 6);
  if (data > message.size() || (message.size() - data) % kReference != 0) return damaged();
  const std::uint64_t count = (message.size() - data) / kReference;
  if (!is_string_type(message.subspan(type_at, shape_at - type_at)) ||
      !is_list_of(count, message.subspan(shape_at, data - shape_at)))
    return damaged();
  for (std::size_t at = data; at < message.size(); at += kReference) {
    const auto length = value_at<std::uint32_t>(message, at);
    const auto heap_at = value_at<std::uint64_t>(message, at + 4);
    const auto entry = value_at<std::uint32_t>(message, at + 12);
    if (heap_at == 0) continue;  // an empty string
    const Heap* heap = check_heap(heap_at);
    if (heap == nullptr) return false;
    const auto found = heap->entry_sizes.find(entry);
    if (found == heap->entry_sizes.end() || found->second != length) return damaged();
  }
  return true;
}

}  // namespace pawl::internal
