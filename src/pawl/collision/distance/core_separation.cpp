#include <pawl/collision/distance/core_separation.h>

#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/cylinder_side.h>
#include <pawl/collision/distance/face_contact.h>
#include <pawl/collision/distance/newton_refinement.h>
#include <pawl/collision/distance/penetration_depth.h>
#include <pawl/collision/distance/rim_outline.h>
#include <pawl/collision/distance/separating_axes.h>
#include <pawl/collision/shapes/contact_feature.h>

namespace pawl::internal {
namespace {

/// Curved cores for which no search is needed.
std::optional<SeparatingDirection> closed_form(const CorePair& pair) {
  std::optional<SeparatingDirection> found = optimum_on_a_face(pair);
  if (!found) found = rim_outline_direction(pair);
  if (!found) found = cylinder_side_direction(pair);
  return found;
}

/// GJK finds the pieces and Newton's method refines the result. If the pieces were wrong, GJK continues with
/// a smaller tolerance.
SeparatingDirection search(const CorePair& pair, const PosedConvex& a, const PosedConvex& b, bool flat) {
  // Polytopes in resting contact get their exact face normals from the separating axes, not from touching
  // points.
  const double clear = flat ? tolerances::kSamePoint * pair.size : 0;
  Vec3 n = initial_direction(pair);
  GjkState nearest = start_gjk(pair, n);
  SeparatingDirection best;
  bool found = false;
  // Rims need a smaller tolerance to identify their pieces.
  const bool rims = has_rim(a.shape) || has_rim(b.shape);
  for (const double tolerance :
       {tolerances::kCoarse, tolerances::kFine, tolerances::kQuadratic, tolerances::kToRounding, 0.0}) {
    if (rims && tolerance == tolerances::kCoarse) continue;
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

/// If the optimum lies on a face of one core and a curve of the other, takes the exact support point of the
/// curve. A convex combination of nearby points that is too high by ε is off sideways by O(√ε).
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
