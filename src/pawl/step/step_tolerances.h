#pragma once
// Tolerances that several parts of the two-stage step share.

#include <pawl/base/tolerances.h>

namespace pawl::internal {

inline constexpr double kLimitTouch =
    tolerances::kSamePoint;  // m or rad: a joint this close to a limit is at the limit
inline constexpr double kLimitRounding = tolerances::kZeroLength;  // m or rad: accuracy of a located limit
inline constexpr double kClosed =
    tolerances::kCoarse;  // overlap that counts as closing, relative to the touch gap
// Speeds at which overlaps are parted: deep ones that a run starts with, and all others; joints beyond their
// limits too. The first slowly, since what moves while held by springs or servos loads them: a robot whose
// feet start 18 mm in the floor must not hop.
inline constexpr double kMaxDeepPartingSpeed = 0.1;  // m/s
inline constexpr double kMaxPartingSpeed = 1;        // m/s or rad/s

}  // namespace pawl::internal
