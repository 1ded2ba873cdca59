#pragma once
// Signed distance of convex shapes by the general methods.

#include <pawl/geometry.h>

namespace pawl::internal {

/// separation() by GJK, separating axes or branch and bound, without closed forms. The pair must be in
/// canonical order.
Separation separation_ordered(const PosedConvex& a, const PosedConvex& b);

}  // namespace pawl::internal
