#pragma once
// The energy ledger of a step.

#include <span>

#include <pawl/report.h>
#include <pawl/step/stepper.h>

namespace pawl::internal {

/// The ledger after the stepper's last attempt, a step of h that started with velocity v and stood at
/// `before`.
EnergyLedger advance_ledger(const Model& model, const Stepper& stepper, std::span<const double> v, double h,
                            const EnergyLedger& before);

}  // namespace pawl::internal
