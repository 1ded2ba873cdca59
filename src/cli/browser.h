#pragma once
// Headless Chromium, driven through its DevTools pipe.

#include <memory>
#include <string>

#include <pawl/json/json.h>

#include "child_process.h"

namespace pawl::internal::cli {

struct PictureSize {
  int width = 1280, height = 720;  // px
};

class Browser {
 public:
  /// Opens an HTML file. `folder` is for the browser's own files. Throws Error, also if Chromium is not
  /// installed.
  Browser(const std::string& page, const PictureSize& size, const std::string& folder);

  /// Runs a script on the page and waits for its promise. Throws Error with the script's exception.
  void run(const std::string& script);
  /// The present page as a PNG.
  std::string screenshot();

 private:
  Json send_command(const std::string& method, const Json& parameters);
  Json next_message();

  std::string log_;
  std::unique_ptr<ChildProcess> process_;
  std::string received_;
  std::string session_;
  int last_id_ = 0;
  bool loaded_ = false;
};

}  // namespace pawl::internal::cli
