#pragma once

#include <span>
#include <string>

#include <draw/figure.h>
#include <pawl/study/performance_profile.h>

namespace pawl::internal::cli {

/// The profile as a picture: a step line for each method over log τ.
Figure profile_figure(const PerformanceProfile& profile, std::span<const std::string> methods,
                      std::size_t problems);

}  // namespace pawl::internal::cli
