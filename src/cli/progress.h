#pragma once
// A progress line on the terminal, and handling of interrupts.

#include <chrono>
#include <string>

namespace pawl::internal::cli {

/// One line of stderr that is overwritten; silent if stderr is not a terminal or if `quiet`.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();  // erases the line
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool visible() const { return visible_; }
  void show(const std::string& text);

 private:
  bool visible_;
  bool drawn_ = false;
};

/// Progress of a run, updated at most ten times per second.
class Progress {
 public:
  Progress(double until, bool quiet);

  void show(double time, double worst_residual);
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  double until_;
  StatusLine line_;
  Clock::time_point start_, last_;
};

/// From now on SIGINT (Ctrl-C), SIGTERM and SIGHUP only set a flag; a second signal ends the program
/// immediately.
void catch_interrupts();
bool interrupted();
/// As shells report it: 129 after SIGHUP, 130 after SIGINT, 143 after SIGTERM.
int interrupt_exit_code();

}  // namespace pawl::internal::cli
