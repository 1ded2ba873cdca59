#pragma once
// Chromium without a window, driven through its DevTools pipe.

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "child_process.h"

namespace pawl::internal::cli {

struct PictureSize {
  int width = 1280, height = 720;  // px
};

class Browser {
 public:
  /// Opens the page of a file. `folder` is its own, for what it writes. Throws Error, also where no Chromium
  /// is installed.
  Browser(const std::string& page, const PictureSize& size, const std::string& folder);

  /// Runs a script on the page, waits for its promise and throws Error with what it throws.
  void run(const std::string& script);
  /// The page as it is now, as a PNG.
  std::string screenshot();

 private:
  nlohmann::json send_command(const std::string& method, const nlohmann::json& parameters);
  nlohmann::json next_message();

  std::string log_;
  std::unique_ptr<ChildProcess> process_;
  std::string received_;
  std::string session_;
  int last_id_ = 0;
  bool loaded_ = false;
};

}  // namespace pawl::internal::cli
