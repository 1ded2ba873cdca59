#pragma once
// Outcomes of a run, declared in its scene: what a study asks of it (docs/studies.md).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/math.h>

namespace pawl {

enum class OutcomeKind {
  pose,   // which way up a body lies: the name of a class
  value,  // a quantity of the run: at the end, or its min, max or mean over time
  event,  // the time at which a quantity first goes above or below a bound, s
  rest,   // the time at which bodies came to rest, s
  gate,   // how often a body went through a disc or plane, along its normal less against it
  force,  // the largest normal force of one contact of a body, N
  jam,    // the time from which a body made no progress while something still moved, s
};
std::string_view to_string(OutcomeKind kind);

enum class OutcomeTake { end, min, max, mean };
std::string_view to_string(OutcomeTake take);

/// A body is in this class if `direction`, in its frame, points up.
struct PoseClass {
  std::string name;
  Vec3 direction;  // unit
};

struct SceneOutcome {
  std::string name;
  OutcomeKind kind = OutcomeKind::value;
  std::string body;                 // pose, gate, force, jam
  std::vector<std::string> bodies;  // rest; empty: all that move
  std::vector<PoseClass> classes;   // pose
  Vec3 up;                          // pose; unit
  double within = 0;                // pose: largest angle from `up`, rad
  std::string quantity;             // value, event
  OutcomeTake take = OutcomeTake::end;
  /// pose, and value at the end: of the first moment of this outcome (event, rest, gate, jam) instead.
  std::string at;
  std::optional<double> above, below;  // event
  double speed = 0;                    // rest, jam: a slower body rests, m/s and rad/s
  double duration = 0;                 // rest, jam: for so long, s
  double progress = 0;                 // jam: m
  Vec3 along;                          // jam: progress counts along it only, unit; 0: in any direction
  Vec3 point, normal;                  // gate; m, unit
  double radius = 0;                   // gate, m; 0: the whole plane
  bool stop = false;                   // event, rest, gate, jam: the run ends when it happens
  int line = 0, column = 0;            // in the file
};

}  // namespace pawl
