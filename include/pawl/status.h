#pragma once
// The outcome of a solve or a step.

#include <cstdint>
#include <string_view>

namespace pawl {

/// What became of a problem, or of a step made of problems, from best to worst. Only the judge decides it
/// (residual.h).
enum class Status : std::uint8_t {
  certified,    // every law holds to the tolerance, as judged
  approximate,  // an answer whose residual exceeds the tolerance
  refused,      // no answer was found; a refused step leaves the state unchanged
  no_solution,  // proven: there is none
};

constexpr std::string_view to_string(Status status) {
  switch (status) {
    case Status::certified:
      return "certified";
    case Status::approximate:
      return "approximate";
    case Status::refused:
      return "refused";
    case Status::no_solution:
      return "no-solution";
  }
  return "?";
}

}  // namespace pawl
