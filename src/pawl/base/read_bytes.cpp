#include <pawl/base/read_bytes.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <pawl/error.h>

namespace pawl::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr std::size_t kChunk = std::size_t{1} << 16;

Error too_large(const std::string& path) {
  return Error(fmt::format("{}: is larger than 1 GiB, the most that is read", path));
}

}  // namespace

std::string read_bytes(const std::string& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (fs::is_directory(status)) throw Error(fmt::format("{}: is a folder, not a file", path));
  // Devices may have no end.
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_fifo(status)) {
    throw Error(fmt::format("{}: is neither a file nor a pipe", path));
  }
  // Opening a pipe by its name would wait for someone to write to it. Those under /dev are open already:
  // /dev/stdin, and /dev/fd/63 of a shell's <(…).
  if (fs::is_fifo(status) && !path.starts_with("/dev/")) {
    throw Error(fmt::format("{}: is a named pipe: give a file, or /dev/stdin", path));
  }
  if (fs::is_regular_file(status) && fs::file_size(path, none) > kMaxBytes) throw too_large(path);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("{}: can't be opened", path));
  std::string bytes;
  while (in) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kChunk);
    in.read(bytes.data() + before, kChunk);
    bytes.resize(before + static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > kMaxBytes) throw too_large(path);  // the size of a pipe is not known in advance
  }
  if (in.bad()) throw Error(fmt::format("{}: can't be read", path));
  return bytes;
}

}  // namespace pawl::internal
