#pragma once
// Plot of a performance profile.

#include <span>
#include <string>

#include <draw/figure.h>
#include <pawl/study/performance_profile.h>

namespace pawl::internal::cli {

/// A step line per method over log τ.
Figure profile_figure(const PerformanceProfile& profile, std::span<const std::string> methods,
                      std::size_t problems);

}  // namespace pawl::internal::cli
