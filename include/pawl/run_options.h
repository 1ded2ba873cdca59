#pragma once
// Options of a simulation run.

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace pawl {

/// What a run does after a step that is not certified.
enum class OnUncertified { flag, stop };

/// Friction sets as the scene has them, or inscribed polyhedra.
enum class FrictionForm { exact, polyhedral };

/// When impacts of contacts with restitution take place.
enum class ImpactTiming {
  located,   // at the instant the gap closes; the step is cut there
  stepwise,  // at the start of the step in which the gap would close
};
enum class ImpactOrder {
  simultaneous,  // all contacts that touch at that instant together
  sequential,    // one after the other, fastest first, until none approaches
};

struct ImpactOptions {
  ImpactTiming timing = ImpactTiming::located;
  ImpactOrder order = ImpactOrder::simultaneous;
  int max_per_step = 20;  // further impacts of a step are inelastic
  std::optional<double>
      contact_tolerance;  // m: gap up to which a contact takes part; default: a fraction of the bodies' size
};

/// The time-stepping methods (docs/methods.md).
inline constexpr std::array<std::string_view, 7> kMethodNames{
    "pawl",           "linearised",    "stewart-trinkle", "stewart-trinkle-nonlinear",
    "anitescu-potra", "anitescu-hart", "tzitzouris-pang"};

/// Three directions are the fewest that surround 0. The solver keeps one bit of a 64-bit word for each; 62
/// directions approximate a circle to 0.13 %.
inline constexpr int kMinFrictionDirections = 3;
inline constexpr int kMaxFrictionDirections = 62;
inline constexpr int kDefaultFrictionDirections = 8;

/// Resting contact needs three points in space, two in the plane; a manifold has at most eight.
inline constexpr int kDefaultContactPoints = 4;
inline constexpr int kMaxContactPoints = 8;

struct RunOptions {
  std::string method = "pawl";  // one of kMethodNames
  double step = 1e-3;           // h, s
  double until = 1;             // s
  double tolerance = 1e-8;      // of the judged residual, dimensionless
  // `pawl` only: steps are chosen such that the energy error of each stays below this, relative to the
  // kinetic energy; default: as long as `step` allows
  std::optional<double> accuracy;
  double gamma = 1;                  // in [0, 1]; anitescu-hart: fraction of an error corrected per step
  bool adaptive_gamma = false;       // anitescu-hart: γ of contacts limited so that overlaps do not bounce
  std::optional<double> active_gap;  // m; anitescu-hart: contacts with larger gaps are left out
  std::optional<FrictionForm> friction;                  // default: that of the method
  int friction_directions = kDefaultFrictionDirections;  // of polyhedral sets without directions of their own
  int contact_points = kDefaultContactPoints;  // maximum per pair of solids, or per normal of a surface
  int record_every = 1;                        // steps per recorded state
  bool record_contacts = true;
  bool record_forces = false;   // the forces in joints
  bool record_impacts = false;  // the events of every impact, with their works
  OnUncertified on_uncertified = OnUncertified::flag;
  ImpactOptions impacts;
};

std::string_view to_string(OnUncertified action);
std::string_view to_string(FrictionForm form);
std::string_view to_string(ImpactTiming timing);
std::string_view to_string(ImpactOrder order);

}  // namespace pawl
