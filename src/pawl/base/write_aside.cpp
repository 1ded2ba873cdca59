#include <pawl/base/write_aside.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <pawl/base/error.h>

namespace pawl {

void write_aside(const std::string& path, const std::function<void(const std::string& aside)>& write) {
  const std::string aside = path + ".part";
  std::error_code failed;
  try {
    write(aside);
    std::filesystem::rename(aside, path);
  } catch (const std::filesystem::filesystem_error& error) {
    std::filesystem::remove(aside, failed);
    throw Error(fmt::format("{}: {}", path, error.code().message()));
  } catch (const std::exception& error) {
    std::filesystem::remove(aside, failed);
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
}

void write_text(const std::string& path, std::string_view text) {
  write_aside(path, [text](const std::string& aside) {
    std::ofstream out(aside, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw Error("can't be written");
  });
}

}  // namespace pawl
