#include "browser.h"

#include <unistd.h>

#include <array>
#include <filesystem>

#include <fmt/format.h>

#include <pawl/base/read_bytes.h>
#include <pawl/error.h>
#include <pawl/json/json.h>

#include "find_program.h"
#include "progress.h"

namespace pawl::internal::cli {
namespace {

constexpr double kReplyTimeout = 120;  // s for one reply; software rendering is slow

/// Decodes base64, in which Chromium sends images.
std::string from_base64(const std::string& text) {
  std::array<int, 256> value;
  value.fill(-1);
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 64; ++i) value[static_cast<unsigned char>(letters[i])] = i;
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const unsigned char letter : text) {
    if (value[letter] < 0) continue;
    bits = bits << 6 | static_cast<std::uint32_t>(value[letter]);
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return bytes;
}

std::string find_chromium() {
  std::string path = find_program({"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"});
  if (path.empty()) {
    throw Error("films and pictures are drawn by Chromium, and none is installed: apt-get install chromium");
  }
  return path;
}

std::string log_tail(const std::string& path) {
  constexpr std::size_t kTailBytes = 2000;
  try {
    const std::string text = read_bytes(path);
    return text.substr(text.size() > kTailBytes ? text.size() - kTailBytes : 0);
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

Browser::Browser(const std::string& page, const PictureSize& size, const std::string& folder)
    : log_(folder + "/chromium.log") {
  std::vector<std::string> command{find_chromium(),
                                   "--headless",
                                   "--remote-debugging-pipe",
                                   "--user-data-dir=" + folder + "/profile",
                                   "--no-first-run",
                                   "--hide-scrollbars",
                                   "--mute-audio",
                                   "--use-gl=angle",
                                   "--use-angle=swiftshader",
                                   "--enable-unsafe-swiftshader",
                                   "--disable-dev-shm-usage",
                                   fmt::format("--window-size={},{}", size.width, size.height)};
  // Chromium's sandbox does not run as root. The page is our own and does not access the network.
  if (::geteuid() == 0) command.push_back("--no-sandbox");
  process_ = std::make_unique<ChildProcess>(command, 3, 4, log_);
  const Json target = send_command("Target.createTarget", {{"url", "about:blank"}});
  session_ = send_command("Target.attachToTarget",
                          {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"]
                 .text();
  send_command("Page.enable", Json::object());
  send_command("Emulation.setDeviceMetricsOverride",
               {{"width", size.width}, {"height", size.height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  send_command("Page.navigate", {{"url", "file://" + std::filesystem::absolute(page).string()}});
  while (!loaded_) next_message();
  run("window.pawl.ready");
}

Json Browser::next_message() {
  std::size_t end = 0;
  while ((end = received_.find('\0')) == std::string::npos) {
    const std::string bytes = process_->read(kReplyTimeout);
    if (interrupted()) throw Error("interrupted");
    if (bytes.empty()) throw Error(fmt::format("Chromium does not answer; it said:\n{}", log_tail(log_)));
    received_ += bytes;
  }
  const std::optional<Json> message = Json::parse(std::string_view(received_).substr(0, end));
  received_.erase(0, end + 1);
  if (!message) throw Error("Chromium says what can't be understood");
  loaded_ |= (*message)["method"].text() == "Page.loadEventFired";
  return *message;
}

Json Browser::send_command(const std::string& method, const Json& parameters) {
  Json request{{"id", ++last_id_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) request["sessionId"] = session_;
  process_->write(request.dump() + '\0');
  for (;;) {
    const Json message = next_message();
    if (message["id"].number() != last_id_) continue;
    if (message.contains("error")) {
      throw Error(fmt::format("Chromium refuses {}: {}", method, message["error"]["message"].text()));
    }
    return message["result"];
  }
}

void Browser::run(const std::string& script) {
  const Json result = send_command("Runtime.evaluate", {{"expression", script}, {"awaitPromise", true}});
  if (!result.contains("exceptionDetails")) return;
  const Json& details = result["exceptionDetails"];
  const Json& description = details["exception"]["description"];
  throw Error(
      fmt::format("the page failed: {}", (description.is_null() ? details["text"] : description).text()));
}

std::string Browser::screenshot() {
  return from_base64(send_command("Page.captureScreenshot", {{"format", "png"}})["data"].text());
}

}  // namespace pawl::internal::cli
