#pragma once
// A progress line on the terminal, and the wish to stop.

#include <chrono>

namespace pawl::cli {

/// Rewrites one line of stderr at most ten times a second; silent where stderr is not a terminal or `quiet`.
class Progress {
 public:
  Progress(double until, bool quiet);
  ~Progress();  // wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(double time, double worst_residual);
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  double until_;
  bool visible_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
};

/// From here on Ctrl-C and a termination request only raise a flag; a second one ends the program at once.
void catch_interrupts();
bool interrupted();
/// As a shell reports it: 130 after Ctrl-C, 143 after a termination request.
int interrupt_exit_code();

}  // namespace pawl::cli
