#pragma once
// The table of time-stepping methods. What a paper chooses is a row here, not a code path of its own.

#include <span>
#include <string_view>

#include <pawl/scene.h>

namespace pawl::internal {

/// Where in a step something is evaluated.
enum class Linearisation {
  start,      // at q
  predicted,  // at q ⊕ h v
  end,        // at q ⊕ h v⁺, iterated to a fixed point that starts from the predicted one
};

/// What ζ in 0 ≤ u_n + ζ ⊥ p_n ≥ 0 is.
enum class Stabilisation {
  linearised,  // γ φ(q̂)/h - n·v̂: the gap at the end of the step, to first order where γ = 1; v̂ = 0 at q
  ignored,  // 0: only the velocity is constrained
};

/// When a contact enters the problem. Those that acted in the step before stay in it where they entered for
/// being violated.
enum class Activation {
  violated,  // it touches or overlaps at q ⊕ h v, or at the end of the step solved without it
  touching,  // it touches or overlaps at q
  near,      // its gap at q is no more than a given one, the active_gap of the run
};

struct Method {
  std::string_view name;
  Linearisation geometry = Linearisation::predicted;  // contacts: J and gaps; joints: Θ
  Linearisation dynamics = Linearisation::start;      // M, forces, and G of joints
  Stabilisation stabilisation = Stabilisation::linearised;
  Activation activation = Activation::violated;
  FrictionForm friction = FrictionForm::polyhedral;  // unless the run says otherwise
  bool newton = false;  // where geometry is at the end: by Newton's method, not by repeated substitution
};

std::span<const Method> methods();
/// Throws Error with the list of names.
const Method& find_method(std::string_view name);

}  // namespace pawl::internal
