#include <pawl/impact.h>

#include <cassert>

namespace pawl {

const ImpactPhase* ImpactHistory::find(ImpactEvent event) const {
  for (int i = 0; i < count; ++i) {
    if (phase[i].event == event) return &phase[i];
  }
  return nullptr;
}

void apply_impulse(std::span<const double> L, std::span<const double> p, std::span<double> u) {
  assert(L.size() == p.size() * u.size());
  for (std::size_t column = 0; column < p.size(); ++column) {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += L[column * u.size() + i] * p[column];
  }
}

std::string_view to_string(ImpactStatus status) {
  switch (status) {
    case ImpactStatus::resolved:
      return "resolved";
    case ImpactStatus::unchanged:
      return "unchanged";
    case ImpactStatus::refused:
      return "refused";
  }
  return "?";
}

std::string_view to_string(ImpactReason reason) {
  switch (reason) {
    case ImpactReason::none:
      return "none";
    case ImpactReason::separating:
      return "separating";
    case ImpactReason::resting:
      return "resting";
    case ImpactReason::not_finite:
      return "not-finite";
    case ImpactReason::restitution_out_of_range:
      return "restitution-out-of-range";
    case ImpactReason::negative_friction:
      return "negative-friction";
    case ImpactReason::static_below_dynamic:
      return "static-below-dynamic";
    case ImpactReason::bad_tolerance:
      return "bad-tolerance";
    case ImpactReason::not_positive_semidefinite:
      return "not-positive-semidefinite";
    case ImpactReason::normal_immovable:
      return "normal-immovable";
    case ImpactReason::never_ends:
      return "no-impulse-ends-it";
    case ImpactReason::out_of_range:
      return "out-of-range";
    case ImpactReason::too_many_steps:
      return "too-many-steps";
  }
  return "?";
}

std::string_view to_string(ImpactPath path) {
  switch (path) {
    case ImpactPath::none:
      return "none";
    case ImpactPath::stops_in_compression:
      return "stops-in-compression";
    case ImpactPath::never_stops:
      return "never-stops";
    case ImpactPath::stops_in_expansion:
      return "stops-in-expansion";
  }
  return "?";
}

std::string_view to_string(ImpactSlip slip) {
  switch (slip) {
    case ImpactSlip::none:
      return "none";
    case ImpactSlip::slides_through:
      return "slides-through";
    case ImpactSlip::stops_and_sticks:
      return "stops-and-sticks";
    case ImpactSlip::stops_and_reverses:
      return "stops-and-reverses";
    case ImpactSlip::sticks_throughout:
      return "sticks-throughout";
    case ImpactSlip::breaks_loose:
      return "breaks-loose";
  }
  return "?";
}

std::string_view to_string(ImpactEvent event) {
  switch (event) {
    case ImpactEvent::start:
      return "start";
    case ImpactEvent::tangential_pause:
      return "tangential-pause";
    case ImpactEvent::normal_pause:
      return "normal-pause";
    case ImpactEvent::end:
      return "end";
  }
  return "?";
}

}  // namespace pawl
