#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace pawl::internal::cli {
namespace {

volatile std::sig_atomic_t signal_seen = 0;

void on_signal(int signal) {
  if (signal_seen != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  signal_seen = signal;
}

}  // namespace

StatusLine::StatusLine(bool quiet) : visible_(!quiet && isatty(STDERR_FILENO) == 1) {}

StatusLine::~StatusLine() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void StatusLine::show(const std::string& text) {
  if (!visible_) return;
  std::fputs(("\r\033[K" + text).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

Progress::Progress(double until, bool quiet)
    : until_(until), line_(quiet), start_(Clock::now()), last_(start_) {}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::show(double time, double worst_residual) {
  if (!line_.visible()) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  constexpr int kBarWidth = 30;
  const double fraction = until_ > 0 ? std::clamp(time / until_, 0.0, 1.0) : 1;
  const int full = static_cast<int>(fraction * kBarWidth);
  std::string bar;
  for (int i = 0; i < kBarWidth; ++i) bar += i < full ? "█" : "░";
  line_.show(fmt::format("{} {:3.0f} %  t = {:.4g} of {:.4g} s  {:.3g}× real time  worst residual {:.1e}",
                         bar, 100 * fraction, time, until_, time / seconds(), worst_residual));
}

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  // nohup ignores hang-ups, and so do we then.
  if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

bool interrupted() {
  return signal_seen != 0;
}

int interrupt_exit_code() {
  return 128 + signal_seen;
}

}  // namespace pawl::internal::cli
