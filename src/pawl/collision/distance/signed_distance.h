#pragma once
// The signed distance of convex shapes by the general method.

#include <pawl/geometry.h>

namespace pawl::internal {

/// separation() by GJK, separating axes or branch and bound, for a pair in canonical order. It has no closed
/// forms.
Separation separation_ordered(const PosedConvex& a, const PosedConvex& b);

}  // namespace pawl::internal
