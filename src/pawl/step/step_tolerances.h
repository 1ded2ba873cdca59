#pragma once
// Tolerances that several parts of the two-stage step share.

namespace pawl::internal {

inline constexpr double kLimitTouch = 1e-9;      // m or rad: a joint this close to a limit is at the limit
inline constexpr double kLimitRounding = 1e-14;  // m or rad: accuracy of a located limit
inline constexpr double kClosed = 1e-3;          // overlap that counts as closing, relative to the touch gap
inline constexpr double kMaxLiftSpeed = 1;       // m/s or rad/s: at which overlaps are parted

}  // namespace pawl::internal
