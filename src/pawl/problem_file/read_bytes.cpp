#include "read_bytes.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include <pawl/base/error.h>

namespace pawl::detail {

std::string read_bytes(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw Error(fmt::format("{}: is a folder, not a file", path));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("{}: can't be opened", path));
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (in.bad()) throw Error(fmt::format("{}: can't be read", path));
  return std::move(bytes).str();
}

}  // namespace pawl::detail
