#include <pawl/base/atomic_write.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <pawl/error.h>

namespace pawl::internal {

void write_atomically(const std::string& path,
                      const std::function<void(const std::string& temporary_path)>& write) {
  const std::string temporary_path = path + ".part";
  std::error_code failed;
  try {
    write(temporary_path);
    std::filesystem::rename(temporary_path, path);
  } catch (const std::filesystem::filesystem_error& error) {
    std::filesystem::remove(temporary_path, failed);
    throw Error(fmt::format("{}: {}", path, error.code().message()));
  } catch (const std::exception& error) {
    std::filesystem::remove(temporary_path, failed);
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
}

void write_text(const std::string& path, std::string_view text) {
  write_atomically(path, [text](const std::string& temporary_path) {
    std::ofstream out(temporary_path, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw Error("can't be written");
  });
}

}  // namespace pawl::internal
