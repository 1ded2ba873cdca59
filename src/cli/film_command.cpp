#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include <page/page.h>
#include <pawl/base/atomic_write.h>
#include <pawl/base/parse.h>
#include <pawl/base/read_bytes.h>
#include <pawl/base/temporary_folder.h>
#include <pawl/error.h>
#include <pawl/view/report.h>

#include "browser.h"
#include "commands.h"
#include "find_program.h"
#include "output_path.h"
#include "print.h"
#include "progress.h"

namespace pawl::internal::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kMaxFrames = 100000;  // about an hour of video

struct FilmArguments {
  std::string run, output = "motion.mp4", size = "1280x720";
  double fps = 30, speed = 1;
  std::optional<double> at;  // s
};

PictureSize parse_picture_size(const std::string& text) {
  const std::size_t cross = text.find('x');
  double width = 0, height = 0;
  if (cross == std::string::npos ||
      parse_number(std::string_view(text).substr(0, cross), width) != std::errc() ||
      parse_number(std::string_view(text).substr(cross + 1), height) != std::errc() ||
      std::floor(width) != width || std::floor(height) != height ||
      !(width >= 64 && width <= 7680 && height >= 64 && height <= 4320)) {
    throw Error(
        fmt::format("--size {}: not a size, as in 1280x720, from 64x64 to 7680x4320", internal::quote(text)));
  }
  return {static_cast<int>(width), static_cast<int>(height)};
}

/// Times of the frames, from the first to the last state of the run.
std::vector<double> frame_times(const RunView& run, const FilmArguments& arguments) {
  const double start = run.reader().time().front(), end = run.reader().time().back();
  const double step = arguments.speed / arguments.fps;
  const double count = std::floor((end - start) / step * (1 + 1e-12)) + 1;
  if (count > kMaxFrames) {
    throw Error(fmt::format("the film would have {:.0f} frames, more than {:.0f}: give a higher --speed",
                            count, kMaxFrames));
  }
  std::vector<double> times;
  for (int i = 0; i < static_cast<int>(count); ++i) times.push_back(std::min(end, start + step * i));
  return times;
}

/// The states needed for the frames, each once. The page interpolates and therefore also needs the next
/// state.
std::vector<std::uint64_t> states_for(const RunView& run, const std::vector<double>& times) {
  std::vector<std::uint64_t> states;
  for (const double time : times) {
    const std::uint64_t state = run.state_at(time);
    for (const std::uint64_t s : {state, state + 1}) {
      if (s < run.states() && (states.empty() || states.back() < s)) states.push_back(s);
    }
  }
  return states;
}

Browser open_page(const RunView& run, const std::vector<double>& times, const PictureSize& size,
                  const TemporaryFolder& folder) {
  const std::string page = folder.path() + "/page.html";
  write_text(page, make_film_page(viewer_page(), run, states_for(run, times)));
  return Browser(page, size, folder.path());
}

std::string frame(Browser& browser, double time) {
  browser.run(fmt::format("window.pawl.show({})", time));
  return browser.screenshot();
}

std::vector<std::string> ffmpeg_command(const FilmArguments& arguments, const std::string& output) {
  const std::string ffmpeg = find_program({"ffmpeg"});
  if (ffmpeg.empty())
    throw Error("films are put together by ffmpeg, which is not installed: apt-get install ffmpeg");
  std::vector<std::string> command{ffmpeg, "-y",         "-loglevel",  "error",
                                   "-f",   "image2pipe", "-framerate", fmt::format("{}", arguments.fps),
                                   "-c:v", "png",        "-i",         "-"};
  const bool webm = fs::path(arguments.output).extension() == ".webm";
  const std::vector<std::string> codec =
      webm
          ? std::vector<std::string>{"-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-f", "webm"}
          : std::vector<std::string>{"-c:v", "libx264", "-crf", "20", "-movflags", "+faststart", "-f", "mp4"};
  // Players require this pixel format, which requires even sizes.
  command.insert(command.end(), {"-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"});
  command.insert(command.end(), codec.begin(), codec.end());
  command.push_back(output);
  return command;
}

void make_picture(const FilmArguments& arguments, const std::string& output, const RunView& run) {
  const double start = run.reader().time().front(), end = run.reader().time().back();
  const double time = std::clamp(arguments.at.value_or(start), start, end);
  // The rest of the motion is included for the trails and for the choice of camera.
  constexpr int kContextTimes = 200;
  std::vector<double> times{time};
  for (int i = 0; i <= kContextTimes; ++i) times.push_back(start + (end - start) * i / kContextTimes);
  std::ranges::sort(times);
  const TemporaryFolder folder("pawl-film");
  Browser browser = open_page(run, times, parse_picture_size(arguments.size), folder);
  write_text(output, frame(browser, time));
}

void make_film(const FilmArguments& arguments, const std::string& output, const RunView& run) {
  const std::vector<double> times = frame_times(run, arguments);
  const TemporaryFolder folder("pawl-film");
  const std::string film = folder.path() + "/film", log = folder.path() + "/ffmpeg.log";
  const std::vector<std::string> command = ffmpeg_command(arguments, film);
  Browser browser = open_page(run, times, parse_picture_size(arguments.size), folder);
  ChildProcess ffmpeg(command, 0, -1, log);
  StatusLine line(false);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (interrupted()) throw Error("interrupted");
    if (!ffmpeg.write(frame(browser, times[i]))) break;
    line.show(fmt::format("frame {} of {}", i + 1, times.size()));
  }
  if (ffmpeg.finish() != 0) throw Error(fmt::format("ffmpeg failed:\n{}", read_bytes(log)));
  write_text(output, read_bytes(film));
}

int film(const FilmArguments& arguments) {
  const std::string output = resolve_output_path(arguments.output, arguments.run);
  const std::string ending = fs::path(output).extension().string();
  if (ending != ".mp4" && ending != ".webm" && ending != ".png") {
    throw Error(fmt::format("{}: a film is .mp4 or .webm, and a single picture .png", arguments.output));
  }
  const RunView run(arguments.run);
  catch_interrupts();
  try {
    ending == ".png" ? make_picture(arguments, output, run) : make_film(arguments, output, run);
  } catch (const Error&) {
    if (interrupted()) return interrupt_exit_code();
    throw;
  }
  print_stdout("{}\n", arguments.output);
  return 0;
}

}  // namespace

void add_film_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<FilmArguments>();
  Command command =
      line.add_command("film", "Render a recorded run as a video, or one instant of it as an image");
  command.add_option("RUN", arguments->run, "Trajectory (.h5)").required();
  command.add_option("-o,--output", arguments->output, "Video (.mp4, .webm) or image (.png)")
      .capture_default_str();
  command.add_option("--fps", arguments->fps, "Frames per second").capture_default_str().range(1.0, 240.0);
  command.add_option("--speed", arguments->speed, "Seconds of the run per second of video")
      .capture_default_str()
      .range(1e-9, 1e9);
  command.add_option("--size", arguments->size, "Width and height (px)").capture_default_str();
  command.add_option("--at", arguments->at, "Time of an image (s; default: the start)");
  command.footer(
      "Chromium renders the frames and ffmpeg encodes them; both are required (apt-get install chromium "
      "ffmpeg).\n\n"
      "Example:\n  pawl film four_balls.h5 -o motion.mp4 --speed 0.5\n"
      "  pawl film four_balls.h5 -o picture.png --at 0.6");
  command.callback([arguments, &exit_code] { exit_code = film(*arguments); });
}

}  // namespace pawl::internal::cli
