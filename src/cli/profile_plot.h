#pragma once

#include <span>
#include <string>

#include <pawl/study/performance_profile.h>

namespace pawl::cli {

/// The profile as a picture (SVG), in the look of docs/figures: a step line for each method over log τ.
std::string profile_svg(const PerformanceProfile& profile, std::span<const std::string> methods,
                        std::size_t problems);

}  // namespace pawl::cli
