#pragma once
// Separating directions at crossings of rims and edges.

#include <optional>

#include <pawl/collision/distance/curve.h>
#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// The optimum where two curves on the surfaces of the two cores cross, from nearby parameters x and y. Empty
/// if the curves do not carry an optimum. Only the sign of the direction is taken from n. If the cores
/// overlap, it may not be the best optimum; `proven` is set if it is.
std::optional<SeparatingDirection> crossing(const CorePair& pair, const Curve& a, const Curve& b,
                                            CurveParameter x, CurveParameter y, const Vec3& n);

/// The optimum where a rim of one core crosses a rim or a straight edge of the other, by Newton's method on
/// the two points. It converges also where the normal is almost along the axis of the rim. There a small turn
/// of the direction moves the support point all around the rim.
/// The simplex selects the curves. Empty if they do not cross nearby or do not carry the optimum.
std::optional<SeparatingDirection> optimum_on_crossing(const CorePair& pair, const Simplex& simplex,
                                                       const Vec3& n);

}  // namespace pawl::internal
