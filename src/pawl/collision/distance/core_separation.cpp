#include <pawl/collision/distance/core_separation.h>

#include <pawl/collision/distance/cylinder_side.h>
#include <pawl/collision/distance/face_contact.h>
#include <pawl/collision/distance/newton_refinement.h>
#include <pawl/collision/distance/penetration_depth.h>
#include <pawl/collision/distance/rim_outline.h>
#include <pawl/collision/distance/separating_axes.h>
#include <pawl/collision/shapes/contact_feature.h>

namespace pawl::internal {
namespace {

/// Of curved cores, where no search is needed.
std::optional<SeparatingDirection> closed_form(const CorePair& pair) {
  std::optional<SeparatingDirection> found = optimum_on_a_face(pair);
  if (!found) found = rim_outline_direction(pair);
  if (!found) found = cylinder_side_direction(pair);
  return found;
}

/// GJK finds the pieces, Newton's method the digits; if the pieces were the wrong ones GJK goes on.
SeparatingDirection search(const CorePair& pair, const PosedConvex& a, const PosedConvex& b, bool flat) {
  // Flat faces at rest on each other take their normals as they are stored, and not from points that touch.
  const double clear = flat ? 1e-9 * pair.size : 0;
  Vec3 n = initial_direction(pair);
  GjkState nearest = start_gjk(pair, n);
  SeparatingDirection best;
  bool found = false;
  const bool rims = has_rim(a.shape) || has_rim(b.shape);  // tell their pieces late
  for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12, 0.0}) {
    if (rims && tolerance == 1e-3) continue;
    iterate_gjk(pair, tolerance * pair.size, nearest);
    if (nearest.overlap) break;
    n = nearest.w / nearest.upper;
    const SeparatingDirection now = newton_refine(pair, nearest.simplex, n);
    if (!found || is_better(pair, now, best)) best = now;
    found = true;
    if (best.s > clear && is_exact(pair, best)) return best;
    if (nearest.stalled) break;
  }
  const SeparatingDirection other =
      flat ? evaluate_optimal_direction(pair, transpose(a.X_WS.R) * find_separating_axis(a, b).best.normal)
           : penetration_depth(pair, found ? best.n : n);
  return found && is_better(pair, best, other) ? best : other;
}

/// What a search found on a face: there the other core lies with the one point that is farthest along the
/// face's normal, exactly. A mixture of points nearby is off by the square root of what it is too high.
void snap_to_face(const CorePair& pair, SeparatingDirection& optimum) {
  using Kind = CoreFeature::Kind;
  const Vec3& n = optimum.n;
  const Kind a = exposed_feature(pair.a, -n, {}).kind;
  const Kind b = exposed_feature(pair.b, transpose(pair.R_AB) * n, {}).kind;
  const PairSupport farthest = support(pair, n);
  if (b == Kind::face && a == Kind::curve) {
    optimum.a = farthest.a;
    optimum.b = optimum.a - optimum.s * n;
  } else if (a == Kind::face && b == Kind::curve) {
    optimum.b = farthest.b;
    optimum.a = optimum.b + optimum.s * n;
  }
}

}  // namespace

SeparatingDirection core_separation(const PosedConvex& a, const PosedConvex& b) {
  const CorePair pair = core_pair(a, b);
  if (core_polytope(a.shape) && core_polytope(b.shape)) return search(pair, a, b, true);
  if (const std::optional<SeparatingDirection> found = closed_form(pair)) return *found;
  SeparatingDirection optimum = search(pair, a, b, false);
  snap_to_face(pair, optimum);
  return optimum;
}

}  // namespace pawl::internal
