#pragma once
// The table of time-stepping methods: the choices of each paper are a row, not a code path.

#include <span>
#include <string_view>

#include <pawl/scene.h>

namespace pawl::internal {

/// The configuration of a step at which a quantity is evaluated.
enum class Linearisation {
  start,      // at q
  predicted,  // at q ⊕ h v
  end,        // at q ⊕ h v⁺, iterated to a fixed point from the predicted configuration
};

/// The term ζ in 0 ≤ u_n + ζ ⊥ p_n ≥ 0.
enum class Stabilisation {
  // γ φ(q̂)/h − n·v̂: the gap at the end of the step, to first order if γ = 1; v̂ = 0 if q̂ = q
  linearised,
  ignored,  // 0: only the velocity is constrained
};

/// The condition for a contact to enter the problem. With `violated`, contacts that acted in the previous
/// step stay in the problem.
enum class Activation {
  violated,  // it touches or penetrates at q ⊕ h v, or at the end of a step solved without it
  touching,  // it touches or penetrates at q
  near,      // its gap at q is at most active_gap of the run
};

struct Method {
  std::string_view name;
  Linearisation geometry = Linearisation::predicted;  // contacts: J and gaps; joints: Θ
  Linearisation dynamics = Linearisation::start;      // M, forces, and G of joints
  Stabilisation stabilisation = Stabilisation::linearised;
  Activation activation = Activation::violated;
  FrictionForm friction = FrictionForm::polyhedral;  // default, unless the run sets it
  bool two_stage = false;                            // TwoStageStep: the fields above do not apply
  bool newton = false;  // for geometry at the end: Newton's method instead of fixed-point iteration
};

std::span<const Method> methods();
/// Throws Error with the list of names.
const Method& find_method(std::string_view name);

}  // namespace pawl::internal
