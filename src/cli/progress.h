#pragma once
// A progress line on the terminal, and the wish to stop.

#include <chrono>
#include <string>

namespace pawl::internal::cli {

/// One line of stderr that is written over; silent where stderr is not a terminal or `quiet`.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();  // wipes the line
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool visible() const { return visible_; }
  void show(const std::string& text);

 private:
  bool visible_;
  bool drawn_ = false;
};

/// Of a run, at most ten times a second.
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

/// From here on Ctrl-C and a termination request only raise a flag; a second one ends the program at once.
void catch_interrupts();
bool interrupted();
/// As a shell reports it: 130 after Ctrl-C, 143 after a termination request.
int interrupt_exit_code();

}  // namespace pawl::internal::cli
