#pragma once
// Rims and edges that cross.

#include <optional>

#include <pawl/collision/distance/curve.h>
#include <pawl/collision/distance/separating_direction.h>

namespace pawl::internal {

/// The optimum where two curves on the surfaces of the two cores cross, from places nearby, if these carry
/// it; n tells only the sign of its direction. Where the cores overlap it may not be the best: it is `proven`
/// or not.
std::optional<SeparatingDirection> crossing(const CorePair& pair, const Curve& a, const Curve& b,
                                            CurveParameter x, CurveParameter y, const Vec3& n);

/// The optimum where a rim of one core crosses a rim or a straight edge of the other, by Newton's method on
/// the two points. Where a rim is met almost along its axis this is the way that converges: a little turn of
/// the direction sends the farthest point of the rim all around it. The simplex names the curves; none: they
/// do not cross nearby, or are not the ones that count.
std::optional<SeparatingDirection> optimum_on_crossing(const CorePair& pair, const Simplex& simplex,
                                                       const Vec3& n);

}  // namespace pawl::internal
